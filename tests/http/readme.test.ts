import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ask,
  command,
  emptyDatabase,
  formd,
  root,
  run,
  server,
  service,
  settingsFor,
  testRequiring,
} from "../setup.ts";

const readme = readFileSync(join(root, "README.md"), "utf8");

testRequiring(
  "bash",
  "curl",
  "node",
  "awk",
)(
  "the steps of README, pasted into a shell, end with the submission read by its owner",
  async () => {
    const app = await service();
    const steps = /```sh\n(formd\(\)[^\n]*\n[\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const script = steps
      .replace(/^formd\(\).*$/m, `formd() { ${command.join(" ")} "$@"; }`)
      .replace(/^BASE=.*$/m, `BASE=${app.url}`);
    const { stdout, code } = await run("bash", ["-euc", script], settingsFor(app.database));
    expect(code).toBe(0);
    expect(stdout).toContain("is published, version 1");
    expect(stdout).toContain('"missingRequired":["name"]');
    const { data } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(data.submissions).toEqual([expect.objectContaining({ data: { name: "Ada" } })]);
  },
  120_000,
);

test("README lists the metrics that the server has", async () => {
  const { body } = await ask(await service(), "GET", "/metrics");
  const served = [...body.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  const listed = [...readme.matchAll(/`((?:formd|process)_[a-z_]+)`(?=.* \|.* \|$)/gm)].map(
    ([, name]) => name,
  );
  expect(served.length).toBeGreaterThan(5);
  expect(listed.toSorted()).toEqual(served.toSorted());
  const alerts = /```yaml\n(groups:[\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const used = [...alerts.matchAll(/\b(?:formd|process)_[a-z_]+/g)].map(([name]) =>
    name.replace(/_(?:count|bucket)$/, ""),
  );
  expect(used.length).toBeGreaterThan(4);
  expect(used.filter((name) => !served.includes(name))).toEqual([]);
});

test("README's roles for an external database: the owner migrates, the server's login serves", async () => {
  const { sql, url } = await emptyDatabase();
  const statements = (/```sql\n([\s\S]*?)```/.exec(readme)?.[1] ?? "").split(/;.*\n/).filter(Boolean);
  // The test's PostgreSQL has the groups already.
  const created = statements.filter((statement) => !/^create role formd_/.test(statement));
  expect(statements.length - created.length).toBe(2);
  for (const statement of created) await sql.unsafe(statement);
  const asRole = (role: string) => url.replace(/\/\/[^@]*@/, `//${role}@`).replace(/\/test_\w+/, "/my_forms");
  const settings = { DATABASE_URL: asRole("my_server"), MIGRATION_DATABASE_URL: asRole("my_owner") };
  expect(await formd(["migrate"], settings)).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining("let the database's owner run"),
  });
  const { stdout } = await formd(["bootstrap", "--email", "me@example.org", "--json"], settings);
  const app = await server(settings);
  const headers = { "x-api-key": JSON.parse(stdout).apiKey.key };
  const body = { name: "Contact" };
  expect(await ask(app, "POST", "/papi/v1/management/forms", { headers, body })).toMatchObject({
    status: 200,
  });
  await app.stop();
  for (const created of ["database my_forms", "role my_owner", "role my_server"])
    await sql.unsafe(`drop ${created}`);
}, 120_000);
