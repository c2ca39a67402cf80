// stacks: one deno
/** Programs that declare themselves on a form's page (Web Bot Auth), signed by the web-bot-auth package. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { sign } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { signatureHeaders } from "web-bot-auth";
import { signerFromJWK } from "web-bot-auth/crypto";
import { jwkOf, spkiOf } from "../../../src/platform/auth/public-key.ts";
import { outcome, until } from "../../expect.ts";
import { ask, makeTeam, permissive, service } from "../../setup.ts";
import { type Key, newKey } from "../../signing.ts";
import { formsOf, pageFixture } from "./fixture.ts";

const app = await service({ ...permissive, DECLARED_AGENT_NETWORKS: "127.0.0.0/8" });
const team = await makeTeam(app);
const fixture = formsOf(app, team);
const fields = [{ id: "a", type: "text", label: "A" }];
const form = await fixture.published(fields);
const refusing = (page: object = {}) => fixture.published(fields, { agents: "refuse", ...page });

let directory: Server;
let origin: string;
/** Keys in the response of the directory, and the number of requests for it. */
let keys: Key[];
let asked = 0;
let isBroken = false;

// A directory of its own for each test, since servers keep what they have read.
beforeEach(async () => {
  directory?.close();
  keys = [newKey()];
  directory = createServer((request, response) => {
    asked++;
    const isDirectory = request.url === "/.well-known/http-message-signatures-directory";
    response.writeHead(isDirectory && !isBroken ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ keys: [{ kty: "RSA" }, ...keys.map(({ pem }) => jwkOf(spkiOf(pem)))] }));
  });
  await new Promise<void>((resolve) => void directory.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;
  asked = 0;
  isBroken = false;
});
afterAll(() => void directory.close());

interface Declared {
  key?: Key;
  /** Null: added once the rest was signed. */
  agent?: string | null;
  components?: string[];
  expires?: Date;
  created?: Date;
  authority?: string;
  tag?: string;
}

async function declaring({ key = keys[0] as Key, agent = `"${origin}"`, ...more }: Declared = {}) {
  const headers: Record<string, string> = agent === null ? {} : { "signature-agent": agent };
  const { created = new Date(), expires = new Date(Date.now() + 60_000) } = more;
  const signed = await signatureHeaders(
    { method: "POST", url: `${more.authority ?? app.url}/`, headers },
    await signerFromJWK(key.privateKey.export({ format: "jwk" }) as JsonWebKey),
    { created, expires, components: more.components ?? ["@authority", "signature-agent"] },
  );
  const input = signed["Signature-Input"].replace(
    'tag="web-bot-auth"',
    `tag="${more.tag ?? "web-bot-auth"}"`,
  );
  return {
    "signature-agent": `"${origin}"`,
    ...headers,
    "signature-input": input,
    signature: signed.Signature,
  };
}

/** Sends the page as a program does. */
async function send(headers: Record<string, string>, to: { id: string } = form, by = fixture) {
  const page = await by.post(by.pathOf(to), { a: "x" }, { accept: "application/json", ...headers });
  return { status: page.status, headers: page.headers, body: JSON.parse(page.text) };
}

const submissions = `/papi/v1/management/forms/${form.id}/submissions`;
const asKey = { headers: { "x-api-key": team.key } };
async function storedBy(headers: Record<string, string>) {
  const reply = await send(headers);
  expect(outcome(reply)).toBe("ok");
  const { submission } = (await ask(app, "GET", `${submissions}/${reply.body.data.id}`, asKey)).body.data;
  return [submission.provenance, submission.declaredAgent];
}

