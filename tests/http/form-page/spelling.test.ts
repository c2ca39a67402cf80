// stacks: one deno
/** Numbers, days and times on the page of a form: read, kept and shown as the page's language writes them. */
import { describe, expect, test } from "bun:test";
import { ask } from "../../setup.ts";
import { decoded, pageFixture } from "./fixture.ts";

const { app, team, published, pathOf, get, post, send, stored } = await pageFixture();

const fields = [
  { id: "amount", type: "number", label: "Amount" },
  { id: "people", type: "integer", label: "People" },
  { id: "day", type: "date", label: "Day" },
  { id: "time", type: "time", label: "Time" },
];
const german = { language: "de" };
/** The text in the control of a name. */
const shownIn = (text: string, name: string) => {
  const [control = ""] = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(text) ?? [];
  return decoded(/ value="([^"]*)"/.exec(control)?.[1] ?? "");
};

test.each([
  ["de", { amount: "1.234", people: "12.345" }, { amount: 1234, people: 12_345 }],
  ["de", { amount: "0,125", people: "1.000" }, { amount: 0.125, people: 1000 }],
  [
    "de",
    { amount: "1.234,5", day: "12.11.2026", time: "14.30 Uhr" },
    { amount: 1234.5, day: "2026-11-12", time: "14:30" },
  ],
  ["en", { amount: "1,234.5", people: "1,000" }, { amount: 1234.5, people: 1000 }],
  ["en", { amount: "\u22121\u202f234", day: "12 November 2026" }, { amount: -1234, day: "2026-11-12" }],
])("in %s a post of %j stores %j, from its own page or another one", async (language, entered, data) => {
  const form = await published(fields, { language });
  expect((await post(form, entered as Record<string, string>)).status).toBe(303);
  expect((await send(await get(form), entered as Record<string, string>)).status).toBe(303);
  expect(await stored(form)).toEqual([data, data]);
});

test("what can mean two values is refused with both, and shown as it was entered", async () => {
  const form = await published(fields, german);
  const { status, text } = await send(await get(form), { people: "1,000" });
  expect([status, shownIn(text, "people")]).toEqual([422, "1,000"]);
  expect(text).toContain("Meinen Sie 1 oder 1.000? Geben Sie es so ein.");
  // A fraction of a whole number is not offered: entered so, it would be asked about again.
  const fraction = await send(await get(form), { people: "1,234" });
  expect(fraction.text).toContain(
    "Geben Sie eine ganze Zahl ein, zum Beispiel 12. Meinen Sie 1.234? Geben Sie es so ein.",
  );
  const english = await published(fields);
  const refused = await send(await get(english), { day: "11/12/2026" });
  expect(refused.text).toContain("Did you mean 11 December 2026 or 12 November 2026?");
  expect([...(await stored(form)), ...(await stored(english))]).toEqual([]);
});

test("a default, a value of the query, the values to check and the copy are written as they are read", async () => {
  const form = await published(
    [
      { id: "rate", type: "number", label: "Rate", default: 1234.5, prefill: true },
      { type: "page_break", id: "b", label: "B" },
      { id: "day", type: "date", label: "Day", default: "2027-07-10" },
    ],
    { ...german, layout: "steps" },
  );
  const first = await get(form);
  expect(shownIn(first.text, "rate")).toBe("1234,5");
  const second = await send(first, { rate: "12,5" }, "2");
  const check = await send(second, { day: "10.7.2027" });
  for (const shown of ['<dd dir="auto">12,5</dd>', '<dd dir="auto">10. Juli 2027</dd>'])
    expect(check.text).toContain(shown);
  const done = await send(check);
  expect(done.status).toBe(303);
  expect(await stored(form)).toEqual([{ rate: 12.5, day: "2027-07-10" }]);
  const { pathname, search } = new URL(done.headers.get("location") ?? "", app.url);
  for (const shown of ["12,5", "10. Juli 2027"]) expect((await get(pathname + search)).text).toContain(shown);
  // A query is written as JSON is, else as the page is.
  const single = await published([{ id: "rate", type: "number", label: "Rate", prefill: true }], german);
  const shownFor = async (query: string) =>
    shownIn((await get(`${pathOf(single)}?rate=${query}`)).text, "rate");
  expect([await shownFor("1.234"), await shownFor("1.234,5")]).toEqual(["1,234", "1234,5"]);
  const days = await published([{ id: "day", type: "date", label: "Day", prefill: true }], german);
  expect(shownIn((await get(`${pathOf(days)}?day=12.11.2026`)).text, "day")).toBe("2026-11-12");
});

test("a program that posts the page writes values as JSON does", async () => {
  const form = await published(fields, german);
  const { status } = await post(form, { amount: "1.234", day: "2026-11-20" }, { accept: "application/json" });
  expect([status, await stored(form)]).toEqual([200, [{ amount: 1.234, day: "2026-11-20" }]]);
});

test("a page in another language since then shows the value, not the text that it was", async () => {
  const form = await published(
    [...fields, { id: "name", type: "text", label: "Name", required: true }],
    german,
  );
  const page = await get(form);
  await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
    headers: { "x-api-key": team.key },
    body: { operations: [{ op: "setMeta", settings: { page: { language: "en" } } }] },
  });
  const refused = await send(page, { amount: "1.234,5" });
  expect([refused.status, shownIn(refused.text, "amount")]).toEqual([422, "1234.5"]);
  expect((await send(refused, { amount: "1,234.5", name: "Ada" })).status).toBe(303);
  expect(await stored(form)).toEqual([{ amount: 1234.5, name: "Ada" }]);
});

