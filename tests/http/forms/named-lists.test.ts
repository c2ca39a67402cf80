// stacks: one months
/** `options: "countries"`: the draft keeps the name, and a version has the list. */
import { expect, test } from "bun:test";
import { asAgent, ask, makeAgent, makeForm } from "../../setup.ts";
import { consoleFixture, formPath } from "../console/fixture.ts";
import { formsOf } from "../form-page/fixture.ts";

const { app, team, admin, call, draftOf, seen } = await consoleFixture();
const { get, post, stored } = formsOf(app, team);

const country = { id: "country", type: "select", label: "Country", options: "countries" };
const spoken = { id: "spoken", type: "multi_select", label: "Spoken", validation: { options: "languages" } };
const form = await makeForm(app, team, [country, spoken], { settings: { page: { enabled: true } } });
const headers = { "x-api-key": team.key, "x-form-access-key": form.accessKey };

test("submitters see the list, and the draft its name", async () => {
  expect((await draftOf(form)).schema.fields).toEqual([country, spoken]);
  const { body } = await ask(app, "GET", "/papi/v1/submitter/form", {
    headers: asAgent(form, await makeAgent(app, team, form)),
  });
  const [first, second] = body.data.form.schema.fields;
  expect(first.options).toHaveLength(249);
  expect(first.options).toContainEqual({ value: "DE", label: "Germany" });
  expect(second.validation.options).toContainEqual({ value: "de", label: "German" });
});

test("submit takes a code of the list and refuses a name", async () => {
  const submit = (data: object) =>
    ask(app, "POST", "/papi/v1/submitter/form/submissions", { headers, body: { data } });
  expect((await submit({ country: "AX", spoken: ["sv", "fi"] })).status).toBe(200);
  const { status, body } = await submit({ country: "Germany" });
  expect([status, body.errors[0].code]).toEqual([422, "invalid_option"]);
});

test("the page has one list of 249 names, and stores the code", async () => {
  const { text } = await get(form);
  expect(text.match(/<select[^>]*name="country"/g)).toHaveLength(1);
  expect(text).toContain(">Côte d’Ivoire</option>");
  expect((await post(form, { country: "CI" })).status).toBe(303);
  expect(await stored(form)).toContainEqual({ country: "CI" });
});

test("the console opens the question, keeps the name, and has nothing to publish", async () => {
  const open = await admin.get(formPath(form, "?edit=country"));
  expect([open.status, open.html]).toEqual([
    200,
    expect.stringMatching(/value="countries" selected[^>]*>Countries</),
  ]);
  expect((await admin.get(formPath(form, "/publish"))).html).toContain("Nothing to publish.");
  expect((await admin.get("/console")).html).not.toContain("Online with changes");
  const { id, type, label } = country;
  await admin.post(formPath(form, "/field"), {
    ...(await seen(form)),
    ...{ id, type, label: `${label}?`, "rule.options.list": "countries" },
  });
  expect((await draftOf(form)).schema.fields[0]).toEqual({ ...country, label: "Country?" });
  const changes = (await admin.get(formPath(form, "/publish"))).html;
  expect(changes).not.toContain("Choices");
  expect((await admin.get("/console")).html).toContain("Online with changes");
});

test("a draft that was never published shows its list in the preview", async () => {
  const made = await call("POST", "/management/forms", { name: "New", schema: { fields: [country] } });
  expect((await admin.get(formPath(made.form, "/preview"))).html).toContain(">Germany</option>");
});
