/** The look of a form's page, the links at its foot, and the page as a part of another one. */
import { beforeAll, describe, expect, test } from "bun:test";
import { contrast, darkAccent, readableAccent } from "../../../src/resources/forms/accent.ts";
import { ask, makeForm, type Service, type Team } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

const fields = [{ id: "name", type: "text", label: "Name", required: true }];
async function pathOf(page: object) {
  const form = await makeForm(app, team, fields, { settings: { page: { enabled: true, ...page } } });
  return { form, path: pathIn(team, form) };
}

describe("an accent colour", () => {
  test("can be read on white and on dark pages, whatever it was; one that can is taken as it is", () => {
    for (const colour of ["#1f5c41", "#ffff00", "#ffffff", "#000000", "#0000ff", "#ff6600", "#767676"]) {
      expect(contrast(readableAccent(colour), "#ffffff")).toBeGreaterThanOrEqual(4.5);
      expect(contrast(darkAccent(colour), "#222725")).toBeGreaterThanOrEqual(4.5);
    }
    expect(readableAccent("#767676")).toBe("#767676");
    expect(contrast("#000000", "#ffffff")).toBe(21);
  });
  test("with less contrast is refused, with the nearest that passes; what is no colour too", async () => {
    const { form } = await pathOf({});
    const patch = (theme: object) =>
      ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
        headers: { "x-api-key": team.key },
        body: { operations: [{ op: "setMeta", settings: { page: { theme } } }] },
      });
    const refused = await patch({ accent: "#ffcc00" });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(`the nearest is ${readableAccent("#ffcc00")}`);
    expect((await patch({ accent: readableAccent("#ffcc00") })).status).toBe(200);
    for (const theme of [
      { accent: "red" },
      { accent: "#1f5c41;}" },
      { corners: "square" },
      { privacyUrl: "javascript:alert(1)" },
      { contact: "javascript:alert(1)" },
    ])
      expect((await patch(theme)).status).toBe(400);
    const { body } = await patch({ accent: null, scheme: "dark" });
    expect(body.data.form.settings.page.theme).toEqual({ scheme: "dark" });
  });
});

test("a page with a theme loads a sheet of it, from its own site, and has the links at its foot", async () => {
  const theme = {
    accent: "#1F5C41",
    corners: "round",
    scheme: "light",
    privacyUrl: "https://example.org/privacy?a=1&b=2",
    imprintUrl: "https://example.org/imprint",
    contact: "help@example.org",
  };
  const { path } = await pathOf({ theme, language: "de" });
  const { text, policy } = await getPage(app, path);
  const sheet = /href="(\/f\/look\.css[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const look = await getPage(app, sheet);
  expect(look.headers.get("content-type")).toStartWith("text/css");
  expect(look.headers.get("cache-control")).toBe("public, max-age=86400");
  for (const rule of ["color-scheme: light;", "--accent: light-dark(#1F5C41, ", "--radius: 1rem;"])
    expect(look.text).toContain(rule);
  expect(policy).toContain("style-src 'self';");
  expect(text).toContain('name="color-scheme" content="light"');
  expect(text).toContain('href="https://example.org/privacy?a=1&amp;b=2"');
  expect(text).toContain('href="mailto:help@example.org"');
  for (const label of ["Datenschutz", "Impressum", "Kontakt"]) expect(text).toContain(label);
  const missing = await postForm(app, path, {});
  const sent = await postForm(app, path, { name: "Ada" });
  const thanks = await getPage(app, sent.headers.get("location") ?? "");
  for (const page of [missing, thanks]) {
    expect(page.text).toContain("/f/look.css?");
    expect(page.text).toContain("Impressum");
  }
  expect((await getPage(app, "/f/look.css?accent=red;}*{display:none")).status).toBe(400);
  const plain = await getPage(app, (await pathOf({})).path);
  expect(plain.text).not.toContain("look.css");
  expect(plain.text).not.toContain("<footer");
});

test("with ?embed the page has no title to see and no margins, from the first page to the last", async () => {
  const { path } = await pathOf({});
  const first = await getPage(app, `${path}?embed`);
  const refused = await postForm(app, `${path}?embed`, {});
  for (const { text } of [first, refused]) {
    expect(text).toContain('<body class="embedded">');
    expect(text).toContain(`action="${path}?embed"`);
  }
  const sent = await postForm(app, `${path}?embed`, { name: "Ada" });
  const thanks = await getPage(app, sent.headers.get("location") ?? "");
  expect(thanks.text).toContain('<body class="embedded">');
  expect(thanks.text).toContain(`href="${path}?embed"`);
  expect((await getPage(app, path)).text).toContain("<body>");
});
