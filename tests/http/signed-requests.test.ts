import { beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { createSigner, httpbis } from "http-message-signatures";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Reply,
  root,
  type Server,
  type Service,
  server,
  service,
  type Team,
  temporaryFolder,
} from "../setup.ts";
import {
  askSigned,
  type Key,
  makeSigner,
  newKey,
  nonce,
  now,
  type Recipe,
  send,
  signed,
  type Unsigned,
  unsigned,
} from "../signing.ts";

const submitter = "/papi/v1/submitter/form";
const validation = `${submitter}/validation`;
const plenty = {
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1000000",
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "1000000",
};

let on: Service;
/** A second process on the same database. */
let there: Server;
/** A third one, with the feature flag off. */
let off: Server;
let team: Team;
let other: Team;
let form: PublishedForm;
let agent: Agent;
let key: Key;

beforeAll(async () => {
  on = await service({ FEATURE_AGENT_SIGNING: "true", ...plenty });
  const DATABASE_URL = on.database.url;
  [there, off] = [
    await server({ DATABASE_URL, FEATURE_AGENT_SIGNING: "true", ...plenty }),
    await server({ DATABASE_URL, ...plenty }),
  ];
  team = await makeTeam(on);
  other = await makeTeam(on);
  form = await makeForm(on, team, [{ id: "email", type: "email", label: "E-mail" }]);
  agent = await makeAgent(on, team, form);
  key = await makeSigner(on, team, agent.id);
}, 60_000);

const body = { data: {} };
const brief = ({ status, body }: Reply) => (status === 200 ? "ok" : `${status} ${body.code}`);
const validate = async (recipe: Recipe = {}, more: { key?: Key; to?: { url: string } } = {}) =>
  brief(await askSigned(more.to ?? on, validation, { key: more.key ?? key, form, body, recipe }));
const agentWithKey = async (scopes?: string[]) => {
  const made = await makeAgent(on, team, form, scopes);
  return { agent: made, key: await makeSigner(on, team, made.id) };
};
const identity = (method: string, to: string, body: object = {}) =>
  ask(on, method, `/papi/v1/identity/agents/${to}`, {
    headers: { "x-api-key": team.key },
    ...(method !== "GET" && { body }),
  });

describe("a signed request", () => {
  test("is its agent, on every submitter route, without a token", async () => {
    expect(await validate()).toBe("ok");
    const submitted = await askSigned(on, `${submitter}/submissions`, { key, form, body });
    expect(submitted.status).toBe(200);
    const [row] = await on.database
      .sql`select submitter_type as type, submitter_id as id from formd.submissions where id = ${submitted.body.data.id}`;
    expect(row).toEqual({ type: "agent", id: agent.id });
    expect(brief(await askSigned(on, `${submitter}/challenges`, { key, form, body: {} }))).toBe("ok");
    expect(brief(await askSigned(on, `${submitter}/challenges`, { key, form, body: undefined }))).toBe("ok");
  });

  test("may cover the query, and then the query is fixed", async () => {
    const { key } = await agentWithKey();
    const components = ["@method", "@authority", "@path", "@query", "x-form-access-key", "content-digest"];
    const request = { ...unsigned(on, `${submitter}/submissions`, form, body), query: "?partial=true" };
    const partial = await send(on, signed(key, request, { components }));
    expect([partial.status, partial.body.data?.status]).toEqual([200, "partial"]);
    const turned = { ...signed(key, request, { components }), query: "?partial=false" };
    expect(brief(await send(on, turned))).toBe("401 unauthorized");
  });

  const hosts: [host: string, signed: string, status: number][] = [
    ["localhost:PORT", "localhost:PORT", 200],
    ["LocalHost:PORT", "localhost:PORT", 200],
    ["LocalHost:PORT", "LocalHost:PORT", 401],
    ["LOCALHOST:80", "localhost", 200],
    ["localhost:80", "localhost:80", 401],
    ["localhost", "localhost", 200],
    ["localhost", "localhost:80", 401],
    ["[::1]:PORT", "[::1]:PORT", 200],
  ];
  test.each(hosts)("to the Host %s, signed for %s: %d", async (host, authority, expected) => {
    const { port } = new URL(on.url);
    const { headers, body: text } = signed(key, {
      ...unsigned(on, validation, form, body),
      authority: authority.replace("PORT", port),
    });
    const status = await new Promise((resolve, reject) => {
      const all = { ...headers, "content-length": text.length, host: host.replace("PORT", port) };
      httpRequest({ host: "127.0.0.1", port, path: validation, method: "POST", headers: all }, (reply) =>
        resolve(reply.resume().statusCode),
      )
        .on("error", reject)
        .end(text);
    });
    expect(status).toBe(expected);
  });

  test("covers the path as it was sent, not decoded", async () => {
    const path = `/papi/v1/submitter/challenges/${crypto.randomUUID()}/responses`;
    const request = unsigned(on, path.replace("-", "%2D"), form, { answer: 1 });
    expect(brief(await send(on, signed(key, request)))).toBe("404 not_found");
    expect(brief(await send(on, { ...signed(key, { ...request, path }), path: request.path }))).toBe(
      "401 unauthorized",
    );
  });
});

