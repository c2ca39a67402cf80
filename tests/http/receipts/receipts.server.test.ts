// stacks: one months
import { describe, expect, test } from "bun:test";
import { createPublicKey, type KeyLike, verify } from "node:crypto";
import { httpbis } from "http-message-signatures";
import { MasterKey } from "../../../src/platform/master-key.ts";
import { signNote } from "../../../src/resources/receipts/note.ts";
import { writeReceipt } from "../../../src/resources/receipts/receipt.ts";
import { outcome, timestamp, unknownId } from "../../expect.ts";
import {
  asAgent,
  ask,
  formd,
  makeAgent,
  makeForm,
  makeTeam,
  permissive,
  server,
  service,
  settingsFor,
  type Team,
} from "../../setup.ts";
import { makeSigningAgent, newKey, send, signed, unsigned } from "../../signing.ts";
import {
  formsPath,
  submissionsPath as path,
  submissionPath,
  submissionsFixture,
} from "../submissions/fixture.ts";
import { verifyReceipt } from "./fixture.ts";

// A database of its own: a test rotates its master key.
const own = service({ ...permissive });
const fixture = await submissionsFixture([{ id: "name", type: "text", label: "Name" }], own);
const {
  app,
  team,
  other,
  form,
  freshForm,
  byKey,
  agentOn,
  anonymousOn,
  submit: submitBody,
  read,
  edited,
  call,
  archive,
} = fixture;
const key = { "x-api-key": team.key };
const body = '{"data": {"name":"Ada"} }';
const digest = (text: string) => `sha-256=:${new Bun.CryptoHasher("sha256").update(text).digest("base64")}:`;
const submit = (headers: Record<string, string>) => submitBody(headers, body);
async function submitAs(headers: Record<string, string>): Promise<string> {
  const reply = await submit(headers);
  expect(outcome(reply)).toBe("ok");
  return reply.body.data.id;
}
const submitted = async () => await submitAs(await agentOn(form));
const receiptPath = (id: string) => submissionPath({ id, formId: form.id }, "/receipt");
const receipt = (id: string) => ask(app, "GET", receiptPath(id), { headers: key });
const keysOf = async (of = team.id) =>
  (await ask(app, "GET", `/papi/v1/receipt-keys?team=${of}`)).body.data.keys;

/** Verifies by an independent package, with whatever key the signature names. */
const verifier = (publicKey: KeyLike) => ({
  keyLookup: async () => ({
    algs: ["ed25519"],
    verify: async (data: Buffer, signature: Buffer) => verify(null, data, publicKey, signature),
  }),
});
/** Returns the members of a receipt by name. */
const membersOf = (note: string): Record<string, string> =>
  Object.fromEntries(
    (note.split("\n\n")[0] ?? "")
      .split("\n")
      .map((line) => [line.split(": ")[0], line.split(": ").slice(1).join(": ")]),
  );

