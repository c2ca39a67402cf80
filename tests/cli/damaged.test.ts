// stacks: one
import { expect, test } from "bun:test";
import { readExpected } from "../../src/platform/database/catalog/expected.ts";
import { until } from "../expect.ts";
import {
  ask,
  type Database,
  database,
  emptyDatabase,
  formd,
  makeForm,
  makeTeam,
  service,
  settingsFor,
  testOnOneNode,
} from "../setup.ts";
import { type Check, examined, orderly } from "./examined.ts";

/** Runs doctor, and returns the differences that it finds in the catalog, and its exit code. */
async function differencesIn(made: Database) {
  const { code, of } = await examined(orderly(made));
  const { ok, message, differences = [] } = of("schema") ?? {};
  return { code, ok, message, differences };
}

/** @returns what was repaired, and what was left */
async function repair(of: Database) {
  const { code, stdout, stderr } = await formd(["migrate", "--repair", "--json"], settingsFor(of));
  expect(stdout).not.toBe("");
  return {
    code,
    stderr,
    ...(JSON.parse(stdout) as { repaired: string[]; left: Required<Check>["differences"] }),
  };
}

test("what is expected is read from what a release is made of, in full", async () => {
  const kinds = Object.groupBy(await readExpected(), ({ kind }) => kind);
  expect(Object.fromEntries(Object.entries(kinds).map(([kind, { length }]) => [kind, length > 10]))).toEqual({
    type: true,
    attribute: true,
    table: true,
    column: true,
    constraint: true,
    index: true,
    right: true,
    function: true,
  });
});

test("a missing function is seen by /readyz and doctor, and formd migrate loads it again", async () => {
  const app = await service({ LOG_LEVEL: "info" });
  const schema = async () => (await ask(app, "GET", "/readyz")).body.data.schema;
  expect(await schema()).toBe("current");
  await app.database.sql`drop function formd.form_list cascade`;
  await until(async () => (await schema()) === "damaged");
  const doctor = await formd(["doctor"], settingsFor(app.database));
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(
    "wrong database: the database lacks functions (form_list): run formd migrate",
  );
  expect(doctor.stdout).toContain("function formd.form_list is missing: formd migrate --repair");
  expect((await formd(["migrate"], settingsFor(app.database))).code).toBe(0);
  await until(async () => (await schema()) === "current");
});

testOnOneNode("each difference has its statement, and migrate --repair ends those without data", async () => {
  const made = await database();
  await made.sql.unsafe(`
    drop function formd.form_list;
    create function formd.form_list(p_team uuid, p_workspace uuid, p_limit integer, p_offset bigint, p_after uuid,
      p_order text)
      returns jsonb language sql stable as 'select null::jsonb';
    drop index formd.submissions_agent_idx;
    drop index formd.agents_client_id_key; create unique index agents_client_id_key on formd.agents (team_id, client_id);
    alter table formd.forms drop constraint forms_status_check;
    alter table formd.grants drop constraint grants_form_fkey;
    alter table formd.teams drop constraint teams_name_check, add constraint teams_name_check check (name <> '');
    grant insert, delete on formd.submissions to formd;
    grant select on formd.agents to formd_app;
    grant update on formd.audit_events to formd_owner;
    grant execute on function formd.form_create to public;
    revoke select on formd.forms from formd_app;
    revoke execute on function formd.form_publish from formd_app`);
  const { code, ok, message, differences } = await differencesIn(made);
  expect([code, ok, message]).toEqual([
    1,
    false,
    expect.stringMatching(/^15 differences .*migrate --repair/),
  ]);
  const statements = Object.fromEntries(differences.map(({ fault, statement }) => [fault, statement]));
  expect(statements).toMatchObject({
    "index formd.submissions_agent_idx is missing": expect.stringContaining(
      "create index concurrently submissions_agent_idx on formd.submissions",
    ),
    "constraint formd.forms forms_status_check is missing": expect.stringContaining(
      "alter table formd.forms add constraint forms_status_check CHECK",
    ),
    "right insert on table formd.submissions to formd is not of this release":
      "revoke insert on table formd.submissions from formd",
    "right select on table formd.forms to formd_app is missing":
      "grant select on table formd.forms to formd_app",
    "function formd.form_list is another one": "formd migrate --repair",
  });
  const repaired = await repair(made);
  expect([repaired.code, repaired.left]).toEqual([0, []]);
  expect(await differencesIn(made)).toMatchObject({ code: 0, ok: true });
  expect((await repair(made)).repaired).toEqual([]);
});