describe("signatures by others", () => {
  const settings = (key: Key) => {
    const file = join(temporaryFolder(), "key.pem");
    writeFileSync(file, key.privateKey.export({ type: "pkcs8", format: "pem" }));
    return {
      FORMD_URL: on.url,
      ACCESS_KEY: form.accessKey,
      KEY_ID: key.id,
      KEY_FILE: file,
      PATH: process.env.PATH ?? "",
    };
  };
  const run = (command: string, args: string[], env: Record<string, string>) =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(command, args, { env, cwd: root, stdio: ["ignore", "pipe", "inherit"] });
      let text = "";
      child.stdout.on("data", (chunk) => (text += chunk));
      child.on("error", reject).on("close", () => resolve(text));
    });

  test("examples/sign.ts: http-message-sig", async () => {
    const { key } = await agentWithKey();
    const said = await run(process.execPath, ["tests/examples/sign.ts"], settings(key));
    expect(JSON.parse(said)).toMatchObject({ data: { status: "completed" } });
  });

  test("examples/sign.sh: openssl and curl", async () => {
    const { key } = await agentWithKey();
    const said = await run("sh", ["tests/examples/sign.sh"], settings(key));
    expect(JSON.parse(said)).toMatchObject({ data: { status: "completed" } });
  });

  test("http-message-signatures", async () => {
    const { headers, body: text } = unsigned(on, validation, form, body);
    const signer = createSigner(
      key.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      "ed25519",
      key.id,
    );
    const message = await httpbis.signMessage(
      {
        key: signer,
        name: "sig1",
        fields: ["content-digest", "x-form-access-key", "@path", "@authority", "@method"],
        params: ["created", "keyid", "alg", "nonce"],
        paramValues: { nonce: nonce() },
      },
      { method: "POST", url: on.url + validation, headers },
    );
    expect(
      brief(
        await ask(on, "POST", validation, { headers: message.headers as Record<string, string>, body: text }),
      ),
    ).toBe("ok");
  });
});

describe("a replay", () => {
  test("of any number at once, over two processes, one passes", async () => {
    for (let round = 0; round < 10; round++) {
      const request = signed(key, unsigned(on, validation, form, body));
      const both = [on, there];
      // The Host is that of the first in either case: a request that was captured is sent as it is.
      const replies = await Promise.all(
        Array.from({ length: 32 }, (_, index) =>
          send(both[index % 2] ?? on, request, { headers: { host: request.authority } }),
        ),
      );
      expect(replies.map(brief).sort()).toEqual([...Array(31).fill("401 unauthorized"), "ok"]);
    }
  }, 30_000);

  test("with the nonce spelled otherwise, or in another request, is one too", async () => {
    const value = nonce();
    expect(await validate({ parameters: { nonce: `"${value}"` } })).toBe("ok");
    for (const again of [value, `${value}==`])
      expect(await validate({ parameters: { nonce: `"${again}"` } })).toBe("401 unauthorized");
    expect(
      brief(
        await askSigned(on, `${submitter}/challenges`, {
          key,
          form,
          body: {},
          recipe: { parameters: { nonce: `"${value}"` } },
        }),
      ),
    ).toBe("401 unauthorized");
  });

  test("of another key is none", async () => {
    const parameters = { nonce: `"${nonce()}"` };
    expect(await validate({ parameters })).toBe("ok");
    expect(await validate({ parameters }, { key: await makeSigner(on, team, agent.id) })).toBe("ok");
  });

  test("a nonce is spent by a call that ends in a refusal, not by one whose signature is wrong", async () => {
    const { agent, key } = await agentWithKey(["agent:read"]);
    const request = signed(key, unsigned(on, validation, form, body));
    expect(brief(await send(on, { ...request, body: '{"data": {}}' }))).toBe("401 unauthorized");
    expect(brief(await send(on, request))).toBe("403 missing_scope");
    await identity("POST", `${agent.id}/grants`, { formId: form.id, scopes: ["agent:validate"] });
    expect(brief(await send(on, request))).toBe("401 unauthorized");
  });
});

