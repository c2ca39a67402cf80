// stacks: one
import { beforeAll, describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Reply,
  type Server,
  type Service,
  server,
  service,
  type Team,
} from "../../setup.ts";

const validation = "/papi/v1/submitter/form/validation";
const submission = "/papi/v1/submitter/form/submissions";
const body = { data: { name: "Ada" } };

/** Two instances on one database: with the limits of the specification, and with small ones. */
let app: Service;
let small: Server;
let team: Team;
let form: PublishedForm;

beforeAll(async () => {
  app = await service();
  small = await server({
    DATABASE_URL: app.database.url,
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "3",
    RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "2",
    RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "4",
    RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1",
  });
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
});

const headersOf = async () => asAgent(form, await makeAgent(app, team, form));
let taken = 0;
const freshAddress = () => `198.51.100.${++taken}`;
const count = (replies: Reply[]) => {
  const counts: Record<string, number> = {};
  for (const reply of replies) counts[outcome(reply)] = (counts[outcome(reply)] ?? 0) + 1;
  return counts;
};

/** That a 429 says when to come back, and which rate limit it is. */
function expectThrottled(reply: Reply, bucket: "agent" | "ip", limit: number, seconds: number) {
  expect([reply.status, reply.body.code]).toEqual([429, "rate_limited"]);
  const after = reply.headers.get("retry-after") ?? "";
  expect(after).toMatch(/^\d+$/);
  expect(Number(after)).toBeGreaterThanOrEqual(1);
  expect(Number(after)).toBeLessThanOrEqual(seconds);
  expect(reply.headers.get("ratelimit")).toBe(`"${bucket}";r=0;t=${after}`);
  expect(reply.headers.get("ratelimit-policy")).toBe(`"${bucket}";q=${limit};w=${seconds}`);
}

