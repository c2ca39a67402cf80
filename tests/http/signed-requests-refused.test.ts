// stacks: one deno
import { beforeAll, describe, expect, test } from "bun:test";
import { until } from "../expect.ts";
import {
  type Agent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../setup.ts";
import {
  type Key,
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

let app: Service;
let team: Team;
let other: Team;
let form: PublishedForm;
let agent: Agent;
let key: Key;

beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
  other = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
  ({ key, ...agent } = await makeSigningAgent(app, team, form));
});

const body = { data: {} };

describe("every fault of a signature", () => {
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
    const rest = [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id").sort();
    return { status: reply.status, headers: rest, body: await reply.text() };
  }
  async function stepOf(requestId: string): Promise<string | undefined> {
    const lines = () =>
      app
        .log()
        .split("\n")
        .filter((line) => line.includes(`"${requestId}"`))
        .map((line) => JSON.parse(line));
    await until(() => lines().some(({ status }) => status === 401));
    return lines().find(({ msg }) => msg === "signature refused")?.step;
  }
  const right = (recipe: Recipe = {}, path = validation) =>
    signed(key, unsigned(app, path, form, body), recipe);
  const withHeaders = (request: Unsigned, headers: Record<string, string>) => ({
    ...request,
    headers: { ...request.headers, ...headers },
  });
  const without = (request: Unsigned, name: string) => ({
    ...request,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([each]) => each !== name)),
  });
  const faults: [
    title: string,
    make: (path: string) => Unsigned | Promise<Unsigned>,
    step: string | undefined,
  ][] = [
    ["no Signature", (path) => without(right({}, path), "signature"), "signature"],
    ["no Signature-Input", (path) => without(right({}, path), "signature-input"), "signature-input"],
    [
      "both empty",
      (path) => withHeaders(right({}, path), { signature: "", "signature-input": "" }),
      "signature-input",
    ],
    [
      "an empty Signature alone",
      (path) => withHeaders(unsigned(app, path, form, body), { signature: "" }),
      "signature-input",
    ],
    ["garbage", (path) => withHeaders(right({}, path), { "signature-input": '"\\(((' }), "signature-input"],
    [
      "sig1 twice",
      (path) => withHeaders(right({}, path), { signature: "sig1=:AAAA:, sig1=:AAAA:" }),
      "signature",
    ],
    [
      "63 bytes",
      (path) => withHeaders(right({}, path), { signature: `sig1=:${Buffer.alloc(63).toString("base64")}:` }),
      "signature",
    ],
    [
      "a component too few",
      (path) => right({ components: ["@method", "@authority", "x-form-access-key", "content-digest"] }, path),
      "components",
    ],
    [
      "an unknown component",
      (path) =>
        right(
          {
            components: ["@method", "@authority", "@path", "x-form-access-key", "content-digest", "@scheme"],
            values: { "@scheme": "http" },
          },
          path,
        ),
      "components",
    ],
    ["no nonce", (path) => right({ parameters: { nonce: null } }, path), "parameters"],
    ["another algorithm", (path) => right({ parameters: { alg: '"hmac-sha256"' } }, path), "parameters"],
    ["10 minutes old", (path) => right({ parameters: { created: String(now() - 600) } }, path), "created"],
    ["10 minutes ahead", (path) => right({ parameters: { created: String(now() + 600) } }, path), "created"],
    ["expired", (path) => right({ parameters: { expires: String(now() - 1) } }, path), "created"],
    ["another body", (path) => ({ ...right({}, path), body: '{"data":{ }}' }), "content-digest"],
    [
      "a body whose digest is not covered",
      (path) => right({ components: ["@method", "@authority", "@path", "x-form-access-key"] }, path),
      "content-digest",
    ],
    ["an unknown key", (path) => signed(newKey(), unsigned(app, path, form, body)), "key"],
    [
      "another key's signature",
      (path) => right({ parameters: { keyid: `"${key.id}"` }, values: { "@method": "PUT" } }, path),
      "verify",
    ],
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
        const revoked = await makeSigner(app, team, agent.id);
        const request = signed(revoked, unsigned(app, path, form, body));
        expect((await send(app, signed(revoked, unsigned(app, validation, form, body)))).status).toBe(200);
        const headers = { "x-api-key": team.key };
        await ask(app, "DELETE", `/papi/v1/identity/agents/${agent.id}/keys/${revoked.id}`, {
          headers,
          body: {},
        });
        return request;
      },
      "key",
    ],
    [
      "an expired key",
      async (path) => {
        const expired = await makeSigner(app, team, agent.id);
        await app.database
          .sql`update formd.signing_keys set expires_at = now() - interval '1 second' where key_id = ${expired.id}`;
        return signed(expired, unsigned(app, path, form, body));
      },
      "key",
    ],
    [
      "a key of another team",
      async (path) => {
        const foreign = await makeForm(app, other, []);
        return signed(
          await makeSigner(app, other, (await makeAgent(app, other, foreign)).id),
          unsigned(app, path, form, body),
        );
      },
      "key",
    ],
    [
      "a form of another team",
      async (path) => signed(key, unsigned(app, path, await makeForm(app, other, []), body)),
      "key",
    ],
    [
      "an unknown access key",
      (path) =>
        signed(key, unsigned(app, path, { ...form, accessKey: `${form.accessKey.slice(0, -4)}AAAA` }, body)),
      undefined,
    ],
    [
      "no access key",
      (path) => right({ components: ["@method", "@authority", "@path", "content-digest"] }, path),
      "components",
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
        'sig1=("@method" "@authority" "@path" "x-form-access-key" "content-digest");created;alg="ed25519"',
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
    120_000,
  );

  test("without a body no digest is asked for, and without a signature no signature", async () => {
    const headers = { "x-form-access-key": form.accessKey };
    const get = (more: Record<string, string>) =>
      ask(app, "GET", submitter, { headers: { ...headers, ...more } });
    const { status, headers: told } = await get({ signature: "" });
    expect([status, told.get("accept-signature")]).toEqual([
      401,
      'sig1=("@method" "@authority" "@path" "x-form-access-key");created;alg="ed25519"',
    ]);
    expect((await get({})).headers.has("accept-signature")).toBe(false);
  });

  test("the log has the signature base that was expected, and no access key in it", async () => {
    const requestId = crypto.randomUUID();
    const request = withHeaders(right({ values: { "@path": "/wrong" } }), { "x-request-id": requestId });
    await send(app, request);
    expect(await stepOf(requestId)).toBe("verify");
    const line =
      app
        .log()
        .split("\n")
        .find((line) => line.includes(requestId) && line.includes("expected signature base")) ?? "";
    const { base, level } = JSON.parse(line);
    expect(level).toBe("debug");
    expect(base).toStartWith(
      `"@method": POST\n"@authority": ${request.authority}\n"@path": ${validation}\n"x-form-access-key": fdf_[redacted]\n`,
    );
    expect(base).toEndWith(`"@signature-params": ${request.headers["signature-input"]?.slice(5)}`);
  });
});
