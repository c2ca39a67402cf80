/** Changes of respondents by a link: what they may, and what wins beside owners. */
import { describe, expect, test } from "bun:test";
import type { Sql } from "../../src/platform/database/db.ts";
import { makeForm } from "../setup.ts";
import { codeOf, inParallel, raisedProblem } from "./fixture.ts";
import { type Row, submissionsFixture, totalsOf } from "./submissions-fixture.ts";

const options = [
  { value: "m", label: "M", limit: 1 },
  { value: "l", label: "L" },
];
const fields = [
  { id: "a", type: "text", label: "A" },
  { id: "size", type: "select", label: "Size", options },
];
const { app, sql, team, patch, remove, stored, editsOf } = await submissionsFixture(fields);
const owner = `(operator,${team.operator.id},request)`;
const on = (change: object = { until: "P2D", withdraw: true }, settings: object = {}) =>
  makeForm(app, team, fields, { settings: { page: { enabled: true, change }, ...settings } });
const submitted = async (form: Awaited<ReturnType<typeof on>>, data: object = { a: "x" }) =>
  stored({ form, item: { data: data as never } });

const apply = (row: Row, edits: object[], each: Sql = sql) => each<[Row]>`
  select * from formd.change_link_apply(${team.id}, '(respondent,,request)', ${row.formId}, ${row.id},
    ${row.updatedAt}, ${each.json(edits as never)}, true, null, '[]')`;
const change = (row: Row, each: Sql = sql) => apply(row, [{ fieldId: "a", value: "changed" }], each);
const withdraw = ({ formId, id }: Row, each: Sql = sql) =>
  each`select formd.change_link_withdraw(${team.id}, '(respondent,,request)', ${formId}, ${id})`;
const reasonOf = async (call: PromiseLike<unknown>) => {
  const { code, extras } = await raisedProblem(call);
  return [code, extras.change];
};
const review = (row: Row, each: Sql = sql) =>
  each`select formd.submission_review(${team.id}, ${owner}, ${row.formId}, ${row.id}, 'approve', null, ${row.updatedAt})`;
const hold = (formId: string, id: string | null, each: Sql = sql) =>
  each`select formd.hold_place(${team.id}, ${owner}, ${formId}, ${id}, 'reason')`;
const holdOf = (row: Row, each: Sql = sql) => hold(row.formId, row.id, each);

describe("a change by a link", () => {
  test("is an edit by the respondent, with the event of an edit, and leaves the receipt", async () => {
    const row = await submitted(await on());
    const digest = () => sql`select request_digest, salt from formd.submissions where id = ${row.id}`;
    const before = [...(await digest())];
    const [after] = await change(row);
    expect(after.data).toEqual({ a: "changed" });
    expect([...(await digest())]).toEqual(before);
    const edits =
      await sql`select actor_type, actor_id, request_id from formd.submission_edits where submission_id = ${row.id}`;
    expect([...edits]).toEqual([{ actorType: "respondent", actorId: null, requestId: "request" }]);
    expect(await codeOf(change(row))).toBe("conflict");
  });

  const late = sql`now() - interval '3 days'`;
  const ago = ({ id }: Row) =>
    sql`update formd.submissions set completed_at = ${late}, created_at = ${late} where id = ${id}`;
  const cases: [name: string, prepare: () => Promise<Row>, expected: unknown[]][] = [
    [
      "where it is switched off",
      async () => submitted(await makeForm(app, team, fields, { settings: { page: { enabled: true } } })),
      ["form_closed", "off"],
    ],
    [
      "past its time",
      async () => {
        const row = await submitted(await on());
        await ago(row);
        return row;
      },
      ["gone", "ended"],
    ],
    [
      "after a review",
      async () => {
        const row = await submitted(await on(undefined, { review: { required: true } }));
        await review(row);
        return row;
      },
      ["form_closed", "reviewed"],
    ],
    [
      "of a held submission",
      async () => {
        const row = await submitted(await on());
        await holdOf(row);
        return row;
      },
      ["held", "held"],
    ],
    [
      "of a held form",
      async () => {
        const row = await submitted(await on());
        await hold(row.formId, null);
        return row;
      },
      ["held", "held"],
    ],
    [
      "of a deleted submission",
      async () => {
        const row = await submitted(await on());
        await remove(row);
        return row;
      },
      ["not_found", undefined],
    ],
    [
      "after it was taken back",
      async () => {
        const row = await submitted(await on());
        await withdraw(row);
        return row;
      },
      ["not_found", "withdrawn"],
    ],
    [
      "of an archived form",
      async () => {
        const row = await submitted(await on());
        await sql`update formd.forms set status = 'archived', archived_at = now() where id = ${row.formId}`;
        return row;
      },
      ["form_closed", "off"],
    ],
    [
      "of a page that is off",
      async () => {
        const row = await submitted(await on());
        await sql`update formd.forms set settings_in_force = settings_in_force #- '{page,enabled}' where id = ${row.formId}`;
        return row;
      },
      ["not_found", undefined],
    ],
  ];
  test.each(cases)("%s is refused, and so is taking it back", async (_, prepare, expected) => {
    const row = await prepare();
    expect(await reasonOf(change(row))).toEqual(expected);
    expect(await reasonOf(withdraw(row))).toEqual(expected);
  });

  test("ends with closesAt, and not when the form is full; the time counts from the completion", async () => {
    const full = await submitted(await on({ until: "closes" }, { availability: { maxSubmissions: 1 } }));
    await change(full);
    const closing = await submitted(await on({ until: "closes" }));
    const closes = (at: string) =>
      sql`update formd.forms set settings_in_force = settings_in_force || jsonb_build_object('availability', jsonb_build_object('closesAt', ${at}::text)) where id = ${closing.formId}`;
    await closes(new Date(Date.now() - 1000).toISOString());
    expect(await reasonOf(change(closing))).toEqual(["gone", "ended"]);
    await closes(new Date(Date.now() + 60_000).toISOString());
    await change(closing);
    const completed = await submitted(await on());
    await sql`update formd.submissions set created_at = ${late} where id = ${completed.id}`;
    await change(completed);
  });

  test("does not take back where settings allow changes alone, and nothing of a partial submission", async () => {
    const row = await submitted(await on({ until: "P2D" }));
    expect(await reasonOf(withdraw(row))).toEqual(["form_closed", "off"]);
    await sql`update formd.submissions set status = 'partial', completed_at = null where id = ${row.id}`;
    expect(await codeOf(change(row))).toBe("not_found");
  });
});

