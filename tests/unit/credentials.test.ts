import { describe, expect, test } from "bun:test";
import { requireApiKey, requireCaller } from "../../src/auth/credentials.ts";
import { makeSecret } from "../../src/auth/secret.ts";
import type { Deps } from "../../src/deps.ts";
import { toProblem } from "../../src/problem.ts";

describe("a result without its row is an internal error, not a caller without rights", () => {
  const deps = { sql: async () => [] } as unknown as Deps;
  const team = crypto.randomUUID();
  const get = (headers: HeadersInit) => new Request("http://localhost", { headers });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "allowed",
      (error) => toProblem(error).code,
    );

  test("an API key", async () => {
    const request = get({ "x-api-key": makeSecret("fdk", team).secret });
    expect(await codeOf(requireApiKey(deps, request, "forms:read"))).toBe("internal_error");
  });

  test("an operator's session", async () => {
    const request = get({ cookie: `formd_session=${makeSecret("fdo", team).secret}` });
    expect(await codeOf(requireCaller(deps, request))).toBe("internal_error");
  });
});
