// stacks: one
import { expect, test } from "bun:test";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { makeForm } from "../setup.ts";
import { endOf, inParallel, newIds, sqlFixture, submit } from "./fixture.ts";

const { app, sql, team } = await sqlFixture();
const cli = "(cli,,)";
const newForm = () => makeForm(app, team, [], { settings: { page: { enabled: true } } });
const hash = (text: string) => toByteaText(sha256(text));
const itemOf = (id: string, more: object = {}) => ({
  token_hash: hash(id),
  expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  ...more,
});
const create = (form: string, items: object[], each: Sql = sql) => each<{ id: string }[]>`
  select id from formd.invitations_create(${team.id}, ${cli}, ${form}, 1, ${each.json(items as never)}, null) as id`;
const fill = (form: string, count: number) => sql`
  insert into formd.invitations (team_id, form_id, id, token_hash, label, state, mails, expires_at)
  select ${team.id}, ${form}, formd.uuid_make(), sha256(int8send(n)), 'Guest ' || n,
    (array['open', 'open', 'submitted', 'revoked'])[n % 4 + 1], n % 2, now() + interval '1 day'
  from generate_series(1, ${count}) as n`;
const rowsOf = (form: string) => sql`select * from formd.invitations where form_id = ${form} order by id`;

test("of two requests at 99,900 one makes its hundred; a page of the list reads at most 25 buffers", async () => {
  const { id: form } = await newForm();
  await fill(form, 99_900);
  const ends = await inParallel(app.database.ownerUrl, 2, (each, index) =>
    endOf(
      create(
        form,
        newIds(100).map((id) => itemOf(id + index)),
        each,
      ),
      "made",
    ),
  );
  expect(ends.sort()).toEqual(["conflict", "made"]);
  await sql`vacuum analyze formd.invitations`;
  const counts = await sql`select * from formd.invitation_counts(${team.id}, ${form})`;
  expect(counts).toEqual([{ open: 50_050, submitted: 24_975, revoked: 24_975, mailed: 49_950 }] as never);
  const first = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  for (const state of ["null", "'open'", "'revoked'"]) {
    const statement = `select * from formd.invitation_list('${team.id}', '${cli}', '${form}', ${state}, null, null, 20, 0, '${first}', 'newest')`;
    await sql.unsafe(statement);
    const [plan] = await sql.unsafe(`explain (analyze, buffers, format json) ${statement}`);
    const { Plan } = (plan as unknown as { "QUERY PLAN": { Plan: Record<string, number> }[] })[
      "QUERY PLAN"
    ]?.[0] ??
      (Object.values(plan ?? {})[0] as { Plan: Record<string, number> }[])[0] ?? { Plan: {} };
    const buffers = (Plan["Shared Hit Blocks"] ?? 0) + (Plan["Shared Read Blocks"] ?? 0);
    expect([state, buffers > 0 && buffers <= 25]).toEqual([state, true]);
  }
});

test("two who remind at once record each mail once, in slots of half a day's limit", async () => {
  const { id: form } = await newForm();
  await create(
    form,
    newIds(30).map((id) => itemOf(id, { email_hash: hash(id), sealed_email: hash(id) })),
  );
  const reminded = await inParallel(app.database.ownerUrl, 4, async (each) => {
    const [row] = await each<[{ reminded: number }]>`
      select reminded from formd.invitations_remind(${team.id}, ${cli}, ${form}, '1 day', 20, null)`;
    return row.reminded;
  });
  expect(reminded.reduce((sum, each) => sum + each, 0)).toBe(30);
  expect((await rowsOf(form)).every(({ mails }) => mails === 1)).toBe(true);
  const days = await sql`
    select (extract(epoch from due_at - created_at) / 86400)::int as day, count(*)::int as count
    from formd.mails where form_id = ${form} group by 1 order by 1`;
  expect(days.map(({ count }) => count).reduce((sum: number, each) => sum + each, 0)).toBe(30);
  expect(days.length).toBeGreaterThan(1);
  // Mails of the last day are tried as long as those of the first.
  const ages = await sql`
    select distinct (gives_up_at - due_at)::text as tried, (expires_at - gives_up_at)::text as kept
    from formd.mails where form_id = ${form}`;
  expect([...ages]).toEqual([{ tried: "30 days", kept: "30 days" }]);
});

