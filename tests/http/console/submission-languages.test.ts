// stacks: one
/** The languages that submissions were filled in, in the console: filters, one submission, files. */
import { expect, test } from "bun:test";
import { ask, makeForm, type PublishedForm } from "../../setup.ts";
import { expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, team, editor, viewer, read } = await consoleFixture();

const fields = [
  { id: "name", type: "text", label: "Name", translations: { de: { label: "Vorname" } } },
  { id: "size", type: "select", label: "Size", options: ["m", "l"] },
];
const makeFormIn = (...languages: string[]) =>
  makeForm(app, team, fields, languages.length > 0 ? { settings: { languages } } : undefined);
const send = async (form: PublishedForm, name: string, language?: unknown): Promise<string> => {
  const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-api-key": team.key, "x-form-access-key": form.accessKey },
    body: { data: { name, size: "m" }, metadata: { language } },
  });
  return reply.body.data.id;
};
const namesOf = ({ html }: Shown) => [...html.matchAll(/<bdi>(P\d+)<\/bdi>/g)].map(([, name]) => name);
const optionsOf = ({ html }: Shown, name: string) => {
  const [, inner = ""] = new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, "s").exec(html) ?? [];
  return [...inner.matchAll(/<option value(?:="([^"]*)")?[^>]*>([^<]*)/g)].map(([, value = "", label]) => [
    value,
    label,
  ]);
};
/** Values that an agent can send. */
const odd = [
  12,
  { de: 1 },
  ["de"],
  null,
  "x".repeat(4096),
  "not a tag",
  "en-x-twain",
  "de-u-co-phonebk",
  "en-US-posix",
  "en-u-va-posix",
];

test("the list and the summary have a filter by the form's languages, which pages and files keep", async () => {
  const form = await makeFormIn("en", "de", "pt-BR");
  for (let n = 0; n < 60; n++) await send(form, `P${n}`, n % 2 ? "de" : "en");
  const list = await viewer.get(formPath(form, "/submissions"));
  const choices = [
    ["", "All"],
    ["en", "English"],
    ["de", "German"],
    ["pt-BR", "Brazilian Portuguese"],
  ];
  expect(optionsOf(list, "language")).toEqual(choices);
  const german = await viewer.get(formPath(form, "/submissions?language=de"));
  expect(textOf(german)).toContain("30 in total");
  expect(german.html).toMatch(/<option value="de" selected/);
  const first = namesOf(german);
  const [, next = ""] = /<a href="([^"]+)" rel="next"/.exec(german.html) ?? [];
  const second = namesOf(await viewer.get(next.replaceAll("&amp;", "&")));
  const expected = Array.from({ length: 30 }, (_, index) => `P${59 - index * 2}`);
  expect([...first, ...second]).toEqual(expected);
  const [, csv = ""] = /<a href="([^"]+format=csv)"/.exec(german.html) ?? [];
  const file = await viewer.get(csv.replaceAll("&amp;", "&"));
  expect(
    file.html
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(",")[0]),
  ).toEqual(expected);

  const answers = await viewer.get(formPath(form, "/answers"));
  expect([optionsOf(answers, "language"), textOf(answers)]).toEqual([
    choices,
    expect.stringContaining("60 submissions"),
  ]);
  const ofGerman = await viewer.get(formPath(form, "/answers?language=de"));
  expect(textOf(ofGerman)).toContain("Language: German. 30 submissions,");
  expect(ofGerman.html).toContain(`href="${formPath(form, "/submissions")}?value.size=m&amp;language=de"`);
  const none = await viewer.get(formPath(form, "/answers?language=pt-BR"));
  expect([optionsOf(none, "language"), textOf(none)]).toEqual([
    choices,
    expect.stringContaining("No submission matches."),
  ]);
});

test("all results in a language are deleted, and no others", async () => {
  const form = await makeFormIn("en", "de");
  for (const n of [0, 1, 2]) await send(form, `P${n}`, n % 2 ? "de" : "en");
  const path = formPath(form, "/submissions/delete?language=en");
  const question = await editor.get(path);
  expect(textOf(question)).toContain("Delete 2 submissions?");
  const [, until = ""] = /name="until" value="([^"]+)"/.exec(question.html) ?? [];
  expectRedirect(await editor.post(path, { left: "2", until }), formPath(form, "/submissions"));
  const { submissions } = await read(`/management/forms/${form.id}/submissions`);
  expect(submissions.map(({ data }: { data: { name: string } }) => data.name)).toEqual(["P1"]);
});

test("one submission says its language by name, in the console's language, if an agent sent a tag", async () => {
  const form = await makeFormIn("en", "de");
  const named = async (tag: unknown, headers = {}) => {
    const id = await send(form, "P1", tag);
    const shown = await viewer.get(formPath(form, `/submissions/${id}`), headers);
    expect(shown.status).toBe(200);
    return /<dt>(?:Language|Sprache)<\/dt>\s*<dd[^>]*>([^<]*)/.exec(shown.html)?.[1];
  };
  expect([await named("de"), await named("de", { "accept-language": "de" }), await named("fr")]).toEqual([
    "German",
    "Deutsch",
    "French",
  ]);
  const names = [...Array(6).fill(undefined), "English", "German", "en-US-posix", "en-u-va-posix"];
  for (const [index, language] of odd.entries())
    expect([language, await named(language)]).toEqual([language, names[index]]);
  for (const path of [
    "/submissions",
    "/answers",
    "/submissions?language=de-u-co-phonebk",
    "/submissions/export",
  ])
    expect([path, (await viewer.get(formPath(form, path))).status]).toEqual([path, 200]);
});

test("a form without languages has no filter by them, and shows none, whatever agents send", async () => {
  const form = await makeFormIn();
  const id = await send(form, "P1", "de");
  for (const path of ["/submissions", `/submissions/${id}`, "/answers"]) {
    const { html } = await viewer.get(formPath(form, path));
    expect([path, /name="(?:language|lang)"|<dt>Language/.test(html)]).toEqual([path, false]);
  }
  expect(textOf(await viewer.get(formPath(form, "/submissions?language=de")))).toContain("1 in total");
});

test("a filter by language that is too long is refused on the list, the summary and the file", async () => {
  const form = await makeFormIn("en", "de");
  for (const path of ["/submissions", "/answers", "/submissions/export", "/submissions/delete"]) {
    const { status } = await editor.get(formPath(form, `${path}?language=${"x".repeat(36)}`));
    expect([path, status]).toEqual([path, 400]);
  }
});

test("a file has its questions in a language of the form, which the options of the export offer", async () => {
  const form = await makeFormIn("en", "de");
  await send(form, "P1", "de");
  const list = await viewer.get(formPath(form, "/submissions?language=de"));
  expect(optionsOf(list, "lang")).toEqual([
    ["en", "English"],
    ["de", "German"],
  ]);
  const csv = await viewer.get(formPath(form, "/submissions/export?format=csv&language=de&lang=de"));
  expect(csv.html.replace("\ufeff", "")).toStartWith("Vorname,Size,");
});
