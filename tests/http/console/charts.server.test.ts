// stacks: one
import { expect, test } from "bun:test";
import { jsonb } from "../../../src/platform/database/db.ts";
import { asAgent, ask, makeAgent, makeForm, server } from "../../setup.ts";
import { store } from "../../sql/fixture.ts";
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

test("how far people get: what a page counted, its steps with their numbers, and nothing before", async () => {
  const fields = [
    { id: "a", type: "text", label: "A" },
    { id: "p", type: "page_break", label: "Your visit" },
    { id: "b", type: "text", label: "B" },
  ];
  const form = await makeForm(app, team, fields, { settings: { page: { enabled: true, layout: "steps" } } });
  const texts = () =>
    Promise.all(
      ["/charts", "/submissions"].map(async (page) => textOf(await viewer.get(formPath(form, page)))),
    );
  expect((await texts()).join()).not.toMatch(/How far people get|opened/);
  await store(app.database.sql, team, { form });
  const day = Math.floor(Date.now() / 86_400_000);
  const counts = [
    ...[
      ["opened", 0, 1200],
      ["begun", 0, 40],
      ["step", 2, 300],
      ["step", 3, 30],
    ],
    ...[
      ["sent", 0, 20],
      ["sent_within", 8, 20],
    ],
  ].map(([kind, step, total]) => ({
    ...{ team_id: team.id, form_id: form.id, day, form_version: 1, kind, step, total },
  }));
  await app.database.sql`
    select formd.daily_counts_add(p_team => null, p_submissions => '[]', p_agents => '[]', p_errors => '[]',
      p_progress => ${jsonb(app.database.sql, counts)})`;
  const [charts, submissions] = await texts();
  for (const text of [
    "How far people get",
    "Opened 1,200 Begun 40 Sent 20 Time to send (median) about 3 minutes",
    "Steps that were reached, version 1 Step 1 1,200 (100 %) 2. Your visit 300 (25 %) Check your answers 30 (3 %)",
  ])
    expect(charts).toContain(text);
  expect(submissions).toContain(
    "page opened: 1,200, begun: 40 in the last 30 days · about 3 minutes to send",
  );
});

test("an invalid period is refused", async () => {
  const charts = formPath(await makeForm(app, team, []), "/charts");
  expect((await viewer.get(`${charts}?days=90`)).status).toBe(200);
  expect((await viewer.get(`${charts}?days=91`)).status).toBe(400);
});
