// stacks: one
/**
 * The documentation on the server: one frame for all pages, the search, and what `formd docs` prints of the
 * same files.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, formd, root, server, service, settingsFor } from "../setup.ts";

const names = (readdirSync(join(root, "docs"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => name.replace(/\.md$/, ""))
  .sort();
const beside = {
  changelog: "CHANGELOG.md",
  contributing: "CONTRIBUTING.md",
  "security-policy": "SECURITY.md",
};
const generated = ["guide", "api/fields", "api/validation", "database"];

const app = await service();
/** Each page by its path. */
const pages = new Map<string, string>();
for (const name of ["", ...[...names, ...Object.keys(beside), ...generated].map((each) => `/${each}`)]) {
  const path = `/developer${name}`;
  const { status, headers, body } = await ask(app, "GET", path);
  expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"]);
  pages.set(path, body as string);
}

const hrefsOf = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, href = ""]) => href);
const unescaped = (html: string) =>
  html.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

describe("under /developer", () => {
  test("the list has every file of docs/, so that no page is left out", () => {
    const listed = hrefsOf(pages.get("/developer") ?? "");
    expect(listed).toContainValues(names.map((name) => `/developer/${name}`));
  });

  test("each page is in the frame: one heading of level 1, main, all pages, its contents, and what comes before and after", () => {
    for (const [path, html] of pages) {
      expect([path, html.match(/<h1[ >]/g)?.length, html.match(/<main /g)?.length]).toEqual([path, 1, 1]);
      expect(html).toContain('aria-label="All pages"');
      expect(html).toContain('action="/developer/search"');
      if (path === "/developer") continue;
      expect([path, html.includes('rel="prev"') || html.includes('rel="next"')]).toEqual([path, true]);
      const headings = [...html.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id = ""]) => id);
      const [, contents = ""] = /aria-label="On this page">([\s\S]*?)<\/nav>/.exec(html) ?? [];
      expect([path, hrefsOf(contents)]).toEqual([path, headings.map((id) => `#${id}`)]);
    }
  });

  test("ids are unique, and every link to this server leads to a page that has the anchor", async () => {
    const ids = new Map<string, Set<string>>();
    const base = `http://localhost:${new URL(app.url).port}`;
    for (const [path, html] of pages) {
      const own = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
      expect([path, own.length]).toEqual([path, new Set(own).size]);
      ids.set(path, new Set(own));
    }
    const known = new Map<string, number>();
    for (const [from, html] of pages)
      for (const href of new Set(hrefsOf(html))) {
        const [target = "", anchor] = unescaped(href).replace(base, "").split("#", 2);
        if (/^\w+:/.test(target)) continue;
        const path = target || from;
        if (!known.has(path))
          known.set(path, (await ask(app, "GET", path, { headers: { accept: "text/html" } })).status);
        expect([from, href, known.get(path)]).toEqual([from, href, 200]);
        const of = ids.get(path);
        if (anchor && of) expect([from, href, of.has(anchor)]).toEqual([from, href, true]);
      }
  });

  test("a page is Markdown by .md, as its file is", async () => {
    const [name = ""] = names;
    const { headers, body } = await ask(app, "GET", `/developer/${name}.md`);
    expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(body).toBe(readFileSync(join(root, "docs", `${name}.md`), "utf8"));
  });

  test.each(Object.entries(beside))(
    "%s is %s, beside docs/; links lead there and from there",
    async (name, file) => {
      const { body } = await ask(app, "GET", `/developer/${name}.md`);
      expect(body).toBe(readFileSync(join(root, file), "utf8"));
      const linking = [...pages].filter(([, html]) =>
        /<article[\s\S]*<\/article>/.exec(html)?.[0].includes(`"/developer/${name}`),
      );
      expect(linking.length).toBeGreaterThan(1);
      const article = /<article[\s\S]*<\/article>/.exec(pages.get(`/developer/${name}`) ?? "")?.[0] ?? "";
      expect(hrefsOf(article)).toContainEqual(expect.stringMatching(/^\/developer\/[a-z]/));
    },
  );

  test("pictures and programs are served as what they are, and nothing beside them", async () => {
    for (const file of readdirSync(join(root, "docs/images"))) {
      const { status, headers } = await ask(app, "GET", `/developer/images/${file}`);
      expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\//)]);
    }
    for (const file of readdirSync(join(root, "docs/clients"))) {
      const { headers, body } = await ask(app, "GET", `/developer/clients/${file}`);
      expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(body).toBe(readFileSync(join(root, "docs/clients", file), "utf8"));
    }
  });

  test.each([
    ...[
      "nothing",
      "operate/nothing",
      "a/b/c",
      "README",
      "guide.md.md",
      "__proto__",
      "%/",
      "images/nothing.png",
    ],
    ...["..%2F..%2Fpackage", "images/..%2F..%2Fpackage.json", "images/..%2F..%2FREADME.md"],
    "clients/..%2F..%2Fsrc%2Fapp.ts",
  ])("there is no page %s", async (name) => {
    expect(await ask(app, "GET", `/developer/${name}`)).toMatchObject({ status: 404 });
  });
});

