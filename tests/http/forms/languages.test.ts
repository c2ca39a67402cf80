// stacks: one months
/** Languages of a form: what a patch stores, what a version freezes, and what acts at once. */
import { expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm, publishSettings } from "../../../src/resources/forms/publish.ts";
import { outcome } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeForm, type PublishedForm } from "../../setup.ts";
import { pageFixture } from "../form-page/fixture.ts";

const { app, team } = await pageFixture();
const { sql } = app.database;
const headers = { "x-api-key": team.key };
const path = ({ id }: { id: string }) => `/papi/v1/management/forms/${id}`;
const patch = (form: { id: string }, operation: object) =>
  ask(app, "PATCH", path(form), { headers, body: { operations: [operation] } });
const set = async (form: { id: string }, settings: object) => {
  const { status, body } = await patch(form, { op: "setMeta", settings });
  expect(status).toBe(200);
  return body.data;
};
const read = async (form: { id: string }) => (await ask(app, "GET", path(form), { headers })).body.data.form;
const publish = ({ id }: { id: string }) => publishForm(sql, cliActor, team.id, id);
const versionOf = async (form: PublishedForm) => {
  const [row] = await sql<[{ schema: { languages?: string[]; fields: { translations?: unknown }[] } }]>`
    select schema from formd.form_versions where form_id = ${form.id} order by version desc limit 1`;
  return row.schema;
};
const inForce = async (form: PublishedForm) => {
  const [row] = await sql<[{ settings: Record<string, { translations?: unknown } & string[]> }]>`
    select settings_in_force as settings from formd.forms where id = ${form.id}`;
  return row.settings;
};

const size = { id: "size", type: "select", label: "Size", options: ["s", "m"] };
const translations = { de: { label: "Größe", options: { s: "klein" } } };

test("a patch stores what it gets, warns, and publishing refuses what is wrong", async () => {
  const form = await makeForm(app, team, [size]);
  const { warnings } = await set(form, { languages: ["en", "DE", "de"] });
  expect(warnings ?? []).toEqual([]);
  const odd = { dee: { label: "?" }, de: { lable: "Größe" } };
  const reply = await patch(form, { op: "updateField", fieldId: "size", set: { translations: odd } });
  expect(reply.body.data.warnings).toEqual([
    expect.objectContaining({ path: expect.stringContaining("translations"), nearest: "label" }),
    expect.objectContaining({
      path: "schema.fields[0].translations.dee",
      nearest: expect.stringMatching(/^de$/i),
    }),
  ]);
  const { settings, schema } = await read(form);
  expect([settings.languages, schema.fields[0].translations]).toEqual([["en", "DE", "de"], odd]);
  const refused = publish(form);
  await expect(refused).rejects.toThrow("translations");
  await refused.catch(({ problems }) =>
    expect(problems.map((each: { path: string }) => each.path)).toContain("settings.languages[2]"),
  );
  expect((await versionOf(form)).languages).toBeUndefined();
});

test("a patch of rules alone warns that the translations of their messages have positions", async () => {
  const rules = ["A", "B"].map((message) => ({ rule: "true", message }));
  const messages = { de: { messages: ["a", "b"] } };
  const warned = async (translations: object, set: object) => {
    const form = await makeForm(app, team, [{ ...size, rules, translations }]);
    const { body } = await patch(form, { op: "updateField", fieldId: "size", set });
    return (body.data.warnings as { path: string }[])
      .map(({ path: at }) => at)
      .filter((at) => at.startsWith("operations"));
  };
  const changed = { rules: rules.slice(1) };
  expect(await warned(messages, changed)).toEqual(["operations[0].set.rules"]);
  expect(await warned(messages, { ...changed, translations: { de: { messages: ["b"] } } })).toEqual([]);
  expect(await warned(messages, { label: "Other" })).toEqual([]);
  expect(await warned(translations, changed)).toEqual([]);
});

test("a patch refuses what is no list of languages, and nothing else changes", async () => {
  const form = await makeForm(app, team, [size]);
  for (const languages of ["de", [], [7], [""], Array.from({ length: 21 }, () => "de"), { de: 1 }])
    expect(outcome(await patch(form, { op: "setMeta", settings: { languages } }))).toStartWith("400 ");
  for (const value of ["de", ["de"], { de: "Titel" }])
    expect(outcome(await patch(form, { op: "setMeta", settings: { page: { translations: value } } }))).toBe(
      "400 invalid_body",
    );
  expect((await read(form)).settings.languages).toBeUndefined();
});

