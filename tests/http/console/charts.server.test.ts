// stacks: one
import { expect, test } from "bun:test";
import { asAgent, ask, makeAgent, makeForm, server } from "../../setup.ts";
import { textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, team, viewer } = await consoleFixture();

test("submissions, dry runs and rejected requests are in the charts of the form and on the agent's page, each once; pending counts are written before the server ends", async () => {
  const form = await makeForm(app, team, [
    { id: "name", type: "text", label: "Your <b>name</b>", required: true },
    { id: "count", type: "integer", label: "Count" },
  ]);
  const agent = await makeAgent(app, team, form);
  const charts = async () => textOf(await viewer.get(formPath(form, "/charts")));
  expect(await charts()).toContain("Nothing was sent in this time.");
  // Counts are written some seconds after the requests, and what waits before the server ends.
  const own = await server({ DATABASE_URL: app.database.url });
  const send = async (route: string, data: object, headers: object = asAgent(form, agent)) =>
    (await ask(own, "POST", `/papi/v1/submitter/form/${route}`, { headers: { ...headers }, body: { data } }))
      .status;
  for (const [route, data, status] of [
    ["validation", { count: "x", other: 1, another: 1 }, 200],
    ["validation", { name: "A" }, 200],
    ["submissions", { count: 1 }, 422],
    ["submissions", { name: "A" }, 429], // within five seconds
  ] as const)
    expect([data, await send(route, data)]).toEqual([data, status]);
  const key = { "x-form-access-key": form.accessKey, "x-api-key": team.key, "idempotency-key": "one" };
  const statuses = await Promise.all([1, 2, 3].map(() => send("submissions", { name: "A" }, key)));
  expect(statuses).toEqual([200, 200, 200]);
  await own.stop();
  const today = new Date().toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
  const shown = await charts();
  for (const text of [
    "1 in 30 days",
    "Submissions per day by state Counted on the day",
    `Accepted Total ${today} 1 1`,
    `API key Total ${today} 1 1`,
    // The required name is missing in a dry run, which says so without an error, and in a submission.
    "Your <b>name</b> No answer 1 1",
    "Count Wrong kind of answer 1 1",
    "Not in the form Not asked by the form 1 1",
  ])
    expect(shown).toContain(text);
  const refused = textOf(await viewer.get(`/console/agents/${agent.id}`));
  expect(refused).toMatch(/rate_limited Too many requests\. Wait a moment, then try again\. 1 /);
  expect(refused).toMatch(/validation_failed Some answers do not follow the rules of the form\. 1 /);
});

test("an invalid period is refused", async () => {
  const charts = formPath(await makeForm(app, team, []), "/charts");
  expect((await viewer.get(`${charts}?days=90`)).status).toBe(200);
  expect((await viewer.get(`${charts}?days=91`)).status).toBe(400);
});