describe("GET /developer/search", () => {
  const ofForms = "/papi/v1/submitter/form";
  const search = async (query: string): Promise<{ hrefs: string[]; titles: string[]; html: string }> => {
    const { status, body } = await ask(app, "GET", `/developer/search?q=${encodeURIComponent(query)}`);
    expect(status).toBe(200);
    const [, list = ""] = /<ol>([\s\S]*)<\/ol>/.exec(body) ?? [];
    const titles = [...list.matchAll(/<a href="[^"]*">([^<]*)</g)].map(([, title = ""]) => title);
    return { hrefs: hrefsOf(list), titles, html: body };
  };

  test.each([
    ["a heading", "signed requests", "/developer/guide#signed-requests"],
    ["a page", "Validation codes", "/developer/api/validation"],
    ["a code of a value", "min_length", "/developer/api/validation#min_length"],
    ["a field type", "MULTI_SELECT", "/developer/api/fields#multi_select"],
    ["a table of the database", "form_aliases", "/developer/database#form_aliases"],
    ["a route", `${ofForms}/submissions`, `/papi/v1/docs#?route=post-${ofForms}/submissions`],
    ["an operation's id", "uploadFile", `/papi/v1/docs#?route=post-${ofForms}/files`],
    ["a setting", "DATABASE_POOL_SIZE", "/developer/operate/settings#database_pool_size"],
  ])("finds %s by its name, with a link to its heading", async (_, query, href) => {
    expect((await search(query)).hrefs.slice(0, 2)).toContain(href);
  });

  test("finds a code of requests, and a word of a text; where no section has every word, those with most", async () => {
    expect((await search("form_closed")).titles).toContain("form_closed");
    expect((await search("idempotency key submit")).hrefs.length).toBeGreaterThan(0);
    const { hrefs, html } = await search("idempotency xqxqxq");
    expect(html).toContain("No section has every word of “idempotency xqxqxq”. These have most of them.");
    expect(hrefs).toContain("/developer/agents/errors#idempotency_key_reused");
    expect((await search("xqxqxq")).html).toContain("Nothing was found for “xqxqxq”. Try another word.");
  });

  test("shows at most 40, with a note", async () => {
    const { titles, html } = await search("form");
    expect(titles).toHaveLength(40);
    expect(html).toContain("<p>The first 40 results for “form”. Add a word to find fewer.</p>");
    expect((await search("DATABASE_POOL_SIZE")).html).toMatch(/<p>\d results for “DATABASE_POOL_SIZE”<\/p>/);
  });

  test("what is searched for is text in the page, and at most 100 characters of it count", async () => {
    const { html } = await search('"><script>alert(1)</script>');
    expect(html).not.toContain("<script>alert");
    expect(html).toContain("&lt;script>alert(1)&lt;/script>");
    expect((await search(`${"z".repeat(100)}${"q".repeat(5000)}`)).html).not.toContain("zq");
  });

  test.each(["", "?q=", "?q=%20", "?q=%FF%00%ED%A0%80", "?q=a&q=b", "?q[]=a", "?q=((((.*%2B", "?other=1"])(
    "/developer/search%s is a page",
    async (query) => {
      expect(await ask(app, "GET", `/developer/search${query}`)).toMatchObject({ status: 200 });
    },
  );
});

describe("formd docs", () => {
  test("lists every page, and prints each without a server or a database", async () => {
    const { stdout, code } = await formd(["docs"], {});
    expect(code).toBe(0);
    for (const name of [...names, ...Object.keys(beside), "guide", "api/fields", "api/validation"])
      expect(stdout).toContain(`  ${name} `);
    for (const name of ["guide", "api/validation", "changelog", ...names.slice(0, 2)]) {
      const printed = await formd(["docs", name], {});
      expect([name, printed.code]).toEqual([name, 0]);
      expect(printed.stdout).toMatch(/^# [^\n]+\n\n/);
    }
  });

  test("takes the last part of a name, and prints the same in JSON", async () => {
    const name = names.find((each) => each.includes("/")) ?? "";
    const printed = JSON.parse((await formd(["docs", name.split("/")[1] ?? "", "--json"], {})).stdout);
    expect(printed).toMatchObject({ name, markdown: readFileSync(join(root, "docs", `${name}.md`), "utf8") });
  });

  test("searches for other words as /developer/search does", async () => {
    const section = "operate/runbook#a-lost-password-or-the-only-operator-is-gone";
    const { stdout, code } = await formd(["docs", "lost", "pasword"], {});
    expect([code, stdout.split("\n")[2]]).toEqual([0, expect.stringContaining(`  ${section}  `)]);
    const { results } = JSON.parse((await formd(["docs", "giude", "--json"], {})).stdout);
    expect(results[0]).toMatchObject({ page: "guide" });
    expect((await formd(["docs", section], {})).stdout).toStartWith("# Runbook");
    expect(await formd(["docs", "xqxqxq"], {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was found for "xqxqxq".'),
    });
  });
});

describe("GET /.well-known/security.txt", () => {
  test("is 404 without a contact; else it names it, and expires within a year (RFC 9116)", async () => {
    expect(await ask(app, "GET", "/.well-known/security.txt")).toMatchObject({ status: 404 });
    const named = await server({ ...settingsFor(app.database), SECURITY_CONTACT: "security@example.org" });
    const { status, headers, body } = await ask(named, "GET", "/.well-known/security.txt");
    await named.stop();
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    const fields = Object.fromEntries([...body.matchAll(/^(.+?): (.*)$/gm)].map(([, ...pair]) => pair));
    expect(fields).toMatchObject({
      Contact: "mailto:security@example.org",
      Canonical: expect.stringMatching(/\/\.well-known\/security\.txt$/),
    });
    const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });
});
