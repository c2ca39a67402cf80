// stacks: one months

import { describe, expect, test } from "bun:test";
import { isBlankText } from "../../src/fields/values.ts";
import { database } from "../setup.ts";
import { raisedProblem } from "./fixture.ts";

const db = await database();

describe("json_merge_patch", () => {
  // RFC 7396, appendix A: original, patch, result.
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])("%s patched with %s is %s", async (target, patch, result) => {
    const [row] = await db.sql<[{ same: boolean; merged: unknown }]>`
      select merged = ${result}::text::jsonb as same, merged
      from formd.json_merge_patch(${target}::text::jsonb, ${patch}::text::jsonb) merged`;
    expect(row).toMatchObject({ same: true });
  });
});

test("is_blank knows every character that isBlankText knows, and no other", async () => {
  const texts = Array.from({ length: 0x10_ffff }, (_, index) => String.fromCodePoint(index + 1)).filter(
    (text) => text.isWellFormed(),
  );
  const rows = await db.sql<{ text: string }[]>`
    select text from unnest(${texts}::text[]) as text where formd.is_blank(text)`;
  expect(rows.map(({ text }) => text)).toEqual(texts.filter(isBlankText));
  const [known] = await db.sql`
    select formd.is_blank('') as empty, formd.is_blank(E' \u200b\u2060\t') as blank,
      formd.is_blank(' a ') as filled, formd.is_blank(E'\u200b.') as seen`;
  expect(known).toEqual({ empty: true, blank: true, filled: false, seen: false });
});

test.each(["teams", "workspaces", "forms", "agents"])(
  "the check of names in %s has the characters that JavaScript's trim() removes",
  async (table) => {
    const [{ definition }] = await db.sql<[{ definition: string }]>`
      select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ${`${table}_name_check`}`;
    const listed = /name ~ '\[\^(.*?)\]'/.exec(definition)?.[1] ?? "";
    const spaces = Array.from({ length: 0xffff }, (_, index) => String.fromCharCode(index + 1)).filter(
      (text) => text.trim() === "",
    );
    expect(spaces.filter((text) => !new RegExp(`[${listed}]`).test(text))).toEqual([]);
  },
);

describe("uuid_time", () => {
  test.each([
    ["017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "2022-02-22T19:22:22.000Z"], // RFC 9562, appendix A.6
    ["00000000-0000-7000-8000-000000000000", "1970-01-01T00:00:00.000Z"],
    ["00000000-0001-7fff-bfff-ffffffffffff", "1970-01-01T00:00:00.001Z"],
    ["01957a3b-c4ff-7000-8000-000000000000", new Date(0x01957a3bc4ff).toISOString()],
  ])("the time inside %s is %s", async (id, time) => {
    const [row] = await db.sql<[{ time: Date }]>`select formd.uuid_time(${id}) as time`;
    expect(row.time.toISOString()).toBe(time);
  });

  test("every millisecond of a day comes back as it went in", async () => {
    const [row] = await db.sql<[{ wrong: number }]>`
      select count(*)::int as wrong
      from generate_series(1800000000000, 1800086400000, 997) as ms
      where formd.uuid_time((lpad(to_hex(ms), 12, '0') || '70008000000000000000')::uuid)::timestamptz(3) <> to_timestamp(ms / 1000.0)::timestamptz(3)`;
    expect(row.wrong).toBe(0);
  });
});

test("raise_problem raises code, key, values and extras", async () => {
  const raise = db.sql`
    select formd.raise_problem('conflict', 'too_many_webhooks', '{"max": 20}', '{"current": {"n": 1}}')`;
  expect(await raisedProblem(raise)).toEqual({
    code: "conflict",
    detail: "A workspace has at most 20 webhooks.",
    extras: { current: { n: 1 } },
  });
  const plain = db.sql`select formd.raise_problem('not_found', 'form_missing')`;
  expect((await raisedProblem(plain)).extras).toEqual({});
});
