// stacks: one
/** The language of the console: that of the browser, or what the operator has chosen. */
import { beforeAll, expect, test } from "bun:test";
import { makeForm, type Service, type Team } from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await consoleFixture());
});

const german = { "accept-language": "de-AT,de;q=0.9,en;q=0.5" };
const choose = (browser: Browser, language: string, headers = {}) =>
  browser.post("/console/account/language", { language }, headers);

test("the browser's language is that of a page, also before there is a session; of no other there are texts", async () => {
  const stranger = new Browser(app);
  for (const [accepted, lang, heading] of [
    ["de-AT,de;q=0.9,en;q=0.5", "de", "Anmelden"],
    ["fr,de;q=0.5", "de", "Anmelden"],
    ["fr", "en", "Sign in"],
    ["en-GB,de", "en", "Sign in"],
    ["", "en", "Sign in"],
    [",".repeat(5_000), "en", "Sign in"],
  ] as const) {
    const page = await stranger.get("/console/sign-in", { "accept-language": accepted });
    expect(page.html).toContain(`<html lang="${lang}"`);
    expect(textOf(page)).toContain(heading);
  }
  const browser = await browserOf(app, team, "admin");
  expect(textOf(await browser.get("/console", german))).toContain("Formulare");
  expect(textOf(await browser.get("/console"))).toContain("Forms");
});

test("what an operator chooses in Account is the language in every browser, until the browser's is chosen", async () => {
  const browser = await browserOf(app, team, "viewer");
  const to = expectRedirect(await choose(browser, "de"), "/console/account");
  const account = await browser.get(to);
  expect(textOf(account)).toContain("Gespeichert.");
  expect(account.html).toContain('<option value="de" selected>Deutsch</option>');
  expect(textOf(await browser.get("/console", { "accept-language": "en" }))).toContain("Formulare");
  expect(textOf(await new Browser(app, browser.cookie).get("/console"))).toContain("Formulare");
  expectRedirect(await choose(browser, "en"), "/console/account");
  expect(textOf(await browser.get("/console", german))).toContain("Forms");
  expectRedirect(await choose(browser, "", german), "/console/account");
  expect(textOf(await browser.get("/console", german))).toContain("Formulare");
  expect((await choose(browser, "fr")).status).toBe(400);
});

test("pages at once have the language of their own reader", async () => {
  const [one, other] = [await browserOf(app, team, "admin"), await browserOf(app, team, "admin")];
  await choose(other, "de");
  const pages = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? other : one).get("/console/account")),
  );
  expect(pages.map(({ html }) => /<html lang="(\w+)"/.exec(html)?.[1])).toEqual(
    pages.map((_, index) => (index % 2 ? "de" : "en")),
  );
});

test("errors are told in it: of a page, of a form that is refused, of the server by its code", async () => {
  const browser = await browserOf(app, team, "admin");
  await choose(browser, "de");
  const missing = await browser.get(`/console/forms/${crypto.randomUUID()}`);
  expect([missing.status, textOf(missing)]).toEqual([
    404,
    expect.stringContaining("Dieses Formular gibt es nicht."),
  ]);
  expect(missing.html).toContain('<html lang="de"');
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const refused = await browser.post(`/console/forms/${form.id}/settings/page`, { name: " " });
  expect([refused.status, textOf(refused)]).toEqual([
    422,
    expect.stringContaining("Geben Sie einen Namen ein."),
  ]);
  const stale = await browser.post(`/console/forms/${form.id}/settings/page`, {
    name: "B",
    updatedAt: "2020-01-01T00:00:00.000Z",
  });
  expect([stale.status, textOf(stale)]).toEqual([
    409,
    expect.stringContaining("Das Formular wurde geändert"),
  ]);
  const viewer = await browserOf(app, team, "viewer");
  const denied = await viewer.post(`/console/forms/${form.id}/settings/page`, { name: "B" }, german);
  expect([denied.status, textOf(denied)]).toEqual([
    403,
    expect.stringContaining("die Rolle Admin oder Bearbeiten. Sie haben dort: Lesen."),
  ]);
});

test("days and numbers are those of the language; a preview's own words too, and its page has the form's", async () => {
  const browser = await browserOf(app, team, "admin");
  await choose(browser, "de");
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
    settings: { page: { enabled: true, language: "en" }, availability: { opensAt: "2999-12-01T00:00:00Z" } },
  });
  expect(textOf(await browser.get(`/console/forms/${form.id}`))).toContain("Öffnet am 01.12.2999");
  const preview = await browser.get(`/console/forms/${form.id}/preview`);
  expect(preview.html).toContain('<aside class="banner" lang="de">Vorschau des Entwurfs.');
  expect(preview.html).toContain('<html lang="en"');
});
