// stacks: one
/** The look of a form's page, the links at its foot, and the page as a part of another one. */
import { beforeAll, describe, expect, test } from "bun:test";
import { limits } from "../../../src/limits.ts";
import { contrast, darkAccent, readableAccent } from "../../../src/resources/forms/accent.ts";
import { ask, makeForm, makeOperator, type Service, type Team } from "../../setup.ts";
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

  test("is above the title, in a frame, on the page after a submission and of a failure, of our own origin", async () => {
    const logo = { src: url("png", files.png), alt };
    const { form, path } = await pathOf({ theme: { logo } });
    const shown = `<img class="logo" src="${logo.src}" alt="Club &quot;City&quot; &lt;north>"`;
    const read = async (of: string) =>
      (await ask(app, "GET", `/papi/v1/management/forms${of}`, { headers: { "x-api-key": team.key } })).body
        .data;
    // A list of forms carries no pictures.
    expect((await read("")).forms[0]).toMatchObject({ id: form.id, settings: { page: { theme: {} } } });
    expect(JSON.stringify(await read(""))).not.toContain("data:image");
    expect((await read(`/${form.id}`)).form.settings.page.theme).toEqual({ logo });
    const sent = await postForm(app, path, { name: "Ada" });
    const pages = [
      await getPage(app, path),
      await getPage(app, `${path}?embed`),
      await getPage(app, sent.headers.get("location") ?? ""),
    ];
    await app.database
      .sql`update formd.forms set status = 'archived', archived_at = now() where id = ${form.id}`;
    pages.push(await getPage(app, path));
    for (const { text, policy } of pages) {
      expect(text).toContain(shown);
      expect(policy).toContain("img-src 'self' data:;");
    }
  });

  test("is what its content says, small, with a text; everything else is refused", async () => {
    const { form } = await pathOf({});
    const patch = async (logo: unknown) =>
      (
        await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
          headers: { "x-api-key": team.key },
          body: { operations: [{ op: "setMeta", settings: { page: { theme: { logo } } } }] },
        })
      ).status;
    for (const type of ["png", "jpeg", "webp"] as const)
      expect(await patch({ src: url(type, files[type]), alt })).toBe(200);
    const largest = Buffer.concat([files.png, Buffer.alloc(limits.formPage.maxLogoBytes - files.png.length)]);
    expect(await patch({ src: url("png", largest), alt })).toBe(200);
    for (const logo of [
      { src: url("png", Buffer.concat([largest, Buffer.alloc(1)])), alt },
      { src: url("png", files.jpeg), alt },
      { src: url("svg+xml", files.svg), alt },
      { src: url("png", files.svg), alt },
      { src: url("gif", files.gif), alt },
      { src: url("png", files.png).replace(";base64", ""), alt },
      { src: `${url("png", files.png)}" onerror="alert(1)`, alt },
      { src: "https://example.org/logo.png", alt },
      { src: url("png", files.png) },
      { src: url("png", files.png), alt: "" },
      { src: url("png", files.png), alt: "x".repeat(limits.formPage.maxLogoTextLength + 1) },
      { src: url("png", files.png), alt, href: "https://example.org" },
    ])
      expect(await patch(logo)).toBe(400);
    expect(await patch(null)).toBe(200);
  });

  test("is uploaded in the console, changed without choosing it again, kept by the other settings, and removed", async () => {
    const { form, path } = await pathOf({ theme: { accent: "#1f5c41" } });
    const cookie = await makeOperator(app, team, "admin");
    const save = async (parts: Record<string, string | Buffer>, card = "logo") => {
      const body = new FormData();
      for (const [name, part] of Object.entries(parts))
        body.append(name, typeof part === "string" ? part : new Blob([new Uint8Array(part)]));
      return await fetch(`${app.url}/console/forms/${form.id}/settings/${card}`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin: app.url, "sec-fetch-site": "same-origin", accept: "text/html" },
        body: card === "logo" ? body : new URLSearchParams(body as never),
      });
    };
    const logoOf = async () =>
      /<img class="logo" src="([^"]*)" alt="([^"]*)"/.exec((await getPage(app, path)).text);
    expect((await save({ logo: files.webp, alt: "One" })).status).toBe(303);
    expect((await logoOf())?.slice(1)).toEqual([url("webp", files.webp), "One"]);
    expect((await save({ logo: Buffer.alloc(0), alt: "Two" })).status).toBe(303);
    expect((await save({ name: "Named" }, "page")).status).toBe(303);
    expect((await logoOf())?.slice(1)).toEqual([url("webp", files.webp), "Two"]);
    for (const wrong of [
      { logo: files.svg, alt: "Two" },
      { logo: files.png, alt: " " },
    ]) {
      const refused = await save(wrong);
      expect([refused.status, (await refused.text()).match(/aria-invalid="true"/g)?.length]).toEqual([
        422, 1,
      ]);
    }
    const broken = await fetch(`${app.url}/console/forms/${form.id}/settings/logo`, {
      method: "POST",
      headers: {
        cookie,
        origin: app.url,
        "sec-fetch-site": "same-origin",
        "content-type": "multipart/form-data; boundary=x",
      },
      body: "no parts",
    });
    expect(broken.status).toBe(400);
    expect((await save({ remove: "true", alt: "" })).status).toBe(303);
    expect(await logoOf()).toBeNull();
  });
});
