// stacks: one
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm, publishSettings } from "../../../src/resources/forms/publish.ts";
import { unknownId } from "../../expect.ts";
import { ask, makeTeam, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
const app = await service();
const team = await makeTeam(app);
const headers = { "x-api-key": team.key };
const fine = { id: "a", type: "text", label: "A" };

const create = async (...fields: object[]) =>
  (await ask(app, "POST", path, { headers, body: { name: "A", schema: { fields } } })).body.data;
const patch = async (id: string, ...operations: object[]) =>
  (await ask(app, "PATCH", `${path}/${id}`, { headers, body: { operations } })).body.data;
const read = async (id: string, query = "") =>
  (await ask(app, "GET", `${path}/${id}${query}`, { headers })).body.data;
const withSettings = async (settings: object) =>
  await patch((await create(fine)).form.id, { op: "setMeta", settings });
const publish = (id: string) => publishForm(app.database.sql, cliActor, team.id, id);

describe("a name that has no effect is a warning of POST, PATCH and GET, and is stored", () => {
  test("in a field", async () => {
    const field = { ...fine, showif: "true", "x-mine": 1 };
    const made = await create(field);
    const warnings = [
      {
        path: "schema.fields[0].showif",
        field: "a",
        message: '"showif" of the field is unknown: is "showIf" meant?',
        nearest: "showIf",
      },
    ];
    expect(made.warnings).toEqual(warnings);
    expect(made.form.schema.fields).toEqual([field]);
    expect((await read(made.form.id)).warnings).toEqual(warnings);
    const patched = await patch(made.form.id, { op: "setMeta", name: "B" });
    expect(patched.warnings).toEqual(warnings);
    expect(
      (await patch(made.form.id, { op: "updateField", fieldId: "a", set: { showif: null } })).warnings,
    ).toEqual([]);
  });

  test.each<[object, string, string | undefined]>([
    [{ captcha: { require: true } }, "settings.captcha.require", undefined],
    [{ captcha: { enable: true } }, "settings.captcha.enable", "enabled"],
    [{ anonymous: { allowed: false } }, "settings.anonymous.allowed", undefined],
    [{ page: { enable: true } }, "settings.page.enable", "enabled"],
    [{ page: { theme: { acent: "#1f5c41" } } }, "settings.page.theme.acent", "accent"],
    [{ availability: { closeAt: "x" } }, "settings.availability.closeAt", "closesAt"],
    [{ retention: { delete_after: "P1D" } }, "settings.retention.delete_after", "deleteAfter"],
    [{ notify: { emails: [] } }, "settings.notify.emails", undefined],
    [{ pages: { enabled: true } }, "settings.pages", "page"],
    [
      { examples: [{ name: "a", data: {}, expect: { valid: true, code: [] } }] },
      "settings.examples[0].expect.code",
      "codes",
    ],
  ])("in settings, which publishing refuses: %j", async (settings, place, nearest) => {
    const { form, warnings } = await withSettings(settings);
    expect(warnings).toEqual([{ path: place, message: expect.any(String), ...(nearest && { nearest }) }]);
    expect(form.settings).toMatchObject(settings);
    const refused = await publish(form.id).catch((error) => error);
    expect(refused.message).toBe(`The form cannot be published: ${place}: ${warnings[0].message}`);
  });

  test("as docs/owners/forms.md shows it", async () => {
    const page = readFileSync(join(import.meta.dir, "../../../docs/owners/forms.md"), "utf8");
    const [, shown = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
    expect((await withSettings({ captcha: { enable: true } })).warnings).toEqual([JSON.parse(shown)]);
  });

  test.each<[object, object, string[]]>([
    [
      { availability: { closesAt: "2030-01-01T00:00:00Z" } },
      { availability: { closeAt: null } },
      ["closesAt"],
    ],
    [{ captcha: { enabled: true } }, { captcha: { required: null } }, ["enabled"]],
    [{ page: { theme: { accent: "#1f5c41" } } }, { page: { theme: { acent: null } } }, ["accent"]],
    [{ retention: { deleteAfter: "P9D" } }, { retentions: null }, ["retention"]],
    [{ captcha: { enable: true } }, { captcha: { enable: null, enabled: true } }, []],
    [{ theirs: 1 }, { theirs: null, "x-page": null, captcha: { enabled: null } }, []],
  ])("in a patch that removes a misspelt member of %j: %j", async (before, removed, meant) => {
    const { form } = await withSettings(before);
    const { warnings } = await patch(form.id, { op: "setMeta", settings: removed });
    expect(warnings.map(({ nearest }: { nearest: string }) => nearest)).toEqual(meant);
  });

  test("in an update that removes a misspelt member of a field", async () => {
    const { form } = await create({ ...fine, showIf: "true", maxLength: 3 });
    const update = (set: object) => patch(form.id, { op: "updateField", fieldId: "a", set });
    const [message, nearest] = [
      '"showif" of operations[0].set removes nothing that has an effect: is "showIf" meant?',
      "showIf",
    ];
    expect((await update({ showif: null })).warnings).toEqual([
      { path: "operations[0].set.showif", message, nearest },
    ]);
    expect((await update({ maxLength: null, showIf: null, minLength: null })).warnings).toEqual([]);
  });

  test("in settings of another program, which publishing takes", async () => {
    const { form, warnings } = await withSettings({
      theirs: { a: 1 },
      "x-captcha": {},
      captcha: { "x-a": 1 },
    });
    expect(warnings).toEqual([
      { path: "settings.theirs", message: expect.stringContaining('begins with "x-"') },
    ]);
    expect((await publish(form.id)).currentVersion).toBe(1);
  });

  test("in an operation, which is not stored, and beside the fields", async () => {
    const { form } = await create();
    const { warnings } = await patch(form.id, { op: "addField", field: fine, indx: 0, set: {} });
    expect(warnings).toEqual([
      {
        path: "operations[0].indx",
        message: '"indx" of operations[0] has no effect in addField: is "index" meant?',
        nearest: "index",
      },
      { path: "operations[0].set", message: expect.stringContaining("it takes field, ") },
    ]);
    const body = { name: "A", schema: { fields: [], title: "T" } };
    expect((await ask(app, "POST", path, { headers, body })).body.data.warnings).toEqual([
      { path: "schema.title", message: expect.stringContaining("the known ones are fields") },
    ]);
  });

  test("100 at most", async () => {
    const more = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`name${index}`, 1]));
    const fields = Array.from({ length: 20 }, (_, index) => ({ ...fine, id: `f${index}`, ...more }));
    expect((await create(...fields)).warnings).toHaveLength(100);
  });
});