describe("a receipt", () => {
  test("states what was accepted, and is verified by formd receipt verify without a network", async () => {
    const agent = await makeAgent(app, team, form);
    const id = await submitAs(asAgent(form, agent));
    const { status, headers, body: note } = await receipt(id);
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "text/plain;charset=utf-8",
      "no-store",
    ]);
    expect(membersOf(note)).toEqual({
      submission: id,
      form: form.id,
      version: "1",
      "schema-digest": expect.stringMatching(/^sha-256=:.{44}:$/),
      "request-digest": digest(body),
      "data-commitment": expect.stringMatching(/^sha-256=:.{44}:$/),
      submitter: `agent ${agent.id}`,
      provenance: "agent",
      accepted: expect.stringMatching(timestamp),
    });
    const [{ key: noteKey, name, retiredAt }] = await keysOf();
    expect([name, retiredAt]).toEqual([`${new URL(name).origin}/receipts/${team.id}`, null]);

    const salt = headers.get("receipt-salt") ?? "";
    const data = '{ "name":"Ada" }';
    for (const [of, options, failed] of [
      [note, {}, []],
      [note, { data: body }, []],
      [note, { data, salt }, []],
      [note, { data }, ["data"]],
      [note, { data: `${body} ` }, ["data"]],
      [note, { data: '{"name":"Eve"}', salt }, ["data"]],
      [note.replace("version: 1", "version: 2"), {}, ["signature"]],
      [note.slice(0, -2), {}, ["format"]],
    ] as const)
      expect((await verifyReceipt(of, { key: noteKey, ...options })).failed).toEqual([...failed]);

    // Without a key the rest is checked, and nothing of it makes a receipt valid.
    const without = await verifyReceipt(note, { data: body });
    expect([without.valid, without.checks.map(({ name, ok }) => [name, ok])]).toEqual([
      false,
      Object.entries({ format: true, key: false, data: true }),
    ]);
    expect(without.stderr).toContain(name);
  });

  test("is the same text each time, of another server too, and after an edit", async () => {
    const id = await submitted();
    const first = await receipt(id);
    await edited(await read({ id, formId: form.id }), ["name", "Eve"]);
    const [{ name }] = await keysOf();
    const another = await server({ DATABASE_URL: app.database.url, BASE_URL: new URL(name).origin });
    for (const each of [app, another]) {
      const again = await ask(each, "GET", receiptPath(id), { headers: key });
      expect([again.body, again.headers.get("receipt-salt")]).toEqual([
        first.body,
        first.headers.get("receipt-salt"),
      ]);
    }
  });

  test("is byte for byte what this process, whose runtime may be another, makes of the same data", async () => {
    const agent = await makeAgent(app, team, form);
    const id = await submitAs(asAgent(form, agent));
    const { headers, body: note } = await receipt(id);
    const [{ schema }] = await app.database.sql<[{ schema: unknown }]>`
      select schema from formd.form_versions where team_id = ${team.id} and form_id = ${form.id} and version = 1`;
    const text = writeReceipt({
      submission: id,
      form: form.id,
      version: 1,
      schema,
      requestDigest: new Bun.CryptoHasher("sha256").update(body).digest(),
      salt: Buffer.from(headers.get("receipt-salt") ?? "", "base64url"),
      data: { name: "Ada" },
      ...{ submitterType: "agent", submitterId: agent.id, provenance: "agent", respondentId: null },
      ...{ declaredAgent: null, keyId: null, signatureInput: null, signature: null },
      acceptedAt: new Date(membersOf(note).accepted ?? ""),
    });
    const [{ name }] = await keysOf();
    const masterKey = new MasterKey(Buffer.alloc(32, 7));
    const { privateKey, publicKey } = await masterKey.signingKey("receipt", `${team.id} 1`);
    expect(note).toBe(await signNote(text, { name, publicKey }, privateKey));
  });

  test("of a deleted submission is 410, of an unknown one 404, of another team's 404", async () => {
    const id = await submitted();
    expect(outcome(await call("GET", receiptPath(id), { key: other.key }))).toBe("404 not_found");
    await call("DELETE", submissionPath({ id, formId: form.id }));
    expect(outcome(await receipt(id))).toBe("410 gone");
    expect(outcome(await receipt(unknownId))).toBe("404 not_found");
    expect(outcome(await ask(app, "GET", receiptPath(id)))).toBe("401 unauthorized");
  });

  test("is for the submitter as well: the same text, and only that one's own", async () => {
    const [agent, another] = [await makeAgent(app, team, form), await makeAgent(app, team, form)];
    const id = await submitAs(asAgent(form, agent));
    const own = (headers: Record<string, string>) =>
      ask(app, "GET", `/papi/v1/submitter/receipts/${id}`, { headers });
    expect((await own(asAgent(form, agent))).body).toBe((await receipt(id)).body);
    expect(outcome(await own(asAgent(form, another)))).toBe("404 not_found");
    expect(outcome(await own(byKey(form)))).toBe("404 not_found");
    expect(outcome(await own({ "x-form-access-key": form.accessKey }))).toBe("401 unauthorized");
    const stored = await submit(byKey(form));
    const ofKey = await ask(app, "GET", `/papi/v1/submitter/receipts/${stored.body.data.id}`, {
      headers: byKey(form),
    });
    expect(membersOf(ofKey.body).submitter).toBe(`api_key ${team.keyId}`);
  });

  test("is for the submitter also when the form is archived, or takes no anonymous sessions any more", async () => {
    const own = await freshForm({ anonymous: { enabled: true } });
    const callers = [await agentOn(own), await anonymousOn(own)];
    const readOwn = async (headers: Record<string, string>, id: string) =>
      (await ask(app, "GET", `/papi/v1/submitter/receipts/${id}`, { headers })).body;
    const ids = await Promise.all(callers.map(submitAs));
    const again = () => Promise.all(callers.map((headers, index) => readOwn(headers, ids[index] ?? "")));
    const texts = await again();
    expect(texts.map((text) => typeof text)).toEqual(["string", "string"]);
    await call("PATCH", `${formsPath}/${own.id}`, {
      body: { operations: [{ op: "setMeta", settings: { anonymous: { enabled: false } } }] },
    });
    expect(await again()).toEqual(texts);
    await archive(own);
    expect(await again()).toEqual(texts);
  });

  test("of a signed request holds the agent's signature, which an independent package verifies", async () => {
    const agent = await makeSigningAgent(app, team, form);
    const request = signed(agent.key, unsigned(app, path, form, { data: { name: "Ada" } }));
    const reply = await send(app, request);
    expect(outcome(reply)).toBe("ok");
    const members = membersOf((await receipt(reply.body.data.id)).body);
    expect(members.key).toBe(agent.key.id);
    // All from the receipt, except for the access key, which is a secret, and the URL.
    const message = {
      method: "POST",
      url: app.url + path,
      headers: {
        "x-form-access-key": form.accessKey,
        "content-digest": members["request-digest"] as string,
        "signature-input": `sig1=${members["agent-signature-input"]}`,
        signature: `sig1=${members["agent-signature"]}`,
      },
    };
    const verifyMessage = (headers: object) =>
      httpbis.verifyMessage(verifier(agent.key.pem), {
        ...message,
        headers: { ...message.headers, ...headers },
      });
    const note = (await receipt(reply.body.data.id)).body;
    const [{ key: noteKey }] = await keysOf();
    const verifyAgent = async (pem: string, accessKey: string, url = app.url + path) => {
      const agentKey = { "agent-key": pem, "access-key": accessKey, url };
      const { checks } = await verifyReceipt(note, { key: noteKey, ...agentKey });
      return checks.find(({ name }) => name === "agent") as object;
    };
    expect(await verifyAgent(agent.key.pem, form.accessKey)).toMatchObject({ ok: true });
    for (const [pem, accessKey, step] of [
      [agent.key.pem, `${form.accessKey}x`, "verify"],
      [newKey().pem, form.accessKey, "key"],
    ] as const)
      expect(await verifyAgent(pem, accessKey)).toMatchObject({
        ok: false,
        message: `its signature fails at: ${step}`,
      });
    expect(await verifyAgent(agent.key.pem, form.accessKey, `${app.url}/mcp`)).toMatchObject({ ok: false });

    expect(await verifyMessage({})).toBe(true);
    expect(await verifyMessage({ "content-digest": `sha-256=:${"A".repeat(43)}=:` })).toBe(false);
  });
});

