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
