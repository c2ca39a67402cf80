// stacks: one deno

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formd, makeForm, makeTeam, service, settingsFor, temporaryFolder } from "../setup.ts";

test("a form is exported, planned and applied; then there are no changes", async () => {
  const app = await service();
  const team = await makeTeam(app);
  const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const run = (...args: string[]) => formd(["form", ...args], settingsFor(app.database));
  const path = join(temporaryFolder(), "form.json");
  await run("export", id, "--out", path);
  const text = readFileSync(path, "utf8");
  expect(await run("export", id)).toMatchObject({ code: 0, stdout: text });
  expect(await run("plan", id, path, "--exit-code")).toMatchObject({ code: 0, stdout: "no changes\n" });

  const file = JSON.parse(text);
  file.schema.fields.push({ id: "b", type: "text", label: "B" });
  writeFileSync(path, JSON.stringify(file));
  const planned = "+ question “B” after “A”\n";
  expect(await run("plan", id, path, "--exit-code")).toMatchObject({ code: 2, stdout: planned });
  expect(await run("apply", id, path, "--expected-version", "0")).toMatchObject({ code: 1 });
  const applied = await run("apply", id, path, "--publish", "--expected-version", "1");
  expect(applied).toMatchObject({ code: 0, stdout: `${planned}${id} is published, version 2\n` });
  const again = await run("apply", id, path, "--json");
  expect(JSON.parse(again.stdout)).toEqual({ form: { id, status: "published", currentVersion: 2 } });

  writeFileSync(path, "{");
  const refused = await run("plan", id, path);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("form.json: The file is not JSON"),
  ]);
});

test("a form is created of its file, as YAML too; a template is published; none is left unpublished", async () => {
  const app = await service();
  const team = await makeTeam(app);
  const { id } = await makeForm(app, team, [{ id: "a", type: "select", label: "A", options: ["no", "7"] }]);
  const run = (...args: string[]) => formd(["form", ...args], settingsFor(app.database));
  const path = join(temporaryFolder(), "form.yaml");
  await run("export", id, "--out", path);
  const text = readFileSync(path, "utf8");
  expect(text).toStartWith("format: formd/form/1\nname: ");
  expect(await run("plan", id, path)).toMatchObject({ code: 0, stdout: "no changes\n" });

  const place = ["--team", team.id];
  const created = JSON.parse((await run("create", path, ...place, "--json")).stdout).form;
  expect(created).toEqual({ id: expect.any(String), status: "draft", currentVersion: 0 });
  expect(await run("export", created.id, "--format", "yaml")).toMatchObject({ code: 0, stdout: text });
  expect(await run("create", "--template", "contact", ...place, "--publish")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\S{36} is published, version 1\n$/),
  });

  const count = async () => Number((await app.database.sql`select from formd.forms`).count);
  const before = await count();
  writeFileSync(path, text.replace("label: A", "label: ''"));
  for (const args of [
    [path, ...place, "--publish"],
    ["--template", "none", ...place],
    [path, "--workspace", team.id],
  ])
    expect(await run("create", ...args)).toMatchObject({ code: 1, stdout: "" });
  expect(await count()).toBe(before);
});

test("a file is checked and its examples run without a server", async () => {
  const run = (...args: string[]) => formd(["form", ...args], { DATABASE_URL: "postgres://no.invalid/none" });
  const path = join(temporaryFolder(), "form.yml");
  const lines = [
    "format: formd/form/1",
    "name: A",
    "schema: { fields: [{ id: a, type: text, label: A, required: true }] }",
    "settings:",
    "  examples: [{ name: b, data: {}, expect: { valid: false } }]",
  ];
  const write = (...more: string[]) => writeFileSync(path, [...lines, ...more].join("\n"));
  write();
  expect(await run("lint", path)).toEqual({ code: 0, stdout: `${path}: no problems\n`, stderr: "" });
  expect(await run("test", path)).toEqual({ code: 0, stdout: "1 passed, 0 failed\n", stderr: "" });
  write("  # as above", "  page: { titel: B }");
  expect(await run("lint", path)).toEqual({
    code: 1,
    stdout: `${path}:7:18: settings.page.titel: "titel" of settings.page is unknown: is "title" meant?\n`,
    stderr: `formd: ${path} has problems: 1.\n`,
  });
  write("name: B");
  const { code, stdout } = await run("lint", path, "--json");
  const message = "The file has one name twice in one object, at line 6, column 1.";
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    { problems: [{ path: "", message, position: { line: 6, column: 1 } }] },
  ]);
  const templates = JSON.parse((await run("templates", "--json")).stdout).templates;
  expect(templates).toContainEqual({ name: "contact", description: expect.any(String) });
});
