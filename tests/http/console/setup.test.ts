import { expect, setDefaultTimeout, test } from "bun:test";
import { makeSetupToken } from "../../../src/console/setup-link.ts";
import { limits } from "../../../src/limits.ts";
import { MasterKey } from "../../../src/master-key.ts";
import { until } from "../../expect.ts";
import { findLeak, service } from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";

// A server of its own is started.
setDefaultTimeout(120_000);

const key = Buffer.alloc(32, 7);
const linkIn = (log: string) => /\/setup\/([\w.-]+)/.exec(log)?.[1] ?? "";
/** A server that has printed its link. */
async function start() {
  const app = await service({ LOG_LEVEL: "info", FORMD_SECRET_KEY: key.toString("base64") });
  await until(() => linkIn(app.log()) !== "");
  return app;
}
const entered = { email: "Ada@example.org", password: "correct horse", team: "Team", workspace: "Main" };

test("the first start prints a link that makes the first operator once, and signs in", async () => {
  const app = await start();
  const token = linkIn(app.log());
  const browser = new Browser(app);
  expect((await browser.get(`/setup/${token}`)).status).toBe(200);

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

  // Of two at the same time one succeeds.
  const twice = [new Browser(app), new Browser(app)];
  const replies = await Promise.all(twice.map((each) => each.post(`/setup/${token}`, entered)));
  expect(replies.map(({ status }) => status).sort()).toEqual([303, 404]);
  const operator = twice[replies.findIndex(({ status }) => status === 303)] ?? browser;
  const list = await operator.get("/console");
  expect(textOf(list)).toContain("Published v1");
  const form = /href="(\/console\/forms\/[\w-]+)"/.exec(list.html)?.[1] ?? "";
  expect((await operator.get(`${form}/submissions`)).html).toContain('<th scope="row">');
  expect(textOf(await operator.get("/console/audit?kind=form.published"))).toContain("ada@example.org");

  expect((await browser.get(`/setup/${token}`)).status).toBe(404);
  expect((await browser.post(`/setup/${token}`, entered)).status).toBe(404);
  expect([findLeak(app.log()), app.log().includes(`"path":"/setup/${token}`)]).toEqual([undefined, false]);
  expectRedirect(await browser.signIn("ada@example.org", entered.password), /^\/console$/);
});

test("when the sign-in after it is refused, the operator exists and is led to sign in", async () => {
  const app = await start();
  const browser = new Browser(app);
  for (let count = 0; count < limits.operator.maxLoginsPerMinute; count++)
    expect((await browser.signIn(entered.email, "wrong horse")).status).toBe(401);
  expectRedirect(await browser.post(`/setup/${linkIn(app.log())}`, entered), /^\/console\/sign-in$/);
  await app.database.sql`delete from formd.rate_limits`;
  expectRedirect(await browser.signIn(entered.email, entered.password), /^\/console$/);
});

test("a link that has expired, or that another key made, is no page", async () => {
  const app = await start();
  const browser = new Browser(app);
  const minutes = 60_000;
  const tokens = {
    own: makeSetupToken(new MasterKey(key)),
    expired: makeSetupToken(new MasterKey(key), Date.now() - 31 * minutes),
    foreign: makeSetupToken(new MasterKey(Buffer.alloc(32, 8))),
    extended: makeSetupToken(new MasterKey(key), Date.now() - 31 * minutes).replace(
      /^\d+/,
      String(Date.now() + minutes),
    ),
    empty: ".",
  };
  const status = async (token: string) => (await browser.get(`/setup/${token}`)).status;
  expect(await status(tokens.own)).toBe(200);
  for (const token of [tokens.expired, tokens.foreign, tokens.extended, tokens.empty, "x", "%ff"])
    expect([token, await status(token)]).toEqual([token, 404]);
});
