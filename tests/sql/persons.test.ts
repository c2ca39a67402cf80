/** A person is found by the respondent id and by a value, also one from before an edit. */
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { jsonb } from "../../src/platform/database/db.ts";
import { raisedProblem } from "./fixture.ts";
import { retentionFixture } from "./retention-fixture.ts";

const { sql, team, admin, ruled, aged, hold } = await retentionFixture();

type Form = Awaited<ReturnType<typeof ruled>>;
type Step = { ids: string[]; held: number; lastId: string | null };

/** All steps of a search of some rows each. */
async function find(
  form: Form,
  { respondent = null as string | null, value = null as string | null, rows = 2 },
) {
  const ids: string[] = [];
  let [held, steps, after]: [number, number, string | null] = [0, 0, null];
  do {
    const [step]: Step[] = await sql<Step[]>`
      select ids, held, last_id from formd.person_find(${team.id}, ${admin}, ${form.id}, ${respondent}, 'a', ${value}, ${after}, ${rows})`;
    ids.push(...(step?.ids ?? []));
    held += step?.held ?? 0;
    steps++;
    after = step?.lastId ?? null;
  } while (after !== null);
  return { ids, held, steps };
}

test("a value is found in any case and as a part, step by step, and no other one", async () => {
  const form = await ruled(null);
  const ids: string[] = [];
  for (const value of ["Ada@Example.org", "bob@example.org", " ada@example.org ", "ada@example.org.uk"])
    ids.push(await aged(form, 0, value));
  const inList = await aged(form, 0);
  await sql`
    update formd.submissions set data = ${jsonb(sql, { a: { rows: ["x", "ADA@example.org"] } })}
    where form_id = ${form.id} and id = ${inList}`;
  const found = await find(form, { value: "ada@example.org" });
  expect(found).toEqual({ ids: [ids[0] ?? "", ids[2] ?? "", inList], held: 0, steps: 4 });
  expect((await find(form, { value: "%" })).ids).toEqual([]);
});

test("a value from before an edit is found, and a held submission is counted", async () => {
  const form = await ruled(null);
  const id = await aged(form, 0, "ada@example.org");
  const edits = jsonb(sql, [{ fieldId: "a", value: "changed" }]);
  const [{ updatedAt }] = await sql<[{ updatedAt: Date }]>`
    select updated_at from formd.submissions where id = ${id}`;
  await sql`
    select from formd.submission_patch(${team.id}, ${`(api_key,${team.keyId},r)`}, ${form.id}, ${id}, ${updatedAt}, ${edits},
      true)`;
  await hold(sql, form, id);
  expect(await find(form, { value: "ada@example.org" })).toMatchObject({ ids: [id], held: 1 });
  expect(await find(form, { value: "changed" })).toMatchObject({ ids: [id], held: 1 });
});

test("a respondent's submissions are found by the id", async () => {
  const form = await ruled(null);
  const [respondent, ids] = [uuidv7(), await Promise.all([1, 2, 3].map(() => aged(form, 0)))];
  await aged(form, 0);
  await sql`update formd.submissions set respondent_id = ${respondent} where id in ${sql(ids)}`;
  expect((await find(form, { respondent })).ids).toEqual(ids.toSorted());
});

test("who sees no form of the workspace finds and reads nothing in it", async () => {
  const form = await ruled(null);
  const id = await aged(form, 0);
  const stranger = `(operator,${uuidv7()},)`;
  const search = sql`
    select from formd.person_find(${team.id}, ${stranger}, ${form.id}, null, 'a', 'x', null, 10)`;
  expect((await raisedProblem(search)).code).toBe("not_found");
  const read = sql`select from formd.person_read(${team.id}, ${stranger}, ${form.id}, ${id})`;
  expect((await raisedProblem(read)).code).toBe("not_found");
});

test("a person's export has every column of a submission, except columns that are not about the person", async () => {
  const form = await ruled(null);
  const id = await aged(form, 0);
  const [row] = await sql<{ item: Record<string, unknown> }[]>`
    select item from formd.person_read(${team.id}, ${admin}, ${form.id}, ${id}) where kind = 'submission'`;
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'formd.submissions'::regclass and attnum > 0 and not attisdropped`;
  const ofEachLine = ["team_id", "form_id", "id"];
  const notThePersons = ["request_digest", "salt", "reviewed_by"];
  const members = Object.keys(row?.item ?? {}).map((name) =>
    name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
  );
  expect([...members, ...ofEachLine, ...notThePersons].toSorted()).toEqual(
    columns.map(({ name }) => name).toSorted(),
  );
});
