// stacks: one
/** Authentication of a submission's sender, in every view of the submission. */
import { expect, test } from "bun:test";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { provenances } from "../../../src/resources/submissions/shapes.ts";
import { permissive, service } from "../../setup.ts";
import { askSigned, makeSigningAgent } from "../../signing.ts";
import { textOf } from "../console/browser.ts";
import { browserOf } from "../console/fixture.ts";
import { formsPath, submissionsFixture, submissionsPath } from "./fixture.ts";

const body = { data: { a: "x" } };
const { app, team, freshForm, byKey, agentOn, submit, call } = await submissionsFixture(
  [{ id: "a", type: "text", label: "A" }],
  service(permissive),
);
const form = await freshForm({ page: { enabled: true } });
/** Without the cases of ../form-page/declared-agents.test.ts and ../oauth/person.test.ts. */
const ofApi = provenances.filter((name) => name !== "declared_agent" && name !== "agent_for_person");
const signer = await makeSigningAgent(app, team, form);
const page = await fetch(`${app.url}${pagePathOf({ team: team.id, form: form.id })}`, {
  method: "POST",
  headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
  body: "a=x",
});
const replies = {
  person: { status: page.status, body: await page.json() },
  agent: await submit(await agentOn(form), body),
  agent_signed: await askSigned(app, submissionsPath, { key: signer.key, form, body }),
  owner: await submit(byKey(form), body),
};
/** The id of a submission of each provenance. */
const sent: Record<string, string> = {};
for (const [provenance, { status, body: stored }] of Object.entries(replies)) {
  expect([provenance, status]).toEqual([provenance, 200]);
  sent[provenance] = stored.data.id;
}
const read = (path: string) => call("GET", `${formsPath}/${form.id}/submissions${path}`);

test("the table takes the values that the API has, and no others", async () => {
  const [{ definition }] = await app.database.sql<[{ definition: string }]>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = 'formd.submissions'::regclass and conname = 'submissions_provenance_check'`;
  expect([...definition.matchAll(/'(\w+)'/g)].map(([, name]) => name)).toEqual([...provenances]);
});

test.each(ofApi)("%s: the API, its filter, the search, the export and the receipt agree", async (name) => {
  const id = sent[name];
  expect((await read(`/${id}`)).body.data.submission).toMatchObject({ provenance: name });
  for (const query of ["", "&q=x", "&page=1&limit=1", `&createdAfter=2000-01-01T00:00:00Z`]) {
    const { submissions, pagination } = (await read(`?provenance=${name}${query}`)).body.data;
    expect([query, submissions, pagination.total]).toEqual([
      query,
      [expect.objectContaining({ id, provenance: name })],
      1,
    ]);
  }
  const csv: string = (await read(`/export?format=csv&provenance=${name}`)).body;
  expect(csv.split("\r\n")).toEqual([
    expect.stringContaining("respondentId,provenance,"),
    expect.stringMatching(new RegExp(`^${id},.*,${name},`)),
    "",
  ]);
  expect((await read(`/${id}/receipt`)).body).toContain(`\nprovenance: ${name}\n`);
});

test("another value is refused and named", async () => {
  expect(await read("?provenance=human")).toMatchObject({
    status: 400,
    body: { code: "bad_request", error: expect.stringContaining("provenance") },
  });
});

test("the console has it as a column, a filter and a detail", async () => {
  const viewer = await browserOf(app, team, "viewer");
  const path = `/console/forms/${form.id}/submissions`;
  const shown = textOf(await viewer.get(`${path}?provenance=agent_signed`));
  expect(shown).toContain("An agent (signed)");
  const { html } = await viewer.get(`${path}?provenance=agent_signed`);
  expect(
    [...html.matchAll(/href="\/console\/forms\/[^/"]+\/submissions\/([^/"?]{36})"/g)].map(([, id]) => id),
  ).toEqual([sent.agent_signed]);
  expect(textOf(await viewer.get(`${path}/${sent.person}`))).toContain("Sent by A person (anonymous)");
});
