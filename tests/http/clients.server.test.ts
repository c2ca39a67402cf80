// stacks: one
/** The clients for agents in docs/clients, which people copy: one scenario, in each language. */
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readableUntil } from "../../src/resources/submissions/changes.ts";
import { until, uuid } from "../expect.ts";
import {
  ask,
  makeForm,
  makeTeam,
  permissive,
  root,
  run as runProgram,
  service,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";
import { makeSigningAgent } from "../signing.ts";
import { local, receiver } from "./webhooks/receiver.ts";

const app = await service({ ...permissive, ...local });
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail", required: true }]);

const typescript = `
import { Agent, FormdError, readPages, verifyReceipt, verifyWebhook } from "${join(root, "docs/clients/formd-agent.ts")}";
const given = JSON.parse(process.env.GIVEN);
const failure = async (work) => { try { await work(); return "ok"; } catch (error) { return error.message; } };
const print = (result) => console.log(JSON.stringify(result));
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
} else if (given.isBehindProxy) {
  const stored = await new Agent(given).submit({ email: "ada@example.org" });
  const error = await new Agent({ ...given, maxWaitSeconds: 0 }).form().catch((error) => error);
  print({ stored: stored.status, error: error instanceof FormdError && error.message });
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

const python = `
import json, os, sys
sys.path.insert(0, "${join(root, "docs/clients")}")
sys.dont_write_bytecode = True
from formd_agent import Agent, FormdError, read_pages, verify_receipt, verify_webhook
given = json.loads(os.environ["GIVEN"])
def failure(work, *arguments):
    try:
        work(*arguments)
        return "ok"
    except ValueError as error:
        return str(error)
def caught(work, *arguments):
    try:
        return work(*arguments)
    except FormdError as error:
        return error
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
elif "isBehindProxy" in given:
    stored = Agent(given["base"], given["accessKey"], given["secret"]).submit({"email": "ada@example.org"})
    error = caught(Agent(given["base"], given["accessKey"], given["secret"], max_wait_seconds=0).form)
    result = {"stored": stored["status"], "error": str(error)}
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

const debianPython = "/usr/bin/python3";
const languages = [
  ["TypeScript", "scenario.mjs", typescript, process.execPath],
  ["Python", "scenario.py", python, debianPython],
] as const;
const folder = temporaryFolder();

/** Runs the scenario of a language. @returns what it prints, parsed */
async function run([, name, program, runtime]: readonly [string, string, string, string], given: object) {
  const path = join(folder, `${crypto.randomUUID()}-${name}`);
  writeFileSync(path, program);
  const { code, stdout, stderr } = await runProgram(runtime, [path], { GIVEN: JSON.stringify(given) });
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe.each(languages)("the client in %s", (...language) => {
  const check = language[0] === "Python" ? testRequiring(debianPython) : test;

  check("has at most 225 lines", () => {
    const file = language[0] === "Python" ? "formd_agent.py" : "formd-agent.ts";
    const lines = readFileSync(join(root, "docs/clients", file), "utf8").split("\n");
    expect(lines.length - 1).toBeLessThanOrEqual(225);
  });

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
        stored: { id: expect.stringMatching(uuid), status: "completed", missingRequired: [] },
        again: (await runs.get(proof))?.stored.id,
        partial: "partial",
        refused: [401, "unauthorized"],
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
});

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

testRequiring(debianPython)("names and errors are alike in both languages", async () => {
  const source = readFileSync(join(root, "docs/clients/formd-agent.ts"), "utf8");
  const module = await import(join(root, "docs/clients/formd-agent.ts"));
  const membersOf = (object: object) => Object.keys(object).filter((name) => name !== "name");
  const [, options = ""] = /interface AgentOptions \{(.*?)^\}/ms.exec(source) ?? [];
  const [, submitted = ""] = /submit\(data: object, \{ (.*?) \} = \{\}/.exec(source) ?? [];
  const thrown = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, each]) => each).sort();
  const inTypeScript = {
    // A function in one language, a class in the other: each is what the libraries of the language take.
    exported: Object.keys(module)
      .map((name) => (name === "signedFetch" ? "SignedAuth" : /^[A-Z]/.test(name) ? name : snake(name)))
      .sort(),
    options: [...options.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = ""]) => snake(name)).sort(),
    methods: membersOf(new module.Agent({ base: "", accessKey: "" }))
      .concat(Object.getOwnPropertyNames(module.Agent.prototype))
      .filter((name) => name !== "constructor")
      .sort(),
    submit: submitted.split(", ").map((part) => snake(part.split(" = ")[0] ?? "")),
    error: [...membersOf(new module.FormdError(400, {}))].sort(),
    message: new module.FormdError(422, { code: "a", error: "b" }).message,
    errors: thrown(source, /new Error\("([^"]+)"\)/g),
  };
  const program = `
import inspect, json, sys
sys.path.insert(0, "${join(root, "docs/clients")}")
sys.dont_write_bytecode = True
import formd_agent as module
Agent, FormdError = module.Agent, module.FormdError
public = lambda names: sorted(name for name in names if not name.startswith("_"))
named = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == "formd_agent"]
print(json.dumps({
    "exported": public(named),
    "options": sorted(list(inspect.signature(Agent).parameters)),
    "methods": public(vars(Agent)),
    "submit": list(inspect.signature(Agent.submit).parameters)[2:],
    "error": public(vars(FormdError(400, {}))),
    "message": str(FormdError(422, {"code": "a", "error": "b"})),
}))`;
  const { errors, ...names } = inTypeScript;
  expect(await run(["Python", "names.py", program, debianPython], {})).toEqual(names);
  const text = readFileSync(join(root, "docs/clients/formd_agent.py"), "utf8");
  expect(thrown(text, /raise ValueError\("([^"]+)"\)/g)).toEqual(errors);
  expect(errors.length).toBeGreaterThan(5);
});