describe("enabled and required are understood for each other", () => {
  test.each([
    ["captcha", "required", "enabled"],
    ["anonymous", "required", "enabled"],
    ["review", "enabled", "required"],
    ["challenge", "enabled", "required"],
  ])("settings.%s.%s is stored as %s, and is in effect", async (group, other, name) => {
    const isOn = group !== "anonymous";
    const { form, warnings } = await withSettings({ [group]: { [other]: isOn } });
    expect([form.settings[group], warnings]).toEqual([{ [name]: isOn }, []]);
    await publish(form.id);
    const { publishedSettings } = (await read(form.id)).form;
    expect(publishedSettings[group]).toEqual({ [name]: isOn });
    const loosened = await patch(form.id, { op: "setMeta", settings: { [group]: { [other]: !isOn } } });
    expect(loosened.form.settings[group]).toEqual({ [name]: !isOn });
    const [row] = await app.database.sql`select settings_in_force from formd.forms where id = ${form.id}`;
    expect(row?.settingsInForce[group]).toEqual({ [name]: isOn });
  });

  test("a null, a text, and one beside the right name are not", async () => {
    const both = await withSettings({ captcha: { enabled: false, required: true } });
    expect(both.form.settings.captcha).toEqual({ enabled: false, required: true });
    expect(both.warnings).toMatchObject([{ path: "settings.captcha.required" }]);
    expect((await withSettings({ captcha: { required: null } })).form.settings.captcha).toEqual({
      enabled: false,
    });
    expect((await withSettings({ review: { enabled: "yes" } })).warnings).toMatchObject([
      { path: "settings.review.enabled" },
    ]);
  });
});

