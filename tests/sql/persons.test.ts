/** A person is found by the respondent id and by a value, also one from before an edit. */
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { connect, jsonb, type Sql } from "../../src/platform/database/db.ts";
import { until } from "../expect.ts";
import { makeAgent, testOnOneNode } from "../setup.ts";
import { type NewSubmission, raisedProblem, submitAll } from "./fixture.ts";
import { agentForPerson } from "./person-fixture.ts";
import { retentionFixture } from "./retention-fixture.ts";

const { app, sql, team, admin, ruled, aged, hold } = await retentionFixture();

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

/** Two connections, of which the first begins a transaction, and the second waits for it. */
async function crossed<A, B>(first: (each: Sql) => Promise<A>, second: (each: Sql) => Promise<B>) {
  const [one, two] = [1, 2].map(() => connect(app.database.ownerUrl, { poolSize: 1, prepare: false })) as [
    Sql,
    Sql,
  ];
  try {
    const [{ pid }] = await two<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await one`begin`;
    const early = await first(one);
    const waiting = second(two);
    await until(async () => (await sql`select from pg_locks where pid = ${pid} and not granted`).length > 0);
    await one`commit`;
    return [early, await waiting] as const;
  } finally {
    await Promise.all([one.end(), two.end()]);
  }
}
const eraseOf = (person: string) => async (each: Sql) => {
  const [{ erased }] = await each<[{ erased: boolean }]>`
    select formd.respondent_erase(${team.id}, '(cli,,)', ${person}) as erased`;
  return erased;
};

testOnOneNode.each([
  ["submit", "stored", false, "unauthorized"],
  ["upload", "admitted", true, "unauthorized"],
  ["bind", "bound", false, "bound"],
] as const)(
  "who is to %s for a person and who erases the person wait for each other",
  async (act, done, isErased, late) => {
    const form = await ruled(null);
    const early = await agentForPerson(app, team, form);
    expect(await crossed(early[act], eraseOf(early.person))).toEqual([done, isErased]);
    const other = await agentForPerson(app, team, form);
    expect(await crossed(eraseOf(other.person), other[act])).toEqual([true, late]);
    const naming = await sql`
    select from formd.respondents where id = ${other.person}
    union all select from formd.submissions where respondent_id = ${other.person}
    union all select from formd.sessions where respondent_id = ${other.person}`;
    expect(naming).toHaveLength(0);
  },
);

testOnOneNode.each([
  ["alone", (each: Sql, item: NewSubmission) => submitAll(each, team, [item])],
  ["in a list", (each: Sql, item: NewSubmission) => submitAll(each, team, [item], null)],
] as const)("whom an agent names %s is not erased while that is being stored", async (_, store) => {
  const form = await ruled(null);
  const { person } = await agentForPerson(app, team, form);
  const { token } = await makeAgent(app, team, form);
  const naming = async (each: Sql) =>
    (await store(each, { form, token, item: { respondent_id: person } }))[0]?.outcome;
  expect(await crossed(naming, eraseOf(person))).toEqual(["stored", false]);
});

test("who expires is not purged while a submission is stored for the person, nor while a grant is bound", async () => {
  const { person, submit, bind } = await agentForPerson(app, team, await ruled(null));
  const purge = async () => {
    await sql`update formd.respondents set expires_at = now() - interval '1 day' where id = ${person}`;
    await sql`select formd.respondents_purge(${team.id}, 10)`;
    return (await sql`select from formd.respondents where id = ${person}`).length;
  };
  const one = connect(app.database.ownerUrl, { poolSize: 1, prepare: false });
  await one`begin`;
  expect([await submit(one), await purge()]).toEqual(["stored", 1]);
  await one`rollback`;
  await one.end();
  await bind(sql);
  expect(await purge()).toBe(1);
  await sql`delete from formd.grants where respondent_id = ${person}`;
  expect(await purge()).toBe(0);
});