describe("every fault of a signature", () => {
  /** An answer to its last byte, but for the headers that differ in every answer. */
  async function exactly(
    { method, path, headers, body }: Unsigned,
    requestId: string,
    more: Record<string, string>,
  ) {
    const ip = `10.8.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
    const reply = await fetch(on.url + path, {
      method,
      body,
      headers: { ...headers, "x-forwarded-for": ip, "x-request-id": requestId, ...more },
    });
    const rest = [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id").sort();
    return { status: reply.status, headers: rest, body: await reply.text() };
  }
  async function stepOf(requestId: string): Promise<string | undefined> {
    const lines = () =>
      on
        .log()
        .split("\n")
        .filter((line) => line.includes(`"${requestId}"`))
        .map((line) => JSON.parse(line));
    for (let tries = 0; tries < 100 && !lines().some(({ status }) => status === 401); tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    return lines().find(({ msg }) => msg === "signature refused")?.step;
  }
  const right = (recipe: Recipe = {}, path = validation) =>
    signed(key, unsigned(on, path, form, body), recipe);
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
      (path) => withHeaders(unsigned(on, path, form, body), { signature: "" }),
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
    ["an unknown key", (path) => signed(newKey(), unsigned(on, path, form, body)), "key"],
    [
      "another key's signature",
      (path) => right({ parameters: { keyid: `"${key.id}"` }, values: { "@method": "PUT" } }, path),
      "verify",
    ],
    [
      "another authority",
      (path) => signed(key, { ...unsigned(on, path, form, body), authority: "forms.example" }),
      "verify",
    ],
    ["another path", (path) => ({ ...right({}, `${path}s`), path }), "verify"],
    [
      "a replay",
      async (path) => {
        const request = right({}, path);
        await send(on, request);
        return request;
      },
      "nonce",
    ],
    [
      "a revoked key",
      async (path) => {
        const revoked = await makeSigner(on, team, agent.id);
        expect(await validate({}, { key: revoked })).toBe("ok");
        await identity("DELETE", `${agent.id}/keys/${revoked.id}`);
        return signed(revoked, unsigned(on, path, form, body));
      },
      "key",
    ],
    [
      "an expired key",
      async (path) => {
        const expired = await makeSigner(on, team, agent.id);
        await on.database
          .sql`update formd.signing_keys set expires_at = now() - interval '1 second' where key_id = ${expired.id}`;
        return signed(expired, unsigned(on, path, form, body));
      },
      "key",
    ],
    [
      "a key of another team",
      async (path) => {
        const foreign = await makeForm(on, other, []);
        return signed(
          await makeSigner(on, other, (await makeAgent(on, other, foreign)).id),
          unsigned(on, path, form, body),
        );
      },
      "key",
    ],
    [
      "a form of another team",
      async (path) => signed(key, unsigned(on, path, await makeForm(on, other, []), body)),
      "key",
    ],
    [
      "an unknown access key",
      (path) =>
        signed(key, unsigned(on, path, { ...form, accessKey: `${form.accessKey.slice(0, -4)}AAAA` }, body)),
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
      const first = await exactly(unsigned(on, path, form, body), "first", {});
      expect([first.status, Object.keys(JSON.parse(first.body)).sort()]).toEqual([
        401,
        ["apiVersion", "code", "error"],
      ]);
      for (const [title, make, step] of faults) {
        for (const credentials of [{}, { "x-respondent-token": agent.token, "x-api-key": team.key }]) {
          const requestId = crypto.randomUUID();
          const answer = await exactly(await make(path), requestId, credentials as Record<string, string>);
          expect({ title, ...answer }).toEqual({ title, ...first });
          expect({ title, step: await stepOf(requestId) }).toEqual({ title, step });
        }
      }
    },
    60_000,
  );

  test("the log has the signature base that was expected, and no access key in it", async () => {
    const requestId = crypto.randomUUID();
    const request = withHeaders(right({ values: { "@path": "/wrong" } }), { "x-request-id": requestId });
    await send(on, request);
    expect(await stepOf(requestId)).toBe("verify");
    const line =
      on
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

describe("with several credentials", () => {
  test("the signature's agent counts, not the token's nor the API key", async () => {
    const signer = await agentWithKey();
    const bystander = await makeAgent(on, team, form, []);
    const request = signed(signer.key, unsigned(on, `${submitter}/submissions`, form, body));
    const reply = await send(on, request, {
      headers: { "x-respondent-token": bystander.token, "x-api-key": other.key },
    });
    expect(reply.status).toBe(200);
    const [row] = await on.database
      .sql`select submitter_id as id from formd.submissions where id = ${reply.body.data.id}`;
    expect(row?.id).toBe(signer.agent.id);
  });
});

describe("the state of key and agent is read live", () => {
  const cases: [title: string, change: (agent: Agent, key: Key) => Promise<unknown>, expected: string][] = [
    ["a revoked key", ({ id }, key) => identity("DELETE", `${id}/keys/${key.id}`), "401 unauthorized"],
    [
      "a key that has expired",
      (_agent, key) =>
        on.database.sql`update formd.signing_keys set expires_at = now() where key_id = ${key.id}`,
      "401 unauthorized",
    ],
    ["a disabled agent", ({ id }) => identity("PATCH", id, { status: "disabled" }), "403 agent_inactive"],
    ["a revoked agent", ({ id }) => identity("DELETE", id), "403 agent_inactive"],
    [
      "a deleted grant",
      async ({ id }) =>
        identity("DELETE", `${id}/grants/${(await identity("GET", `${id}/grants`)).body.data.grants[0].id}`),
      "403 no_grant",
    ],
    [
      "a grant without the scope",
      ({ id }) => identity("POST", `${id}/grants`, { formId: form.id, scopes: ["agent:read"] }),
      "403 missing_scope",
    ],
  ];
  test.each(cases)(
    "%s counts from the next call on, in every process that has used the key",
    async (_title, change, expected) => {
      const { agent, key } = await agentWithKey();
      for (const to of [on, there]) expect(await validate({}, { key, to })).toBe("ok");
      await change(agent, key);
      for (const to of [on, there]) expect(await validate({}, { key, to })).toBe(expected);
    },
  );

  test("a disabled agent whose signature is wrong is not told that it is disabled", async () => {
    const { agent, key } = await agentWithKey();
    await identity("PATCH", agent.id, { status: "disabled" });
    expect(await validate({ values: { "@method": "GET" } }, { key })).toBe("401 unauthorized");
    await identity("PATCH", agent.id, { status: "active" });
    expect(await validate({}, { key })).toBe("ok");
  });
});

describe("with the feature flag off", () => {
  test("signature headers are not looked at: a token alone decides", async () => {
    const request = signed(key, unsigned(off, validation, form, body));
    expect(brief(await send(off, request))).toBe("401 unauthorized");
    expect(brief(await send(off, request, { headers: asAgent(form, agent) }))).toBe("ok");
    expect(
      brief(
        await ask(off, "POST", validation, {
          headers: { ...asAgent(form, agent), signature: "", "signature-input": "x" },
          body,
        }),
      ),
    ).toBe("ok");
  });

  test("a challenge cannot be answered", async () => {
    const path = `/papi/v1/submitter/challenges/${crypto.randomUUID()}/responses`;
    expect(brief(await askSigned(off, path, { key, form, body: { answer: 1 } }))).toBe(
      "403 signature_required",
    );
  });
});
