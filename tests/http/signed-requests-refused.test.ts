// stacks: one deno
import { describe, expect, test } from "bun:test";
import { until } from "../expect.ts";
import { ask, makeAgent, makeForm, makeTeam, permissive, service } from "../setup.ts";
import {
  makeSigner,
  makeSigningAgent,
  newKey,
  now,
  type Recipe,
  send,
  signed,
  type Unsigned,
  unsigned,
} from "../signing.ts";

const submitter = "/papi/v1/submitter/form";
const validation = `${submitter}/validation`;
const required = ["@method", "@authority", "@path", "x-form-access-key", "content-digest"];

const app = await service(permissive);
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
const { key, ...agent } = await makeSigningAgent(app, team, form);
const other = await makeTeam(app);
const foreign = await makeForm(app, other, []);
const body = { data: {} };

/** Accept-Signature without its nonce, of 16 bytes, which no two responses share. */
const nonces = new Set<string>();
function withoutNonce(header: string | null): string {
  return (header ?? "").replace(/;nonce="([\w-]{22})"/, (_, nonce: string) => {
    expect(nonces).not.toContain(nonce);
    nonces.add(nonce);
    return ';nonce=""';
  });
}

describe("every error of a signature", () => {
  let addresses = 0;
  /** A response to its last byte, except for the headers that differ in every response. */
  async function exactly(
    { method, path, headers, body }: Unsigned,
    requestId: string,
    more: Record<string, string>,
  ) {
    const ip = `198.18.${++addresses >> 8}.${addresses & 255}`;
    const reply = await fetch(app.url + path, {
      method,
      body,
      headers: { ...headers, "x-forwarded-for": ip, "x-request-id": requestId, ...more },
    });
    const rest = [...reply.headers]
      .filter(([name]) => name !== "date" && name !== "x-request-id")
      .map(([name, value]) => [name, name === "accept-signature" ? withoutNonce(value) : value])
      .sort();
    return { status: reply.status, headers: rest, body: await reply.text() };
  }
  const linesOf = (requestId: string) => {
    const lines = app.log().split("\n");
    return lines.filter((line) => line.includes(`"${requestId}"`)).map((line) => JSON.parse(line));
  };
  async function stepOf(requestId: string): Promise<string | undefined> {
    await until(() => linesOf(requestId).some(({ status }) => status === 401));
    return linesOf(requestId).find(({ msg }) => msg === "signature refused")?.step;
  }
  const right = (recipe: Recipe = {}, path = validation, by = key, of = form) =>
    signed(by, unsigned(app, path, of, body), recipe);
  const withHeaders = (request: Unsigned, headers: Record<string, string>) => ({
    ...request,
    headers: { ...request.headers, ...headers },
  });
  const signer = async (of = team) =>
    await makeSigner(app, of, of === team ? agent.id : (await makeAgent(app, of, foreign)).id);
  /** Each with the step that the log names. All kinds are in tests/unit/http-signature.test.ts. */
  const faults: [title: string, make: (path: string) => Unsigned | Promise<Unsigned>, step?: string][] = [
    ["sig1 twice", (path) => withHeaders(right({}, path), { signature: "sig1=:A:, sig1=:A:" }), "signature"],
    [
      "an empty Signature alone",
      (path) => withHeaders(unsigned(app, path, form, body), { signature: "" }),
      "signature-input",
    ],
    ["garbage", (path) => withHeaders(right({}, path), { "signature-input": '"\\(((' }), "signature-input"],
    ["a component too few", (path) => right({ components: required.slice(1) }, path), "components"],
    [
      "no access key",
      (path) => right({ components: required.filter((name) => name !== "x-form-access-key") }, path),
      "components",
    ],
    ["no nonce", (path) => right({ parameters: { nonce: null } }, path), "parameters"],
    ["10 minutes old", (path) => right({ parameters: { created: String(now() - 600) } }, path), "created"],
    ["another body", (path) => ({ ...right({}, path), body: '{"data":{ }}' }), "content-digest"],
    ["an unknown key", (path) => right({}, path, newKey()), "key"],
    ["another method", (path) => right({ values: { "@method": "PUT" } }, path), "verify"],
    [
      "another authority",
      (path) => signed(key, { ...unsigned(app, path, form, body), authority: "forms.example" }),
      "verify",
    ],
    ["another path", (path) => ({ ...right({}, `${path}s`), path }), "verify"],
    [
      "a replay",
      async (path) => {
        const request = right({}, path);
        await send(app, request);
        return request;
      },
      "nonce",
    ],
    [
      "a revoked key",
      async (path) => {
        const revoked = await signer();
        expect((await send(app, right({}, validation, revoked))).status).toBe(200);
        await ask(app, "DELETE", `/papi/v1/identity/agents/${agent.id}/keys/${revoked.id}`, {
          headers: { "x-api-key": team.key },
          body: {},
        });
        return right({}, path, revoked);
      },
      "key",
    ],
    [
      "an expired key",
      async (path) => {
        const expired = await signer();
        await app.database
          .sql`update formd.signing_keys set expires_at = now() - interval '1 second' where key_id = ${expired.id}`;
        return right({}, path, expired);
      },
      "key",
    ],
    ["a key of another team", async (path) => right({}, path, await signer(other)), "key"],
    ["a form of another team", (path) => right({}, path, key, foreign), "key"],
    [
      "an unknown access key",
      (path) => right({}, path, key, { ...form, accessKey: `${form.accessKey.slice(0, -4)}AAAA` }),
    ],
  ];

  test.each([validation, `${submitter}/submissions`, `${submitter}/challenges`])(
    "on %s is one 401, to the byte, with or without a good token; the log names the step",
    async (path) => {
      // With any signature header a request counts as signed; what is wrong stays unsaid from then on.
      const empty = withHeaders(unsigned(app, path, form, body), { signature: "" });
      const first = await exactly(empty, "first", {});
      expect([first.status, JSON.parse(first.body).code]).toEqual([401, "unauthorized"]);
      // RFC 9421, section 5.1: what is required, which follows from the request alone.
      expect(Object.fromEntries(first.headers)["accept-signature"]).toBe(
        'sig1=("@method" "@authority" "@path" "x-form-access-key" "content-digest");created;nonce="";alg="ed25519"',
      );
      for (const [title, make, step] of faults) {
        for (const credentials of [{}, { "x-respondent-token": agent.token, "x-api-key": team.key }]) {
          const requestId = crypto.randomUUID();
          const answer = await exactly(await make(path), requestId, credentials as Record<string, string>);
          expect({ title, ...answer }).toEqual({ title, ...first });
          expect({ title, step: await stepOf(requestId) }).toEqual({ title, step });
        }
      }
    },
  );

  test("without a body no digest is asked for, and without a signature no signature", async () => {
    const headers = { "x-form-access-key": form.accessKey };
    const get = (more: Record<string, string>) =>
      ask(app, "GET", submitter, { headers: { ...headers, ...more } });
    const { status, headers: told } = await get({ signature: "" });
    expect([status, withoutNonce(told.get("accept-signature"))]).toEqual([
      401,
      'sig1=("@method" "@authority" "@path" "x-form-access-key");created;nonce="";alg="ed25519"',
    ]);
    expect((await get({})).headers.has("accept-signature")).toBe(false);
  });

  test("the log has the signature base that was expected, and no access key in it", async () => {
    const requestId = crypto.randomUUID();
    const request = withHeaders(right({ values: { "@path": "/wrong" } }), { "x-request-id": requestId });
    await send(app, request);
    expect(await stepOf(requestId)).toBe("verify");
    const { base, level } = linesOf(requestId).find(({ base }) => base !== undefined);
    expect(level).toBe("debug");
    expect(base).toStartWith(
      `"@method": POST\n"@authority": ${request.authority}\n"@path": ${validation}\n"x-form-access-key": fdf_[redacted]\n`,
    );
    expect(base).toEndWith(`"@signature-params": ${request.headers["signature-input"]?.slice(5)}`);
  });
});
