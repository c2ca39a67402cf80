import { describe, expect, test } from "bun:test";
import { withApiKey } from "../../src/platform/auth/api-key.ts";
import { withApiKeyOrOperator } from "../../src/platform/auth/caller.ts";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import type { Deps } from "../../src/platform/deps.ts";
import { BodyBudget } from "../../src/platform/http/body-budget.ts";
import { contexts } from "../../src/platform/http/request-context.ts";
import { toProblem } from "../../src/problem.ts";

describe("a result without its row is an internal error, not a caller without rights", () => {
  const config = { MAX_BODY_BYTES: 1024, BASE_URL: "http://localhost" };
  const deps = { sql: async () => [], config } as unknown as Deps;
  const team = crypto.randomUUID();
  const get = (headers: HeadersInit) => {
    const request = new Request("http://localhost", { headers });
    const body = new BodyBudget(1024).reserve("");
    contexts.set(request, { requestId: "", clientIp: "", rateLimitKey: "", startedAt: 0, headers: {}, body });
    return request;
  };
  const problemOf = (call: Promise<unknown>) =>
    call.then(
      () => "allowed",
      (error) => `${toProblem(error).code}: ${error.message}`,
    );
  const noQuery = () => [] as never;
  const expected = "internal_error: A query that always returns one row has returned 0.";

  test("an API key", async () => {
    const request = get({ "x-api-key": makeSecret("fdk", team).secret });
    expect(await problemOf(withApiKey(deps, request, "forms:read").run(noQuery))).toBe(expected);
  });

  test("an operator's session", async () => {
    const request = get({ cookie: `formd_session=${makeSecret("fdo", team).secret}` });
    expect(await problemOf(withApiKeyOrOperator(deps, request).run(noQuery))).toBe(expected);
  });
});
