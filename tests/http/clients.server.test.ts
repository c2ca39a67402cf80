// stacks: one
/** The clients for agents in docs/clients, which people copy: one scenario, in each language. */
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readableUntil } from "../../src/resources/submissions/changes.ts";
import { until, uuid } from "../expect.ts";
import { blockOf } from "../pages.ts";
import { ask, makeForm, makeTeam, run as runProgram, temporaryFolder, testRequiring } from "../setup.ts";
import { makeSigningAgent } from "../signing.ts";
import { debianPython, python, runWith, textOfClient, typescript } from "./clients.ts";
import { cv, fileService, pdf } from "./files/fixture.ts";
import { local, receiver } from "./webhooks/receiver.ts";

const app = await fileService(local);
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail", required: true }]);

const typescriptProgram = `
const failure = async (work) => { try { await work(); return "ok"; } catch (error) { return error.message; } };
if (given.receipts) {
  const receipts = given.receipts.map((each) => failure(() => verifyReceipt(...each)));
  const webhooks = given.webhooks.map(([headers, ...rest]) => failure(() => verifyWebhook(new Headers(headers), ...rest)));
  print({
    receipt: await verifyReceipt(...given.receipts[0]),
    receipts: await Promise.all(receipts), webhooks: await Promise.all(webhooks),
  });
} else if (given.list) {
  const pages = [];
  for await (const { items, cursor } of readPages(...given.list)) pages.push([items.length, cursor !== null]);
  const error = await readPages(given.list[0], "fdk_no", given.list[2]).next().catch((error) => error);
  print({ pages, error: error.code });
} else if (given.isSilent) {
  print((await caught(() => new Agent({ ...given, timeoutSeconds: 0.5, maxWaitSeconds: 0 }).form())).name);
} else if (given.isBehindProxy) {
  const stored = await new Agent(given).submit({ email: "ada@example.org" });
  const error = await new Agent({ ...given, maxWaitSeconds: 0 }).form().catch((error) => error);
  print({ stored: stored.status, error: error instanceof FormdError && error.message });
} else if (given.file) {
  const agent = new Agent(given);
  await Promise.all([agent.form(), agent.form(), agent.form()]);
  const early = given.keyId ? await caught(() => agent.submit({ email: "ada@example.org" })) : undefined;
  const left = [];
  const answerOf = async ({ fieldId, remainingAttempts }) =>
    left.push([fieldId, remainingAttempts]) > 1 ? "ada@example.org" : "ada";
  const pass = given.keyId ? await agent.challenge(answerOf) : undefined;
  const failed = given.keyId ? await caught(() => agent.challenge(() => "ada")) : undefined;
  const file = await agent.upload("cv", "Lebens lauf & mehr.pdf", new TextEncoder().encode(given.file));
  const { id, body } = await agent.submit({ email: "ada@example.org", cv: [{ id: file.id }] });
  const { receipt, salt, key } = await agent.receipt(id);
  const session = given.secret ? await agent.session() : undefined;
  const restarted = { ...given, session, secret: undefined };
  const ended = { ...given, session: { ...session, token: "fds_no" } };
  const expired = { ...given, session: { ...session, expiresAt: "2020-01-01T00:00:00Z", token: "fds_no" } };
  const readBy = async (options) => (await new Agent(options).form()).form.id;
  const isUnset = await caught(() => new Agent({ ...given, secret: undefined, keyId: undefined }).form());
  print({
    early: early?.code, left, until: Date.parse(pass?.passExpiresAt) > Date.now(), failed: failed?.code,
    file: [file.name, file.size], id, salt: salt.length, states: await verifyReceipt(receipt, key, body),
    foreign: (await caught(() => verifyReceipt(receipt, key, body + " "))).message,
    isSame: session && (await agent.session()).token === session.token,
    forms: given.secret && [await readBy(restarted), await readBy(ended), await readBy(expired)],
    isUnset: isUnset.status,
  });
} else {
  const agent = new Agent(given);
  const data = { email: "ada@example.org" };
  const invalid = await agent.submit({ email: "ada" }).catch((error) => error);
  const stored = await agent.submit(data, { idempotencyKey: "one", metadata: { from: "a test" } });
  const again = await agent.submit(data, { idempotencyKey: "one", metadata: { from: "a test" } });
  const refused = await new Agent({ ...given, accessKey: "fdf_no" }).form().catch((error) => error);
  print({
    form: (await agent.form()).form.id,
    valid: (await agent.validate(data)).valid,
    invalid: [invalid instanceof FormdError, invalid.status, invalid.code, invalid.errors.map(({ code }) => code)],
    stored, again: again.id,
    partial: (await agent.submit({}, { partial: true })).status,
    refused: [refused.status, refused.code],
  });
}`;

