// stacks: one deno

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellBlock } from "../pages.ts";
import { formd, makeForm, makeTeam, service, settingsFor, temporaryFolder, testRequiring } from "../setup.ts";
import { paste } from "../shell.ts";

/** A published form with one question in its file, and the commands for forms. */
async function exported() {
  const app = await service();
  const team = await makeTeam(app);
  const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const run = (...args: string[]) => formd(["form", ...args], settingsFor(app.database));
  const path = join(temporaryFolder(), "form.json");
  await run("export", id, "--out", path);
  return { team, id, path, run };
}

test("a form is exported, planned and applied; then there are no changes", async () => {
  const { id, path, run } = await exported();
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

test("what is published with create and apply has the remarks of publish", async () => {
  const { team, id, path, run } = await exported();
  const file = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...file, settings: { ...file.settings, languages: ["en", "de"] } }));
  await run("apply", id, path);
  const told = async (...args: string[]) => {
    const { stdout, stderr } = await run(...args, "--json");
    return { warnings: JSON.parse(stdout).warnings, stderr };
  };
  const published = await told("publish", id);
  expect(published.warnings).toEqual([{ path: "settings.languages", message: "de: 0 of 2 texts." }]);
  expect(await told("apply", id, path, "--publish")).toEqual(published);
  expect(await told("create", path, "--team", team.id, "--publish")).toEqual(published);
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
    [path, ...place, "--template", "contact"],
    [path, "--workspace", team.id],
    [],
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
  write("  languages: [en, de]");
  expect(await run("lint", path)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("settings.languages: de: 0 of 2 texts.\n"),
  });
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
  expect(JSON.parse((await run("lint", "none.json", "--json")).stdout)).toEqual({
    problems: [{ path: "", message: "There is no such file." }],
  });
  const templates = JSON.parse((await run("templates", "--json")).stdout).templates;
  expect(templates).toContainEqual({ name: "contact", description: expect.any(String) });
});

test("a form of another tool is a file on the output, at a path, or a draft; the report goes elsewhere", async () => {
  const app = await service();
  const team = await makeTeam(app);
  const run = (...args: string[]) => formd(["form", "import", ...args], settingsFor(app.database));
  const [path, out] = ["form.yaml", "out.json"].map((name) => join(temporaryFolder(), name)) as [
    string,
    string,
  ];
  writeFileSync(
    path,
    "format: formd/form/1\nname: A\nschema: { fields: [{ id: a, type: text, label: A }] }\n",
  );
  const report = { source: "formd", fields: 1, converted: 1, approximated: 0, leftOut: 0, items: [] };
  const lines = "Read as formd. Questions: 1, converted: 1, approximated: 0, left out: 0\n";

  const read = await run(path);
  expect(read).toMatchObject({ code: 0, stderr: lines });
  expect(await run(path, "--out", out, "--from", "formd")).toEqual({ code: 0, stdout: lines, stderr: "" });
  expect(readFileSync(out, "utf8")).toBe(read.stdout);
  const shown = JSON.parse((await run(path, "--json")).stdout);
  expect(shown).toEqual({ file: JSON.parse(read.stdout), report });

  const created = JSON.parse((await run(path, "--create", "--team", team.id, "--json")).stdout);
  expect(created).toEqual({
    form: { id: expect.any(String), status: "draft", currentVersion: 0 },
    report,
  });
  const plan = await formd(["form", "plan", created.form.id, out], settingsFor(app.database));
  expect(plan.stdout).toBe("no changes\n");

  writeFileSync(path, 'components: [{ type: signature, key: s, label: "A\\nB", input: true }]');
  const { code, stdout } = await run(path, "--out", out);
  expect([code, stdout.split("\n")]).toEqual([
    0,
    [
      "Read as formio. Questions: 1, converted: 0, approximated: 0, left out: 1",
      expect.stringMatching(/^left out: components\[0\]: .*“A B”/),
      "",
    ],
  ]);

  writeFileSync(out, "[1]");
  const refused = await run(out);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toStartWith(`formd: ${out}: The document is not a form of a known kind.`);
});

test("a form leaves as JSON Schema, or as a workbook with a line for what is lost", async () => {
  const app = await service();
  const team = await makeTeam(app);
  const { id } = await makeForm(app, team, [{ id: "a", type: "email", label: "A" }]);
  const run = (...args: string[]) => formd(["form", "export", id, ...args], settingsFor(app.database));
  const schema = await run("--format", "jsonschema");
  expect(JSON.parse(schema.stdout)).toMatchObject({ type: "object", properties: { a: { title: "A" } } });
  const path = join(temporaryFolder(), "form.xlsx");
  const written = await run("--out", path);
  expect(written).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("e-mail address") });
  expect(readFileSync(path, "latin1")).toStartWith("PK\x03\x04");
});

testRequiring("curl", "jq")("the script of the page writes the plans of a pull request", async () => {
  const app = await service();
  const team = await makeTeam(app);
  const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const [forms, plan] = ["forms", "plan.md"].map((name) => join(temporaryFolder(), name)) as [string, string];
  mkdirSync(forms);
  const file = {
    format: "formd/form/1",
    name: "B",
    schema: { fields: [{ id: "b", type: "text", label: "B" }] },
  };
  const paths = [id, crypto.randomUUID()].map((each) => join(forms, `${each}.json`));
  for (const path of paths) writeFileSync(path, JSON.stringify(file));
  const places = { "forms/*.json": join(forms, "*.json"), "plan.md": plan, "gh pr": "echo" };
  const environment = { FORMD_URL: app.url, API_KEY: team.key, PR_NUMBER: "7" };
  const said = await paste(shellBlock("docs/owners/files.md", "#!/bin/sh"), places, environment);
  expect(said).toBe(`comment 7 --body-file ${plan}\n`);
  const lines = readFileSync(plan, "utf8").trimEnd().split("\n");
  expect(lines.toSorted()).toEqual(
    [
      ...paths.map((path) => `### ${path}`),
      ...["- `removeField` a", "- `addField` b", '- `setMeta` {"name":"B"}'],
      '- **Values of earlier submissions stay under the id "a".**',
      "There is no such form.",
    ].toSorted(),
  );
});
