import { expect, test } from "bun:test";
import { formd, makeForm, settingsFor } from "../../setup.ts";
import { formsPath, submissionsFixture } from "../submissions/fixture.ts";

const fields = [{ id: "a", type: "text", label: "A" }];
const { app, team, freshForm, call } = await submissionsFixture(fields);

const patch = (form: string, retention: object | null) =>
  call("PATCH", `${formsPath}/${form}`, {
    body: { operations: [{ op: "setMeta", settings: { retention } }] },
  });
const read = async (form: string) =>
  (await call("GET", `${formsPath}/${form}/retention`)).body.data.retention;

test.each([
  [200, ["P1D", "P7300D", "P1040W", "P240M", "P20Y"]],
  [400, ["P0D", "P01D", "P7301D", "P241M", "P21Y", "PT1H", "P1Y6M", "P-1D", "1 day", "", "P1.5D"]],
])("valid and invalid times: %d for each of %j", async (status, times) => {
  const { id } = await freshForm();
  for (const time of times)
    expect([time, (await patch(id, { deleteAfter: time })).status]).toEqual([time, status]);
});

test("a rule waits for a person; a longer time counts at once; a form without one has the team's", async () => {
  const { id } = await freshForm();
  await patch(id, { deleteAfter: "P90D" });
  expect(await read(id)).toMatchObject({ rule: null, source: null });
  const settings = settingsFor(app.database);
  expect(await formd(["form", "publish", id, "--settings"], settings)).toMatchObject({ code: 0 });
  expect(await read(id)).toMatchObject({ rule: { deleteAfter: "P90D" }, source: "form" });
  await patch(id, { deleteAfter: "P30D" });
  expect(await read(id)).toMatchObject({ rule: { deleteAfter: "P90D" } });
  await patch(id, { deleteAfter: "P1Y" });
  expect(await read(id)).toMatchObject({ rule: { deleteAfter: "P1Y" } });

  const other = await makeForm(app, team, [{ id: "mail", type: "email", label: "Your mail" }]);
  const publish = ["form", "publish", other.id, "--json"];
  await patch(other.id, {});
  expect((await formd(publish, settings)).stderr).toBe(
    "The form asks for personal data (“Your mail”), and no rule deletes its submissions.\n",
  );
  const command = ["team", "retention", team.id, "--json"];
  const set = await formd([...command, "--delete-after", "P2Y", "--from", "completed"], settings);
  expect(JSON.parse(set.stdout)).toEqual({
    team: { id: team.id, retention: { deleteAfter: "P2Y", from: "completed" } },
  });
  expect(await read(other.id)).toMatchObject({
    rule: { deleteAfter: "P2Y", from: "completed" },
    source: "team",
  });
  expect((await formd(publish, settings)).stderr).toBe("");
  expect(JSON.parse((await formd([...command, "--keep"], settings)).stdout).team.retention).toBeNull();
  expect(await read(other.id)).toMatchObject({ rule: null });
  expect((await formd([...command, "--delete-after", "P21Y"], settings)).code).toBe(2);
});

test("publishing at a terminal warns of ids that look alike", async () => {
  const fields = ["name", "name\u200b"].map((id) => ({ id, type: "text", label: "Name" }));
  const { id } = await makeForm(app, team, fields);
  const { stderr } = await formd(["form", "publish", id, "--json"], settingsFor(app.database));
  expect(stderr).toBe(
    'Ids of questions look alike: "name" = "name\\u{200b}". Programs and people may mix them up.\n',
  );
});
