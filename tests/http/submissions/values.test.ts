// stacks: one
/** Values by submit, get, list, edit and export: what comes back is what was sent. */
import { describe, expect, test } from "bun:test";
import naughty from "big-list-of-naughty-strings";
import { unknownId } from "../../expect.ts";
import { asAgent, makeAgent, makeForm, type PublishedForm, type Team } from "../../setup.ts";
import {
  type Edit,
  formsPath,
  type Submission,
  statusAndCode,
  submissionPath,
  submissionsFixture,
} from "./fixture.ts";

const { app, team, other, byKey, submit: send, call, read, submitted, edited } = await submissionsFixture([]);

const any = (id: string) => ({ id, label: id || "-", type: "x-any" });
const idOf = (index: number) => `f${index}`;

/** A value's JSON with the members of each object sorted: jsonb does not keep their order. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Submits a JSON text as data, then sets it by an edit; returns what every route reads. */
async function roundTrip(form: PublishedForm, data: string): Promise<Record<string, string>> {
  const row = await submitted(data, { to: form });
  const [listed] = (await call("GET", `${formsPath}/${form.id}/submissions?limit=1`)).body.data.submissions;
  const line = (await call("GET", `${formsPath}/${form.id}/submissions/export?format=jsonl`)).body.split(
    "\n",
  )[0];
  // Removed and set again by edits; 100 fit one request.
  let now = row;
  const entries = Object.entries(row.data);
  for (const change of [() => null, (value: unknown) => value])
    for (let from = 0; from < entries.length; from += 100)
      now = await edited(
        now,
        ...entries.slice(from, from + 100).map(([id, value]): Edit => [id, change(value)]),
      );
  const readings = { got: row, listed, exported: JSON.parse(line), edited: now, gotAgain: await read(row) };
  return Object.fromEntries(Object.entries(readings).map(([name, { data }]) => [name, jsonOf(data)]));
}

const everywhere = (data: string) => {
  const [got, listed, exported, edited, gotAgain] = Array(5).fill(data);
  return { got, listed, exported, edited, gotAgain };
};

describe("a value comes back as it was sent", () => {
  // A text without a visible character is no value.
  const strings = naughty.filter((text) => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text));

  test.each([["text"], ["x-any"]])("the Big List of Naughty Strings, in fields of type %s", async (type) => {
    const form = await makeForm(
      app,
      team,
      strings.map((_, index) => ({ id: idOf(index), label: "x", type })),
    );
    const data = Object.fromEntries(strings.map((text, index) => [idOf(index), text]));
    expect(strings.length).toBeGreaterThan(400);
    expect(await roundTrip(form, JSON.stringify(data))).toEqual(everywhere(jsonOf(data)));
  });

  test("the same strings as keys, at the top and within", async () => {
    const special = ["__proto__", "constructor", "toString", "hasOwnProperty", "then", "7", "a.b"];
    const keys = [...new Set([...strings.filter((text) => text.length <= 128), ...special])];
    const form = await makeForm(app, team, keys.map(any));
    const data = Object.fromEntries(keys.map((key) => [key, { [key]: 1 }]));
    const within = Object.fromEntries([...keys, ""].map((key) => [key, key]));
    Object.assign(data, { toString: within });
    expect(await roundTrip(form, JSON.stringify(data))).toEqual(everywhere(jsonOf(data)));
  });

  test.each([
    "9007199254740991",
    "-9007199254740991",
    "9007199254740992",
    "-9007199254740992",
    "4503599627370495.5",
    "0.1",
    "-0.30000000000000004",
    "123456789.12345679",
    "1e-7",
    "5e-324",
    "2.2250738585072014e-308",
    "0",
    "1e15",
    "100000000000000000e-10",
  ])("the number %s", async (literal) => {
    const form = await makeForm(app, team, [{ ...any("a"), type: "number" }, any("b")]);
    const data = `{"a":${literal},"b":[${literal},{"x":${literal}}]}`;
    expect(await roundTrip(form, data)).toEqual(everywhere(jsonOf(JSON.parse(data))));
  });

  const nested = (levels: number): string =>
    levels === 0 ? "1" : levels % 2 ? `[${nested(levels - 1)}]` : `{"k":${nested(levels - 1)}}`;

  test("nesting down to level 32 of a body, and not below", async () => {
    const form = await makeForm(app, team, [any("a")]);
    const submit = (levels: number) => send(byKey(form), `{"data":{"a":${nested(levels)}}}`);
    expect(statusAndCode(await submit(31))).toEqual([400, "invalid_body"]);
    const row: Submission = await submitted(`{"a":${nested(30)}}`, { to: form });
    expect(jsonOf(row.data.a)).toBe(nested(30));
    // An edit's value is at level 4 of its body.
    const patch = (levels: number) =>
      call("PATCH", submissionPath(row), {
        body: `{"expectedUpdatedAt":"${row.updatedAt}","edits":[{"fieldId":"a","value":${nested(levels)}}]}`,
      });
    expect(statusAndCode(await patch(30))).toEqual([400, "invalid_body"]);
    expect((await patch(29)).status).toBe(200);
    expect(jsonOf((await read(row)).data.a)).toBe(nested(29));
  });

  test("false and 0 are values, and the smallest ones within are kept: null, empty text, list and object", async () => {
    const form = await makeForm(app, team, ["a", "b", "c"].map(any));
    const data = '{"a":false,"b":0,"c":[null,"",[],{}," ",{"x":null}]}';
    expect(await roundTrip(form, data)).toEqual(everywhere(jsonOf(JSON.parse(data))));
  });

  test("metadata is kept the same way", async () => {
    const form = await makeForm(app, team, [any("a")]);
    const metadata = `{"__proto__":{"x":1},"strings":${JSON.stringify(strings.slice(0, 150))},"number":9007199254740991}`;
    const reply = await send(byKey(form), `{"data":{"a":1},"metadata":${metadata}}`);
    const row = await read({ id: reply.body.data.id, formId: form.id });
    expect(jsonOf(row.metadata)).toBe(jsonOf(JSON.parse(metadata)));
  });
});