test("a repair that loads the functions twice lists it once", async () => {
  const made = await database();
  // The right leads to a second time: loading them does not take it away.
  await made.sql.unsafe(`
    drop function formd.form_create cascade;
    grant insert on formd.submissions to formd`);
  const { repaired, left } = await repair(made);
  expect([repaired, left]).toEqual([
    ["load the functions and rights", "revoke insert on table formd.submissions from formd"],
    [],
  ]);
});

testOnOneNode("an index whose build broke off is not valid, and is built again", async () => {
  const made = await database();
  await made.sql.unsafe(
    "update pg_index set indisvalid = false where indexrelid = 'formd.submissions_status_idx'::regclass",
  );
  const { differences } = await differencesIn(made);
  expect(differences.map(({ fault }) => fault)).toEqual(["index formd.submissions_status_idx is not valid"]);
  expect((await repair(made)).left).toEqual([]);
});

testOnOneNode("what data may depend on is named and left to a person", async () => {
  const made = await database();
  await made.sql.unsafe(`
    alter table formd.forms drop column description;
    alter table formd.submissions add column stray text not null;
    alter table formd.grants alter column binding_required drop not null;
    drop table formd.agent_days;
    create function formd.stray() returns trigger language plpgsql as 'begin return new; end';
    create trigger stray before insert on formd.agents for each row execute function formd.stray()`);
  const { code, left, stderr } = await repair(made);
  expect([code, stderr]).toEqual([1, expect.stringContaining("differences are left")]);
  expect(left.map(({ fault, statement }) => [fault, statement])).toEqual([
    ["column formd.forms.description is missing", "alter table formd.forms add column description text"],
    ["constraint formd.forms forms_description_check is missing", expect.any(String)],
    [
      "column formd.grants.binding_required is boolean DEFAULT false",
      "alter table formd.grants alter column binding_required set not null",
    ],
    ["table formd.agent_days is missing", expect.stringContaining("restore a backup")],
    [
      "column formd.submissions.stray is not of this release",
      "alter table formd.submissions alter column stray drop not null",
    ],
    ["trigger formd.agents stray is not of this release", "drop trigger stray on formd.agents"],
    // The files give rights on the table that is missing.
    ["right execute on function formd.stray to public is not of this release", expect.any(String)],
  ]);
});

testOnOneNode("what belongs to another role, as after a restore without owners, is named", async () => {
  const made = await database();
  const { sql } = made;
  await sql`alter table formd.forms owner to current_user`;
  await sql`drop function formd.form_list`;
  const [{ role = "" } = {}] = await sql`select current_user as role`;
  const { code, stderr } = await formd(["migrate", "--repair"], settingsFor(made));
  expect([code, stderr]).toEqual([1, expect.stringContaining(`1 of ${role} (such as formd.forms)`)]);
  await sql`alter table formd.forms owner to formd_owner`;
  expect((await repair(made)).left).toEqual([]);
});

testOnOneNode("a constraint that rows violate is added for new rows, and named", async () => {
  const app = await service({});
  const { sql } = app.database;
  const team = await makeTeam(app);
  await makeForm(app, team, []);
  await sql`alter table formd.forms drop constraint forms_archived_check`;
  await sql`update formd.forms set archived_at = now()`;
  const { code, left } = await repair(app.database);
  expect([code, left]).toEqual([
    1,
    [
      {
        fault: expect.stringMatching(/^constraint formd.forms forms_archived_check is CHECK .* NOT VALID$/),
        statement: expect.stringContaining("alter table formd.forms drop constraint forms_archived_check; "),
      },
    ],
  ]);
});

test("what a DBA adds and nothing depends on is in order", async () => {
  const made = await database();
  await made.sql`create index dba_idx on formd.submissions (team_id, created_at)`;
  await made.sql`create table formd.dba_notes (note text)`;
  expect(await differencesIn(made)).toMatchObject({ code: 0, ok: true });
});

testOnOneNode("an owner of another name has the rights that this release leaves", async () => {
  const made = await emptyDatabase();
  const [{ name }] = await made.sql<[{ name: string }]>`select current_database() as name`;
  await made.sql.unsafe(`
    do $$ begin if not exists (select from pg_roles where rolname = 'Other Owner') then create role "Other Owner" login; end if; end $$;
    alter database ${name} owner to "Other Owner"`);
  const renamed = { ...made, ownerUrl: made.ownerUrl.replace("formd_owner", "Other%20Owner") };
  expect((await formd(["migrate"], settingsFor(renamed))).code).toBe(0);
  expect(await differencesIn(renamed)).toMatchObject({ code: 0, ok: true });
  await made.sql`grant update on formd.audit_events to "Other Owner"`;
  expect((await differencesIn(renamed)).differences).toEqual([
    {
      fault: 'right update on table formd.audit_events to "Other Owner" is not of this release',
      statement: 'revoke update on table formd.audit_events from "Other Owner"',
    },
  ]);
});
