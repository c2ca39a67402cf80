// stacks: one
import { beforeAll, expect, test } from "bun:test";
import { asAgent, ask, makeAgent, makeForm, makeTeam, type Service, server, type Team } from "../../setup.ts";
import { type Browser, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, viewer } = await consoleFixture());
});

const submitter = "/papi/v1/submitter/form";

/**
 * A server on the same database. Counts are written some seconds after the requests, and what waits before it
 * ends.
 */
const another = () => server({ DATABASE_URL: app.database.url });

test("submissions, dry runs and refusals are in the charts of the form and on the agent's page, each once; what waits is written before the server ends", async () => {
  const form = await makeForm(app, team, [
    { id: "name", type: "text", label: "Your <b>name</b>", required: true },
    { id: "count", type: "integer", label: "Count" },
  ]);
  const agent = await makeAgent(app, team, form);
  const path = `/console/forms/${form.id}/charts`;
  expect(textOf(await viewer.get(path))).toContain("Nothing was sent in this time.");
  const own = await another();
  const today = new Date().toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
  const headers = asAgent(form, agent);
  const send = (route: string, data: object, more = {}) =>
    ask(own, "POST", `${submitter}/${route}`, { headers: { ...headers, ...more }, body: { data } });
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
      ask(own, "POST", `${submitter}/submissions`, {
        headers: { ...key, "idempotency-key": "one" },
        body: { data: { name: "A" } },
      }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);

  await own.stop();
  const shown = textOf(await viewer.get(path));
  expect(shown).toContain("1 in 30 days");
  expect(shown).toContain(`Submissions per day by state On the day`);
  expect(shown).toContain(`Accepted Total ${today} 1 1`);
  expect(shown).toContain(`API key Total ${today} 1 1`);
  // The required name is missing in a dry run, which says so without an error, and in a submission.
  expect(shown).toContain("Your <b>name</b> No answer 1 1");
  expect(shown).toContain("Count Another kind of answer 1 1");
  expect(shown).toContain("Not in the form The form does not ask this 1 1");

  const refused = textOf(await viewer.get(`/console/agents/${agent.id}`));
  expect(refused).toMatch(/rate_limited Too many requests\. Wait a moment, then try again\. 1 /);
  expect(refused).toMatch(/validation_failed Some answers do not follow the rules of the form\. 1 /);
});

test("a period that is none is refused, and another team's form is not found", async () => {
  const form = await makeForm(app, team, []);
  expect((await viewer.get(`/console/forms/${form.id}/charts?days=90`)).status).toBe(200);
  expect((await viewer.get(`/console/forms/${form.id}/charts?days=91`)).status).toBe(400);
  const other = await makeForm(app, await makeTeam(app), []);
  expect((await viewer.get(`/console/forms/${other.id}/charts`)).status).toBe(404);
});
