/** A request cannot cause work without bound by its shape. */
import { describe, expect, test } from "bun:test";
import { type Type, type } from "arktype";
import { assertShape } from "../../src/platform/http/body.ts";
import { operationIn, type Schema } from "../../src/platform/http/operation.ts";
import { DateTime, InstantText, parseQuery, Uuid } from "../../src/platform/http/shapes.ts";
import { schemaOf } from "../../src/reference/openapi/schemas.ts";
import { routes } from "../routes.ts";
import { leastCpuMs } from "./fields/fixture.ts";

const bodies = routes.flatMap((route) => {
  const body = operationIn(route)?.body;
  return body ? [[`${route.method} ${route.path}`, body.shape] as const] : [];
});

/** The paths of arrays without a maximum length in a JSON Schema. */
function unboundedArrays(schema: unknown, path = "body"): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, maxItems, prefixItems } = schema as Schema;
  const isUnbounded = type === "array" && maxItems === undefined && prefixItems === undefined;
  const inner = Object.entries(schema).flatMap(([key, value]) => unboundedArrays(value, `${path}.${key}`));
  return isUnbounded ? [path, ...inner] : inner;
}

describe("request bodies", () => {
  test("the routes with a body are found", () => {
    expect(bodies.length).toBeGreaterThan(8);
    expect(
      unboundedArrays(schemaOf(type({ a: type("string[]").atMostLength(2), "b?": "number[][]" }))),
    ).toEqual(["body.properties.b", "body.properties.b.items"]);
  });

  test.each(bodies)("%s: every array has a maximum length", (_, shape) => {
    expect(unboundedArrays(schemaOf(shape))).toEqual([]);
  });
});

describe("a member that was not sent", () => {
  const tagged = type({ op: "'a'", text: "string" }).or({ op: "'b'", count: "number" });
  const shape = type({
    name: "string",
    "inner?": { kind: "'x' | 'y'", "at?": DateTime },
    "list?": tagged.array(),
    "id?": Uuid,
  });
  test.each([
    [{}, "name is missing: it takes a string."],
    [{ name: null }, "name must be a string."],
    [{ name: "", inner: {} }, 'inner.kind is missing: it takes "x" or "y".'],
    [{ name: "", inner: { kind: null } }, 'inner.kind must be "x" or "y".'],
    [{ name: "", list: [{}] }, 'list[0].op is missing: it takes "b" or "a".'],
    [{ name: "", list: [{ op: "c" }] }, 'list[0].op must be "b" or "a".'],
    [{ name: "", list: [{ op: "b" }] }, "list[0].count is missing: it takes a number."],
    [{ name: "", id: "7" }, "id must be a UUID."],
  ])("%j: %s", (value, message) => {
    expect(() => assertShape(value, shape, "invalid_body")).toThrow(message);
  });

  test.each(bodies)("%s: a required member that is absent is missing", (_, shape) => {
    const { required = [] } = schemaOf(shape) as { required?: string[] };
    const [first] = required;
    if (first === undefined) return;
    expect(() => assertShape({}, shape, "invalid_body")).toThrow(/^\w+ is missing: it takes /);
  });
});

describe("checking a shape", () => {
  /** Counts the runs of the narrowing for a value with 1,000 errors. */
  function checks(shapeOf: (item: Type) => Type, value: unknown): number {
    let count = 0;
    const item = type("unknown").narrow((_, context) => ++count > 0 && context.reject("right"));
    expect(() => assertShape(value, shapeOf(item), "invalid_body")).toThrow(/must be right/);
    return count;
  }

  test("stops at the first error", () => {
    const names = Array.from({ length: 1000 }, (_, index) => `k${index}`);
    // Once by the compiled test, which says no, and once to name the mismatch.
    expect(checks((item) => item.array(), names)).toBe(2);
    expect(checks((item) => type({ list: item.array() }), { list: names })).toBe(2);
  });

  test("of a hundred thousand rejected members one is reported, at the cost of one", () => {
    const shape = type({ "+": "reject", "a?": "string" });
    const value = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
    const ms = leastCpuMs(100, () =>
      expect(() => assertShape(value, shape, "invalid_body")).toThrow("k0 must be removed."),
    );
    expect(ms).toBeLessThan(100);
  });
});

test("parameters that a shape does not have are left out", () => {
  const shape = type({ "page?": type("string").pipe(Number) }).and({ "q?": "string" });
  expect(parseQuery({ page: "7", form: "other", createdAfter: "x" }, shape)).toEqual({ page: 7 });
});

describe("a moment", () => {
  const accepted = (text: string) =>
    [DateTime, InstantText].map((shape) => !(shape(text) instanceof type.errors));

  test.each([
    ...["0001-01-01T00:00:00Z", "0000-12-31T23:30:00-01:00"],
    ...["9999-12-31T23:59:59.999Z", "2026-11-20T09:00:00.123456789+05:45"],
  ])("%s is one that Date and PostgreSQL hold", (text) => {
    expect(accepted(text)).toEqual([true, true]);
  });

  test.each([
    ...["2026-12-31T23:59:60Z", "0000-01-01T00:00:00Z", "2026-02-30T00:00:00Z"],
    ...["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-23:59"],
  ])("%s is refused, with the years and seconds that are valid", (text) => {
    expect(accepted(text)).toEqual([false, false]);
    for (const shape of [DateTime, InstantText])
      expect(() => assertShape(text, shape, "invalid_body")).toThrow("years 0001 to 9999");
  });
});