describe("Accept-Signature on submit", () => {
  const accept = 'sig1=("@status" "content-digest" "@method";req "@path";req);nonce="abc"';

  test("gives a response that is signed for this request, which an independent package verifies", async () => {
    const headers = {
      ...(await agentOn(form)),
      "content-type": "application/json",
      "accept-signature": accept,
    };
    const reply = await fetch(app.url + path, { method: "POST", headers, body });
    const text = await reply.text();
    expect(reply.headers.get("content-digest")).toBe(digest(text));
    expect(reply.headers.get("signature-input")).toContain(';nonce="abc"');
    const [{ key: noteKey }] = await keysOf();
    const raw = Buffer.from(noteKey.split("+").slice(2).join("+"), "base64").subarray(1);
    const publicKey = createPublicKey({
      key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") },
      format: "jwk",
    });
    const verifyWith = (requestPath: string, status = 200) =>
      httpbis.verifyMessage(
        verifier(publicKey),
        { status, headers: Object.fromEntries(reply.headers) },
        { method: "POST", url: app.url + requestPath, headers },
      );
    expect(await verifyWith(path)).toBe(true);
    expect(await verifyWith("/papi/v1/submitter/form/other")).toBe(false);
    expect(await verifyWith(path, 201)).toBe(false);
  });

  test.each(["sig1=", "sig1", 'sig1=("x-unknown")', 'sig1=("content-digest";req)', "\u00e9"])(
    "that asks for what cannot be covered (%s) gives an unsigned response",
    async (header) => {
      const reply = await submit({ ...(await agentOn(form)), "accept-signature": header });
      expect([reply.status, reply.headers.get("signature")]).toEqual([200, null]);
    },
  );
});

