import { describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { asAgent, ask, freshIp, makeAgent, service } from "../../setup.ts";
import { agentsFixture } from "../agents/fixture.ts";

const path = "/papi/v1/auth/token";
const { app, team, form, key, call } = await agentsFixture(await service());
const agent = await makeAgent(app, team, form);
const { secret } = agent;
const right = { clientSecret: secret };

const mint = (body?: unknown, header?: string, ip = freshIp()) =>
  ask(app, "POST", path, { ip, body, headers: header === undefined ? {} : { "x-agent-secret": header } });
const validate = async (token: string) => {
  const sent = { headers: asAgent(form, { token }), body: { data: {} } };
  return outcome(await ask(app, "POST", "/papi/v1/submitter/form/validation", sent));
};

/** A response to its last byte, without the two headers that differ in every response. */
async function exactly(secret: string, by: "body" | "header") {
  const reply = await fetch(app.url + path, {
    method: "POST",
    headers: {
      "x-forwarded-for": freshIp(),
      "content-type": "application/json",
      ...(by === "header" && { "x-agent-secret": secret }),
    },
    body: by === "body" ? JSON.stringify({ clientSecret: secret }) : "{}",
  });
  const headers = [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id").sort();
  return { status: reply.status, headers, body: await reply.text() };
}

describe(`POST ${path}`, () => {
  test("the secret in the body gives a session of seven days that works at once", async () => {
    const before = Date.now();
    const { status, body } = await mint({ clientSecret: agent.secret });
    const { token, expiresAt } = body.data;
    expect([status, body]).toEqual([200, { apiVersion: "v1", data: { token, expiresAt } }]);
    expect(token).toMatch(/^fds_/);
    expect(Math.abs(Date.parse(expiresAt) - before - 7 * 86_400_000)).toBeLessThan(10_000);
    expect(await validate(token)).toBe("ok");
  });

  const ways: [title: string, body: unknown, header: string | undefined, expected: string][] = [
    ["in the header, with no body", undefined, secret, "ok"],
    ["in the header, with an empty object", {}, secret, "ok"],
    ["in both, the same", right, secret, "ok"],
    ["in both, different, the body's right", right, "fda_other", "401 unauthorized"],
    ["in both, different, the header's right", { clientSecret: "fda_other" }, secret, "401 unauthorized"],
    ["nowhere, with an empty object", {}, undefined, "401 unauthorized"],
    ["nowhere, with no body", undefined, undefined, "401 unauthorized"],
    ["the empty text", { clientSecret: "" }, undefined, "401 unauthorized"],
    ["with white space around it", { clientSecret: ` ${secret} ` }, undefined, "401 unauthorized"],
    ["a number", { clientSecret: 7 }, undefined, "400 invalid_body"],
    ["null", { clientSecret: null }, undefined, "400 invalid_body"],
    ["a list with the secret", { clientSecret: [secret] }, undefined, "400 invalid_body"],
    ["a number beside a right header", { clientSecret: 7 }, secret, "400 invalid_body"],
    ["in a body that is no object", JSON.stringify(secret), undefined, "400 invalid_body"],
    ["in a body that is no JSON", `clientSecret=${secret}`, undefined, "400 invalid_body"],
    [
      "in a body of more than 16 KiB",
      { ...right, more: "x".repeat(16_384) },
      undefined,
      "413 payload_too_large",
    ],
  ];
  test.each(ways)("secret %s", async (_title, body, header, expected) => {
    expect(outcome(await mint(body, header))).toBe(expected);
  });

  test("a body without the media type of JSON is 415", async () => {
    const plain = { headers: { "content-type": "text/plain" }, body: secret };
    expect(outcome(await ask(app, "POST", path, plain))).toBe("415 invalid_content_type");
  });

  test("the secret in the URL is not read", async () => {
    expect((await ask(app, "POST", `${path}?clientSecret=${secret}`, { body: {} })).status).toBe(401);
  });

  test("unknown, malformed, disabled, revoked, rotated-out and cross-tenant secrets get the same response", async () => {
    const [disabled, revoked, rotated] = [
      await makeAgent(app, team, form),
      await makeAgent(app, team, form),
      await makeAgent(app, team, form),
    ];
    await call(key, "PATCH", `/${disabled.id}`, { status: "disabled" });
    await call(key, "DELETE", `/${revoked.id}`);
    await call(key, "POST", `/${rotated.id}/rotate-secret`);
    const gone = [disabled.secret, revoked.secret, rotated.secret];
    const wrong = [
      `${secret.slice(0, -4)}AAAA`,
      "x",
      "",
      "fda_ünïcode",
      "x".repeat(5000),
      agent.token,
      team.key,
    ];
    const first = await exactly(wrong[0] ?? "", "body");
    expect(first.status).toBe(401);
    const members = Object.keys(JSON.parse(first.body)).sort();
    expect(members).toEqual(["_docs", "_guide", "apiVersion", "code", "error"]);
    for (const secret of [...wrong, ...gone])
      expect({ secret, ...(await exactly(secret, "body")) }).toEqual({ secret, ...first });
    for (const secret of gone) expect(await exactly(secret, "header")).toEqual(first);
  });

  test("thirty per client IP and minute, right, wrong or malformed; the next waits, and other client IPs do not", async () => {
    const ip = "192.0.2.30";
    const sent = [
      [right, 200],
      [{ clientSecret: "wrong" }, 401],
      ['{"clientSecret": 1e400}', 400],
    ] as const;
    const begun = performance.now();
    for (let left = 29; left >= 0; left--) {
      const [body, expected] = sent[left % 3] ?? [];
      const { status, headers } = await mint(body, undefined, ip);
      expect([status, headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([
        expected as number,
        expect.stringMatching(new RegExp(`^"ip";r=${left};t=\\d+$`)),
        '"ip";q=30;w=60',
      ]);
    }
    for (const [body] of sent) {
      const reply = await mint(body, undefined, ip);
      expect(outcome(reply)).toBe("429 rate_limited");
      expect(reply.headers.get("ratelimit")).toMatch(/^"ip";r=0;t=\d+$/);
      const after = Number(reply.headers.get("retry-after"));
      expect(after).toBeWithin(Math.floor(60 - (performance.now() - begun) / 1000), 61);
    }
    expect((await mint(right, undefined, "192.0.2.31")).status).toBe(200);
  });
});

describe("an agent's session", () => {
  test("that has expired is 401", async () => {
    const { id, token } = await makeAgent(app, team, form);
    await app.database
      .sql`update formd.sessions set expires_at = now() - interval '1 second' where agent_id = ${id}`;
    expect(await validate(token)).toBe("401 unauthorized");
  });

  test("is stored as a hash: neither token nor secret stands in the database", async () => {
    const { token } = (await mint(right)).body.data;
    const rows = await app.database
      .sql`select to_jsonb(s) as row from formd.sessions s union all select to_jsonb(a) from formd.agents a`;
    const everything = JSON.stringify(rows);
    for (const each of [token, secret, agent.token]) expect(everything).not.toContain(each);
  });
});
