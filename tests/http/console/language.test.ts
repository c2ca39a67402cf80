// stacks: one
/** The language of the console: the browser's, or the operator's choice. */
import { expect, test } from "bun:test";
import { makeForm } from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "./browser.ts";
import { browserOf, consoleFixture, formPath, hiddenIn } from "./fixture.ts";

const { app, team, admin, editor, viewer, draftOf, read, submit } = await consoleFixture();

const german = { "accept-language": "de-AT,de;q=0.9,en;q=0.5" };
const choose = (browser: Browser, language: string, headers = {}) =>
  browser.post("/console/account/language", { language }, headers);
const langOf = ({ html }: { html: string }) => /<html lang="(\w+)"/.exec(html)?.[1];
/** An admin who has chosen German. */
async function speaker() {
  const browser = await browserOf(app, team, "admin");
  await choose(browser, "de");
  return browser;
}

test("a page is in the browser's language, also before there is a session; for other languages it is in English", async () => {
  for (const [accepted, lang, heading] of [
    ["de-AT,de;q=0.9,en;q=0.5", "de", "Anmelden"],
    ["fr,de;q=0.5", "de", "Anmelden"],
    ["fr", "en", "Sign in"],
    ["en-GB,de", "en", "Sign in"],
    ["", "en", "Sign in"],
    [",".repeat(5_000), "en", "Sign in"],
  ] as const) {
    const page = await new Browser(app).get("/console/sign-in", { "accept-language": accepted });
    expect([accepted, langOf(page), textOf(page)]).toEqual([
      accepted,
      lang,
      expect.stringContaining(heading),
    ]);
  }
  expect(textOf(await admin.get("/console", german))).toContain("Formulare");
  expect(textOf(await admin.get("/console"))).toContain("Forms");
});

test("what an operator chooses in Account is the language in every browser, until the browser's is chosen", async () => {
  const forms = async (headers = {}, browser = viewer) => textOf(await browser.get("/console", headers));
  const account = await viewer.get(expectRedirect(await choose(viewer, "de"), "/console/account"));
  expect(textOf(account)).toContain("Gespeichert.");
  expect(account.html).toContain('<option value="de" selected>Deutsch</option>');
  expect(await forms({ "accept-language": "en" })).toContain("Formulare");
  expect(await forms({}, new Browser(app, viewer.cookie))).toContain("Formulare");
  expectRedirect(await choose(viewer, "en"), "/console/account");
  expect(await forms(german)).toContain("Forms");
  expectRedirect(await choose(viewer, "", german), "/console/account");
  expect(await forms(german)).toContain("Formulare");
  expect((await choose(viewer, "fr")).status).toBe(400);
});

test("pages at once have the language of their own reader", async () => {
  const readers = [editor, await speaker()];
  const pages = Array.from({ length: 20 }, (_, index) => readers[index % 2]?.get("/console/account"));
  const languages = (await Promise.all(pages)).map((page) => page && langOf(page));
  expect(languages).toEqual(pages.map((_, index) => (index % 2 ? "de" : "en")));
});

test("errors are in it: of a page, of a refused form, of the server by its code", async () => {
  const browser = await speaker();
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  const page = formPath(form, "/settings");
  const stale = { "theme.contact": "a@b.example", shown: "theme.contact=c@b.example" };
  const reader = await browserOf(app, team, "viewer");
  for (const [shown, status, says] of [
    [await browser.get(formPath({ id: crypto.randomUUID() })), 404, "Dieses Formular gibt es nicht."],
    [await browser.post(page, { "theme.contact": "-" }), 422, "Geben Sie eine E-Mail-Adresse oder"],
    [await browser.post(page, stale), 409, "Jetzt gilt: nicht gesetzt."],
    [
      await reader.post(page, { review: "true" }, german),
      403,
      "die Rolle Admin oder Bearbeiten. Sie haben dort: Lesen.",
    ],
  ] as const)
    expect([shown.status, langOf(shown), textOf(shown)]).toEqual([
      status,
      "de",
      expect.stringContaining(says),
    ]);
});

test("days and numbers are those of the language; a preview's own words too, and its page has the form's", async () => {
  const browser = await speaker();
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
    settings: { page: { enabled: true, language: "en" }, availability: { opensAt: "2999-12-01T00:00:00Z" } },
  });
  expect(textOf(await browser.get(formPath(form)))).toContain("Öffnet am 01.12.2999");
  const preview = await browser.get(formPath(form, "/preview"));
  expect(preview.html).toContain('<aside class="banner" lang="de">Vorschau des Entwurfs.');
  expect(langOf(preview)).toBe("en");
});

test("a post is read in the language of the page that it comes from, and shown again in it", async () => {
  const size = { id: "size", type: "number", label: "Size", default: 1.234 };
  const form = await makeForm(app, team, [{ ...size, validation: { maximum: 1.5 } }]);
  const question = await editor.get(formPath(form, "?edit=size"), german);
  const members = { ...size, default: "1,234", "rule.maximum": "1,5" };
  const sent = { ...hiddenIn(question, 'name="rule.maximum"'), ...members };
  expectRedirect(await editor.post(formPath(form, "/field"), sent), formPath(form));
  expect((await draftOf(form)).schema.fields).toEqual([{ ...size, validation: { maximum: 1.5 } }]);

  const id = await submit(form, { size: 1.234 });
  const path = formPath(form, `/submissions/${id}/edit`);
  const hidden = hiddenIn(await editor.get(path, german), 'name="size"');
  const refused = await editor.post(path, { ...hidden, size: "zwei" });
  expect([refused.status, langOf(refused)]).toEqual([422, "de"]);
  expectRedirect(await editor.post(path, { ...hidden, size: "1,234" }), formPath(form));
  expect((await read(`/management/forms/${form.id}/submissions/${id}`)).submission.data).toEqual({
    size: 1.234,
  });
});