const pythonProgram = `
def failure(work, *arguments):
    try:
        work(*arguments)
        return "ok"
    except ValueError as error:
        return str(error)
if "receipts" in given:
    receipts = [[each[0], each[1], *[body.encode() for body in each[2:]]] for each in given["receipts"]]
    result = {
        "receipt": verify_receipt(*receipts[0]),
        "receipts": [failure(verify_receipt, *each) for each in receipts],
        "webhooks": [failure(verify_webhook, headers, text.encode(), secret) for headers, text, secret in given["webhooks"]],
    }
elif "list" in given:
    base, key, path, query = given["list"]
    pages = [[len(items), cursor is not None] for items, cursor in read_pages(base, key, path, **query)]
    result = {"pages": pages, "error": caught(lambda: list(read_pages(base, "fdk_no", path))).code}
elif "isSilent" in given:
    proof = {"key_id": given["keyId"], "private_key": given["privateKey"]} if "keyId" in given else {"secret": "fda_"}
    error = caught(Agent(given["base"], "fdf_", **proof, timeout_seconds=0.5, max_wait_seconds=0).form)
    result = "TimeoutError" if isinstance(error, OSError) and "timed out" in str(error) else str(error)
elif "isBehindProxy" in given:
    stored = Agent(given["base"], given["accessKey"], given["secret"]).submit({"email": "ada@example.org"})
    error = caught(Agent(given["base"], given["accessKey"], given["secret"], max_wait_seconds=0).form)
    result = {"stored": stored["status"], "error": str(error)}
elif "file" in given:
    has_key, left = "keyId" in given, []
    proof = {"key_id": given["keyId"], "private_key": given["privateKey"]} if has_key else {"secret": given["secret"]}
    def agent_with(**options):
        return Agent(given["base"], given["accessKey"], **options)
    agent = agent_with(**proof)
    def answer_of(challenge):
        left.append([challenge["fieldId"], challenge["remainingAttempts"]])
        return "ada@example.org" if len(left) > 1 else "ada"
    early = caught(agent.submit, {"email": "ada@example.org"}) if has_key else None
    until = agent.challenge(answer_of)["passExpiresAt"] if has_key else ""
    failed = caught(agent.challenge, lambda challenge: "ada") if has_key else None
    file = agent.upload("cv", "Lebens lauf & mehr.pdf", given["file"].encode())
    stored = agent.submit({"email": "ada@example.org", "cv": [{"id": file["id"]}]})
    signed = agent.receipt(stored["id"])
    receipt, key, body = signed["receipt"], signed["key"], stored["body"]
    session = None if has_key else agent.session()
    ended = {**(session or {}), "token": "fds_no"}
    def read_by(**options):
        return agent_with(**options).form()["form"]["id"]
    result = {
        "left": left, "until": until > "2026", "file": [file["name"], file["size"]], "id": stored["id"],
        "salt": len(signed["salt"]), "states": verify_receipt(receipt, key, body),
        "foreign": str(caught(verify_receipt, receipt, key, body + " ")),
        "isUnset": caught(agent_with().form).status,
    }
    if has_key:
        result.update({"early": early.code, "failed": failed.code})
    else:
        expired = {**ended, "expiresAt": "2020-01-01T00:00:00.123Z"}
        forms = [read_by(session=session), read_by(session=ended, **proof), read_by(session=expired, **proof)]
        result.update({"isSame": agent.session()["token"] == session["token"], "forms": forms})
else:
    names = {"secret": "secret", "keyId": "key_id", "privateKey": "private_key"}
    proof = {names[name]: given[name] for name in names if name in given}
    agent = Agent(given["base"], given["accessKey"], **proof)
    data = {"email": "ada@example.org"}
    invalid = caught(agent.submit, {"email": "ada"})
    stored = agent.submit(data, idempotency_key="one", metadata={"from": "a test"})
    again = agent.submit(data, idempotency_key="one", metadata={"from": "a test"})
    refused = caught(Agent(given["base"], "fdf_no", **proof).form)
    result = {
        "form": agent.form()["form"]["id"],
        "valid": agent.validate(data)["valid"],
        "invalid": [isinstance(invalid, FormdError), invalid.status, invalid.code, [each["code"] for each in invalid.errors]],
        "stored": stored, "again": again["id"],
        "partial": agent.submit({}, partial=True)["status"],
        "refused": [refused.status, refused.code],
    }
print(json.dumps(result))`;

const languages = [
  ["TypeScript", typescriptProgram, typescript],
  ["Python", pythonProgram, python],
] as const;
const names = ["Agent", "FormdError", "readPages", "verifyReceipt", "verifyWebhook"];

/** Runs the scenario of a language. @returns what it prints, parsed */
const run = ([, program, language]: (typeof languages)[number], given: object) =>
  runWith(language, ["formd-agent", ...names], program, given);

