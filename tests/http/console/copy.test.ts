// stacks: one
/** Copying a form in the console. */
import { expect, test } from "bun:test";
import { ask, makeForm } from "../../setup.ts";
import { expectRedirect } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

const alias = () => `a${crypto.randomUUID().slice(-12)}`;
const fields = [{ id: "a", type: "text", label: "A", prefill: true }];

test("a copy is a draft with the form's fields, texts and settings, without its address, dates and keys", async () => {
  const { app, team, editor, viewer } = await consoleFixture();
  const api = async (path: string) =>
    (await ask(app, "GET", `/papi/v1/management${path}`, { headers: { "x-api-key": team.key } })).body.data;
  const page = { enabled: true, thankYou: "Thanks", embedOrigins: ["https://a.example"] };
  const others = { review: { required: true }, captcha: { enabled: false }, custom: { kept: [1] } };
  const form = await makeForm(app, team, fields, {
    settings: {
      ...others,
      page: { ...page, alias: alias() },
      availability: { opensAt: "2020-01-01T00:00:00Z", closesAt: "2090-01-01T00:00:00Z", maxSubmissions: 7 },
    },
  });
  const path = `/console/forms/${form.id}`;
  // The name is cut, so that a copy of the longest one can be made.
  const name = "n".repeat(500);
  await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
    headers: { "x-api-key": team.key },
    body: { operations: [{ op: "setMeta", name, description: "Why" }] },
  });
  expect((await viewer.post(`${path}/copy`, {})).status).toBe(403);
  expect((await viewer.get(`${path}/publish`)).html).not.toContain(`${path}/copy`);
  expect((await editor.get(`${path}/publish`)).html).toContain(`action="${path}/copy"`);
  const to = expectRedirect(
    await editor.post(`${path}/copy`, {}),
    /^\/console\/forms\/[0-9a-f-]{36}\?report=/,
  );
  const id = to.slice(15, 51);
  const { form: copy } = await api(`/forms/${id}`);
  const { form: original } = await api(`/forms/${form.id}`);
  expect(copy).toMatchObject({
    name: `${"n".repeat(493)} (copy)`,
    description: "Why",
    status: "draft",
    currentVersion: 0,
    workspaceId: original.workspaceId,
    schema: original.schema,
  });
  expect(copy.settings).toMatchObject({ ...others, page, availability: { maxSubmissions: 7 } });
  expect([Object.keys(copy.settings.page).sort(), Object.keys(copy.settings.availability)]).toEqual([
    Object.keys(page).sort(),
    ["maxSubmissions"],
  ]);
  const { events } = await api(`/audit?objectId=${id}`);
  expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(["form.created"]);
  const { sql } = app.database;
  expect(await sql`select from formd.form_access_keys where form_id = ${id}`).toHaveLength(0);
});
