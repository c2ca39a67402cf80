// stacks: one
/** The look of a form's page, the links at its foot, and the page as a part of another one. */
import { describe, expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { themes } from "../../../src/pages/console/forms/theme-controls.tsx";
import { contrast, darkAccent, readableAccent } from "../../../src/resources/forms/accent.ts";
import { ask, makeOperator, type PublishedForm } from "../../setup.ts";
import { type Page, pageFixture } from "./fixture.ts";

const fixture = await pageFixture();
const { app, team, pathOf, archive, get, post } = fixture;

const fields = [{ id: "name", type: "text", label: "Name", required: true }];
const published = (page: object = {}) => fixture.published(fields, page);
const asOwner = { headers: { "x-api-key": team.key } };
const patch = ({ id }: PublishedForm, theme: object) =>
  ask(app, "PATCH", `/papi/v1/management/forms/${id}`, {
    ...asOwner,
    body: { operations: [{ op: "setMeta", settings: { page: { theme } } }] },
  });
const thanksOf = async (target: string | PublishedForm) =>
  await get((await post(target, { name: "Ada" })).headers.get("location") ?? "");
const expectIn = ({ text }: Pick<Page, "text">, ...parts: string[]) => {
  for (const part of parts) expect(text).toContain(part);
};

describe("an accent colour", () => {
  test("can be read on white and on dark pages, whatever it was; one that can is taken as it is", () => {
    for (const colour of ["#1f5c41", "#ffff00", "#ffffff", "#000000", "#0000ff", "#ff6600", "#767676"]) {
      expect(contrast(readableAccent(colour), "#ffffff")).toBeGreaterThanOrEqual(4.5);
      expect(contrast(darkAccent(colour), "#222725")).toBeGreaterThanOrEqual(4.5);
    }
    expect(readableAccent("#767676")).toBe("#767676");
    expect(contrast("#000000", "#ffffff")).toBe(21);
  });
  test("with less contrast is refused, with the nearest that passes; an invalid colour is refused too", async () => {
    const form = await published();
    const refused = await patch(form, { accent: "#ffcc00" });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(`the nearest is ${readableAccent("#ffcc00")}`);
    expect((await patch(form, { accent: readableAccent("#ffcc00") })).status).toBe(200);
    for (const theme of [
      { accent: "red" },
      { accent: "#1f5c41;}" },
      { corners: "square" },
      { privacyUrl: "javascript:alert(1)" },
      { contact: "javascript:alert(1)" },
    ])
      expect((await patch(form, theme)).status).toBe(400);
    const { body } = await patch(form, { accent: null, scheme: "dark" });
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
  const form = await published({ theme, language: "de" });
  const page = await get(form);
  const sheet = /href="(\/f\/look\.css[^"]*)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const look = await get(sheet);
  expect(look.headers.get("content-type")).toStartWith("text/css");
  expect(look.headers.get("cache-control")).toBe("public, max-age=86400");
  expectIn(look, "color-scheme: light;", "--accent: light-dark(#1F5C41, ", "--radius: 1rem;");
  expect(page.policy).toContain("style-src 'self';");
  expectIn(
    page,
    'name="color-scheme" content="light"',
    'href="https://example.org/privacy?a=1&amp;b=2"',
    'href="mailto:help@example.org"',
    ...["Datenschutz", "Impressum", "Kontakt"],
  );
  for (const later of [await post(form, {}), await thanksOf(form)])
    expectIn(later, "/f/look.css?", "Impressum");
  expect((await get("/f/look.css?accent=red;}*{display:none")).status).toBe(400);
  expect((await get(await published())).text).not.toMatch(/look\.css|<footer/);
});

test("with ?embed the page has no title to see and no margins, from the first page to the last", async () => {
  const form = await published();
  const path = `${pathOf(form)}?embed`;
  for (const page of [await get(path), await post(path, {})])
    expectIn(page, '<body class="embedded">', `action="${path}&amp;send"`);
  expectIn(await thanksOf(path), '<body class="embedded">', `href="${path}"`);
  expectIn(await get(form), "<body>");
});

describe("a logo", () => {
  const alt = 'Club "City" <north>';
  const files = {
    png: Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1"),
    jpeg: Buffer.from("\xff\xd8\xff\xe0 and more", "latin1"),
    webp: Buffer.from("RIFF\x00\x01\x02\x03WEBPVP8 ", "latin1"),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    gif: Buffer.from("GIF89a and more"),
  };
  const url = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString("base64")}`;
  const png = url("png", files.png);

  test("is above the title, in a frame, on the page after a submission and of a failure, of our own origin", async () => {
    const logo = { src: png, alt };
    const form = await published({ theme: { logo } });
    const read = async (of: string) =>
      (await ask(app, "GET", `/papi/v1/management/forms${of}`, asOwner)).body.data;
    // A list of forms carries no pictures.
    expect((await read("")).forms[0]).toMatchObject({ id: form.id, settings: { page: { theme: {} } } });
    expect(JSON.stringify(await read(""))).not.toContain("data:image");
    expect((await read(`/${form.id}`)).form.settings.page.theme).toEqual({ logo });
    const pages = [await get(form), await get(`${pathOf(form)}?embed`), await thanksOf(form)];
    await archive(form);
    for (const page of [...pages, await get(form)]) {
      expectIn(page, `<img class="logo" src="${png}" alt="Club &quot;City&quot; &lt;north>"`);
      expect(page.policy).toContain("img-src 'self' data:;");
    }
  });

  test("is what its content says, small, with a text; everything else is refused", async () => {
    const form = await published();
    const statusOf = async (logo: unknown) => (await patch(form, { logo })).status;
    const largest = Buffer.concat([files.png, Buffer.alloc(limits.formPage.maxLogoBytes - files.png.length)]);
    for (const src of [png, url("jpeg", files.jpeg), url("webp", files.webp), url("png", largest)])
      expect(await statusOf({ src, alt })).toBe(200);
    for (const src of [
      url("png", Buffer.concat([largest, Buffer.alloc(1)])),
      url("png", files.jpeg),
      url("svg+xml", files.svg),
      url("png", files.svg),
      url("gif", files.gif),
      png.replace(";base64", ""),
      `${png}" onerror="alert(1)`,
      "https://example.org/logo.png",
    ])
      expect(await statusOf({ src, alt })).toBe(400);
    for (const rest of [
      {},
      { alt: "" },
      { alt: "x".repeat(limits.formPage.maxLogoTextLength + 1) },
      { alt, href: "https://example.org" },
    ])
      expect(await statusOf({ src: png, ...rest })).toBe(400);
    expect(await statusOf(null)).toBe(200);
  });

  test("is uploaded in the console with other settings, changed without choosing it again, and removed", async () => {
    const form = await published({ theme: { accent: "#1f5c41" } });
    const cookie = await makeOperator(app, team, "admin");
    const own = { cookie, origin: app.url, "sec-fetch-site": "same-origin", accept: "text/html" };
    const save = (parts: Record<string, string | Buffer> | string, headers: Record<string, string> = {}) => {
      const body = new FormData();
      for (const [name, part] of typeof parts === "string" ? [] : Object.entries(parts))
        body.append(name, typeof part === "string" ? part : new Blob([new Uint8Array(part)]));
      return fetch(`${app.url}/console/forms/${form.id}/settings`, {
        ...{ method: "POST", redirect: "manual", headers: { ...own, ...headers } },
        body: typeof parts === "string" ? parts : body,
      });
    };
    const logoOf = async () =>
      /<img class="logo" src="([^"]*)" alt="([^"]*)"/.exec((await get(form)).text)?.slice(1);
    const both = { "theme.logo": files.webp, "theme.logo.alt": "One", "page.language": "de" };
    expect((await save(both)).status).toBe(303);
    expect(await logoOf()).toEqual([url("webp", files.webp), "One"]);
    expect((await get(form)).text).toContain('lang="de"');
    expect((await save({ "theme.logo": Buffer.alloc(0), "theme.logo.alt": "Two" })).status).toBe(303);
    expect((await save({ "theme.cover": files.png, "theme.scheme": "light" })).status).toBe(303);
    expect(await logoOf()).toEqual([url("webp", files.webp), "Two"]);
    expect((await get(form)).text).toContain(`<img class="cover" src="${png}" alt/>`);
    for (const [logo, alt] of [
      [files.svg, "Two"],
      [files.png, " "],
    ] as const) {
      const refused = await save({
        "theme.logo": logo,
        "theme.logo.alt": alt,
        "availability.timeZone": "Europe/Rome",
      });
      const page = await refused.text();
      expect([refused.status, page.match(/aria-invalid="true"/g)?.length]).toEqual([422, 1]);
      // Text that was typed beside a wrong file stays.
      expect(page).toContain('value="Europe/Rome"');
    }
    const broken = { accept: "*/*", "content-type": "multipart/form-data; boundary=x" };
    expect((await save("no parts", broken)).status).toBe(400);
    expect((await save({ "theme.logo.remove": "true" })).status).toBe(303);
    expect(await logoOf()).toBeUndefined();
  });
});

test("a cover is on the first page, where nothing is wrong, and nowhere else; its text may be empty", async () => {
  const cover = { src: "data:image/png;base64,iVBORw0KGgo=", alt: "" };
  const form = await published({ theme: { cover } });
  expectIn(await get(form), `<img class="cover" src="${cover.src}" alt/>`);
  for (const page of [await post(form, {}), await thanksOf(form)]) expect(page.text).not.toContain("cover");
  const large = Buffer.concat([
    Buffer.from("\xff\xd8\xff", "latin1"),
    Buffer.alloc(limits.formPage.maxCoverBytes),
  ]);
  const srcOf = (bytes: Buffer) => `data:image/jpeg;base64,${bytes.toString("base64")}`;
  const fits = { src: srcOf(large.subarray(0, -3)) };
  expect((await patch(form, { cover: fits })).status).toBe(200);
  expect((await patch(form, { cover: { src: srcOf(large) } })).status).toBe(400);
  const { forms } = (await ask(app, "GET", "/papi/v1/management/forms", asOwner)).body.data;
  expect(JSON.stringify(forms)).not.toContain("data:image");
});

test("each theme of the console can be read, and a choice of one gives its colour and corners", async () => {
  const form = await published();
  const cookie = await makeOperator(app, team, "admin");
  for (const [name, { accent, corners }] of Object.entries(themes)) {
    expect(readableAccent(accent)).toBe(accent);
    await fetch(`${app.url}/console/forms/${form.id}/settings`, {
      ...{ method: "POST", redirect: "manual" },
      headers: { cookie, origin: app.url, "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ "theme.name": name }),
    });
    const { theme } = (await ask(app, "GET", `/papi/v1/management/forms/${form.id}`, asOwner)).body.data.form
      .settings.page;
    expect(theme).toEqual({ accent, ...(corners && { corners }) });
  }
});
