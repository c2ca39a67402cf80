import { describe, expect, test } from "bun:test";
import { requireApiKey } from "../../src/auth/api-key.ts";
import { requireCaller } from "../../src/auth/caller.ts";
import { makeSecret } from "../../src/auth/secret.ts";
import type { Deps } from "../../src/deps.ts";
import { toProblem } from "../../src/problem.ts";

describe("a result without its row is an internal error, not a caller without rights", () => {
  const config = { MAX_BODY_BYTES: 1024, BASE_URL: "http://localhost" };
  const deps = { sql: async () => [], config } as unknown as Deps;
  const team = crypto.randomUUID();
  const get = (headers: HeadersInit) => new Request("http://localhost", { headers });
  const problemOf = (call: Promise<unknown>) =>
    call.then(
      () => "allowed",
      (error) => `${toProblem(error).code}: ${error.message}`,
    );
  const expected = "internal_error: A query that always returns one row has returned 0.";

  test("an API key", async () => {
    const request = get({ "x-api-key": makeSecret("fdk", team).secret });
    expect(await problemOf(requireApiKey(deps, request, "forms:read"))).toBe(expected);
  });

  test("an operator's session", async () => {
    const request = get({ cookie: `formd_session=${makeSecret("fdo", team).secret}` });
    expect(await problemOf(requireCaller(deps, request))).toBe(expected);
  });
});
