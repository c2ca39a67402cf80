import { describe, expect, test } from "bun:test";
import { messages } from "../../src/messages.ts";
import { errorEnvelope } from "../../src/platform/http/envelope.ts";
import { Problem, problemCodes, problemFromSql, toProblem } from "../../src/problem.ts";

const databaseError = (code: string, more = {}) =>
  Object.assign(new Error("secret detail of the database"), { code, ...more });

test("every code has a status of its class and a message for people", () => {
  for (const [code, [status, message]] of Object.entries(problemCodes)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect([400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 503]).toContain(status);
    expect(message).toMatch(/^\S.{10,}\.$/);
  }
});

describe("problemFromSql", () => {
  test("an outcome that is a code of the API is that problem", () => {
    expect(problemFromSql("no_grant")).toMatchObject({ status: 403, code: "no_grant" });
  });

  test.each(["granted", "", "toString"])(
    "an unknown outcome is an internal error that names it: %p",
    (outcome) => {
      const problem = problemFromSql(outcome);
      expect(problem).toMatchObject(internal);
      expect((problem.cause as Error).message).toContain(`"${outcome}"`);
    },
  );
});

const raised = (detail: string, more: object) =>
  toProblem(Object.assign(new Error("raised"), { code: "ZFORM", detail, ...more }));
const internal = { status: 500, code: "internal_error", message: problemCodes.internal_error[1] } as const;

describe("toProblem", () => {
  test("a database without disk, memory or connections is reached: the message does not say otherwise", () => {
    expect(toProblem(databaseError("53100"))).toMatchObject({
      code: "unavailable",
      message: "The database has run out of disk, memory or connections.",
    });
    expect(toProblem(databaseError("57P01")).message).toBe(problemCodes.unavailable[1]);
  });

  test("a problem that SQL raised keeps its code, its message and its extras", () => {
    const hint = '{"values":null,"extras":{"current":{"currentVersion":2}}}';
    const problem = raised("form_archived", { message: "conflict", hint });
    expect(problem.said?.key).toBe("form_archived");
    expect(problem.status).toBe(409);
    expect<object>(errorEnvelope(problem, { DOCS_URL: "https://docs.example.org" })).toEqual({
      error: messages.form_archived,
      code: "conflict",
      apiVersion: "v1",
      current: { currentVersion: 2 },
      _docs: "https://docs.example.org/papi/v1/docs",
      _guide: "https://docs.example.org/developer/guide",
    });
  });

  test("a problem that SQL raised with a code that the API does not have is an internal error", () => {
    expect(raised("form_missing", { message: "nothing", hint: '{"extras":{}}' })).toMatchObject(internal);
  });

  test("the values of a problem that SQL raised are in its message", () => {
    const hint = '{"values":{"max":20},"extras":{}}';
    const problem = raised("too_many_webhooks", { message: "conflict", hint });
    expect([problem.message, problem.extras]).toEqual(["A workspace has at most 20 webhooks.", {}]);
  });

  test.each([
    ...["08006", "08P01", "28P01", "28000", "3D000", "53300", "57P01", "57P03", "57014", "55P03", "25006"],
    ...["CONNECTION_CLOSED", "ECONNREFUSED", "CONNECT_TIMEOUT"],
  ])("%s means: try again", (code) => {
    const { status, code: shown, headers } = toProblem(databaseError(code));
    expect([status, shown, headers]).toEqual([503, "unavailable", { "retry-after": "1" }]);
  });

  test("a Unix socket that is not there means: try again; another missing file does not", () => {
    expect(toProblem(databaseError("ENOENT", { syscall: "connect" })).code).toBe("unavailable");
    expect(toProblem(databaseError("ENOENT", { syscall: "open" })).code).toBe("internal_error");
  });

  test.each([
    ["server closed the connection unexpectedly", "unavailable"],
    ["could not commit transaction for shard 102029 on at least one active node", "unavailable"],
    ["could not commit transaction on any active node", "unavailable"],
    ["could not open relation with OID 7", "internal_error"],
  ])("XX000 of Citus means try again when a worker has died: %s", (message, code) => {
    expect(toProblem(databaseError("XX000", { message })).code).toBe(code as never);
  });

  test.each(["22P05", "22P02", "54001", "22003", "22007", "22008", "22021"])(
    "%s is the caller's input, and the cause is kept for the log",
    (code) => {
      const error = databaseError(code);
      expect(toProblem(error)).toMatchObject({ status: 400, code: "invalid_body", cause: error });
    },
  );

  test.each<[string, unknown]>([
    ["a broken constraint", databaseError("23505")],
    ["a missing table", databaseError("42P01")],
    ["a bug", new Error("oops")],
    ["a text", "oops"],
    ["an object", {}],
  ])("anything else stays inside: %s", (_, error) => {
    const problem = toProblem(error);
    expect(problem).toMatchObject({ ...internal, extras: {} });
    expect(problem.message).not.toMatch(/secret|oops/);
  });

  test("a Problem is itself", () => {
    const problem = new Problem("rate_limited", { headers: { "retry-after": "3" } });
    expect(toProblem(problem)).toBe(problem);
    expect(problem.message).toBe(problemCodes.rate_limited[1]);
  });
});
