/** From this commit to a later one: a scratch copy of the project with one more migration and another function. */
import { beforeAll, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { appendFileSync, cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ask,
  type Database,
  database,
  formd,
  makeForm,
  makeTeam,
  root,
  type Server,
  server,
  temporaryFolder,
} from "../setup.ts";

const scratch = temporaryFolder();
const migration = "20990101000000_later.sql";
const oneLine = /^formd: [^\n]+\n$/m;

beforeAll(() => {
  for (const name of ["src", "sql", "db", "package.json"])
    cpSync(join(root, name), join(scratch, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));
  writeFileSync(
    join(scratch, "db/migrations", migration),
    `-- migrate:up
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  alter table formd.submissions add column later text not null default 'was there before';
end $$;

-- migrate:down
alter table formd.submissions drop column later;
`,
  );
  appendFileSync(
    join(scratch, "sql/999_privileges.sql"),
    "\ncreate or replace function formd.later() returns text language sql immutable set search_path = pg_catalog, pg_temp as $$ select 'later' $$;\n",
  );
});

/** Runs a command of the later formd. */
const later = (args: string[], environment: Record<string, string>) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const { PATH = "", HOME = "" } = process.env;
    execFile(
      process.execPath,
      [join(scratch, "src/main.ts"), ...args],
      { cwd: scratch, env: { PATH, HOME, ...environment } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

test("a database of an older commit migrates under traffic: every request is answered, the old server sees it and takes no new ones", async () => {
  const data: Database = await database();
  const old: Server = await server({
    DATABASE_URL: data.url,
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
  });
  const app = { ...old, database: data };
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
  const headers = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
  const submissions = `/papi/v1/management/forms/${form.id}/submissions`;

  const statuses: number[] = [];
  const ids: string[] = [];
  let over = false;
  const submitting = async () => {
    while (!over) {
      const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
        headers,
        body: { data: { name: "Ada" } },
      });
      statuses.push(reply.status);
      ids.push(reply.body.data?.id);
    }
  };
  const reading = async () => {
    while (!over)
      for (const path of [submissions, `/papi/v1/management/forms/${form.id}`])
        statuses.push((await ask(app, "GET", path, { headers })).status);
  };
  const traffic = [submitting(), submitting(), reading()];
  while (statuses.length < 50) await Bun.sleep(10);

  const refused = await later(["serve", "--no-migrate"], { DATABASE_URL: data.url, PORT: "0" });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(oneLine)]);
  expect(refused.stderr).toContain("older than this formd (migrations to apply: 1): run formd migrate");

  const migrated = await later(["migrate", "--json"], {
    DATABASE_URL: data.url,
    MIGRATION_DATABASE_URL: data.ownerUrl,
  });
  expect(JSON.parse(migrated.stdout).migrations).toEqual([migration]);
  const soFar = statuses.length;
  while (statuses.length < soFar + 50) await Bun.sleep(10);
  over = true;
  await Promise.all(traffic);
  expect([...new Set(statuses)]).toEqual([200]);

  expect(await ask(old, "GET", "/readyz")).toMatchObject({
    status: 503,
    body: { error: expect.stringContaining("newer than this formd (migration 20990101000000)") },
  });
  for (const options of [[], ["--no-migrate"]]) {
    const { code, stderr } = await formd(["serve", ...options], { DATABASE_URL: data.url, PORT: "0" });
    expect([code, stderr]).toEqual([1, expect.stringMatching(oneLine)]);
    expect(stderr).toContain(
      "newer than this formd (migration 20990101000000): run the formd that migrated it",
    );
  }
  const stored = await data.sql<{ id: string; later: string }[]>`
    select id, later from formd.submissions where form_id = ${form.id}`;
  expect(stored.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect([...new Set(stored.map((row) => row.later))]).toEqual(["was there before"]);
});

test("a backup of an older commit is restored by a later one, and a later one's is refused by the older", async () => {
  const [from, to] = [join(scratch, "from"), join(scratch, "to")];
  const [file, newer] = [join(scratch, "backup"), join(scratch, "newer")];
  expect((await formd(["demo"], { FORMD_DATA_DIR: from })).code).toBe(0);
  const { stdout } = await formd(["backup", file, "--json"], { FORMD_DATA_DIR: from });
  const restored = await later(["restore", file, "--json"], { FORMD_DATA_DIR: to });
  expect(JSON.parse(restored.stdout)).toEqual({ file, rows: JSON.parse(stdout).rows });
  const again = await later(["backup", newer, "--json"], { FORMD_DATA_DIR: to });
  expect(JSON.parse(again.stdout).rows).toBe(JSON.parse(stdout).rows);
  const back = await formd(["restore", newer], { FORMD_DATA_DIR: join(scratch, "back") });
  expect([back.code, back.stderr]).toEqual([
    1,
    expect.stringContaining("migration 20990101000000 is not in this formd"),
  ]);
});