describe("a program that declares itself", () => {
  test("is marked with the origin whose key has signed, whose directory is read once", async () => {
    expect(await storedBy(await declaring())).toEqual(["declared_agent", origin]);
    expect(await storedBy(await declaring())).toEqual(["declared_agent", origin]);
    expect(asked).toBe(1);
    expect(await storedBy({})).toEqual(["person", null]);
  });

  test("may name its origin as a member of a dictionary, which the package cannot sign", async () => {
    const key = keys[0] as Key;
    const now = Math.floor(Date.now() / 1000);
    const member = '"signature-agent";key="own"';
    const input = `("@authority" ${member});created=${now};expires=${now + 60};keyid="${jwkOf(spkiOf(key.pem)).kid}";tag="web-bot-auth"`;
    const base = `"@authority": ${new URL(app.url).host}\n${member}: "${origin}"\n"@signature-params": ${input}`;
    const headers = {
      "signature-agent": `other="https://elsewhere.example", own="${origin}"`,
      "signature-input": `own=${input}`,
      signature: `own=:${sign(null, Buffer.from(base), key.privateKey).toString("base64")}:`,
    };
    expect(await storedBy(headers)).toEqual(["declared_agent", origin]);
  });

  test("is in the list, the export, the receipt and the charts' name for it", async () => {
    const { id } = (await send(await declaring())).body.data;
    const list = await ask(app, "GET", `${submissions}?provenance=declared_agent&limit=1`, asKey);
    expect(list.body.data.submissions).toEqual([expect.objectContaining({ id, declaredAgent: origin })]);
    const read = async (path: string) => (await fetch(app.url + submissions + path, asKey)).text();
    expect(await read("/export?format=csv&provenance=declared_agent")).toContain(
      `,declared_agent,${origin},`,
    );
    expect(await read(`/${id}/receipt`)).toContain(
      `\nprovenance: declared_agent\ndeclared-agent: ${origin}\n`,
    );
  });

  const unproven: [string, () => Promise<Record<string, string>>][] = [
    ["by a key that the directory does not have", () => declaring({ key: newKey() })],
    ["for another host", () => declaring({ authority: "https://elsewhere.example" })],
    [
      "that has expired",
      () =>
        declaring({ created: new Date(Date.now() - 7_200_000), expires: new Date(Date.now() - 3_600_000) }),
    ],
    ["that lives for two days", () => declaring({ expires: new Date(Date.now() + 172_800_000) })],
    ["that does not cover the origin", () => declaring({ agent: null, components: ["@authority"] })],
    ["that does not cover the host", () => declaring({ components: ["signature-agent"] })],
    ["with an origin that is none", () => declaring({ agent: '"file:///etc/passwd"' })],
    ["with a user in the origin", () => declaring({ agent: `"${origin.replace("//", "//a:b@")}"` })],
    ["of an origin without a directory", () => declaring({ agent: '"http://127.0.0.1:9"' })],
    ["of a name that does not exist", () => declaring({ agent: '"https://nowhere.invalid"' })],
    [
      "whose signature is changed",
      async () => ({ ...(await declaring()), signature: `sig1=:${"A".repeat(86)}==:` }),
    ],
    ["without a signature", async () => ({ ...(await declaring()), signature: "" })],
    [
      "whose origin is changed",
      async () => ({ ...(await declaring()), "signature-agent": '"http://127.0.0.1:9"' }),
    ],
  ];
  test.each(unproven)("%s: nothing is verified, so the submission has no mark", async (_, headers) => {
    expect(await storedBy(await headers())).toEqual(["person", null]);
  });

  test("cannot lead the server into the networks that are open to webhooks", async () => {
    const guarded = await pageFixture({ ...permissive, OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8" });
    const page = await guarded.published(fields);
    const reply = await send(await declaring({ authority: guarded.app.url }), page, guarded);
    expect([outcome(reply), asked]).toEqual(["ok", 0]);
  });

  test.each<[string, () => Promise<{ id: string }>]>([
    ["404 not_found", async () => ({ id: crypto.randomUUID() })],
    [
      "403 form_closed",
      () => fixture.published(fields, {}, { availability: { closesAt: "2020-01-01T00:00:00Z" } }),
    ],
    ["403 declared_agent_refused", () => refusing()],
  ])("has its origin asked only once an open form has taken the post, not after %s", async (code, made) => {
    expect([outcome(await send(await declaring(), await made())), asked]).toEqual([code, 0]);
  });

  test("whose directory could not be read is asked again soon, but not at once", async () => {
    isBroken = true;
    expect(await storedBy(await declaring())).toEqual(["person", null]);
    expect(await storedBy(await declaring())).toEqual(["person", null]);
    expect(asked).toBe(1);
    isBroken = false;
    await until(async () => (await storedBy(await declaring()))[0] === "declared_agent");
    expect(asked).toBe(2);
  });

  test("of another profile of signatures declares nothing", async () => {
    expect(await storedBy(await declaring({ tag: "other" }))).toEqual(["person", null]);
    expect(asked).toBe(0);
  });
});

describe("settings.page.agents refuse", () => {
  test("refuses a program that declares itself, whether its signature is valid or not, and no other", async () => {
    const closed = await refusing();
    for (const headers of [await declaring(), await declaring({ key: newKey() })])
      expect(outcome(await send(headers, closed))).toBe("403 declared_agent_refused");
    expect(outcome(await send({}, closed))).toBe("ok");
    const stored = await app.database
      .sql`select provenance from formd.submissions where form_id = ${closed.id}`;
    expect([...stored]).toEqual([{ provenance: "person" }]);
  });

  test("is shown on a page, in its language", async () => {
    const { status, text } = await fixture.post(
      await refusing({ language: "de" }),
      { a: "x" },
      await declaring(),
    );
    expect([status, text]).toEqual([403, expect.stringContaining("Dieses Formular ist für Menschen")]);
  });
});
