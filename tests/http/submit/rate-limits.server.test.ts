// stacks: one
import { describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeForm, type Reply, server } from "../../setup.ts";
import { submissionsFixture, submissionsPath, validationPath } from "../submissions/fixture.ts";

const body = { data: { name: "Ada" } };
/** Two instances on one database: with the limits of the specification, and with small ones. */
const { app, team, form, byKey, agentOn, submit, validate, call } = await submissionsFixture([
  { id: "name", type: "text", label: "Name" },
]);
const small = await server({
  DATABASE_URL: app.database.url,
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "3",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "2",
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "4",
  RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1",
});
const agentHere = () => agentOn(form);
/** A submit to the instance with small limits. */
const submitThere = (ip: string, headers: Record<string, string> = {}, sent: unknown = {}) =>
  ask(small, "POST", submissionsPath, { ip, headers, body: sent });
let taken = 0;
const freshAddress = () => `198.51.100.${++taken}`;
const count = (replies: Reply[]) => {
  const counts: Record<string, number> = {};
  for (const reply of replies) counts[outcome(reply)] = (counts[outcome(reply)] ?? 0) + 1;
  return counts;
};

/** Expects a 429 with the time to wait and the rate limit that was exceeded. */
function expectThrottled(reply: Reply, bucket: "agent" | "ip", limit: number, seconds: number) {
  expect([reply.status, reply.body.code]).toEqual([429, "rate_limited"]);
  const after = reply.headers.get("retry-after") ?? "";
  expect(after).toMatch(/^\d+$/);
  expect(Number(after)).toBeGreaterThanOrEqual(1);
  expect(Number(after)).toBeLessThanOrEqual(seconds);
  expect(reply.headers.get("ratelimit")).toBe(`"${bucket}";r=0;t=${after}`);
  expect(reply.headers.get("ratelimit-policy")).toBe(`"${bucket}";q=${limit};w=${seconds}`);
}

// Concurrent submits are tested in tests/sql/submit.test.ts and tests/sql/rate_limits.test.ts.
describe("one submit of an agent in five seconds", () => {
  test("is one limit over all forms and instances, for each outcome of a submit, and per agent", async () => {
    const another = await makeForm(app, team, []);
    const agent = await makeAgent(app, team, form);
    const more = await call("POST", `/papi/v1/identity/agents/${agent.id}/grants`, {
      body: { formId: another.id, scopes: ["agent:validate"] },
    });
    await app.database
      .sql`update formd.grants set scopes = '{agent:submit}' where id = ${more.body.data.grant.id}`;
    const refused = await submit(asAgent(form, agent), { data: { none: 1 } });
    expect(outcome(refused)).toBe("422 validation_failed");
    expectThrottled(await submit(asAgent(another, agent), { data: {} }), "agent", 1, 5);
    expectThrottled(await submitThere(freshAddress(), asAgent(another, agent), body), "agent", 1, 5);
    const first = await submit(await agentHere(), body);
    expect([first.status, first.headers.get("ratelimit"), first.headers.get("ratelimit-policy")]).toEqual([
      200,
      '"agent";r=0;t=5',
      '"agent";q=1;w=5',
    ]);
  });

  test("a malformed body costs the agent nothing, small or large: the corrected one is taken at once", async () => {
    const headers = await agentHere();
    for (const malformed of [
      "{",
      {},
      { data: [] },
      { data: {}, extra: 1 },
      { data: {}, metadata: { respondentId: "none" } },
      `{"data":{"nick":"${"x".repeat(20_000)}"`,
    ])
      expect([malformed, outcome(await submit(headers, malformed))]).toEqual([malformed, "400 invalid_body"]);
    expect((await submit(headers, "{")).headers.get("ratelimit")).toMatch(/^"agent";r=1;t=\d$/);
    expect(outcome(await submit(headers, body))).toBe("ok");
    // While the agent waits, a malformed body does not shorten it.
    for (const sent of ["{", body]) expectThrottled(await submit(headers, sent), "agent", 1, 5);
  });

  test("a call that the grant does not allow is not counted", async () => {
    const agent = await makeAgent(app, team, form, ["agent:validate"]);
    const send = async () => outcome(await submit(asAgent(form, agent), body));
    expect(await send()).toBe("403 missing_scope");
    await app.database.sql`update formd.grants set scopes = '{agent:submit}' where agent_id = ${agent.id}`;
    expect([await send(), await send()]).toEqual(["ok", "429 rate_limited"]);
  });
});

