// stacks: one deno
/** `/`: the door for people, addresses for programs, and with LANDING=/developer the documentation. */
import { expect, test } from "bun:test";
import { until } from "../../expect.ts";
import { ask, makeOperator, makeTeam, service } from "../../setup.ts";
import { Browser, expectPage, expectRedirect, textOf } from "./browser.ts";

// The set-up needs a database of its own.
const app = await service({});
const { sql } = app.database;
const visitor = new Browser(app);
const german = { "accept-language": "de" };
const html = "text/html,application/xhtml+xml,*/*;q=0.8";
const hrefsIn = (page: string) => [...page.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = ""]) => href);
/** The door reads the name again after a second. */
const untilShown = (text: string) => until(async () => textOf(await visitor.get("/")).includes(text));

test("before the set-up the door says where its link is; then it has the name of the only team and the sign-in, for people alone", async () => {
  expectPage(await visitor.get("/"), 200, "formd is running", "the link in its log");
  expectPage(await visitor.get("/", german), 200, "formd läuft", "Protokoll");
  // The link of the set-up is for who runs the server.
  expect(hrefsIn((await visitor.get("/")).html)).toEqual(["/developer/operate/install", "/developer"]);

  const team = await makeTeam(app);
  await sql`update formd.teams set name = 'Kulturverein <Süd>' where team_id = ${team.id}`;
  await untilShown("Kulturverein <Süd>");
  const door = await visitor.get("/");
  expectPage(
    door,
    200,
    /<h1>Kulturverein &lt;Süd>|<h1>Kulturverein &lt;Süd&gt;/,
    "Use the link you were sent.",
  );
  expect(hrefsIn(door.html)).toEqual(["/console", "/developer"]);
  expectPage(await visitor.get("/", german), 200, "Anmelden", "den Sie bekommen haben");
  expectRedirect(await visitor.get("/console"), "/console/sign-in");

  const admin = new Browser(app, await makeOperator(app, team, "admin"));
  expectRedirect(await admin.get("/"), "/console");
  await makeTeam(app);
  await untilShown("Welcome Sign in");
  expect(textOf(await visitor.get("/"))).not.toContain("Kulturverein");
});

test("a program gets the addresses, whatever it accepts, and each of them exists", async () => {
  for (const accept of [undefined, "*/*", "application/json", "text/plain", "text/htmlx"]) {
    const { status, headers, body } = await ask(app, "GET", "/", { headers: accept ? { accept } : {} });
    expect([accept, status, headers.get("vary")]).toEqual([accept, 200, expect.stringContaining("Accept")]);
    const { documentation, guide, openapi, health } = body.data;
    for (const address of [documentation, guide, openapi, health])
      expect([address, (await ask(app, "GET", new URL(address).pathname)).status]).toEqual([address, 200]);
  }
});

test("HEAD has the headers of GET, and no other method has a route", async () => {
  for (const [accept, type] of [
    [html, "text/html"],
    ["*/*", "application/json"],
  ] as const) {
    const { status, headers } = await fetch(app.url, { method: "HEAD", headers: { accept } });
    expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining(type)]);
    expect(headers.get("cache-control")).toBe("no-store");
  }
  const { status, headers } = await ask(app, "POST", "/", { headers: { accept: html } });
  expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("with LANDING=/developer a browser gets the documentation at `/`, also when it is signed in", async () => {
  const docs = await service({ LANDING: "/developer" });
  const cookie = await makeOperator(docs, await makeTeam(docs), "admin");
  for (const headers of [{ accept: html }, { accept: html, cookie }]) {
    const { status, body } = await ask(docs, "GET", "/", { headers });
    expect([status, body]).toEqual([200, (await ask(docs, "GET", "/developer")).body]);
  }
  expect((await ask(docs, "GET", "/")).body.data.health).toEndWith("/healthz");
});