describe("one submit of an agent in five seconds", () => {
  test("of fifty at the same time, one is stored and 49 are told to wait", async () => {
    const headers = await headersOf();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => ask(app, "POST", submission, { headers, body })),
    );
    expect(count(replies)).toEqual({ ok: 1, "429 rate_limited": 49 });
    for (const reply of replies.filter(({ status }) => status === 429)) expectThrottled(reply, "agent", 1, 5);
  });

  test("the next is taken as soon as the five seconds are over, however often it was refused in between", async () => {
    const headers = await headersOf();
    const send = () => ask(app, "POST", submission, { headers, body });
    const beforeFirst = performance.now();
    const first = await send();
    const afterFirst = performance.now();
    expect([first.status, first.headers.get("ratelimit"), first.headers.get("ratelimit-policy")]).toEqual([
      200,
      '"agent";r=0;t=5',
      '"agent";q=1;w=5',
    ]);
    // The first was counted between the two: none is taken earlier than 5 s after the one, and none refused 5
    // s after the other.
    let [sentAt, reply] = [performance.now(), await send()];
    for (; reply.status === 429; [sentAt, reply] = [performance.now(), await send()]) {
      expectThrottled(reply, "agent", 1, 5);
      expect(sentAt - afterFirst).toBeLessThan(5_010);
      await Bun.sleep(250);
    }
    expect(outcome(reply)).toBe("ok");
    expect(performance.now() - beforeFirst).toBeGreaterThan(4_990);
  });

  test("is one throttle on every form, whatever the submit came to, and no agent waits for another", async () => {
    const another = await makeForm(app, team, []);
    for (const [refused, expected] of [
      [{ data: { nick: 1 } }, "422 validation_failed"],
      [{ data: { none: 1 } }, "422 validation_failed"],
    ] as const) {
      const agent = await makeAgent(app, team, form);
      const more = await ask(app, "POST", `/papi/v1/identity/agents/${agent.id}/grants`, {
        headers: { "x-api-key": team.key },
        body: { formId: another.id, scopes: ["agent:validate"] },
      });
      await app.database
        .sql`update formd.grants set scopes = '{agent:submit}' where id = ${more.body.data.grant.id}`;
      expect(
        outcome(await ask(app, "POST", submission, { headers: asAgent(form, agent), body: refused })),
      ).toBe(expected);
      expectThrottled(
        await ask(app, "POST", submission, { headers: asAgent(another, agent), body: { data: {} } }),
        "agent",
        1,
        5,
      );
    }
    expect(outcome(await ask(app, "POST", submission, { headers: await headersOf(), body }))).toBe("ok");
  });

  test("a malformed body costs the agent nothing, small or large: the corrected one is taken at once", async () => {
    const headers = await headersOf();
    for (const malformed of [
      "{",
      {},
      { data: [] },
      { data: {}, extra: 1 },
      { data: {}, metadata: { respondentId: "none" } },
      `{"data":{"nick":"${"x".repeat(20_000)}"`,
    ]) {
      const reply = await ask(app, "POST", submission, { headers, body: malformed });
      expect([malformed, outcome(reply)]).toEqual([malformed, "400 invalid_body"]);
    }
    const refused = await ask(app, "POST", submission, { headers, body: "{" });
    expect(refused.headers.get("ratelimit")).toMatch(/^"agent";r=1;t=\d$/);
    const accepted = await ask(app, "POST", submission, { headers, body });
    expect(outcome(accepted)).toBe("ok");
    // While the agent waits, a malformed body does not shorten it.
    for (const sent of ["{", body])
      expectThrottled(await ask(app, "POST", submission, { headers, body: sent }), "agent", 1, 5);
  });

  test("a call that the grant does not allow is not counted", async () => {
    const agent = await makeAgent(app, team, form, ["agent:validate"]);
    const send = async () =>
      outcome(await ask(app, "POST", submission, { headers: asAgent(form, agent), body }));
    expect(await send()).toBe("403 missing_scope");
    await app.database.sql`update formd.grants set scopes = '{agent:submit}' where agent_id = ${agent.id}`;
    expect([await send(), await send()]).toEqual(["ok", "429 rate_limited"]);
  });

  test("holds across instances", async () => {
    const headers = await headersOf();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ask(index % 2 ? app : small, "POST", submission, { headers, body }),
      ),
    );
    expect(count(replies)).toEqual({ ok: 1, "429 rate_limited": 19 });
  });
});

describe("thirty validates of an agent in a minute", () => {
  test("of sixty at the same time, exactly thirty are answered", async () => {
    const headers = await headersOf();
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => ask(app, "POST", validation, { headers, body })),
    );
    expect(count(replies)).toEqual({ ok: 30, "429 rate_limited": 30 });
    for (const reply of replies.filter(({ status }) => status === 429))
      expectThrottled(reply, "agent", 30, 60);
    const left = replies
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index));
    expect(outcome(await ask(app, "POST", submission, { headers, body }))).toBe("ok");
  });

  test("is a setting, counts refused payloads, and is shared by instances", async () => {
    const headers = await headersOf();
    const begun = performance.now();
    expect(outcome(await ask(small, "POST", validation, { headers, body: "{" }))).toBe("400 invalid_body");
    const second = await ask(small, "POST", validation, { headers, body: { data: { nick: 1 } } });
    expect([second.status, second.headers.get("ratelimit-policy")]).toEqual([200, '"agent";q=2;w=60']);
    const [, reset] = /^"agent";r=0;t=(\d+)$/.exec(second.headers.get("ratelimit") ?? "") ?? [];
    expect(Number(reset)).toBeWithin(Math.floor(60 - (performance.now() - begun) / 1000), 61);
    expectThrottled(await ask(small, "POST", validation, { headers, body }), "agent", 2, 60);
    const elsewhere = await ask(app, "POST", validation, { headers, body });
    expect(elsewhere.headers.get("ratelimit")).toMatch(/^"agent";r=27;t=\d+$/);
  });

  test("an API key has no such throttle: its answers are about the address", async () => {
    const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    for (let index = 0; index < 4; index++) {
      const reply = await ask(small, "POST", validation, { headers, body });
      expect([reply.status, reply.headers.get("ratelimit")]).toEqual([200, '"ip";r=3;t=60']);
    }
  });
});

