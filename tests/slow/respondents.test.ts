/** Many people fill in one form at once. */
import { expect, test } from "bun:test";
import { formsOf, getPage, sendPage } from "../http/form-page/fixture.ts";
import { makeTeam, service } from "../setup.ts";

const people = 500;
const app = await service();
const { published, pathOf } = formsOf(app, await makeTeam(app));
const form = await published([
  { id: "name", type: "text", label: "Name", required: true },
  { id: "email", type: "email", label: "E-mail", required: true },
  { id: "topic", type: "select", label: "Topic", options: ["a", "b"], required: true },
  { id: "message", type: "textarea", label: "Message" },
]);

/**
 * Reads the page, leaves out a field, corrects it, and presses the button twice.
 * @returns the statuses and where it led
 */
async function respond(person: number) {
  const from = { accept: "text/html", "x-forwarded-for": `10.8.${person >> 8}.${person & 255}` };
  const page = await getPage(app, pathOf(form), from);
  const values = { name: `Person ${person}`, topic: "a", message: "x".repeat(person) };
  const wrong = await sendPage(app, page, values, { headers: from });
  const right = { ...values, email: `p${person}@example.org` };
  const sent = await Promise.all([1, 2].map(() => sendPage(app, page, right, { headers: from })));
  const locations = new Set(sent.map(({ headers }) => headers.get("location")));
  return [page.status, wrong.status, ...sent.map(({ status }) => status), locations.size];
}

test(`${people} people fill in one form at once: each is stored once, as typed, and none sees an error of the server`, async () => {
  const responses = await Promise.all(Array.from({ length: people }, (_, person) => respond(person)));
  for (const response of responses) expect(response).toEqual([200, 422, 303, 303, 1]);
  const rows = await app.database.sql<{ name: string; length: number; submitterId: string }[]>`
    select data ->> 'name' as name, coalesce(length(data ->> 'message'), 0) as length, submitter_id
    from formd.submissions where form_id = ${form.id}`;
  expect(new Map(rows.map(({ name, length }) => [name, length]))).toEqual(
    new Map(Array.from({ length: people }, (_, person) => [`Person ${person}`, person])),
  );
  expect(rows).toHaveLength(people);
  expect(new Set(rows.map(({ submitterId }) => submitterId)).size).toBe(people);
});
