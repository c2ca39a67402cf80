// stacks: one
/** The page of a form in several languages: the one shown, its change, and what stays the same. */
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { generatedCases } from "../../generated.ts";
import { type Page, pageFixture } from "./fixture.ts";
import { controlsIn, langOf, switchTo } from "./languages.ts";

const { app, team, pathOf, published, stored, archive, republish, get, post, send } = await pageFixture();
const { sql } = app.database;

const german = (label: string, more: object = {}) => ({ translations: { de: { label, ...more } } });
const everyType = [
  { id: "text", type: "text", label: "Text", placeholder: "Anything", ...german("Text") },
  { id: "note", type: "textarea", label: "Note", ...german("Notiz", { description: "Kurz." }) },
  { id: "email", type: "email", label: "E-mail", required: true, ...german("E-Mail") },
  { id: "phone", type: "phone", label: "Phone", ...german("Telefon") },
  { id: "url", type: "url", label: "Site", ...german("Seite") },
  { id: "amount", type: "number", label: "Amount", ...german("Betrag") },
  { id: "people", type: "integer", label: "People", ...german("Personen") },
  {
    id: "stars",
    type: "rating",
    label: "Stars",
    minimumLabel: "bad",
    ...german("Sterne", { minimumLabel: "schlecht" }),
  },
  { id: "yes", type: "boolean", label: "Yes?", ...german("Ja?") },
  { id: "terms", type: "consent", label: "Terms", ...german("Bedingungen") },
  {
    id: "size",
    type: "select",
    label: "Size",
    options: ["s", { value: "l", label: "Large" }],
    allowOther: true,
    ...german("Größe", { options: { s: "klein", l: "groß" } }),
  },
  {
    id: "tags",
    type: "multi_select",
    label: "Tags",
    options: ["a", "b", "c"],
    ...german("Etiketten", { options: { a: "A!" } }),
  },
  { id: "order", type: "ranking", label: "Order", options: ["x", "y"], ...german("Reihenfolge") },
  { id: "day", type: "date", label: "Day", ...german("Tag") },
  { id: "time", type: "time", label: "Time", ...german("Zeit") },
  { id: "moment", type: "datetime", label: "Moment", ...german("Zeitpunkt") },
  { id: "home", type: "address", label: "Home", ...german("Anschrift") },
  {
    id: "grid",
    type: "matrix",
    label: "Grid",
    rows: ["r1", "r2"],
    columns: ["c1", "c2"],
    ...german("Raster", { rows: { r1: "Zeile 1" }, columns: { c1: "Spalte 1" } }),
  },
  { id: "more", type: "text", label: "More", showIf: "data.yes == true", ...german("Mehr") },
];
const entered: Record<string, string | string[]> = {
  text: 'a "b" <c>',
  note: "1\r\n2",
  email: "a@example.org",
  phone: "+49 30 901820",
  url: "https://example.org",
  amount: "1,234.5",
  people: "12,345",
  stars: "4",
  yes: "true",
  terms: "true",
  size: "l",
  tags: ["a", "c"],
  order: ["y", "x"],
  day: "12 November 2026",
  time: "14:30",
  "moment.local": "2026-11-12T09:15",
  "moment.zone": "+05:30",
  "home.city": "Bonn",
  "home.country": "DE",
  "grid.r1": "c2",
  more: "seen",
  "formd.asked": "more",
};
const languages = ["en", "de", "ar", "ja"];
const inLanguages = (fields: object[], page: object = {}, settings: object = {}) =>
  published(fields, page, { languages, ...settings });
const name = { id: "name", type: "text", label: "Name", required: true, ...german("Ihr Name") };
const pairs = Object.entries(entered).flatMap(([key, values]) =>
  [values].flat().map((value): [string, string] => [key, value]),
);

/** The texts of a page's body, each with its language. */
function* runsIn(html: string): Generator<{ lang: string; text: string }> {
  const langs = [langOf({ text: html })];
  const body = html.slice(html.indexOf("<body")).replaceAll(/<script.*?<\/script>/gs, "");
  for (const [, end, tag = "", rest = "", run = ""] of body.matchAll(/<(\/?)(\w+)([^>]*)>|([^<]+)/g)) {
    if (run.trim() !== "") yield { lang: langs.at(-1) ?? "", text: run.trim() };
    if (tag === "" || /^(?:input|br|hr|img|link|meta|path)$/.test(tag)) continue;
    if (end) langs.pop();
    else langs.push(/ lang="([^"]*)"/.exec(rest)?.[1] ?? langs.at(-1) ?? "");
  }
}

