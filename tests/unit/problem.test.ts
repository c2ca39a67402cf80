import { describe, expect, test } from "bun:test";
import { errorEnvelope } from "../../src/http/envelope.ts";
import { Problem, problemCodes, toProblem } from "../../src/problem.ts";

const databaseError = (code: string, more = {}) =>
  Object.assign(new Error("secret detail of the database"), { code, ...more });

describe("codes", () => {
  test("every code has a status of its class and a sentence for people", () => {
    for (const [code, [status, sentence]] of Object.entries(problemCodes)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect([400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503]).toContain(status);
      expect(sentence).toMatch(/^\S.{10,}\.$/);
    }
  });
});

describe("toProblem", () => {
  test("a refusal of a SQL function keeps its code, its sentence and its extras", () => {
    const raised = {
      code: "ZFORM",
      message: "conflict",
      detail: "It moved.",
      hint: '{"current":{"currentVersion":2}}',
    };
    const problem = toProblem(Object.assign(new Error(), raised));
    expect(problem.status).toBe(409);
    expect<object>(errorEnvelope(problem, { DOCS_URL: "https://docs.example.org" })).toEqual({
      error: "It moved.",
      code: "conflict",
      apiVersion: "v1",
      current: { currentVersion: 2 },
      _docs: "https://docs.example.org/papi/v1/docs",
      _guide: "https://docs.example.org/developer/guide",
    });
  });

  test("a refusal without extras has none", () => {
    const problem = toProblem(
      Object.assign(new Error("not_found"), { code: "ZFORM", detail: "Gone.", hint: "" }),
    );
    const pointers = { _docs: expect.any(String), _guide: expect.any(String) };
    expect<object>(errorEnvelope(problem, { DOCS_URL: "" })).toEqual({
      error: "Gone.",
      code: "not_found",
      apiVersion: "v1",
      ...pointers,
    });
  });

  test.each([
    "08006",
    "08P01",
    "53300",
    "57P01",
    "57P03",
    "57014",
    "55P03",
    "25006",
    "CONNECTION_CLOSED",
    "ECONNREFUSED",
    "CONNECT_TIMEOUT",
  ])("%s means: try again", (code) => {
    const problem = toProblem(databaseError(code));
    expect([problem.status, problem.code, problem.headers]).toEqual([
      503,
      "unavailable",
      { "retry-after": "1" },
    ]);
  });

  test("a Unix socket that is not there means: try again; another missing file does not", () => {
    expect(toProblem(databaseError("ENOENT", { syscall: "connect" })).code).toBe("unavailable");
    expect(toProblem(databaseError("ENOENT", { syscall: "open" })).code).toBe("internal_error");
  });

  test.each(["22P05", "22P02", "54001", "22003", "22021"])("%s is the caller's input", (code) => {
    expect(toProblem(databaseError(code))).toMatchObject({ status: 400, code: "invalid_body" });
  });

  test.each<[string, unknown]>([
    ["a broken constraint", databaseError("23505")],
    ["a missing table", databaseError("42P01")],
    ["an error of ours", new Error("oops")],
    ["a text", "oops"],
    ["an object", {}],
  ])("anything else stays inside: %s", (_, error) => {
    const problem = toProblem(error);
    expect(problem).toMatchObject({ status: 500, code: "internal_error", extras: {} });
    expect(problem.message).not.toMatch(/secret|oops/);
  });

  test("a Problem is itself", () => {
    const problem = new Problem("rate_limited", { headers: { "retry-after": "3" } });
    expect(toProblem(problem)).toBe(problem);
    expect(problem.message).toBe(problemCodes.rate_limited[1]);
  });
});