describe("two teams with the same data", () => {
  const respondentId = crypto.randomUUID();

  /** A form with one agent's submission for the respondent, and one edit. */
  async function settle(owner: Team) {
    const form = await makeForm(app, owner, [{ id: "a", type: "text", label: "A" }]);
    const agent = await makeAgent(app, owner, form);
    const sent = { data: { a: `of ${owner.id}` }, metadata: { respondentId } };
    const reply = await send(asAgent(form, agent), sent);
    return { form, agent, id: reply.body.data.id as string };
  }

  test("never read each other's, by any id, filter or error: another team's id is like an unknown one", async () => {
    const [mine, theirs] = [await settle(team), await settle(other)];
    const edit = { expectedUpdatedAt: "2026-11-20T09:00:00.000Z", edits: [{ fieldId: "a", value: "x" }] };
    const paths = (form: string, id: string, agent: string) => {
      const of = `${formsPath}/${form}`;
      const list = `${of}/submissions`;
      return [
        ["GET", of],
        ["PATCH", of, { operations: [{ op: "setMeta", name: "x" }] }],
        ["GET", list],
        ["GET", `${list}?status=completed&agentId=${agent}&respondentId=${respondentId}`],
        ["GET", `${list}/export?format=csv`],
        ["GET", `${list}/export?format=jsonl&agentId=${agent}`],
        ["GET", `${list}/${id}`],
        ["GET", `${list}/${id}/edits`],
        ["PATCH", `${list}/${id}`, edit],
        ["POST", `${list}/${id}/review`, { expectedUpdatedAt: edit.expectedUpdatedAt, decision: "approve" }],
        ["DELETE", `${list}/${id}`],
      ] as [method: string, path: string, body?: unknown][];
    };
    const pairs = [
      [theirs.form.id, theirs.id],
      [theirs.form.id, mine.id],
      [theirs.form.id, unknownId],
    ] as const;
    for (const [form, id] of pairs)
      for (const [index, [method, path, body]] of paths(form, id, theirs.agent.id).entries()) {
        const [, absent = ""] = paths(unknownId, unknownId, unknownId)[index] ?? [];
        const [foreign, none] = [await call(method, path, { body }), await call(method, absent, { body })];
        expect([method, path, foreign.status, foreign.body]).toEqual([method, path, 404, none.body]);
      }
    // Their ids in a form of the own team.
    for (const [method, path, body] of paths(mine.form.id, theirs.id, unknownId).slice(6))
      expect([method, path, ...statusAndCode(await call(method, path, { body }))]).toEqual([
        method,
        path,
        404,
        "not_found",
      ]);
    const filtered = await call("GET", `${formsPath}/${mine.form.id}/submissions?agentId=${theirs.agent.id}`);
    expect(filtered.body.data).toMatchObject({ submissions: [], pagination: { total: 0 } });
    const shared = await call("GET", `${formsPath}/${mine.form.id}/submissions?respondentId=${respondentId}`);
    expect(shared.body.data.submissions.map(({ id }: Submission) => id)).toEqual([mine.id]);
    const listed = JSON.stringify((await call("GET", `${formsPath}?limit=100`)).body);
    expect([listed.includes(mine.form.id), listed.includes(theirs.form.id)]).toEqual([true, false]);
    // It has not changed.
    const row = await call("GET", submissionPath({ id: theirs.id, formId: theirs.form.id }), {
      key: other.key,
    });
    expect(row.body.data.submission.data).toEqual({ a: `of ${other.id}` });
  });
});