describe.each(languages)("the client in %s", (...language) => {
  const check = language[0] === "Python" ? testRequiring(debianPython) : test;

  check("reads a list by its cursors, oldest first to what was stored last", async () => {
    const own = await makeTeam(app);
    for (let n = 0; n < 5; n++)
      await ask(app, "POST", "/papi/v1/management/forms", {
        headers: { "x-api-key": own.key },
        body: { name: String(n) },
      });
    await readableUntil(app.database.sql);
    const read = (query: object) => run(language, { list: [app.url, own.key, "/management/forms", query] });
    const newest = [
      [2, true],
      [2, true],
      [1, false],
    ];
    expect(await read({ limit: 2, total: false })).toEqual({ pages: newest, error: "unauthorized" });
    expect((await read({ limit: 3, order: "oldest" })).pages).toEqual([
      [3, true],
      [2, true],
    ]);
  });

  // An agent waits 5 s between submissions: the runs of a language wait at the same time.
  const proofs = ["secret", "key"] as const;
  const runs = new Map<string, Promise<{ stored: { id: string } }>>();
  beforeAll(async () => {
    for (const proof of language[0] === "Python" && !existsSync(debianPython) ? [] : proofs) {
      const { secret, key } = await makeSigningAgent(app, team, form);
      const privateKey = key.privateKey.export({ type: "pkcs8", format: "pem" });
      const own = proof === "key" ? { keyId: key.id, privateKey } : { secret };
      runs.set(proof, run(language, { base: app.url, accessKey: form.accessKey, ...own }));
    }
  });

  check.each(proofs)(
    "reads the form, validates, submits once however often it repeats, and waits when it must, by its %s",
    async (proof) => {
      const result: unknown = await runs.get(proof);
      expect(result).toEqual({
        form: form.id,
        valid: true,
        invalid: [true, 422, "validation_failed", ["format"]],
        stored: {
          id: expect.stringMatching(uuid),
          status: "completed",
          missingRequired: [],
          body: expect.stringMatching(/^\{"data": ?\{"email": ?"ada@example.org"\}/),
        },
        again: (await runs.get(proof))?.stored.id,
        partial: "partial",
        refused: [401, "unauthorized"],
      });
    },
  );

  check.each(proofs)(
    "uploads a file, passes what the form asks for, and verifies the receipt of what it sent, by its %s",
    async (proof) => {
      const email = { id: "email", type: "email", label: "E-mail" };
      const validation = { allowedDomains: ["example.org"] };
      const settings = { challenge: { required: proof === "key" } };
      const target = await makeForm(app, team, [{ ...email, validation }, cv], { settings });
      const { secret, key } = await makeSigningAgent(app, team, target);
      const privateKey = key.privateKey.export({ type: "pkcs8", format: "pem" });
      const own = proof === "key" ? { keyId: key.id, privateKey } : { secret };
      const file = Buffer.from(pdf).toString();
      const result = await run(language, { base: app.url, accessKey: target.accessKey, ...own, file });
      const [{ id }] = await app.database.sql<
        [{ id: string }]
      >`select id from formd.submissions where form_id = ${target.id}`;
      // One by the fixture, and three by the program: at first, and for those that had ended.
      const [sessions] = await app.database.sql<[{ count: number }]>`
        select count(*)::integer from formd.sessions s join formd.submissions u on u.id = ${id}
        where s.agent_id = u.submitter_id`;
      expect(sessions.count).toBe(proof === "key" ? 1 : 4);
      const attempts = [
        ["email", 3],
        ["email", 2],
      ];
      expect(result).toEqual({
        file: ["Lebens lauf & mehr.pdf", pdf.length],
        id,
        salt: expect.any(Number),
        states: expect.objectContaining({ submission: id, form: target.id }),
        foreign: "The receipt is for another body.",
        isUnset: 401,
        ...(proof === "key"
          ? { early: "challenge_required", left: attempts, until: true, failed: "challenge_failed" }
          : { left: [], until: false, isSame: true, forms: [target.id, target.id, target.id] }),
      });
    },
  );

  check("verifies webhooks and receipts, and says which check fails", async () => {
    const at = await receiver();
    const headers = { "x-api-key": team.key };
    const hook = { url: at.url, eventTypes: ["submission.created"] };
    const { body: made } = await ask(app, "POST", "/papi/v1/management/webhooks", { headers, body: hook });
    const body = JSON.stringify({ data: { email: "ada@example.org" } });
    const { body: stored } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { ...headers, "x-form-access-key": form.accessKey, "content-type": "application/json" },
      body,
    });
    const { id } = stored.data;
    const receiptPath = `/papi/v1/management/forms/${form.id}/submissions/${id}/receipt`;
    const { body: receipt } = await ask(app, "GET", receiptPath, { headers });
    const [{ key }] = (await ask(app, "GET", `/papi/v1/receipt-keys?team=${team.id}`)).body.data.keys;
    await until(() => at.received.length > 0);
    const [sent] = at.received as [(typeof at.received)[number]];
    const { secret, publicKey } = made.data.secrets;
    const receipts: [given: string[], said: string][] = [
      [[receipt, key, body], "ok"],
      [[receipt.replace("form:", "FORM:"), key], "The signature is not by this key over this receipt."],
      [[receipt, key, `${body} `], "The receipt is for another body."],
      [[receipt, key.replace(team.id, "another")], "Another key signed it."],
      [["hello", key], "This is no receipt, or no key of one."],
    ];
    const late = { ...sent.headers, "webhook-timestamp": "1" };
    const noSignature = "No signature in webhook-signature is by this secret.";
    const webhooks: [given: [headers: object, text: string, secret: string], said: string][] = [
      [[sent.headers, sent.text, secret], "ok"],
      [[sent.headers, sent.text, publicKey], "ok"],
      [[sent.headers, `${sent.text} `, secret], noSignature],
      [[sent.headers, `${sent.text} `, publicKey], noSignature],
      [[late, sent.text, secret], "webhook-timestamp is over 300 s away."],
      [[{}, sent.text, secret], "A header is missing: webhook-id, -timestamp or -signature."],
    ];
    const givenOf = <T>(cases: [T, string][]) => cases.map(([given]) => given);
    const saidOf = (cases: [unknown, string][]) => cases.map(([, said]) => said);
    const result = await run(language, { receipts: givenOf(receipts), webhooks: givenOf(webhooks) });
    expect(result).toEqual({
      receipt: expect.objectContaining({ submission: id, form: form.id }),
      receipts: saidOf(receipts),
      webhooks: saidOf(webhooks),
    });
  });

  check("waits for a proxy's 502, which is an error of the client in the end", async () => {
    const { secret } = await makeSigningAgent(app, team, form);
    let requests = 0;
    // Imitates nginx while both instances are away: for one request for a token, one that submits, and all
    // from the fifth on.
    using proxy = Bun.serve({
      port: 0,
      fetch({ url, method, headers, body }) {
        const { pathname, search } = new URL(url);
        const away = { status: 502, headers: { "retry-after": new Date().toUTCString() } };
        return [1, 3].includes(++requests) || requests > 4
          ? new Response("<html>502 Bad Gateway</html>", away)
          : fetch(app.url + pathname + search, { method, headers, body });
      },
    });
    const base = `http://localhost:${proxy.port}`;
    const printed = await run(language, { base, accessKey: form.accessKey, secret, isBehindProxy: true });
    const error = "502 not_json: The response is not of formd: it is no JSON.";
    expect(printed).toEqual({ stored: "completed", error });
  });

  check("waits no longer than told for a silent server, with a secret and with a key", async () => {
    using silent = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) });
    const base = `http://localhost:${silent.port}`;
    const { key } = await makeSigningAgent(app, team, form);
    const privateKey = key.privateKey.export({ type: "pkcs8", format: "pem" });
    const proofs = [{ secret: "fda_" }, { keyId: key.id, privateKey }];
    for (const proof of proofs)
      expect(await run(language, { base, accessKey: "fdf_", isSilent: true, ...proof })).toBe("TimeoutError");
    silent.stop(true);
  });
});