describe("beside others", () => {
  const ended = (call: PromiseLike<unknown>) =>
    Promise.resolve(call).then(
      () => "done",
      ({ message }) => message as string,
    );

  test("of ten changes from one page one is stored, and an owner's edit counts as one of them", async () => {
    const row = await submitted(await on());
    const ends = await inParallel(app.database.ownerUrl, 10, (each, index) =>
      ended(index % 2 ? change(row, each) : patch(row, [{ fieldId: "a", value: "y" }], true, each)),
    );
    expect(ends.toSorted()).toEqual([...Array(9).fill("conflict"), "done"]);
    expect(await editsOf(row.id)).toHaveLength(1);
  });

  const others = {
    review: (row: Row, each: Sql) => review(row, each),
    hold: (row: Row, each: Sql) => holdOf(row, each),
    "hold of the form": (row: Row, each: Sql) => hold(row.formId, null, each),
    deletion: (row: Row, each: Sql) => remove(row, each),
    withdrawal: (row: Row, each: Sql) => withdraw(row, each),
  };
  test.each(Object.entries(others))("a %s, a change and a withdrawal end in one order", async (_, act) => {
    const form = await on(undefined, { review: { required: true } });
    for (let round = 0; round < 5; round++) {
      const form = await on(undefined, { review: { required: true } });
      const row = await submitted(form);
      const calls = [
        act,
        (of: Row, each: Sql) => change(of, each),
        (of: Row, each: Sql) => withdraw(of, each),
      ];
      const ends = await inParallel(app.database.ownerUrl, 3, (each, index) =>
        ended(calls[index]?.(row, each) as never),
      );
      for (const end of ends) expect(["done", "conflict", "not_found", "held", "form_closed"]).toContain(end);
      expect(ends).toContain("done");
      await totalsOf(sql, form);
      const kept =
        await sql`select from formd.submission_edits where submission_id = ${row.id} and new_value is not null`;
      const rows = await sql`select from formd.submissions where id = ${row.id}`;
      if (rows.length === 0) expect(kept).toHaveLength(0);
    }
    await totalsOf(sql, form);
  });

  test("the last place of an option goes to one of ten, and a change away from it frees it", async () => {
    const form = await on();
    const rows = await Promise.all(Array.from({ length: 10 }, () => submitted(form, { size: "l" })));
    const take = (row: Row, value: string, each: Sql) =>
      ended(apply(row, [{ fieldId: "size", value }], each));
    const ends = await inParallel(app.database.ownerUrl, 10, (each, index) =>
      take(rows[index] as Row, "m", each),
    );
    expect(ends.toSorted()).toEqual(["done", ...Array(9).fill("validation_failed")]);
    const [holder] = await sql<
      [Row]
    >`select * from formd.submissions where form_id = ${form.id} and data ->> 'size' = 'm'`;
    await withdraw(holder);
    const [other] = await sql<[Row]>`select * from formd.submissions where form_id = ${form.id} limit 1`;
    expect(await take(other, "m", sql)).toBe("done");
  });
});