describe("problems", () => {
  test.each([
    [44, 0],
    [60, 1],
  ])("have lists that are too large, written out: %i fields", async (count, total) => {
    const fields = Array.from({ length: count }, (_, index) => ({
      ...{ id: `c${index}`, type: "select", label: "C", options: "countries" },
    }));
    const { form } = await create(...fields);
    const { problems } = await read(form.id, "?problems=true");
    expect(problems).toHaveLength(total);
    const published = await publish(form.id).then(
      () => undefined,
      ({ message }) => message,
    );
    expect(published).toBe(problems[0]?.message);
  });

  const broken = { id: "b", type: "text", label: "B", showIf: "data.c == 'x'" };
  const examples = [{ name: "Odd", data: {}, expect: { valid: false } }];

  test("are what publishing refuses, when they are asked for", async () => {
    const { form } = await create(fine, broken);
    const settings = { copy: { field: "a" }, captcha: { on: true }, examples };
    const operations = [{ op: "setMeta", settings }];
    const url = `${path}/${form.id}?problems=true`;
    const { problems } = (await ask(app, "PATCH", url, { headers, body: { operations } })).body.data;
    expect(problems.map(({ path: place, field }: Record<string, string>) => [place, field])).toEqual([
      ["schema.fields[1].showIf", "b"],
      ["settings.captcha.on", undefined],
      ["settings.copy.field", undefined],
    ]);
    expect((await read(form.id, "?problems=true")).problems).toEqual(problems);
    expect((await read(form.id)).problems).toBeUndefined();
    expect((await read(form.id, "?problems=false")).problems).toBeUndefined();
    const refused = await publish(form.id).catch((error) => error);
    expect(refused.problems).toEqual(problems);
    for (const { message } of problems.slice(0, 2)) expect(refused.message).toContain(message);
    const odd = `${path}/${form.id}?problems=1`;
    expect((await ask(app, "GET", odd, { headers })).status).toBe(400);
    const body = { operations: [{ op: "setMeta", name: "Late" }] };
    expect((await ask(app, "PATCH", odd, { headers, body })).status).toBe(400);
    expect((await read(form.id)).form.name).toBe("A");
  });

  test("of examples come once the rest is right; without any the form is published", async () => {
    const { form } = await withSettings({ examples });
    const { problems } = await read(form.id, "?problems=true");
    expect(problems).toEqual([
      {
        path: "settings.examples[0]",
        message: expect.stringMatching(/^In the example "Odd", valid is true/),
      },
    ]);
    await patch(form.id, { op: "setMeta", settings: { examples: null } });
    expect((await read(form.id, "?problems=true")).problems).toEqual([]);
    await publish(form.id);
  });

  test("of the settings alone refuse these too", async () => {
    const { form } = await withSettings({});
    await publish(form.id);
    await patch(form.id, { op: "setMeta", settings: { captcha: { on: true } } });
    const refused = await publishSettings(app.database.sql, cliActor, team.id, form.id).catch(
      (error) => error,
    );
    expect(refused).toMatchObject({ code: "validation_failed", problems: [{ path: "settings.captcha.on" }] });
  });
});

test("publishUrl is the console's page, as long as the form is a draft", async () => {
  const { form, publishUrl } = await create(fine);
  expect(publishUrl).toBe(`${app.url.replace("127.0.0.1", "localhost")}/console/forms/${form.id}/publish`);
  expect((await read(form.id)).publishUrl).toBe(publishUrl);
  await publish(form.id);
  expect(await read(form.id)).not.toHaveProperty("publishUrl");
});

describe("a request that only a person can make names the page", () => {
  const page = `${app.url.replace("127.0.0.1", "localhost")}/console/forms/${unknownId}/publish`;
  test.each([
    ["POST", `${path}/${unknownId}/publish`, "404 not_found", `A person publishes: ${page}`],
    ["POST", `${path}/${unknownId}/archive`, "404 not_found", `A person archives: ${page}`],
    [
      "DELETE",
      `${path}/${unknownId}`,
      "405 method_not_allowed",
      `A form is not deleted: an operator archives it (${page}). This route takes GET, HEAD, PATCH, not DELETE.`,
    ],
    ["PUT", path, "405 method_not_allowed", "This route takes GET, HEAD, POST, not PUT."],
    ["POST", `${path}/x/publish`, "404 not_found", "There is no such route."],
  ])("%s %s", async (method, url, outcome, error) => {
    const { status, body } = await ask(app, method, url, { headers });
    expect([`${status} ${body.code}`, body.error]).toEqual([outcome, error]);
  });
});
