/** What the settings of a form do to its page: when it is open, who may embed it, what an address may fill in. */
import { beforeAll, describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { ask, makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

const name = { id: "name", type: "text", label: "Name" };
const published = (page: object, availability?: object, fields: object[] = [name]) =>
  makeForm(app, team, fields, {
    settings: { page: { enabled: true, ...page }, ...(availability && { availability }) },
  });
const pathOf = (form: PublishedForm) => pathIn(team, form);
const get = (path: string) => getPage(app, path);

describe("settings.availability", () => {
  test.each([
    [{ opensAt: "9000-01-01T12:00:00Z" }, "en", "not open yet", "1 January 9000"],
    [{ closesAt: "2026-01-01T12:00:00Z" }, "en", "is closed", "1 January 2026"],
    [{ opensAt: "9000-01-01T12:00:00Z" }, "de", "noch nicht geöffnet", "1. Januar 9000"],
    [{ closesAt: "2026-01-01T12:00:00Z" }, "de", "ist geschlossen", "1. Januar 2026"],
  ])(
    "outside of it the page says so, to read and to send: %j, %s",
    async (availability, language, heading, day) => {
      const form = await published({ language }, availability);
      for (const { status, text } of [
        await get(pathOf(form)),
        await postForm(app, pathOf(form), { name: "Ada" }),
      ]) {
        expect(status).toBe(403);
        expect(text).toContain(heading);
        expect(text).toContain(day);
      }
    },
  );

  test("a full form says so, except to the person who has filled it", async () => {
    const form = await published({}, { maxSubmissions: 1 });
    const sent = await postForm(app, pathOf(form), { name: "Ada", "formd.key": "k" });
    expect(await get(sent.headers.get("location") ?? "")).toMatchObject({
      status: 200,
      text: expect.stringContaining("Thank you"),
    });
    expect((await postForm(app, pathOf(form), { name: "Ada", "formd.key": "k" })).status).toBe(303);
    for (const { status, text } of [
      await get(pathOf(form)),
      await postForm(app, pathOf(form), { name: "Grace" }),
    ])
      expect([status, text.includes("This form is full")]).toEqual([403, true]);
  });
});

describe("settings.page.embedOrigins", () => {
  test("the form, its errors, its thanks and its failures may be in a frame of the named origins, and of no other", async () => {
    const origins = ["https://www.example.org", "http://localhost:3000"];
    const form = await published({ embedOrigins: origins }, undefined, [{ ...name, required: true }]);
    const sent = await postForm(app, pathOf(form), { name: "Ada" });
    const responses = [
      await get(pathOf(form)),
      await postForm(app, pathOf(form), {}),
      await get(sent.headers.get("location") ?? ""),
    ];
    await app.database
      .sql`update formd.forms set status = 'archived', archived_at = now() where id = ${form.id}`;
    responses.push(await get(pathOf(form)));
    expect(responses.map(({ status }) => status)).toEqual([200, 422, 200, 410]);
    for (const { headers } of responses)
      expect(headers.get("content-security-policy")).toContain(
        `frame-ancestors 'self' ${origins.join(" ")};`,
      );
    expect((await get(pathOf(await published({})))).policy).toContain("frame-ancestors 'none'");
    expect((await get("/f/nothing")).policy).toContain("frame-ancestors 'none'");
  });

  test("a site may load the script that sets the height", async () => {
    const response = await fetch(`${app.url}/f/embed.js`);
    expect(await response.text()).toContain("formdHeight");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
  });
});

describe("prefill", () => {
  const fields = [
    { id: "email", type: "email", label: "E-mail", prefill: true, default: "a@example.org" },
    { id: "name", type: "text", label: "Name", default: "Ada" },
    { id: "tags", type: "multi_select", label: "Tags", options: ["a", "b", "c"], prefill: true },
    { id: "home", type: "address", label: "Home", prefill: true },
    { id: "source", type: "hidden", label: "Source", prefill: true },
    { id: "campaign", type: "hidden", label: "Campaign" },
  ];
  const query =
    "?email=b%40example.org&name=Eve&tags=a&tags=c&home.city=Bonn&source=mail&campaign=x&formd.key=mine&other=1";

  test("the query gives the values of fields that allow it, of hidden ones too, and of no others", async () => {
    const form = await published({}, undefined, fields);
    const { text } = await get(pathOf(form) + query);
    const shownIn = (control: string) =>
      /value="([^"]*)"/.exec(new RegExp(`<input[^>]*name="${control}"[^>]*>`).exec(text)?.[0] ?? "")?.[1];
    expect([shownIn("email"), shownIn("name"), shownIn("home.city"), shownIn("source")]).toEqual([
      "b@example.org",
      "Ada",
      "Bonn",
      "mail",
    ]);
    expect([...text.matchAll(/value="(\w)" checked/g)].map(([, value]) => value)).toEqual(["a", "c"]);
    expect(shownIn("campaign")).toBeUndefined();
    expect(text).not.toContain("mine");
    const again = await postForm(app, pathOf(form), { email: "wrong", source: "mail" });
    expect(again.text).toContain('type="hidden" name="source" value="mail"');
  });

  test("a value of the query is text, and no markup", async () => {
    const form = await published({}, undefined, fields);
    const { text } = await get(`${pathOf(form)}?email=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%00`);
    expect(text).not.toContain("<script>alert");
    expect(text).toContain('value="&quot;>&lt;script>alert(1)&lt;/script>"');
  });
});

describe("settings.page that an earlier release stored unchecked", () => {
  const stored = (page: object) => app.database.sql`
    update formd.forms set settings = jsonb_set(settings, '{page}', settings -> 'page' || ${app.database.sql.json(page as never)})
    where id = ${lastForm.id}`;
  let lastForm: PublishedForm;

  test.each([
    ["texts", { introduction: 5, title: ["a"], submitLabel: {}, thankYou: false }],
    ["language", { language: "xx" }],
    ["layout and alias", { layout: 1, alias: "-" }],
    ["origins that are a text", { embedOrigins: "https://a.example" }],
    ["origins that end the directive", { embedOrigins: ["*; script-src *"] }],
    ["a URL that is a number", { redirectUrl: 7 }],
    ["a URL that ends the directive", { redirectUrl: "https://x;require-trusted-types-for/" }],
  ])("members that do not have their shape count as absent: %s", async (_, page) => {
    const expected = await get(pathOf(await published({})));
    lastForm = await published({});
    await stored(page);
    const { status, policy, text } = await get(pathOf(lastForm));
    expect([status, policy]).toEqual([200, expected.policy]);
    expect(text).toContain(">Test</h1>");
    const sent = await postForm(app, pathOf(lastForm), { name: "Ada" });
    expect(await get(sent.headers.get("location") ?? "")).toMatchObject({
      status: 200,
      policy: expected.policy,
      text: expect.stringContaining("Thank you"),
    });
  });

  test("the other members remain", async () => {
    lastForm = await published({ title: "Ours" });
    await stored({ introduction: 5, language: "de" });
    expect((await get(pathOf(lastForm))).text).toMatch(/<html lang="de".*>Ours<\/h1>/s);
  });
});

test.each([
  "https://x;require-trusted-types-for/",
  "https://x,y/",
  "https://a.example;b/path",
  "https://a'b.example/",
])("settings.page.redirectUrl %s is not accepted: its origin would end a directive", async (redirectUrl) => {
  const form = await published({});
  const reply = await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
    headers: { "x-api-key": team.key },
    body: { operations: [{ op: "setMeta", settings: { page: { redirectUrl } } }] },
  });
  expect(outcome(reply)).toBe("400 invalid_body");
});
