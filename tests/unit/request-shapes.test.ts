import { describe, expect, test } from "bun:test";
import { type Type, type } from "arktype";
import { pino } from "pino";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { connect } from "../../src/db.ts";
import { assertShape } from "../../src/http/body.ts";
import type { Operation } from "../../src/http/operation.ts";
import { closed } from "../../src/http/shapes.ts";

/** Where arktype would make an error per item or member, without bound: arrays without a maximum, and `"+": "reject"`. */
function unboundedIn(node: unknown, path = ""): string[] {
  if (typeof node !== "object" || node === null) return [];
  const { sequence, maxLength, undeclared } = node as Record<string, unknown>;
  return [
    ...(sequence !== undefined && maxLength === undefined ? [`${path}: array`] : []),
    ...(undeclared === "reject" ? [`${path}: members`] : []),
    ...Object.entries(node).flatMap(([key, child]) => unboundedIn(child, `${path}/${key}`)),
  ];
}

const { routes } = createApp({
  sql: connect("postgres://nobody@localhost/none", { poolSize: 1, prepare: false }),
  config: readConfig({}),
  log: pino({ level: "silent" }),
  isDraining: () => false,
});
const operations = routes.flatMap(({ hooks }) => {
  const operation = (hooks as { detail?: Operation } | undefined)?.detail;
  return operation?.id ? [operation] : [];
});
const bodies = operations.flatMap(({ id, body }) => (body ? [{ id, shape: body.shape }] : []));

describe("the shapes of requests", () => {
  test.each(bodies)(
    "$id: every array and every object has a bound that is checked before its items",
    ({ shape }) => {
      expect(unboundedIn(shape.json)).toEqual([]);
    },
  );

  test("the check finds what has none", () => {
    const shape = type({ list: "string[]", nested: { "+": "reject", a: "string" } });
    expect(unboundedIn(shape.json).map((each) => each.split(": ")[1])).toEqual(["array", "members"]);
  });

  test("an array beyond its bound, or an object with other members, ends at the first error", () => {
    const message = (shape: Type, value: unknown) => {
      try {
        return assertShape(value, shape, "invalid_body");
      } catch (error) {
        return (error as Error).message;
      }
    };
    const items = Array.from({ length: 100_000 }, (_, index) => [`key${index}`, 1]);
    const members = { a: 1, ...Object.fromEntries(items) };
    const [list, object] = [
      type({ list: type.string.array().atMostLength(10) }),
      closed(type({ a: "number" })),
    ];
    const startedAt = process.cpuUsage();
    expect(message(list, { list: items })).toBe("list must be at most length 10.");
    expect(message(object, members)).toBe("key0 must be removed.");
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1000).toBeLessThan(300);
  });
});
