import { describe, expect, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { cursorOf, type Position, positionIn, smallestIdAt } from "../../src/platform/http/cursor.ts";
import { MasterKey } from "../../src/platform/master-key.ts";
import type { Problem } from "../../src/problem.ts";

const bytes = () => new Uint8Array(randomBytes(32));
const [first, second] = [bytes(), bytes()];
const rounds = 2_000;
const bound = JSON.stringify(["team", "/list", "newest", [["q", "é"]]]);

const outcome = (key: MasterKey, of: string, cursor: string): Position | string => {
  try {
    return positionIn(key, of, cursor);
  } catch (error) {
    return (error as Problem).code;
  }
};

describe.each([
  ["with a master key", new MasterKey(first)],
  ["without one", new MasterKey(undefined)],
])("a cursor %s", (_, key) => {
  test("is the place that it was made of, in at most 200 characters of base64url", () => {
    for (let n = 0; n < rounds; n++) {
      const position = { after: randomUUID(), since: n % 2 ? smallestIdAt(n) : undefined };
      const cursor = cursorOf(key, bound, position);
      expect(cursor).toMatch(/^[\w-]{43,200}$/);
      expect(positionIn(key, bound, cursor)).toEqual(position);
    }
  });

  test("is refused with any bit changed, cut, longer, or for anything else", () => {
    for (let n = 0; n < rounds; n++) {
      const cursor = cursorOf(key, bound, { after: randomUUID(), since: n % 2 ? randomUUID() : undefined });
      const changed = Buffer.from(cursor, "base64url");
      const bit = Math.floor(Math.random() * changed.length * 8);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      const at = Math.floor(Math.random() * cursor.length);
      const wrong = [
        changed.toString("base64url"),
        cursor.slice(0, at),
        cursor.slice(at + 1),
        `${cursor}${"A".repeat(1 + (n % 30))}`,
        `${cursor}=`,
        `${cursor.slice(0, at)} ${cursor.slice(at)}`,
        randomBytes(n % 80).toString("base64url"),
        `${cursor.slice(0, at)}é`,
      ];
      for (const each of wrong) expect([each, outcome(key, bound, each)]).toEqual([each, "bad_request"]);
      expect(outcome(key, bound.replace("é", String(n)), cursor)).toBe("bad_request");
      expect(outcome(new MasterKey(second), bound, cursor)).toBe("bad_request");
    }
  });
});

test("while the master key is changed, cursors of the previous one are read", () => {
  const position = { after: randomUUID() };
  const old = cursorOf(new MasterKey(first), bound, position);
  expect(positionIn(new MasterKey(second, [first]), bound, old)).toMatchObject(position);
});