describe("the language of a page", () => {
  test.each<[lang: string | null, sent: string | null, accepted: string | null, shown: string]>([
    [null, null, null, "en"],
    ["de", null, "ar", "de"],
    ["DE-ch", "ar", "ar", "de"],
    ["fr", "ar", "de", "ar"],
    ["", "", "de;q=0.1, ar", "ar"],
    ["de&lang=ar", null, null, "ar"],
    ["de&lang=", "ar", "de", "ar"],
    ["*", null, "*, de;q=0.5", "de"],
    ["fr", "fr", "fr, nl;q=0.9", "en"],
    [null, null, "ar;q=0, de-AT-x-y;q=0.3, de;q=2", "de"],
    [null, null, `${"fr,".repeat(60)}de`, "en"],
    [`de${"-x".repeat(500)}`, null, ";;;,q=1,,de;Q=0.5", "de"],
    ["constructor", "%00", "__proto__", "en"],
  ])(
    "?lang=%s, of the page that was sent %s, Accept-Language %s: %s",
    async (lang, sent, accepted, shown) => {
      const form = await inLanguages([name]);
      const path = pathOf(form) + (lang === null ? "" : `?lang=${lang}`);
      const headers: Record<string, string> = { accept: "text/html", "accept-language": accepted ?? "" };
      const page =
        sent === null
          ? await get(path, headers)
          : await post(path, { name: "", "formd.language": sent }, headers);
      expect([langOf(page), page.headers.get("content-language")]).toEqual([shown, shown]);
    },
  );

  test("of Accept-Language is the one with the greatest weight, whatever stands around it", async () => {
    const form = await inLanguages([name]);
    const range = fc.tuple(
      fc.constantFrom("en", "de", "ar", "ja", "de-AT", "AR-eg", "fr", "xx-de", "*", ""),
      fc.integer({ min: 0, max: 1000 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(range, { selector: ([, weight]) => weight, maxLength: 9 }),
        async (given) => {
          const header = given.map(([tag, weight]) => `${tag} ; q=${(weight / 1000).toFixed(3)}`).join(",");
          const [best] = given
            .filter(([tag, weight]) => weight > 0 && languages.includes(tag.slice(0, 2).toLowerCase()))
            .toSorted(([, a], [, b]) => b - a);
          const page = await get(form, { accept: "text/html", "accept-language": header });
          expect(langOf(page)).toBe(best?.[0].slice(0, 2).toLowerCase() ?? "en");
        },
      ),
      { numRuns: generatedCases(400) },
    );
  });

  test("is that of the visit on each page that follows, of problems too, and in the link to send another", async () => {
    const form = await inLanguages([name]);
    const page = await get(`${pathOf(form)}?lang=de`);
    const refused = await send(page, { name: "" });
    expect([refused.status, langOf(refused)]).toEqual([422, "de"]);
    expect(refused.text).toContain("Ihr Name");
    const done = await send(refused, { name: "Ada" });
    const sent = await get(done.headers.get("location") ?? "");
    expect([langOf(sent), sent.headers.get("content-language")]).toEqual(["de", "de"]);
    expect(sent.text).toContain(`href="${pathOf(form)}?lang=de"`);
    await archive(form);
    const gone = await send(page, { name: "Ada" });
    expect([gone.status, langOf(gone)]).toEqual([410, "de"]);
  });

  test("of the thanks is that of a post, and of a form without languages none, whatever its fields are", async () => {
    const form = await inLanguages([name]);
    const sent = await post(form, { name: "Ada", "formd.language": "de" });
    expect(langOf(await get(sent.headers.get("location") ?? ""))).toBe("de");
    const lang = { id: "lang", type: "hidden", label: "Lang", prefill: true };
    const plain = await published([name, lang]);
    const { headers } = await send(await get(`${pathOf(plain)}?lang=xx`), { name: "Ada" });
    expect(headers.get("location")).not.toContain("lang");
    expect(await stored(plain)).toEqual([{ name: "Ada", lang: "xx" }]);
  });

  test("is stored with a submission from the page, if the form has it, and with no other", async () => {
    const form = await inLanguages([name]);
    await send(await get(`${pathOf(form)}?lang=de-AT`), { name: "a" });
    await post(form, { name: "b", "formd.language": "fr" });
    await post(form, { name: "c" }, { accept: "application/json" });
    const plain = await published([name]);
    await send(await get(`${pathOf(plain)}?lang=de`), { name: "d" });
    const rows = await sql`select data ->> 'name' as name, metadata -> 'language' as language
      from formd.submissions where form_id in (${form.id}, ${plain.id}) order by 1`;
    expect(rows.map(({ name, language }) => [name, language])).toEqual([
      ["a", "de"],
      ["b", null],
      ["c", null],
      ["d", null],
    ]);
  });
});

describe("the page of a problem", () => {
  test.each<[lang: string | null, accepted: string, shown: string]>([
    [null, "fr-CA, en;q=0.5", "fr"],
    ["ar", "de", "ar"],
    ["ja", "uk;q=0.5, pl;q=0.9", "pl"],
    ["DE-ch", "fr", "de"],
    [null, "ja, *", "en"],
  ])("of an unknown form is in the reader's language: ?lang=%s, %s: %s", async (lang, accepted, shown) => {
    const query = lang === null ? "" : `?lang=${lang}`;
    const headers = { accept: "text/html", "accept-language": accepted };
    const unknown = pathOf({ id: crypto.randomUUID() });
    for (const path of [unknown, "/f/no-such-alias", "/f/%00"]) {
      const page = await get(path + query, headers);
      expect([path, page.status, langOf(page)]).toEqual([path, 404, shown]);
    }
    expect(langOf(await post(unknown + query, { name: "Ada" }, headers))).toBe(shown);
  });

  test("of a form without a language is in English or German, as the form is in one", async () => {
    const form = await published([name]);
    await archive(form);
    for (const [accepted, shown] of [
      ["fr, de;q=0.5", "de"],
      ["fr", "en"],
    ] as const) {
      const page = await get(form, { accept: "text/html", "accept-language": accepted });
      expect([page.status, langOf(page)]).toEqual([410, shown]);
    }
  });

  test("of a form that is full or offline has the owner's words in the language, or marks them", async () => {
    const texts = { fullText: "Full.", offlineText: "Away." };
    const translations = { de: { fullText: "Voll.", offlineText: "Weg." } };
    const full = await inLanguages(
      [name],
      { ...texts, translations },
      { availability: { maxSubmissions: 1 } },
    );
    await send(await get(full), { name: "Ada" });
    const offline = await inLanguages([name], { ...texts, translations });
    await sql`update formd.forms set settings_in_force = jsonb_set(settings_in_force, '{page,enabled}', 'false')
      where id = ${offline.id}`;
    for (const [form, status, german, english] of [
      [full, 403, "Voll.", "Full."],
      [offline, 404, "Weg.", "Away."],
    ] as const) {
      const page = await get(`${pathOf(form)}?lang=de`);
      expect([page.status, langOf(page), page.headers.get("content-language")]).toEqual([status, "de", "de"]);
      expect(page.text).toContain(`<p dir="auto">${german}</p>`);
      const arabic = await get(`${pathOf(form)}?lang=ar`);
      expect(arabic.text).toMatch(/<html lang="ar" dir="rtl"/);
      expect(arabic.text).toContain(`<p dir="ltr" lang="en">${english}</p>`);
    }
  });
});

test("a language that a form does not have is not one of a post either", async () => {
  const form = await inLanguages([{ id: "n", type: "number", label: "N" }]);
  const sendIn = (language: string) =>
    post(`${pathOf(form)}?lang=de`, { n: "1.234", "formd.language": language });
  for (const language of ["de-CH", "fr", "", "\0"]) expect((await sendIn(language)).status).toBe(303);
  expect(await stored(form)).toEqual(Array.from({ length: 4 }, () => ({ n: 1234 })));
});

describe("a button of another language", () => {
  test("keeps every value of every type, checks nothing, and the same data are stored", async () => {
    const form = await inLanguages(everyType);
    await send(await get(form), pairs);
    let page = await get(form);
    let values: [string, string][] = pairs;
    for (const tag of ["de", "ar", "ja", "de"]) {
      page = await switchTo(app, page, tag, values);
      expect([page.status, langOf(page), page.text.includes('id="summary"')]).toEqual([200, tag, false]);
      values = controlsIn(page.text);
    }
    const shown = new Map(values);
    expect([shown.get("amount"), shown.get("people")]).toEqual(["1234,5", "12345"]);
    expect((await send({ ...page, hidden: [] }, values)).status).toBe(303);
    const [direct, switched, ...others] = await stored(form);
    expect([switched, others]).toEqual([direct, []]);
    expect(Object.keys(direct ?? {})).toHaveLength(everyType.length);
  });

  test("keeps what is wrong as it was entered", async () => {
    const form = await inLanguages(everyType);
    const wrong = { amount: "many", day: "soon", email: "no" };
    const page = await switchTo(app, await get(form), "de", Object.entries(wrong));
    expect(page.status).toBe(200);
    expect(Object.fromEntries(controlsIn(page.text))).toMatchObject(wrong);
  });

  test("asks about a day or number that can mean two, through any languages", async () => {
    const tags = ["en", "de", "fr", "ar"];
    const form = await published(
      [
        { id: "day", type: "date", label: "Day" },
        { id: "people", type: "integer", label: "People" },
      ],
      {},
      { languages: tags },
    );
    const month = fc.integer({ min: 1, max: 12 });
    const doubtful = fc.oneof(
      fc
        .tuple(month, month)
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => ["day", `${a}/${b}/2026`] as const),
      fc.integer({ min: 1, max: 99 }).map((count) => ["people", `${count}.000`] as const),
    );
    const path = fc.array(fc.constantFrom(...tags.slice(1)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(doubtful, path, async (typed, path) => {
        let page = await get(form);
        let values: [string, string][] = [[...typed]];
        for (const tag of path.filter((tag, index) => tag !== path[index - 1])) {
          page = await switchTo(app, page, tag, values);
          values = controlsIn(page.text);
        }
        const refused = await send({ ...page, hidden: [] }, values);
        expect([refused.status, typed, path]).toEqual([422, typed, path]);
      }),
      { numRuns: generatedCases(200) },
    );
    expect(await stored(form)).toEqual([]);
  });

  test("asks about a number that can mean two, also where the next language would read one of them", async () => {
    const form = await inLanguages([{ id: "people", type: "integer", label: "People" }]);
    const page = await switchTo(app, await get(form), "de", [["people", "1.000"]]);
    const refused = await send({ ...page, hidden: [] }, controlsIn(page.text));
    expect([refused.status, langOf(refused)]).toEqual([422, "de"]);
    expect(refused.text).toContain("Meinen Sie 1 oder 1.000? Geben Sie es so ein.");
    const back = await switchTo(app, refused, "en", controlsIn(refused.text));
    expect(new Map(controlsIn(back.text)).get("people")).toBe("1 | 1.000");
    expect((await send(refused, { people: "1.000" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ people: 1000 }]);
  });

  test("is on every step and the values to check, with what other steps have", async () => {
    const step = (id: string) => ({ id, type: "page_break", label: id, ...german(`Schritt ${id}`) });
    const form = await inLanguages(
      [
        name,
        { id: "amount", type: "number", label: "Amount" },
        step("two"),
        { id: "day", type: "date", label: "Day", ...german("Tag") },
        { id: "late", type: "text", label: "Late", showIf: "data.amount > 1000" },
        step("three"),
        { id: "note", type: "text", label: "Note" },
      ],
      { layout: "steps" },
    );
    let page = await send(await get(form), { name: "Ada", amount: "1,234.5" });
    page = await switchTo(app, page, "de", [
      ["day", "12 November 2026"],
      ["late", "x"],
    ]);
    expect(page.text).toContain("Schritt two");
    const values = new Map(controlsIn(page.text));
    expect([values.get("late"), values.get("formd.kept.amount")]).toEqual(["x", "1234,5"]);
    page = await send({ ...page, hidden: [] }, controlsIn(page.text));
    expect(page.text).toContain("Schritt three");
    page = await send(page, { note: "n" });
    expect([langOf(page), page.text.includes("Ihr Name")]).toEqual(["de", true]);
    page = await switchTo(app, page, "en");
    expect(page.text).toContain('<dd dir="auto">1,234.5</dd>');
    page = await switchTo(app, page, "de");
    expect((await send(page)).status).toBe(303);
    expect(await stored(form)).toEqual([
      { name: "Ada", amount: 1234.5, day: "2026-11-12", late: "x", note: "n" },
    ]);
  });

  test("is not the one that the Enter key presses, and is named in its own language", async () => {
    const { text } = await get(await inLanguages([name]));
    const [first = "", ...others] = text.match(/<button[^>]*>[^<]*/g) ?? [];
    expect(first).toBe('<button type="submit" form="form" hidden>');
    const switches = others.filter((button) => button.includes("formd.switch"));
    expect(switches.map((button) => /lang="(\w+)" dir="(\w+)">(.*)/.exec(button)?.slice(1))).toEqual([
      ["de", "ltr", "Deutsch"],
      ["ar", "rtl", "العربية"],
      ["ja", "ltr", "日本語"],
    ]);
    expect(text).toContain('<span lang="en" dir="ltr" aria-current="true">English</span>');
    expect((await get(await published([name], {}, { languages: ["de"] }))).text).not.toContain(
      "formd.switch",
    );
  });

  test("keeps values whose signature is right, and no others", async () => {
    const form = await inLanguages(
      [name, { id: "b", type: "page_break", label: "B" }, { ...name, id: "x" }],
      {
        layout: "steps",
      },
    );
    const page = await send(await get(form), { name: "Ada" });
    const hidden = page.hidden.map(([key, value]): [string, string] => [
      key,
      key === "formd.kept.name" ? "Eve" : value,
    ]);
    expect((await switchTo(app, { ...page, hidden }, "de")).status).toBe(400);
  });
});

describe("a new version", () => {
  test("without the language of a page shows it in the first, as it was entered, with what has changed", async () => {
    const form = await inLanguages([name, { id: "n", type: "number", label: "N" }]);
    const page = await get(`${pathOf(form)}?lang=de`);
    await republish(form, [
      { op: "setMeta", settings: { languages: ["en"] } },
      { op: "addField", field: { id: "extra", type: "text", label: "Extra" } },
    ]);
    const changed = await send(page, { name: "Ada", n: "1.234,5" });
    expect([changed.status, langOf(changed)]).toEqual([409, "en"]);
    expect(Object.fromEntries(controlsIn(changed.text))).toMatchObject({ name: "Ada", n: "1234.5" });
    expect(changed.text.match(/class="changed"/g)).toHaveLength(1);
    expect((await send({ ...changed, hidden: [] }, controlsIn(changed.text))).status).toBe(303);
    expect(await stored(form)).toEqual([{ name: "Ada", n: 1234.5 }]);
  });

  test("without any language of a page shows its numbers as they were meant", async () => {
    const form = await published(
      [name, { id: "n", type: "number", label: "N" }],
      {},
      { languages: ["de-CH"] },
    );
    const page = await get(form);
    await republish(form, [{ op: "setMeta", settings: { languages: ["de"] } }]);
    const changed = await send(page, { name: "Ada", n: "1.234" });
    expect([changed.status, new Map(controlsIn(changed.text)).get("n")]).toEqual([409, "1,234"]);
  });

  test("that changes texts of another language marks no question", async () => {
    const form = await inLanguages([name, { id: "n", type: "number", label: "N" }]);
    const [english, inGerman] = [await get(form), await get(`${pathOf(form)}?lang=de`)];
    await republish(form, [{ op: "updateField", fieldId: "name", set: german("Name, bitte") }]);
    expect((await send(english, { name: "Ada" })).text).not.toContain('class="changed"');
    expect((await send(inGerman, { name: "Ada" })).text.match(/class="changed"/g)).toHaveLength(1);
  });

  test("with another first language, and the same texts in each, marks no question", async () => {
    const options = ["s", { value: "l", label: "Large" }];
    const size = { ...german("Größe", { options: { s: "klein", l: "groß" } }), options };
    const form = await inLanguages([name, { id: "size", type: "select", label: "Size", ...size }]);
    const before = [await get(form), await get(`${pathOf(form)}?lang=de`)];
    const swapped = [
      ["name", "Ihr Name", { label: "Name" }],
      ["size", "Größe", { label: "Size", options: { s: "s", l: "Large" } }],
    ] as const;
    await republish(form, [
      { op: "setMeta", settings: { languages: ["de", "en", "ar", "ja"] } },
      ...swapped.map(([fieldId, label, en]) => ({
        ...{ op: "updateField", fieldId },
        set: {
          ...{ label, translations: { en } },
          ...(fieldId === "size" && {
            options: [
              { label: "klein", value: "s" },
              { label: "groß", value: "l" },
            ],
          }),
        },
      })),
    ]);
    for (const page of before) {
      const next = await send(page, { name: "Ada", size: "s" });
      expect([next.status, next.text.match(/class="changed"/g)]).toEqual([409, null]);
    }
  });
});

describe("texts", () => {
  test("of the page that are no such texts are none, and act as soon as they are saved", async () => {
    const form = await inLanguages([name], { title: "T", introduction: "I", submitLabel: "S" });
    const de = { title: "x".repeat(60_000), introduction: ["x"], submitLabel: "Los", thankYou: { x: 1 } };
    await sql`select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${sql.json([
      { op: "setMeta", settings: { page: { translations: { de, ar: de, ja: { title: 1 } } } } },
    ])}, null, null)`;
    const page = await get(`${pathOf(form)}?lang=de`);
    expect(page.text).toContain('<h1 class="form-title" dir="ltr" lang="en">T</h1>');
    expect([page.text.includes("xxx"), page.text.includes("Los</button>")]).toEqual([false, true]);
  });

  test("of the page change places at once, and the page shows each in its language, before and after", async () => {
    const form = await inLanguages([name], { title: "Title", translations: { de: { title: "Titel" } } });
    const titles = async () =>
      await Promise.all(
        ["en", "de"].map(async (lang) => {
          const { text } = await get(`${pathOf(form)}?lang=${lang}`);
          return /<h1[^>]*>[^<]*/.exec(text)?.[0];
        }),
      );
    const before = await titles();
    expect(before).toEqual(["Title", "Titel"].map((title) => `<h1 class="form-title" dir="auto">${title}`));
    const page = { title: "Titel", translations: { en: { title: "Title" }, de: null } };
    await sql`select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${form.id}, ${sql.json([
      { op: "setMeta", settings: { languages: ["de", "en", "ar", "ja"], page } },
    ])}, null, null)`;
    expect(await titles()).toEqual(before);
    await republish(form, [{ op: "setMeta", settings: { languages: ["de", "en", "ar"] } }]);
    expect(await titles()).toEqual(before);
  });

  test("without a translation are in the first language, and say so", async () => {
    const form = await inLanguages(
      [
        name,
        { id: "note", type: "text", label: "Note", description: "Short.", placeholder: "Any" },
        {
          id: "size",
          type: "select",
          label: "Size",
          options: ["s", "l"],
          ...german("Größe", { options: { s: "klein" } }),
        },
      ],
      {
        title: "Title",
        introduction: "Welcome.",
        submitLabel: "Go",
        translations: { de: { title: "Titel", introduction: " " } },
      },
    );
    const { text } = await get(`${pathOf(form)}?lang=de`);
    const english = 'lang="en" dir="ltr"';
    expect(text).toContain('<h1 class="form-title" dir="auto">Titel</h1>');
    expect(text).toContain('<p dir="ltr" lang="en">Welcome.</p>');
    expect(text).toContain(`<button type="submit" ${english}>Go</button>`);
    expect(text).toContain(`<span ${english}>Note</span>`);
    expect(text).toContain(`<span ${english}>Short.</span>`);
    expect(text).toMatch(/<input[^>]* placeholder="Any" lang="en"/);
    expect(text).toContain('dir="ltr" lang="en">l</label>');
    expect(text).toMatch(/dir="auto">klein<\/label>/);
    // Nothing is marked, or read out, for a text that the field does not have.
    expect(text).not.toMatch(/<(span|p)\b[^>]*><\/\1>/);
    expect(text.match(/ aria-describedby="[^"]*"/g)).toEqual([' aria-describedby="note-hint"']);
    expect(text).toMatch(/dir="auto">Ihr Name<\/label>/);
    expect((await get(form)).text).not.toMatch(/<(?:h1|p|span class|label)[^>]* lang=/);
  });

  test("of messages, of places that are left, and of values are marked, and no words beside them", async () => {
    const choices = ["s", "l"].map((value) => ({ value, label: `Own ${value}`, limit: 2 }));
    const [rows, columns] = ["r", "c"].map((id) => [{ value: id, label: `Own ${id}` }]);
    const form = await inLanguages(
      [
        { id: "b", type: "text", label: "Own b", required: true },
        {
          id: "t",
          type: "text",
          label: "T",
          rules: [{ rule: "data.t != 'x'", message: "Own rule" }],
          ...german("Tee"),
        },
        { id: "one", type: "select", label: "Own one", options: choices },
        { id: "many", type: "multi_select", label: "Own many", options: choices, allowOther: true },
        { id: "order", type: "ranking", label: "Own order", options: ["Own 1", "Own 2"] },
        { id: "grid", type: "matrix", label: "Own grid", rows, columns },
        { id: "size", type: "select", compute: "data.one", label: "Own size", options: choices },
        { id: "end", type: "page_break", label: "Own end" },
        { ...name, required: false },
      ],
      { title: "T", layout: "steps", translations: { de: { title: "Titel" } } },
    );
    const own = (text: string) =>
      [...runsIn(text)].filter(
        ({ lang, text }) => text !== "English" && (lang === "en" || text.includes("Own")),
      );
    const values = { t: "y", b: "B", one: "s", "grid.r": "c" };
    const lists = [
      ["many", "s"],
      ["many", "l"],
      ["many.other", "Owl"],
      ["order", "Own 2"],
      ["order", "Own 1"],
    ] as const;
    const sending = (page: Page, more: object = {}) =>
      send(page, [...Object.entries({ ...values, ...more }), ...lists] as [string, string][]);
    const first = await get(`${pathOf(form)}?lang=de`);
    const refused = await sending(first, { b: "", t: "x" });
    const second = await sending(refused);
    const check = await send(second, {});
    const sent = await get((await send(check, {})).headers.get("location") ?? "");
    const left = await get(`${pathOf(form)}?lang=de`);
    await send(await send(await sending(left), {}), {});
    const full = await get(`${pathOf(form)}?lang=de`);
    for (const { text } of [first, refused, second, check, sent, left, full])
      for (const run of own(text))
        expect(run).toEqual({ lang: "en", text: expect.stringMatching(/^Own \w+$/) });
    const shown = (page: Page) => own(page.text).map(({ text }) => text);
    expect(shown(refused).slice(0, 2)).toEqual(["Own b", "Own rule"]);
    for (const page of [check, sent])
      expect(shown(page)).toEqual(
        expect.arrayContaining(["Own s", "Own l", "Own 2", "Own 1", "Own r", "Own c"]),
      );
    expect(left.text).toContain('<span lang="en" dir="ltr">Own s</span> (noch 1 Platz)');
    expect(full.text).toContain('<span lang="en" dir="ltr">Own s</span> (ausgebucht)');
  });

  test("of a language without words of formd are marked, beside the words, which are English", async () => {
    const form = await inLanguages([{ ...name, translations: { ja: { label: "名前" } } }], { title: "T" });
    const { text } = await get(`${pathOf(form)}?lang=ja`);
    expect(text).toContain('<html lang="ja" dir="ltr"');
    expect(text).toContain('<body lang="en">');
    expect(text).toContain('<span lang="ja" dir="ltr">名前</span>');
    expect(text).toContain('<h1 class="form-title" dir="auto">T</h1>');
  });

  test("that Intl writes are marked beside words of formd in another language, and only these", async () => {
    const kinds = ["address", "date", "time", "datetime", "number"];
    const form = await inLanguages(
      [
        ...kinds.map((type) => ({ id: type, type, label: "L" })),
        { id: "end", type: "page_break", label: "L" },
        { id: "text", type: "text", label: "L" },
      ],
      { title: "T", layout: "steps" },
    );
    const values = {
      ...{ "address.city": "Bonn", "address.country": "DE", "address.line1": "1 Street", date: "2026-11-12" },
      ...{ time: "14:30", "datetime.local": "2026-11-12T09:15", "datetime.zone": "Z", number: "12345" },
    };
    const walk = async (lang: string) => {
      const first = await get(`${pathOf(form)}?lang=${lang}`);
      const check = await send(await send(first, values), { text: "Own" });
      return [first, check, await get((await send(check, {})).headers.get("location") ?? "")] as const;
    };
    const marked = ({ text }: Page) =>
      [...runsIn(text)]
        .filter(({ lang, text }) => lang === "ja" && text !== "日本語")
        .map(({ text }) => text);
    const [first, check, sent] = await walk("ja");
    expect(first.text).toContain('<option value="DE" lang="ja" dir="ltr">ドイツ</option>');
    expect(first.text).not.toMatch(/<option value="" [^>]*lang=/);
    const shown = ["ドイツ", "2026年11月12日", "2026年11月12日 9:15 UTC", "12,345"];
    expect(marked(check)).toEqual(shown);
    expect(marked(sent)).toEqual([expect.stringMatching(/^20\d\d年.*UTC$/), ...shown]);
    // Marks of the page, and of the language among the buttons of the others.
    const german = (await walk("de")).map(({ text }) => text.match(/<[^>]* lang="de" dir=/g)?.length);
    expect(german).toEqual([2, 2, 1]);
  });

  test("of the owner for a rule, a closed form and the thanks come in the language", async () => {
    const rule = { rule: "data.name != 'x'", message: "Not x." };
    const form = await inLanguages(
      [{ ...name, rules: [rule], ...german("Name", { messages: ["Nicht x."] }) }],
      { thankYou: "Thanks!", translations: { de: { thankYou: "Danke!", closedText: "Zu." } } },
    );
    const page = await get(`${pathOf(form)}?lang=de`);
    const refused = await send(page, { name: "x" });
    expect([refused.text.includes("Nicht x."), refused.text.includes("Not x.")]).toEqual([true, false]);
    const sent = await get((await send(refused, { name: "y" })).headers.get("location") ?? "");
    expect(sent.text).toContain('<p dir="auto">Danke!</p>');
    const closed = await inLanguages(
      [name],
      { closedText: "Shut.", translations: { de: { closedText: "Zu." } } },
      {
        availability: { closesAt: "2020-01-01T00:00:00Z" },
      },
    );
    const shut = await get(`${pathOf(closed)}?lang=de`);
    expect([shut.status, langOf(shut), shut.text.includes('<p dir="auto">Zu.</p>')]).toEqual([
      403,
      "de",
      true,
    ]);
  });
});

test("prefilled values, a frame, an alias and a language go together, from page to page", async () => {
  const alias = `languages-${team.id.slice(-12)}`;
  const source = { id: "source", type: "hidden", label: "Source", prefill: true };
  const form = await inLanguages(
    [{ ...name, prefill: true }, { id: "n", type: "number", label: "N" }, source],
    {
      alias,
    },
  );
  let page = await get(`/f/${alias}?embed&lang=de&name=Ada&source=mail&n=1`);
  expect([langOf(page), new Map(controlsIn(page.text)).get("name")]).toEqual(["de", "Ada"]);
  expect(page.action).toBe(`/f/${alias}?embed&source=mail&lang=de&send`);
  expect(page.text).not.toContain("hreflang");
  page = await switchTo(app, page, "ar", controlsIn(page.text));
  const sent = await send({ ...page, hidden: [] }, controlsIn(page.text));
  const location = sent.headers.get("location") ?? "";
  expect(location).toMatch(/&lang=ar&embed$/);
  const thanks = await get(location);
  expect([langOf(thanks), thanks.text.includes(`href="/f/${alias}?embed&amp;lang=ar"`)]).toEqual([
    "ar",
    true,
  ]);
  expect(await stored(form)).toEqual([{ name: "Ada", source: "mail" }]);
});

test("a text of the page is the plain one in the first language, and is translated without one too", async () => {
  const translations = {
    en: { title: "Not this" },
    de: { title: "Titel", introduction: "Allein", submitLabel: "Los" },
  };
  const form = await inLanguages([name], { title: "Title", submitLabel: "Go", translations });
  await sql`update formd.forms set settings_in_force = jsonb_set(settings_in_force,
    '{page,translations,de,submitLabel}', to_jsonb(repeat('b', 1000))) where id = ${form.id}`;
  const [english, german] = [await get(`${pathOf(form)}?lang=en`), await get(`${pathOf(form)}?lang=de`)];
  expect([english.text, german.text].map((text) => /<h1[^>]*>([^<]*)/.exec(text)?.[1])).toEqual([
    "Title",
    "Titel",
  ]);
  for (const right of [">Go<", "Allein"]) expect(german.text).toContain(right);
  expect([english.text.includes("Allein"), german.text.includes("bbb")]).toEqual([false, false]);
});

test("two languages have one limit", async () => {
  const form = await inLanguages([name], {}, { availability: { maxSubmissions: 2 } });
  for (const tag of ["de", "ar"])
    expect((await send(await get(`${pathOf(form)}?lang=${tag}`), { name: tag })).status).toBe(303);
  for (const tag of ["en", "de", "ar"]) {
    const full = await get(`${pathOf(form)}?lang=${tag}`);
    expect([full.status, langOf(full)]).toEqual([403, tag]);
  }
});

test("a program gets the texts in the language, which it names, without the others", async () => {
  const form = await inLanguages([name]);
  const json = { accept: "application/json" };
  const page = await get(`${pathOf(form)}?lang=de-CH`, json);
  const { form: shown, language, jsonSchema } = JSON.parse(page.text).data;
  expect([language, shown.schema.fields]).toEqual([
    "de",
    [{ id: "name", type: "text", label: "Ihr Name", required: true }],
  ]);
  expect(jsonSchema.properties.name.title).toBe("Ihr Name");
  expect(page.headers.get("vary")).toBe("accept, accept-language");
  expect(JSON.parse((await get(form, json)).text).data.jsonSchema.properties.name.title).toBe("Name");
});

test("a page names its address in each language, and that it depends on the reader's", async () => {
  const form = await inLanguages([name]);
  const { text, headers } = await get(form);
  const links = [...text.matchAll(/<link rel="alternate" hreflang="([^"]*)" href="([^"]*)"/g)];
  const address = new URL(links.at(-1)?.[2] ?? "");
  expect(address.pathname).toBe(pathOf(form));
  expect(links.map(([, tag, href]) => [tag, href?.slice(address.href.length)])).toEqual([
    ...languages.map((tag) => [tag, `?lang=${tag}`]),
    ["x-default", ""],
  ]);
  expect(headers.get("vary")).toBe("accept, accept-language");
});

test("a form without languages has nothing of them, also where texts of languages were kept", async () => {
  const form = await published(everyType, { language: "de", translations: { en: { title: "T" } } });
  const headers = { accept: "text/html", "accept-language": "en" };
  for (const page of [
    await get(`${pathOf(form)}?lang=en`, headers),
    await post(`${pathOf(form)}?lang=en`, { ...entered, email: "" }, headers),
  ]) {
    expect([langOf(page), page.headers.get("content-language")]).toEqual(["de", null]);
    expect([page.headers.get("vary"), page.action]).toEqual([
      page.status === 200 ? "accept" : null,
      `${pathOf(form)}?send`,
    ]);
    const marks = page.text.match(/ lang="[^"]*"|hreflang|formd\.switch|class="languages"|id="form"/g);
    expect(marks).toEqual([' lang="de"']);
  }
});

test("a form without languages takes no button of one, and its address none into the page after it", async () => {
  const form = await published([name], { layout: "steps" });
  const start = await get(form);
  const switched = await post(
    `${pathOf(form)}/steps`,
    new URLSearchParams([...start.hidden, ["formd.switch", "de"]]),
  );
  expect(switched.text).not.toContain("data-switched");
  const sent = await post(`${pathOf(form)}?lang=de`, { name: "Ada" });
  expect([sent.status, sent.headers.get("location")]).toEqual([303, expect.not.stringContaining("lang=")]);
});

test("three languages add at most 1 KB to a page, packed, in the languages with translations", async () => {
  const bare = Array.from({ length: 100 }, (_, index) => ({
    id: `f${index}`,
    type: "text",
    label: `Question ${index}`,
    ...german(`Frage ${index}`),
  }));
  for (const fields of [everyType, bare]) {
    const sizeOf = async (page: object, settings: object, lang: string) => {
      const { text } = await get(`${pathOf(await published(fields, page, settings))}?lang=${lang}`);
      return gzipSync(text).length;
    };
    for (const lang of ["en", "de"]) {
      const several = await sizeOf({}, { languages: ["en", "de", "ar"] }, lang);
      expect(several - (await sizeOf({ language: lang }, {}, lang))).toBeLessThanOrEqual(1024);
    }
  }
});