test("a deletion of the submission, an erasure of the person and time take what names a person", async () => {
  const form = await newForm();
  const { response } = await submit(sql, team, { form });
  const marker = "marker-7721fe";
  const more = { label: marker, prefill: { a: marker }, email_hash: hash(marker), sealed_email: hash("x") };
  const [used, open, over] = await create(
    form.id,
    newIds(3).map((id) => itemOf(id, more)),
  );
  await sql`
    update formd.invitations set state = 'submitted', submission_id = ${response?.id ?? ""} where id = ${used?.id ?? ""}`;
  await sql`select formd.submission_delete(${team.id}, '(cli,,r)', ${form.id}, ${response?.id ?? ""})`;
  const blank = { label: null, prefill: null, sealedEmail: null, emailHash: null };
  expect((await rowsOf(form.id))[0]).toMatchObject({ state: "submitted", ...blank });
  const find = (value: string, hashes: string[] = []) => sql<[{ ids: string[] }]>`
    select ids from formd.person_invitations(${team.id}, ${cli}, ${form.id}, null,
      array(select h::bytea from unnest(${hashes}::text[]) as h), ${value}, null, 100)`;
  expect((await find(marker.toUpperCase()))[0].ids).toEqual([open?.id, over?.id] as string[]);
  expect((await find("none", [hash(marker)]))[0].ids).toHaveLength(2);
  await sql`select formd.invitation_revoke(${team.id}, ${cli}, ${form.id}, ${open?.id ?? ""})`;
  expect((await find(marker))[0].ids).toEqual([over?.id ?? ""]);
  await sql`update formd.invitations set expires_at = now() - interval '89 days' where form_id = ${form.id}`;
  await sql`select formd.expired_purge(1000)`;
  expect(await rowsOf(form.id)).toHaveLength(3);
  await sql`update formd.invitations set expires_at = now() - interval '91 days' where form_id = ${form.id}`;
  await sql`select formd.expired_purge(1000)`;
  expect(await rowsOf(form.id)).toHaveLength(0);
});

test("no mail goes by an invitation that has ended, of a form without a page, or past an unsubscription by an earlier key", async () => {
  const { id: form } = await newForm();
  const emailed = (id: string, ...hashes: string[]) =>
    itemOf(id, { sealed_email: "\\x00", email_hash: hashes[0], email_hashes: hashes });
  const [before, after] = [hash("by the old key"), hash("by the new key")];
  const ids = (await create(form, [emailed("one", before)])).map(({ id }) => id);
  const outcome = async () => {
    const [row] = await sql<{ outcome: string }[]>`
      select mail_state as outcome from formd.invitation_mail_read(${team.id}, ${form}, ${ids[0] ?? ""})`;
    return row?.outcome;
  };
  const ends: [string, string, string | undefined][] = [];
  for (const [set, undo] of [
    ["state = 'revoked'", "state = 'open'"],
    ["state = 'submitted'", "state = 'open'"],
    ["expires_at = now() - interval '1 day'", "expires_at = now() + interval '1 day'"],
  ] as const) {
    await sql.unsafe(`update formd.invitations set ${set} where id = '${ids[0]}'`);
    ends.push([set, "not_open", await outcome()]);
    await sql.unsafe(`update formd.invitations set ${undo} where id = '${ids[0]}'`);
  }
  const setPage = (enabled: boolean) => sql`
    update formd.forms set settings_in_force = ${sql.json({ page: { enabled } })} where id = ${form}`;
  await setPage(false);
  ends.push(["page off", "form_off", await outcome()]);
  await setPage(true);
  for (const [set, expected, found] of ends) expect([set, found]).toEqual([set, expected]);
  expect(await outcome()).toBe("open");
  await sql`select formd.mail_unsubscribe(${team.id}, ${cli}, ${form}, ${before}::text::bytea)`;
  expect(await outcome()).toBe("not_open");
  const [later] = await create(form, [emailed("two", after, before)]);
  expect(await sql`select unsubscribed from formd.invitations where id = ${later?.id ?? ""}`).toEqual([
    { unsubscribed: true },
  ] as never);
});