describe("a server that cannot sign the response to a submission that it has stored", () => {
  const submitSigned = async (to: { url: string }) => {
    const own = await makeTeam(app);
    const ownForm = await makeForm(app, own, []);
    return {
      own,
      submit: () =>
        ask(to, "POST", path, {
          headers: {
            "x-form-access-key": ownForm.accessKey,
            "x-api-key": own.key,
            "accept-signature": 'sig1=("@status")',
          },
          body: { data: {} },
        }),
    };
  };
  const stored = async ({ id }: Team) =>
    (await app.database.sql`select count(*)::integer as n from formd.submissions where team_id = ${id}`)[0]
      ?.n;

  test("sends it unsigned without a master key, and a receipt is 503", async () => {
    const without = await server({ ...settingsFor(app.database), FORMD_SECRET_KEY: "" });
    const { own, submit } = await submitSigned(without);
    const reply = await submit();
    expect([outcome(reply), reply.headers.get("signature"), await stored(own)]).toEqual(["ok", null, 1]);
    const id = await submitted();
    expect(outcome(await ask(without, "GET", receiptPath(id), { headers: key }))).toBe("503 unavailable");
  });

  test("sends it unsigned when the database refuses the key", async () => {
    const { own, submit } = await submitSigned(app);
    // The next version exceeds an integer of PostgreSQL.
    await app.database.sql`
      insert into formd.receipt_keys (team_id, version, name, public_key, statement, created_at)
      values (${own.id}, ${2 ** 31 - 1}, 'another', ${Buffer.alloc(32)}, 'none', now())`;
    const reply = await submit();
    expect([outcome(reply), reply.headers.get("signature"), await stored(own)]).toEqual(["ok", null, 1]);
  });
});

describe("the keys of receipts", () => {
  test("are at the URL that is the key's name, in the last line of a receipt", async () => {
    const id = await submitted();
    const { body: note } = await receipt(id);
    const [, name = ""] = /\u2014 (\S+) \S+\n$/.exec(note) ?? [];
    expect(name).toEndWith(`/receipts/${team.id}`);
    const path = new URL(name).pathname;
    const { status, body } = await ask(app, "GET", path);
    expect([status, body.data.keys]).toEqual([200, await keysOf()]);
    expect(body.data.keys.map((each: { name: string }) => each.name)).toContain(name);
    expect(outcome(await ask(app, "GET", "/receipts/none"))).toBe("400 bad_request");
    expect((await ask(app, "GET", `/receipts/${unknownId}`)).body.data.keys).toEqual([]);
  });

  test("are none before the first receipt, and of no team that does not exist", async () => {
    expect(await keysOf((await makeTeam(app)).id)).toEqual([]);
    expect(await keysOf(unknownId)).toEqual([]);
    expect(outcome(await ask(app, "GET", "/papi/v1/receipt-keys"))).toBe("400 bad_request");
  });

  test("stay when BASE_URL or the master key changes: earlier receipts are the same as long as their key can be derived", async () => {
    const own = await makeTeam(app);
    const ownForm = await makeForm(app, own, []);
    const ownKey = { "x-api-key": own.key };
    const store = async (to: { url: string }) => {
      const reply = await ask(to, "POST", path, {
        headers: { "x-form-access-key": ownForm.accessKey, ...ownKey },
        body: { data: {} },
      });
      return `/papi/v1/management/forms/${ownForm.id}/submissions/${reply.body.data.id}/receipt`;
    };
    const get = async (from: { url: string }, receiptOf: string) =>
      (await ask(from, "GET", receiptOf, { headers: ownKey })).body as string;
    const first = await store(app);
    const text = await get(app, first);
    const moved = await server({ DATABASE_URL: app.database.url, BASE_URL: "http://localhost:1" });
    await get(moved, first);
    const second = await store(moved);
    expect(await get(moved, first)).toBe(text);
    expect(await get(moved, second)).toContain(`\u2014 http://localhost:1/receipts/${own.id} `);
    const keys = await keysOf(own.id);
    expect(keys.map(({ retiredAt }: { retiredAt: string | null }) => retiredAt === null)).toEqual([
      false,
      true,
    ]);
    const FORMD_SECRET_KEY = [9, 7].map((byte) => Buffer.alloc(32, byte).toString("base64")).join(",");
    expect((await formd(["secret", "rotate"], { ...settingsFor(app.database), FORMD_SECRET_KEY })).code).toBe(
      0,
    );
    const rekeyed = await server({
      DATABASE_URL: app.database.url,
      BASE_URL: "http://localhost:1",
      FORMD_SECRET_KEY,
    });
    expect(await get(rekeyed, second)).toBe(await get(moved, second));
    const third = await store(rekeyed);
    expect(await get(rekeyed, third)).toContain(`\u2014 http://localhost:1/receipts/${own.id} `);
    expect(await keysOf(own.id)).toHaveLength(3);
  });
});
