/** Forms with a rule of retention, submissions of any age, and holds. */
import { expect } from "bun:test";
import { jsonb, type Sql } from "../../src/platform/database/db.ts";
import { makeForm, type PublishedForm } from "../setup.ts";
import { sqlFixture, store } from "./fixture.ts";

const fields = [{ id: "a", type: "text", label: "A" }];
const day = 86_400_000;

/** The instant that many days ago. */
export const daysAgo = (days: number) => new Date(Date.now() - days * day);

/** A database with a team, and what rules and holds do in it. */
export async function retentionFixture() {
  const { app, sql, team } = await sqlFixture();
  const admin = `(operator,${team.operator.id},request)`;

  /** A form with a rule that a person has published, as if it had been so from the start. */
  async function ruled(
    rule: object | null,
    options: Parameters<typeof makeForm>[3] = {},
  ): Promise<PublishedForm> {
    const form = await makeForm(app, team, fields, options);
    await sql`
      update formd.forms set settings = settings || ${jsonb(sql, { retention: rule })},
        published_settings = published_settings || ${jsonb(sql, { retention: rule })},
        settings_in_force = settings_in_force || ${jsonb(sql, { retention: rule })}
      where id = ${form.id} and ${rule !== null}`;
    return form;
  }

  /** A submission that was made that many days ago, and completed when it was made. */
  async function aged(form: PublishedForm, days: number, value = "x"): Promise<string> {
    const at = daysAgo(days);
    return await store(sql, team, { form, item: { data: { a: value } } }, at);
  }

  const idsOf = async (form: PublishedForm) =>
    (
      await sql<{ id: string }[]>`select id from formd.submissions where form_id = ${form.id} order by id`
    ).map(({ id }) => id);
  const hold = (each: Sql, form: PublishedForm, submission: string | null, actor = admin) =>
    each`select * from formd.hold_place(${team.id}, ${actor}, ${form.id}, ${submission}, 'Case 1')`;
  const release = (form: PublishedForm, submission: string | null, actor = admin) =>
    sql`select * from formd.hold_release(${team.id}, ${actor}, ${form.id}, ${submission})`;
  const remove = (each: Sql, form: PublishedForm, id: string) =>
    each`select formd.submission_delete(${team.id}, ${`(api_key,${team.keyId},request)`}, ${form.id}, ${id})`;
  const step = async (each: Sql, form: PublishedForm, limit = 100, after: string | null = null) => {
    const [row] = await each<[{ deleted: number; lastId: string | null }]>`
      select * from formd.submissions_expire(${team.id}, ${form.id}, ${after}, ${limit})`;
    return row;
  };
  const dueOf = async (form: PublishedForm) => {
    const [row] = await sql<[{ due: number; held: number; source: string | null }]>`
      select due::integer, held::integer, source from formd.retention_read(${team.id}, ${admin}, ${form.id}, null)`;
    return row;
  };
  const recount = async (form: PublishedForm) => {
    for (const { counted, total } of await sql<{ counted: string; total: string }[]>`
      select * from formd.submission_recount(${team.id}, ${form.id})`)
      expect(total).toBe(counted);
  };

  return { app, sql, team, admin, ruled, aged, idsOf, hold, release, remove, step, dueOf, recount };
}
