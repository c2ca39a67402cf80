// stacks: one deno gate
import { describe, expect, test } from "bun:test";
import { ask, server, service } from "../setup.ts";

const page = "https://www.example.org";
const routes = [
  ["GET", "/papi/v1/submitter/form"],
  ["POST", "/papi/v1/submitter/form/validation"],
  ["POST", "/papi/v1/submitter/form/submissions"],
  ["POST", "/papi/v1/submitter/form/challenges"],
  ["POST", "/papi/v1/auth/token"],
  ["POST", "/papi/v1/auth/anonymous"],
] as const;
const closed = [
  "/papi/v1/management/forms",
  "/papi/v1/identity/agents",
  "/console/login",
  "/healthz",
  "/developer/api/fields",
  "/developer/api/validation",
];

const anyone = await service();
const CORS_ORIGINS = `${page}, https://forms.example.org:8443`;
const some = await server({ DATABASE_URL: anyone.database.url, CORS_ORIGINS });

const preflight = (app: { url: string }, path: string, origin: string = page) =>
  ask(app, "OPTIONS", path, {
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-form-access-key,x-respondent-token",
    },
  });
const said = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-")).sort();
const items = (list: string | null) => (list ?? "").toLowerCase().split(/\s*,\s*/);

describe("a preflight", () => {
  test.each(routes)("for %s %s gets 204, with what a respondent's page may send", async (_, path) => {
    const reply = await preflight(anyone, path);
    expect([reply.status, reply.body]).toEqual([204, ""]);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(items(reply.headers.get("access-control-allow-methods")).sort()).toEqual(["get", "post"]);
    const sent = "content-type idempotency-key x-form-access-key x-respondent-token signature".split(" ");
    expect(items(reply.headers.get("access-control-allow-headers"))).toEqual(expect.arrayContaining(sent));
    expect(reply.headers.get("x-request-id")).toBeTruthy();
  });

  test("never allows credentials, an API key or an agent's secret", async () => {
    const { headers } = await preflight(anyone, routes[1][1]);
    expect(headers.has("access-control-allow-credentials")).toBe(false);
    expect(headers.get("access-control-allow-headers")).not.toMatch(
      /\*|api-key|secret|cookie|authorization/i,
    );
  });

  test.each(closed)(
    "for %s does not exist: the route stays closed to pages of other origins",
    async (path) => {
      const reply = await preflight(anyone, path);
      expect([reply.status, said(reply)]).toEqual([405, []]);
    },
  );

  test("OPTIONS that is not a preflight stays 405", async () => {
    const bare = await ask(anyone, "OPTIONS", routes[1][1]);
    const without = await ask(anyone, "OPTIONS", routes[1][1], { headers: { origin: page } });
    expect([bare.status, without.status, without.body.code]).toEqual([405, 405, "method_not_allowed"]);
  });
});

describe("a response", () => {
  test.each(routes)("of %s %s may be read from anywhere, a problem too", async (method, path) => {
    const reply = await ask(anyone, method, path, {
      headers: { origin: page },
      ...(method === "POST" && { body: "no JSON" }),
    });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.body.code).toBeString();
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(items(reply.headers.get("access-control-expose-headers")).sort()).toEqual(
      "ratelimit ratelimit-policy retry-after warning x-request-id".split(" "),
    );
    expect(reply.headers.has("access-control-allow-credentials")).toBe(false);
  });

  test("404, 405 and 413 carry the headers as well", async () => {
    const replies = [
      await ask(anyone, "PUT", routes[1][1], { headers: { origin: page }, body: {} }),
      await ask(anyone, "POST", routes[1][1], { headers: { origin: page }, body: " ".repeat(1_048_577) }),
      await ask(anyone, "GET", "/papi/v1/submitter/nowhere", { headers: { origin: page } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([405, 413, 404]);
    for (const { headers } of replies) expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test.each(closed)("of %s may not", async (path) => {
    expect(said(await ask(anyone, "GET", path, { headers: { origin: page } }))).toEqual([]);
  });
});

describe("CORS_ORIGINS with a list", () => {
  const repliesTo = async (origin: string) => [
    await preflight(some, routes[1][1], origin),
    await ask(some, "POST", routes[1][1], { headers: { origin }, body: {} }),
  ];
  test.each(CORS_ORIGINS.split(", "))("allows %s by name, and has Vary", async (origin) => {
    for (const { headers } of await repliesTo(origin)) {
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(items(headers.get("vary"))).toContain("origin");
    }
  });

  const others = ["https://evil.example", "http://www.example.org", `${page}.evil.example`, `${page}:8443`];
  test.each([...others, "null"])("allows %s nothing, and has Vary nevertheless", async (origin) => {
    for (const reply of await repliesTo(origin)) {
      expect(said(reply)).toEqual([]);
      expect(items(reply.headers.get("vary"))).toContain("origin");
    }
  });

  test("a response without an allowed page has Vary as well: a cache may give it to an allowed one", async () => {
    const { headers } = await ask(some, "GET", routes[0][1]);
    expect(items(headers.get("vary"))).toContain("origin");
  });
});