describe("thirty validates of an agent in a minute", () => {
  test("the next ones wait; a submit does not", async () => {
    const headers = await agentHere();
    const replies = await Promise.all(Array.from({ length: 32 }, () => validate(headers, body)));
    expect(count(replies)).toEqual({ ok: 30, "429 rate_limited": 2 });
    for (const reply of replies.filter(({ status }) => status === 429))
      expectThrottled(reply, "agent", 30, 60);
    expect(outcome(await submit(headers, body))).toBe("ok");
  });

  test("is a setting, counts refused payloads, and is shared by instances", async () => {
    const headers = await agentHere();
    const begun = performance.now();
    const send = (sent: unknown) => ask(small, "POST", validationPath, { headers, body: sent });
    expect(outcome(await send("{"))).toBe("400 invalid_body");
    const second = await send({ data: { nick: 1 } });
    expect([second.status, second.headers.get("ratelimit-policy")]).toEqual([200, '"agent";q=2;w=60']);
    const [, reset] = /^"agent";r=0;t=(\d+)$/.exec(second.headers.get("ratelimit") ?? "") ?? [];
    expect(Number(reset)).toBeWithin(Math.floor(60 - (performance.now() - begun) / 1000), 61);
    expectThrottled(await send(body), "agent", 2, 60);
    expect((await validate(headers, body)).headers.get("ratelimit")).toMatch(/^"agent";r=27;t=\d+$/);
  });

  test("an API key has no such limit: its headers are about the client IP", async () => {
    for (let index = 0; index < 4; index++) {
      const reply = await ask(small, "POST", validationPath, { headers: byKey(form), body });
      expect([reply.status, reply.headers.get("ratelimit")]).toEqual([200, '"ip";r=3;t=60']);
    }
  });
});

describe("rate limits of a client IP", () => {
  const limits: [path: string, limit: number, smallLimit: number][] = [
    [submissionsPath, 30, 3],
    [validationPath, 60, 4],
    ["/papi/v1/auth/token", 30, 1],
  ];
  test.each(limits)(
    "%s: %d in a minute, and a setting; wrong credentials count, and the wait comes before 401",
    async (path, limit, smallLimit) => {
      for (const [where, most] of [
        [app, limit],
        [small, smallLimit],
      ] as const) {
        const ip = freshAddress();
        const replies = await Promise.all(
          Array.from({ length: most + 5 }, () => ask(where, "POST", path, { ip, body: {} })),
        );
        expect(count(replies)).toEqual({ "401 unauthorized": most, "429 rate_limited": 5 });
        for (const reply of replies.filter(({ status }) => status === 429))
          expectThrottled(reply, "ip", most, 60);
        expect(outcome(await ask(where, "POST", path, { ip: freshAddress(), body: {} }))).toBe(
          "401 unauthorized",
        );
      }
    },
  );

  test("submit, validate and mint each have their own", async () => {
    const ip = freshAddress();
    for (let index = 0; index < 3; index++) await submitThere(ip);
    expectThrottled(await submitThere(ip), "ip", 3, 60);
    for (const path of [validationPath, "/papi/v1/auth/token"])
      expect(outcome(await ask(small, "POST", path, { ip, body: {} }))).toBe("401 unauthorized");
  });

  test("a request over the limit of the client IP does not count for the agent", async () => {
    const ip = freshAddress();
    for (let index = 0; index < 3; index++) await submitThere(ip);
    const headers = await agentHere();
    expectThrottled(await submitThere(ip, headers, body), "ip", 3, 60);
    expect(outcome(await ask(small, "POST", submissionsPath, { headers, body }))).toBe("ok");
  });

  // Spellings of one client IP are tested in tests/unit/client-ip.test.ts.
  test.each([
    [
      "an IPv6 /64 is one address",
      ["2001:db8:1:2::1", "2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:0db8:0001:0002::9", "2001:db8:1:2:3::6"],
    ],
    [
      "only the entry that the trusted proxy added counts: what the client wrote before it buys nothing",
      [1, 2, 3, 4].map((index) => `10.0.0.${index}, 198.51.100.250`),
    ],
  ])("%s", async (_, addresses) => {
    const outcomes: string[] = [];
    for (const ip of addresses) outcomes.push(outcome(await submitThere(ip)));
    expect(outcomes).toEqual([...Array(3).fill("401 unauthorized"), "429 rate_limited"]);
  });

  test("a request that is too large is 413 also over a limit, and is not counted", async () => {
    const ip = freshAddress();
    const big = "x".repeat(1_048_577);
    for (let index = 0; index < 5; index++)
      expect(outcome(await submitThere(ip, {}, big))).toBe("413 payload_too_large");
    expect(outcome(await submitThere(ip))).toBe("401 unauthorized");
  });
});
