// stacks: one citus
import { expect, test } from "bun:test";
import { requireForm } from "../../src/resources/forms/form-view.ts";
import { makeForm } from "../setup.ts";
import { codeOf, hashOf, sqlFixture, store } from "./fixture.ts";

const { app, sql, team, join } = await sqlFixture();
const make = () => makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
const as = (operator: string) => `(operator,${operator},request-1)`;
const follow = (form: string, operator: string, token: string, as_ = as(operator)) =>
  sql`select from formd.form_feed_make(${team.id}, ${as_}, ${form}, ${hashOf(token)})`;
const read = async (form: string, token: string, limit = 100) => {
  const [row] = await sql<[{ outcome: string; submissions: { id: string }[] | null }]>`
    select outcome, submissions from formd.form_feed_read(${team.id}, ${form}, ${hashOf(token)}, ${`feed:${token}`}, ${limit}, 2)`;
  return row;
};
const followers = (form: string) =>
  sql`select operator_id from formd.form_followers where team_id = ${team.id} and form_id = ${form}`;
const freshOf = async (form: string, operator: string) => {
  const rows = await sql<{ id: string; fresh: number }[]>`
    select id, fresh from formd.console_form_list(${team.id}, ${operator}, false, current_date, 100, 0)`;
  return rows.find(({ id }) => id === form)?.fresh;
};

test("a feed has the newest submissions, at its newest address only, and ends with the operator's role", async () => {
  const [form, operator] = [await make(), await join("viewer")];
  const { id } = form;
  await follow(id, operator, "first");
  const stored = [
    await store(sql, team, { form }),
    await store(sql, team, { form }),
    await store(sql, team, { form }),
  ];
  const { submissions } = await read(id, "first");
  expect(submissions?.map((each) => each.id)).toEqual(stored.slice(1).reverse());
  await follow(id, operator, "second");
  expect([(await read(id, "first")).outcome, (await read(id, "second")).outcome]).toEqual([
    "not_found",
    "allowed",
  ]);
  await sql`delete from formd.workspace_roles where operator_id = ${operator}`;
  expect((await read(id, "second")).outcome).toBe("not_found");
  expect(await followers(id)).toHaveLength(0);
});

test("a feed is of one form, and beyond the rate limit nothing is read", async () => {
  const [{ id }, other, operator] = [await make(), await make(), await join("viewer")];
  await follow(id, operator, "limited");
  expect((await read(other.id, "limited", 3)).outcome).toBe("not_found");
  const outcomes = [await read(id, "limited", 3), await read(id, "limited", 3), await read(id, "limited", 3)];
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(["allowed", "allowed", "rate_limited"]);
});

test("only an operator has a feed: an API key and a person at a terminal have none", async () => {
  const { id } = await make();
  for (const actor of ["(cli,,)", `(api_key,${team.keyId},request-1)`])
    expect(await codeOf(follow(id, team.operator.id, "none", actor))).toBe("unauthorized");
});

test("new are the submissions since an operator has the role, and then since the list was opened", async () => {
  const form = await make();
  const { id } = form;
  await store(sql, team, { form });
  await Bun.sleep(2);
  const operator = await join("viewer");
  expect(await freshOf(id, operator)).toBe(0);
  await store(sql, team, { form });
  await store(sql, team, { form });
  expect(await freshOf(id, operator)).toBe(2);
  await sql`select from formd.form_seen_mark(${team.id}, ${id}, ${operator})`;
  expect([await freshOf(id, operator), await freshOf(id, team.operator.id)]).toEqual([0, 3]);
});

test("where all submissions were seen, counting the new ones reads none of them", async () => {
  const form = await make();
  const { id } = form;
  const seen = await store(sql, team, { form });
  await sql`
    insert into formd.submissions
    select (jsonb_populate_record(s, jsonb_build_object(
      'id', formd.uuid_floor(now() - interval '30 days' + n * interval '1 ms'), 'submitter_id', gen_random_uuid()))).*
    from formd.submissions s, generate_series(1, 500) as n where s.team_id = ${team.id} and s.form_id = ${id} and s.id = ${seen}`;
  const operator = team.operator.id;
  await sql`select from formd.form_seen_mark(${team.id}, ${id}, ${operator})`;
  await sql.begin(async (transaction) => {
    const fetched = async () => {
      const [row] = await transaction<[{ number: number }]>`
        select sum(idx_tup_fetch)::integer as number from pg_stat_xact_user_tables
        where schemaname = 'formd' and relname ~ '^submissions'`;
      return row.number;
    };
    const before = await fetched();
    const asked = transaction as unknown as typeof sql;
    const { fresh } = await requireForm(asked, { team: team.id, operator }, id);
    await transaction`select from formd.console_form_list(${team.id}, ${operator}, false, current_date, 100, 0)`;
    expect([fresh, (await fetched()) - before < 500]).toEqual([0, true]);
  });
});

test("who has no role marks nothing", async () => {
  const form = await make();
  const { id } = form;
  await store(sql, team, { form });
  await sql`select from formd.form_seen_mark(${team.id}, ${id}, ${crypto.randomUUID()})`;
  expect(await followers(id)).toHaveLength(0);
});