test("the program of docs/agents/rest.md passes a challenge, sends a file, and verifies the receipt", async () => {
  const validation = { allowedDomains: ["example.org"] };
  const fields = [
    { id: "name", type: "text", label: "Name" },
    { id: "email", type: "email", label: "E-mail", validation },
    { id: "cv", type: "file", label: "CV" },
  ];
  const target = await makeForm(app, team, fields, { settings: { challenge: { required: true } } });
  const { key } = await makeSigningAgent(app, team, target);
  const folder = temporaryFolder();
  const program = blockOf("docs/agents/rest.md", "ts", 'import { readFileSync } from "node:fs"');
  writeFileSync(join(folder, "formd-agent.ts"), textOfClient("formd-agent.ts"));
  writeFileSync(join(folder, "program.ts"), program.replaceAll("cv.txt", join(folder, "cv.txt")));
  writeFileSync(join(folder, "cv.txt"), "Ada Lovelace\n");
  writeFileSync(join(folder, "key.pem"), key.privateKey.export({ type: "pkcs8", format: "pem" }));
  const environment = { BASE: app.url, ACCESS_KEY: target.accessKey, KEY_ID: key.id };
  const settings = { ...environment, KEY_FILE: join(folder, "key.pem") };
  const { code, stdout } = await runProgram(process.execPath, [join(folder, "program.ts")], settings);
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ form: target.id })]);
});
