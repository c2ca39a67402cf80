// stacks: one
/** Settings of a form that change its page: availability, embedding, and values from the URL. */
import { describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { ask } from "../../setup.ts";
import { pageFixture } from "./fixture.ts";

const { app, team, published, pathOf, stored, archive, get, post } = await pageFixture();

const name = { id: "name", type: "text", label: "Name" };
const availableFrom = (availability: object, page: object = {}) => published([name], page, { availability });

describe("settings.availability", () => {
  test.each([
    [{ opensAt: "9000-01-01T12:00:00Z" }, "en", "not open yet", "1 January 9000"],
    [{ closesAt: "2026-01-01T12:00:00Z" }, "en", "is closed", "1 January 2026"],
    [{ opensAt: "9000-01-01T12:00:00Z" }, "de", "noch nicht geöffnet", "1. Januar 9000"],
    [{ closesAt: "2026-01-01T12:00:00Z" }, "de", "ist geschlossen", "1. Januar 2026"],
  ])(
    "outside of it the page shows that, to read and to send: %j, %s",
    async (availability, language, heading, day) => {
      const form = await availableFrom(availability, { language });
      for (const { status, text } of [await get(form), await post(form, { name: "Ada" })]) {
        expect(status).toBe(403);
        expect(text).toContain(heading);
        expect(text).toContain(day);
      }
    },
  );

  test("a full form is shown as full, except to the person who has filled it", async () => {
    const form = await availableFrom({ maxSubmissions: 1 });
    const ada = { name: "Ada", "formd.key": "k" };
    const thanks = await get((await post(form, ada)).headers.get("location") ?? "");
    expect([thanks.status, thanks.text]).toEqual([200, expect.stringContaining("Thank you")]);
    expect((await post(form, ada)).status).toBe(303);
    for (const { status, text } of [await get(form), await post(form, { name: "Grace" })])
      expect([status, text]).toEqual([403, expect.stringContaining("This form is full")]);
  });

  test("the owner's own text says it, each for its reason; who has sent something reads that it was not taken; times are in the form's zone", async () => {
    const own = { closedText: "See you\n\nnext <year>.", fullText: "Write to the waiting list." };
    const closed = await availableFrom({ closesAt: "2020-01-01T00:00:00Z" }, own);
    const full = await availableFrom({ maxSubmissions: 1 }, own);
    await post(full, { name: "Ada" });
    const read = await get(closed);
    expect(read.text).toContain('<p dir="auto">See you</p><p dir="auto">next &lt;year>.</p>');
    expect(read.text).not.toContain("It closed on");
    expect((await post(closed, { name: "Ada" })).text).toContain("It closed on");
    expect((await get(full)).text).toContain("Write to the waiting list.");
    expect((await post(full, { name: "Ada" })).text).toContain("Nothing has been sent.");
    const early = { opensAt: "2999-01-01T00:00:00Z", timeZone: "Europe/Berlin" };
    const { text } = await get(await availableFrom(early, own));
    expect(text).not.toMatch(/See you|waiting list/);
    expect(text).toContain("It opens on 1 January 2999, 01:00 CET.");
  });
});

describe("settings.page.embedOrigins", () => {
  test("the form, its errors, its thanks and its failures may be in a frame of the named origins, and of no other", async () => {
    const origins = ["https://www.example.org", "http://localhost:3000"];
    const form = await published([{ ...name, required: true }], { embedOrigins: origins });
    const sent = await post(form, { name: "Ada" });
    const pages = [await get(form), await post(form, {}), await get(sent.headers.get("location") ?? "")];
    await archive(form);
    pages.push(await get(form));
    expect(pages.map(({ status }) => status)).toEqual([200, 422, 200, 410]);
    for (const { policy } of pages) expect(policy).toContain(`frame-ancestors 'self' ${origins.join(" ")};`);
    for (const other of [await published([name]), "/f/nothing"])
      expect((await get(other)).policy).toContain("frame-ancestors 'none'");
  });

  test("a site may load the script that sets the height", async () => {
    const { text, headers } = await get("/f/embed.js");
    expect(text).toContain("formdHeight");
    expect(Object.fromEntries(headers)).toMatchObject({
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
    const form = await published(fields);
    const { text } = await get(form);
    const filled = await get(pathOf(form) + query);
    const shownIn = (control: string) =>
      /value="([^"]*)"/.exec(
        new RegExp(`<input[^>]*name="${control}"[^>]*>`).exec(filled.text)?.[0] ?? "",
      )?.[1];
    const controls = ["email", "name", "home.city", "source", "campaign"];
    expect(controls.map(shownIn)).toEqual(["b@example.org", "Ada", "Bonn", "mail", undefined]);
    expect([...filled.text.matchAll(/value="(\w)" checked/g)].map(([, value]) => value)).toEqual(["a", "c"]);
    expect(filled.text).not.toContain("mine");
    expect(text + filled.text).not.toMatch(/>(?:Source|Campaign)</);
    const again = await post(`${pathOf(form)}?source=mail`, { email: "wrong" });
    expect(again.text).toContain('type="hidden" name="source" value="mail"');
    expect(again.text).toContain(`action="${pathOf(form)}?source=mail&amp;send"`);
  });

  test("a hidden field is the owner's: its default is stored, or the query's value where that is allowed", async () => {
    const form = await published([
      name,
      { id: "level", type: "hidden", label: "Level", default: "guest" },
      { id: "note", type: "hidden", label: "Note" },
      { id: "source", type: "hidden", label: "Source", default: "web", prefill: true },
      { id: "door", type: "text", label: "Door", showIf: 'data.level == "admin"' },
    ]);
    await post(form, { name: "a", level: "admin", note: "x", door: "back" });
    await post(form, { name: "b", source: "forged" });
    await post(`${pathOf(form)}?source=mail&level=admin`, { name: "c", source: "forged" });
    expect(await stored(form)).toEqual([
      { name: "a", level: "guest", source: "web" },
      { name: "b", level: "guest", source: "web" },
      { name: "c", level: "guest", source: "mail" },
    ]);
  });

  test("a value of the query is text, and no markup", async () => {
    const form = await published(fields);
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
    const reply = await ask(app, "PATCH", `/papi/v1/management/forms/${(await published([name])).id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings: { page: { redirectUrl } } }] },
    });
    expect(outcome(reply)).toBe("400 invalid_body");
  },
);
