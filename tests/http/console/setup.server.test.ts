// stacks: one deno
import { expect, setDefaultTimeout, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { makeSetupToken } from "../../../src/resources/operators/setup-link.ts";
import { until } from "../../expect.ts";
import { findLeak, service } from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";

// A server of its own is started.
setDefaultTimeout(120_000);

const key = Buffer.alloc(32, 7);
const linkIn = (log: string) => /\/setup\/([\w-]+)/.exec(log)?.[1] ?? "";
/** A server that has printed its link. */
async function start(settings: Record<string, string> = {}) {
  const app = await service({ ...settings, LOG_LEVEL: "info", FORMD_SECRET_KEY: key.toString("base64") });
  await until(() => linkIn(app.log()) !== "");
  return app;
}
const entered = { email: "Ada@example.org", password: "correct horse", team: "Team", workspace: "Main" };

test("the first start prints a link that makes the first operator once, and signs in", async () => {
  const app = await start();
  const token = linkIn(app.log());
  const browser = new Browser(app);
  const asked = await browser.get(`/setup/${token}`);
  expect([asked.status, asked.html.includes('data-show="Show the password"')]).toEqual([200, true]);

  const wrong: [Record<string, string>, number][] = [
    [{ ...entered, password: "short" }, 400],
    [{ ...entered, email: "no address" }, 400],
    [{ ...entered, team: " " }, 400],
  ];
  for (const [values, status] of wrong) {
    const page = await browser.post(`/setup/${token}`, values);
    expect([page.status, page.html.includes('role="alert"'), page.html.includes("short")]).toEqual([
      status,
      true,
      false,
    ]);
  }
  const foreign = await browser.post(`/setup/${token}`, entered, { origin: "https://evil.example" });
  expect(foreign.status).toBe(403);

  // One of two at the same time succeeds.
  const twice = [new Browser(app), new Browser(app)];
  const replies = await Promise.all(twice.map((each) => each.post(`/setup/${token}`, entered)));
  expect(replies.map(({ status }) => status).sort()).toEqual([303, 404]);
  const operator = twice[replies.findIndex(({ status }) => status === 303)] ?? browser;
  const list = await operator.get("/console");
  expect(textOf(list)).toContain("Online");
  const form = /href="(\/console\/forms\/[\w-]+)"/.exec(list.html)?.[1] ?? "";
  expect((await operator.get(`${form}/submissions`)).html).toContain('scope="row"');
  // All of it is the operator's act, who came by the link.
  for (const kind of ["team.created", "operator.added", "form.published"])
    expect(textOf(await operator.get(`/console/audit?kind=${kind}`))).toContain("ada@example.org");

  expect((await browser.get(`/setup/${token}`)).status).toBe(404);
  expect((await browser.post(`/setup/${token}`, entered)).status).toBe(404);
  expect([findLeak(app.log()), app.log().includes(`"path":"/setup/${token}`)]).toEqual([undefined, false]);
  expectRedirect(await browser.signIn("ada@example.org", entered.password), /^\/console$/);
});

test.each(["api-key", "operator"])(
  "the last page recommends that people give credentials; now: %s",
  async (who) => {
    const app = await start({ AGENT_CREDENTIALS: who });
    const browser = new Browser(app);
    expectRedirect(await browser.post(`/setup/${linkIn(app.log())}`, entered), /^\/console\/welcome$/);
    const page = await browser.get("/console/welcome");
    expect([page.status, page.html.includes("AGENT_CREDENTIALS=operator")]).toEqual([200, who === "api-key"]);
    const [, example = ""] = /href="(\/f\/[^"]+)">See it as a respondent/.exec(page.html) ?? [];
    expect(textOf(await new Browser(app).get(example))).toContain("Your name");
    expect(page.html).toContain('href="/console"');
  },
);

test("when the sign-in after it is refused, the operator exists and is led to sign in", async () => {
  const app = await start();
  const browser = new Browser(app);
  for (let count = 0; count < limits.operator.maxStrangeLoginsPerMinute; count++)
    await app.database.sql`
      select formd.operator_login_admit(${entered.email}, null, ${`ip${count}`}, 100, ${limits.operator.maxStrangeLoginsPerMinute})`;
  expectRedirect(
    await browser.post(`/setup/${linkIn(app.log())}`, entered),
    /^\/console\/sign-in\?next=\/console\/welcome$/,
  );
  await app.database.sql`delete from formd.rate_limits`;
  expectRedirect(await browser.signIn(entered.email, entered.password), /^\/console$/);
});

test("a link is ended by time, by the next start, and by the first operator for good", async () => {
  const app = await start();
  const { sql } = app.database;
  const browser = new Browser(app);
  const status = async (token: string) => (await browser.get(`/setup/${token}`)).status;
  const printed = linkIn(app.log());
  expect(await status(printed)).toBe(200);
  for (const token of ["", "x", "%ff", `${printed}x`])
    expect([token, await status(token)]).toEqual([token, 404]);
  const next = (await makeSetupToken(sql)) ?? "";
  expect([await status(printed), await status(next)]).toEqual([404, 200]);
  await sql`update formd.setup_links set expires_at = now()`;
  expect(await status(next)).toBe(404);
  const last = (await makeSetupToken(sql)) ?? "";
  expect((await browser.post(`/setup/${last}`, entered)).status).toBe(303);
  await sql`delete from formd.workspace_roles`;
  await sql`delete from formd.operators`;
  expect(await status(last)).toBe(404);
});