describe("a date and time", () => {
  const arrival = [{ id: "at", type: "datetime", label: "Arrival" }];
  const berlin = { availability: { timeZone: "Europe/Berlin" } };
  test("is on the clock of the form's time zone, which the page names and does not ask for", async () => {
    const form = await published(arrival, german, berlin);
    const page = await get(form);
    expect(page.names).toEqual(["at.local"]);
    expect(page.text).toContain("Zeitzone: Mitteleuropäische Zeit (Berlin).");
    const sent = await send(page, { "at.local": "2027-07-10T10:00" });
    expect((await post(form, { "at.local": "10.1.2027 10.00 Uhr" })).status).toBe(303);
    expect(await stored(form)).toEqual([
      { at: "2027-07-10T10:00:00+02:00" },
      { at: "2027-01-10T10:00:00+01:00" },
    ]);
    const { pathname, search } = new URL(sent.headers.get("location") ?? "", app.url);
    expect((await get(pathname + search)).text).toContain('<dd dir="auto">10. Juli 2027, 10:00</dd>');
  });
  test("is bounded in words of the same clock, in its hint and in its error", async () => {
    const minimum = "2027-07-10T08:00:00Z";
    const form = await published([{ ...arrival[0], validation: { minimum } }], german, berlin);
    const page = await get(form);
    expect(page.text).toContain("Frühestens 10. Juli 2027, 10:00.");
    const { text } = await send(page, { "at.local": "2027-07-10T09:59" });
    expect(text).toContain("Geben Sie 10. Juli 2027, 10:00 oder eine spätere Zeit ein.");
  });
  test("is asked about where the clock is put back, and explained where it is put forward", async () => {
    const form = await published(arrival, german, berlin);
    const asked = await send(await get(form), { "at.local": "2027-10-31T02:30" });
    expect(asked.text).toContain("31. Oktober 2027, 02:30 UTC+02:00 oder 31. Oktober 2027, 02:30 UTC+01:00?");
    expect((await send(asked, { "at.local": "2027-10-31T02:30", "at.zone": "+01:00" })).status).toBe(303);
    const skipped = await send(await get(form), { "at.local": "2027-03-28T02:30" });
    expect([skipped.status, skipped.text.includes("Die Uhren werden vorgestellt")]).toEqual([422, true]);
    expect(await stored(form)).toEqual([{ at: "2027-10-31T02:30:00+01:00" }]);
  });
  test("has its own offset if people are in several time zones, or the form has none", async () => {
    for (const form of [
      await published(arrival, { ...german, askTimeZone: true }, berlin),
      await published(arrival, german),
    ]) {
      const page = await get(form);
      expect(page.text).toContain('name="at.zone"');
      const sent = await send(page, { "at.local": "2027-07-10T10:00", "at.zone": "+05:45" });
      expect(await stored(form)).toEqual([{ at: "2027-07-10T10:00:00+05:45" }]);
      const { pathname, search } = new URL(sent.headers.get("location") ?? "", app.url);
      expect((await get(pathname + search)).text).toContain("10. Juli 2027, 10:00 UTC+05:45");
    }
  });
});

describe("an e-mail address without a dot in its domain", () => {
  const mail = [
    { id: "mail", type: "email", label: "Mail", required: true },
    { id: "name", type: "text", label: "Name", required: true },
  ];
  const question = "Is “Ada@Example” right?";
  test("is asked about once, beside other errors, and stored as it is when it is sent again", async () => {
    const form = await published(mail);
    const first = await send(await get(form), { mail: " Ada@Example\u200b", name: "" });
    expect([first.status, first.text.includes(question), first.text.includes("Enter an answer")]).toEqual([
      422,
      true,
      true,
    ]);
    expect((await send(first, { mail: "Ada@Example", name: "Ada" })).status).toBe(303);
    const alone = await send(await get(form), { mail: "Ada@Example", name: "Ada" });
    expect([alone.status, alone.text.includes(question)]).toEqual([422, true]);
    const other = await send(alone, { mail: "ada@exampel", name: "Ada" });
    expect([other.status, other.text.includes("Is “ada@exampel” right")]).toEqual([422, true]);
    expect((await send(other, { mail: "Ada@Example", name: "Ada" })).status).toBe(303);
    expect(await stored(form)).toEqual(Array(2).fill({ mail: "Ada@Example", name: "Ada" }));
  });
  test("is asked about in its step, and no more when the values are sent", async () => {
    const form = await published(
      [mail[0] as object, { id: "b", type: "page_break", label: "B" }, mail[1] as object],
      { layout: "steps" },
    );
    const first = await get(form);
    const asked = await send(first, { mail: "Ada@Example" });
    expect([asked.status, asked.text.includes(question)]).toEqual([422, true]);
    const second = await send(asked, { mail: "Ada@Example" });
    const check = await send(second, { name: "Ada" });
    expect((await send(check)).status).toBe(303);
    expect(await stored(form)).toEqual([{ mail: "Ada@Example", name: "Ada" }]);
  });
  test("is not asked about where its domain is allowed, nor by a program", async () => {
    const form = await published([{ ...mail[0], allowedDomains: ["intranet"] }]);
    expect((await post(form, { mail: "ada@intranet" })).status).toBe(303);
    const open = await published([mail[0] as object]);
    expect((await post(open, { mail: "ada@intranet" }, { accept: "application/json" })).status).toBe(200);
  });
});
