// stacks: one deno
import { expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { templatesIn } from "../../../src/resources/forms/templates.ts";
import { makeSetupToken } from "../../../src/resources/operators/setup-link.ts";
import { bootstrap } from "../../../src/resources/teams/bootstrap.ts";
import { until } from "../../expect.ts";
import { findLeak, service } from "../../setup.ts";
import { Browser, expectPage, expectRedirect, textOf } from "./browser.ts";
import { expectMarked } from "./marked.ts";

const key = Buffer.alloc(32, 7);
const linkIn = (log: string) => /\/setup\/[\w-]+/.exec(log)?.[0] ?? "";
/** A server that has printed its link. */
async function start(settings: Record<string, string> = {}) {
  const app = await service({ ...settings, LOG_LEVEL: "info", FORMD_SECRET_KEY: key.toString("base64") });
  await until(() => linkIn(app.log()) !== "");
  return { app, sql: app.database.sql, link: linkIn(app.log()), browser: new Browser(app) };
}
const entered = { email: "Ada@example.org", password: "correct horse", team: "Team" };
/** Expects the last page: each of its buttons makes a form, with the questions of its template. */
async function expectWelcome(browser: Browser) {
  const page = await browser.get("/console/welcome");
  expectPage(page, 200, "What do you need?", 'href="/console"');
  expect(page.html).not.toContain("AGENT_CREDENTIALS");
  const [, workspace = ""] = /name="workspace" value="([^"]+)"/.exec(page.html) ?? [];
  const values = [...page.html.matchAll(/name="template" value="([^"]*)"/g)].map(([, value = ""]) => value);
  expect(values).toEqual(["empty", ...templatesIn("en", false).map(([name]) => name)]);
  for (const [template, shown] of [
    ["volunteer", "What would you like to do?"],
    ["empty", "Untitled form"],
  ] as const) {
    const made = await browser.post("/console/new-form", { template, workspace });
    expectPage(await browser.get(expectRedirect(made, /^\/console\/forms\/[\w-]+$/)), 200, shown);
  }
}
/** True if the page of agents recommends that people give credentials. */
const isAdvised = async (browser: Browser) =>
  (await browser.get("/console/agents")).html.includes("AGENT_CREDENTIALS=operator");

test("the first start prints a link that makes the first operator once, and signs in", async () => {
  const { app, link, browser } = await start();
  expectPage(await browser.get(link), 200, 'data-show="Show the password"');
  for (const [name, wrong] of Object.entries({ password: "short", email: "no address", team: " " })) {
    const page = await browser.post(link, { ...entered, [name]: wrong });
    expect(page.status).toBe(400);
    await expectMarked(page, name, { ...entered, [name]: wrong });
    expect(page.html).not.toContain("short");
  }
  const foreign = await browser.post(link, entered, { origin: "https://evil.example" });
  expect(foreign.status).toBe(403);

  // One of two at the same time succeeds.
  const twice = [new Browser(app), new Browser(app)];
  const replies = await Promise.all(twice.map((each) => each.post(link, entered)));
  expect(replies.map(({ status }) => status).sort()).toEqual([303, 404]);
  const made = replies.findIndex(({ status }) => status === 303);
  expect(replies[made]?.headers.get("location")).toBe("/console/welcome");
  const operator = twice[made] ?? browser;
  expectPage(await operator.get("/console"), 200, "There is no form yet.");
  await expectWelcome(operator);
  expect(await isAdvised(operator)).toBe(true);
  // All of it is the operator's action, who came by the link.
  for (const kind of ["team.created", "operator.added"])
    expect(textOf(await operator.get(`/console/audit?kind=${kind}`))).toContain("ada@example.org");

  // A second click leads to the sign-in, and signs nobody in.
  const stranger = new Browser(app);
  const late = [await stranger.get(link), await stranger.post(link, entered)];
  for (const shown of [...late, ...replies.filter((_, index) => index !== made)]) {
    expectPage(shown, 404, "This server is already set up", 'href="/console/welcome">Sign in</a>');
    expect([shown.html.includes("<form"), shown.headers.getSetCookie()]).toEqual([false, []]);
  }
  expectRedirect(await stranger.get("/console/welcome"), /^\/console\/sign-in\?next=%2Fconsole%2Fwelcome$/);
  expect([findLeak(app.log()), app.log().includes(`"path":"${link}`)]).toEqual([undefined, false]);
  expectRedirect(await browser.signIn("ada@example.org", entered.password), /^\/console$/);
});

test("when the sign-in after it is refused, the operator exists and is led to sign in; people give credentials there", async () => {
  const { sql, link, browser } = await start({ AGENT_CREDENTIALS: "operator" });
  const most = limits.operator.maxStrangeLoginsPerMinute;
  for (let count = 0; count < most; count++)
    await sql`select formd.operator_login_admit(${entered.email}, null, ${`ip${count}`}, 100, ${most})`;
  const to = /^\/console\/sign-in\?next=\/console\/welcome$/;
  expectRedirect(await browser.post(link, entered), to);
  await sql`delete from formd.rate_limits`;
  expectRedirect(await browser.signIn(entered.email, entered.password), /^\/console$/);
  expect([(await browser.get("/console/welcome")).status, await isAdvised(browser)]).toEqual([200, false]);
});

test("a link is ended by time, by the next start, and by the first operator for good, however that one came", async () => {
  const { sql, link: printed, browser } = await start();
  const status = async (link: string) => (await browser.get(link)).status;
  const next = async () => `/setup/${(await makeSetupToken(sql)) ?? ""}`;
  expect(await status(printed)).toBe(200);
  for (const wrong of ["/setup/", "/setup/x", "/setup/%ff", `${printed}x`])
    expect([wrong, await status(wrong)]).toEqual([wrong, 404]);
  const second = await next();
  expect([await status(printed), await status(second)]).toEqual([404, 200]);
  await sql`update formd.setup_links set expires_at = now()`;
  expect(await status(second)).toBe(404);
  const other = await next();
  await bootstrap(sql, cliActor, { email: "root@example.org", team: "Other", workspace: "Main" });
  expect(await status(other)).toBe(404);
  await sql`delete from formd.operators`;
  const last = await next();
  expect((await browser.post(last, entered)).status).toBe(303);
  await sql`delete from formd.workspace_roles`;
  await sql`delete from formd.operators`;
  expect(await status(last)).toBe(404);
});
