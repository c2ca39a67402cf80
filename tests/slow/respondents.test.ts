/** Many people fill in one form at once. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { pagePathOf } from "../../src/resources/forms/page-address.ts";
import { postForm } from "../http/form-page/fixture.ts";
import { makeForm, makeTeam, type PublishedForm, type Service, service, type Team } from "../setup.ts";

setDefaultTimeout(120_000);

const people = 500;
const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "email", type: "email", label: "E-mail", required: true },
  { id: "topic", type: "select", label: "Topic", options: ["a", "b"], required: true },
  { id: "message", type: "textarea", label: "Message" },
];

let app: Service;
let team: Team;
let form: PublishedForm;
beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  form = await makeForm(app, team, fields, { settings: { page: { enabled: true } } });
});

/**
 * Reads the page, leaves out a field, corrects it, and presses the button twice.
 * @returns the statuses and where it led
 */
async function respond(person: number) {
  const path = pagePathOf({ team: team.id, form: form.id });
  const from = { "x-forwarded-for": `10.8.${person >> 8}.${person & 255}` };
  const page = await fetch(app.url + path, { headers: { ...from, accept: "text/html" } });
  const hidden = [...(await page.text()).matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const own = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  const values = { ...own, name: `Person ${person}`, topic: "a", message: "x".repeat(person) };
  const wrong = await postForm(app, path, values, from);
  const right = { ...values, email: `p${person}@example.org` };
  const sent = await Promise.all([1, 2].map(() => postForm(app, path, right, from)));
  const locations = new Set(sent.map(({ headers }) => headers.get("location")));
  return { statuses: [page.status, wrong.status, ...sent.map(({ status }) => status)], locations };
}

test(`${people} people fill in one form at once: each is stored once, as typed, and none sees an error of the server`, async () => {
  const responses = await Promise.all(Array.from({ length: people }, (_, person) => respond(person)));
  for (const { statuses, locations } of responses) {
    expect(statuses).toEqual([200, 422, 303, 303]);
    expect(locations.size).toBe(1);
  }
  const rows = await app.database.sql<{ name: string; length: number; submitterId: string }[]>`
    select data ->> 'name' as name, coalesce(length(data ->> 'message'), 0) as length, submitter_id
    from formd.submissions where form_id = ${form.id}`;
  expect(new Map(rows.map(({ name, length }) => [name, length]))).toEqual(
    new Map(Array.from({ length: people }, (_, person) => [`Person ${person}`, person])),
  );
  expect(rows).toHaveLength(people);
  expect(new Set(rows.map(({ submitterId }) => submitterId)).size).toBe(people);
});