describe("throttles of an address", () => {
  const limits: [path: string, limit: number, smallLimit: number][] = [
    [submission, 30, 3],
    [validation, 60, 4],
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
    for (let index = 0; index < 3; index++) await ask(small, "POST", submission, { ip, body: {} });
    expectThrottled(await ask(small, "POST", submission, { ip, body: {} }), "ip", 3, 60);
    expect(outcome(await ask(small, "POST", validation, { ip, body: {} }))).toBe("401 unauthorized");
    expect(outcome(await ask(small, "POST", "/papi/v1/auth/token", { ip, body: {} }))).toBe(
      "401 unauthorized",
    );
  });

  test("what the agent's throttle refuses does not count for the address either", async () => {
    const ip = freshAddress();
    const send = async (headers: Record<string, string>) =>
      outcome(await ask(small, "POST", submission, { ip, headers, body }));
    const busy = await headersOf();
    expect(await send(busy)).toBe("ok");
    for (let index = 0; index < 6; index++) expect(await send(busy)).toBe("429 rate_limited");
    expect([
      await send(await headersOf()),
      await send(await headersOf()),
      await send(await headersOf()),
    ]).toEqual(["ok", "ok", "429 rate_limited"]);
  });

  test("what the address's throttle refuses does not count for the agent", async () => {
    const ip = freshAddress();
    for (let index = 0; index < 3; index++) await ask(small, "POST", submission, { ip, body: {} });
    const headers = await headersOf();
    expectThrottled(await ask(small, "POST", submission, { ip, headers, body }), "ip", 3, 60);
    expect(outcome(await ask(small, "POST", submission, { headers, body }))).toBe("ok");
  });

  test("are shared by instances", async () => {
    const ip = freshAddress();
    for (let index = 0; index < 3; index++) await ask(app, "POST", submission, { ip, body: {} });
    expectThrottled(await ask(small, "POST", submission, { ip, body: {} }), "ip", 3, 60);
  });

  test("an IPv6 /64 is one address, however written; the next /64 is another; IPv4 in IPv6 is IPv4", async () => {
    const send = async (ip: string) => outcome(await ask(small, "POST", submission, { ip, body: {} }));
    const [same, throttled] = ["401 unauthorized", "429 rate_limited"];
    expect([
      await send("2001:db8:1:2::1"),
      await send("2001:DB8:1:2:ffff:ffff:ffff:ffff"),
      await send("2001:0db8:0001:0002::9"),
    ]).toEqual([same, same, same]);
    expect([await send("2001:db8:1:2:3:4:5:6"), await send("2001:db8:1:3::1")]).toEqual([throttled, same]);
    expect([
      await send("203.0.113.9"),
      await send("::ffff:203.0.113.9"),
      await send("::ffff:cb00:7109"),
      await send("203.0.113.9"),
    ]).toEqual([same, same, same, throttled]);
  });

  test("only the entry that the trusted proxy added counts: what the client wrote before it buys nothing", async () => {
    const ip = freshAddress();
    const send = async (index: number) =>
      outcome(await ask(small, "POST", submission, { ip: `10.0.0.${index}, ${ip}`, body: {} }));
    const outcomes = [await send(1), await send(2), await send(3), await send(4)];
    expect(outcomes).toEqual([...Array(3).fill("401 unauthorized"), "429 rate_limited"]);
  });

  test("a request that is too large is told so, throttled or not, and is not counted", async () => {
    const ip = freshAddress();
    const big = "x".repeat(1_048_577);
    for (let index = 0; index < 5; index++)
      expect(outcome(await ask(small, "POST", submission, { ip, body: big }))).toBe("413 payload_too_large");
    expect(outcome(await ask(small, "POST", submission, { ip, body: {} }))).toBe("401 unauthorized");
  });
});