test("publishing freezes languages and texts of fields; texts of the page act at once", async () => {
  const form = await makeForm(app, team, [{ ...size, translations }], {
    settings: { languages: ["en", "de"], page: { enabled: true, translations: { de: { title: "Alt" } } } },
  });
  expect((await versionOf(form)).languages).toEqual(["en", "de"]);
  await set(form, { languages: ["de", "en"], page: { translations: { de: { title: "Neu" } } } });
  const changed = { fr: { label: "Taille" } };
  await patch(form, { op: "updateField", fieldId: "size", set: { translations: changed } });
  const before = await versionOf(form);
  expect([before.languages, before.fields[0]?.translations]).toEqual([["en", "de"], translations]);
  expect((await inForce(form)).page?.translations).toEqual({ de: { title: "Neu" } });

  // The settings alone: the languages wait for the texts.
  await publishSettings(sql, cliActor, team.id, form.id);
  expect((await versionOf(form)).languages).toEqual(["en", "de"]);
  expect((await read(form)).settings.languages).toEqual(["de", "en"]);

  await publish(form);
  const after = await versionOf(form);
  expect([after.languages, after.fields[0]?.translations]).toEqual([["de", "en"], changed]);
});

test("without languages a version has no such member, also after they are removed", async () => {
  const form = await makeForm(app, team, [size], { settings: { languages: ["en", "de"] } });
  await set(form, { languages: null });
  await publish(form);
  expect(Object.keys(await versionOf(form))).toEqual(["fields"]);
  expect((await read(form)).settings).not.toHaveProperty("languages");
});

test("missing texts are warnings where the problems are asked for, and only there", async () => {
  const form = await makeForm(app, team, [{ ...size, translations }], {
    settings: { languages: ["en", "de", "fr"] },
  });
  const remarks = async (query: string) => {
    const { body } = await ask(app, "GET", path(form) + query, { headers });
    const { warnings, problems } = body.data as Record<string, { message: string }[]>;
    return [warnings?.map(({ message }) => message), problems];
  };
  expect(await remarks("")).toEqual([[], undefined]);
  expect(await remarks("?problems=true")).toEqual([["de: 2 of 4 texts.", "fr: 0 of 4 texts."], []]);
});

test("a publish and two patches at the same time lose no language", async () => {
  const form = await makeForm(app, team, [size], { settings: { languages: ["en", "de"] } });
  const [draft] = await Promise.all([
    set(form, { languages: ["en", "fr"] }),
    publish(form).catch(() => undefined),
    set(form, { page: { title: "T" } }),
  ]);
  expect(draft).toBeDefined();
  await publish(form);
  expect((await versionOf(form)).languages).toEqual(["en", "fr"]);
});

test("the file of a form keeps languages and translations byte for byte", async () => {
  const settings = {
    languages: ["en", "de", "ar"],
    page: { enabled: true, translations: { ar: { title: "مقاس \u200f(١)" } } },
    copy: { translations: { de: { subject: "Danke" } } },
  };
  const odd = { ...translations, ar: { label: "مقاس", "x-note": null, options: { m: "" } }, xx: null };
  const form = await makeForm(app, team, [{ ...size, translations: odd }], { settings });
  const fileOf = async ({ id }: { id: string }) =>
    (await fetch(`${app.url}${path({ id })}/file`, { headers })).text();
  const text = await fileOf(form);
  expect(JSON.parse(text).settings).toMatchObject(settings);
  const made = await ask(app, "POST", "/papi/v1/management/forms", {
    headers,
    body: { name: "B", schema: { fields: [] } },
  });
  const other = made.body.data.form;
  const applied = await ask(app, "POST", `${path(other)}/file`, { headers, body: text });
  expect(outcome(applied)).toBe("ok");
  expect(await fileOf(other)).toBe(text);
});

test("agents submit the same data in each language, and the values are those of the first", async () => {
  const form = await makeForm(app, team, [{ ...size, translations }], {
    settings: { languages: ["en", "de"] },
  });
  const submit = async (value: string) =>
    outcome(
      await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
        headers: asAgent(form, await makeAgent(app, team, form)),
        body: { data: { size: value }, metadata: { language: "de" } },
      }),
    );
  expect([await submit("s"), await submit("klein")]).toEqual(["ok", "422 validation_failed"]);
});

test("a member of the schema with their name is the owner's, and gives a version none", async () => {
  const created = await ask(app, "POST", "/papi/v1/management/forms", {
    headers,
    body: { name: "A", schema: { fields: [size], languages: ["de"], other: 1 } },
  });
  const form = created.body.data.form;
  await publish(form);
  expect(await versionOf(form)).toEqual({ fields: [size], other: 1 } as never);
  expect((await read(form)).schema.languages).toEqual(["de"]);
});
