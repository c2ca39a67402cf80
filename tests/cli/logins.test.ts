// stacks: one
/** Database logins that the commands need. */
import { expect, test } from "bun:test";
import { database, emptyDatabase, formd, settingsFor } from "../setup.ts";

const email = "ada@example.org";

test.each(["one", "two"])("commands work where server and owner are %s logins", async (logins) => {
  const made = await database();
  const settings: Record<string, string> =
    logins === "two" ? settingsFor(made) : { DATABASE_URL: made.ownerUrl };
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints
  const run = async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await formd([...args, "--json"], settings);
    expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
    return JSON.parse(stdout);
  };
  const { team, workspace } = await run("bootstrap", "--email", email, "--password", "correct horse");
  const { form } = await run("demo");
  const { id: key } = await run("api-key", "create", "--team", team.id, "--scopes", "forms:read");
  await run("api-key", "revoke", key);
  await run("workspace", "create", "--team", team.id, "--name", "Second");
  const bob = ["--email", "bob@example.org"];
  const role = ["--workspace", workspace.id, "--role", "viewer"];
  expect((await run("operator", "create", ...bob, ...role)).link).toContain("/console/invitation/");
  await run("operator", "create", ...bob, ...role, "--password", "a sentence of one's own");
  expect((await run("operator", "reset-link", ...bob)).link).toContain("/console/reset/");
  await run("operator", "set-password", ...bob);
  await run("operator", "remove", ...bob);
  const { id: access } = await run("access-key", "create", form.id);
  await run("access-key", "revoke", access);
  for (const act of ["close", "open", "archive", "restore", "publish"]) await run("form", act, form.id);
  const { operators } = await run("operator", "list", "--team", team.id);
  expect(operators.map((each: { email: string }) => each.email)).toEqual([email]);
  const { events } = await run("audit", "list", "--form", form.id);
  expect(new Set(events.map(({ actor }: { actor: { type: string } }) => actor.type))).toEqual(
    new Set(["cli"]),
  );
});

test("with the server's login alone a command changes nothing, and says which login it needs", async () => {
  const made = await database();
  const bootstrap = await formd(["bootstrap", "--email", email, "--json"], settingsFor(made));
  const { team, workspace, operator } = JSON.parse(bootstrap.stdout);
  const events = async () => [...(await made.sql`select count(*) from formd.audit_events`)];
  const before = await events();
  const role = ["--workspace", workspace.id, "--role", "admin"];
  for (const args of [
    ["bootstrap", "--another-team", "--email", email],
    ["operator", "create", "--email", "mallory@example.org", ...role],
    ["operator", "create", "--email", "mallory@example.org", ...role, "--password", "a long sentence"],
    ["operator", "set-password", "--email", operator.email],
    ["operator", "reset-link", "--email", operator.email],
    ["operator", "remove", "--email", operator.email],
    ["api-key", "create", "--team", team.id, "--scopes", "forms:read"],
  ]) {
    const { code, stderr } = await formd(args, { DATABASE_URL: made.url });
    expect([args, code, stderr]).toEqual([
      args,
      1,
      expect.stringMatching(/^formd: permission denied[^\n]*MIGRATION_DATABASE_URL[^\n]*formd_admin\n$/),
    ]);
  }
  expect(await events()).toEqual(before);
});

test("serve and migrate with a login that may make no tables name it, and change nothing", async () => {
  const fresh = await emptyDatabase();
  const older = await database();
  await older.sql`comment on schema formd is 'functions sha256:other'`;
  for (const { url } of [fresh, older])
    for (const args of [["migrate"], ["serve"]]) {
      const { code, stdout, stderr } = await formd(args, { DATABASE_URL: url, PORT: "0" });
      const { username } = new URL(url);
      expect([args, code, stdout, stderr.split("\n").at(-2)]).toEqual([
        args,
        1,
        "",
        `formd: ${username} may make no tables: set MIGRATION_DATABASE_URL, or serve with --no-migrate`,
      ]);
    }
  expect((await fresh.sql`select to_regnamespace('formd') as found`)[0]?.found).toBeNull();
});
