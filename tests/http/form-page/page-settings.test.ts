// stacks: one
/**
 * What the settings of a form do to its page: when it is open, who may embed it, what an address may fill in.
 */
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

  test("the owner's own text says it, each for its reason; who has sent something reads that it was not taken; times are in the form's zone", async () => {
    const own = { closedText: "See you\n\nnext <year>.", fullText: "Write to the waiting list." };
    const closed = await published(own, { closesAt: "2020-01-01T00:00:00Z" });
    const full = await published(own, { maxSubmissions: 1 });
    await postForm(app, pathOf(full), { name: "Ada" });
    const early = await published(own, { opensAt: "2999-01-01T00:00:00Z", timeZone: "Europe/Berlin" });
    const read = await get(pathOf(closed));
    expect(read.text).toContain('<p dir="auto">See you</p><p dir="auto">next &lt;year>.</p>');
    expect(read.text).not.toContain("It closed on");
    expect((await postForm(app, pathOf(closed), { name: "Ada" })).text).toContain("It closed on");
    expect((await get(pathOf(full))).text).toContain("Write to the waiting list.");
    expect((await postForm(app, pathOf(full), { name: "Ada" })).text).toContain("Nothing has been sent.");
    const { text } = await get(pathOf(early));
    expect(text).not.toMatch(/See you|waiting list/);
    expect(text).toContain("It opens on 1 January 2999 at 01:00 CET.");
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

  test("a hidden field is the owner's: its default is stored, or the query's value where that is allowed", async () => {
    const form = await published({}, undefined, [
      { id: "name", type: "text", label: "Name" },
      { id: "level", type: "hidden", label: "Level", default: "guest" },
      { id: "note", type: "hidden", label: "Note" },
      { id: "source", type: "hidden", label: "Source", default: "web", prefill: true },
      { id: "door", type: "text", label: "Door", showIf: 'data.level == "admin"' },
    ]);
    const stored = async (values: Record<string, string>) => {
      const { status } = await postForm(app, pathOf(form), { "formd.key": crypto.randomUUID(), ...values });
      expect(status).toBeLessThan(400);
      const { body } = await ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions`, {
        headers: { "x-api-key": team.key },
      });
      return body.data.submissions[0].data;
    };
    const level = "guest";
    expect(await stored({ name: "a", level: "admin", note: "x", door: "back" })).toEqual({
      name: "a",
      level,
      source: "web",
    });
    expect(await stored({ name: "b", source: "mail" })).toEqual({ name: "b", level, source: "mail" });
  });

  test("a value of the query is text, and no markup", async () => {
    const form = await published({}, undefined, fields);
    const { text } = await get(`${pathOf(form)}?email=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%00`);
    expect(text).not.toContain("<script>alert");
    expect(text).toContain('value="&quot;>&lt;script>alert(1)&lt;/script>"');
  });
});

test.each([
  "https://x;require-trusted-types-for/",
  "https://x,y/",
  "https://a.example;b/path",
  "https://a'b.example/",
  "https://user@example.org/",
  "https://:password@example.org/",
])(
  "settings.page.redirectUrl %s is not accepted: it would end a directive, or has a user or a password",
  async (redirectUrl) => {
    const form = await published({});
    const reply = await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings: { page: { redirectUrl } } }] },
    });
    expect(outcome(reply)).toBe("400 invalid_body");
  },
);
