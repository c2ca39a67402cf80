import { beforeAll, expect, test } from "bun:test";
import { until } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeForm, makeTeam, type Service, server, type Team } from "../../setup.ts";
import { type Browser, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, viewer } = await consoleFixture());
}, 60_000);

const submitter = "/papi/v1/submitter/form";

/** The page once it has a text: counts are written a second after the request. */
async function pageWith(path: string, expected: string): Promise<string> {
  let shown = "";
  await until(async () => {
    shown = textOf(await viewer.get(path));
    return shown.includes(expected);
  });
  return shown;
}

test("submissions, dry runs and refusals are in the charts of the form and on the agent's page, each once", async () => {
  const form = await makeForm(app, team, [
    { id: "name", type: "text", label: "Your <b>name</b>", required: true },
    { id: "count", type: "integer", label: "Count" },
  ]);
  const agent = await makeAgent(app, team, form);
  const path = `/console/forms/${form.id}/charts`;
  expect(textOf(await viewer.get(path))).toContain("Nothing has been submitted in this time.");
  const headers = asAgent(form, agent);
  const send = (route: string, data: object, more = {}) =>
    ask(app, "POST", `${submitter}/${route}`, { headers: { ...headers, ...more }, body: { data } });
  const statuses = [
    await send("validation", { count: "x", other: 1, another: 1 }),
    await send("validation", { name: "A" }),
    await send("submissions", { count: 1 }),
    await send("submissions", { name: "A" }), // within five seconds
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 422, 429]);
  const key = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
  const replies = await Promise.all(
    [1, 2, 3].map(() =>
      ask(app, "POST", `${submitter}/submissions`, {
        headers: { ...key, "idempotency-key": "one" },
        body: { data: { name: "A" } },
      }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);

  const shown = await pageWith(path, "1 in 30 days");
  const today = new Date().toISOString().slice(0, 10);
  expect(shown).toContain(`Submissions per day by status On the day`);
  expect(shown).toContain(`Completed Total ${today} 1 1`);
  expect(shown).toContain(`API key Total ${today} 1 1`);
  // The required name is missing in a dry run, which says so without an error, and in a submission.
  expect(shown).toContain("Your <b>name</b> required 1 1");
  expect(shown).toContain("Count type_mismatch 1 1");
  expect(shown).toContain("Not in the form unknown_field 1 1");

  const refused = await pageWith(`/console/agents/${agent.id}`, "rate_limited");
  expect(refused).toMatch(/rate_limited Too many requests\. Retry after the time in Retry-After\. 1 /);
  expect(refused).toMatch(/validation_failed The data does not satisfy the rules of the form\. 1 /);
});

test("a period that is none is refused, and another team's form is not found", async () => {
  const form = await makeForm(app, team, []);
  expect((await viewer.get(`/console/forms/${form.id}/charts?days=90`)).status).toBe(200);
  expect((await viewer.get(`/console/forms/${form.id}/charts?days=91`)).status).toBe(400);
  const other = await makeForm(app, await makeTeam(app), []);
  expect((await viewer.get(`/console/forms/${other.id}/charts`)).status).toBe(404);
});

test("what waits is written before the server ends", async () => {
  const own = await server({ DATABASE_URL: app.database.url });
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  await ask(own, "POST", `${submitter}/submissions`, {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data: { a: "x" } },
  });
  await own.stop();
  const [row] = await app.database.sql`
    select sum(total)::int as total from formd.submission_days where form_id = ${form.id}`;
  expect(row).toEqual({ total: 1 });
});
