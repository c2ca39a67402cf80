/** The words of the console: each in each language, looked up in the reader's language. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Type } from "arktype";
import { formFaults } from "../../src/fields/clauses.ts";
import { parseFields } from "../../src/fields/definition.ts";
import { fieldTypes, rulesOf } from "../../src/fields/types.ts";
import { messages, sentenceIn } from "../../src/messages.ts";
import { AuditFilter } from "../../src/pages/console/audit/audit.tsx";
import { auditEnglish } from "../../src/pages/console/audit/words.en.ts";
import { changeSentence } from "../../src/pages/console/form/changes.ts";
import { issueSentence, issuesOf, ruleLabel, typeLabel } from "../../src/pages/console/form/issues.ts";
import { formText } from "../../src/pages/console/form/words.ts";
import { frameText } from "../../src/pages/console/frame/words.ts";
import { conditionSentence } from "../../src/pages/console/questions/condition-text.ts";
import { SubmissionsQuery } from "../../src/pages/console/submissions/filters.tsx";
import { inLanguageOf, type Language, language, setLanguage } from "../../src/pages/ui/language.ts";
import { assertShape } from "../../src/platform/http/body.ts";
import type { Problem } from "../../src/problem.ts";
import { changedTexts, changesOf } from "../../src/resources/forms/form-changes.ts";

const consolePath = join(import.meta.dir, "../../src/pages/console");
const rooms = readdirSync(consolePath, { withFileTypes: true }).filter((entry) => entry.isDirectory());
/** The words of each room, by its name. */
const text: object = Object.fromEntries(
  await Promise.all(
    rooms.map(async ({ name }) => [
      name,
      Object.values(await import(join(consolePath, name, "words.ts")))[0],
    ]),
  ),
);

type Word = string | ((...given: never[]) => string);

/** The words of a group by their path, as the reader of a language gets them. */
const wordsIn = (of: Language): Map<string, Word> =>
  inLanguageOf(new Request("http://localhost", { headers: { "accept-language": of } }), () => {
    const found = new Map<string, Word>();
    const walk = (group: object, path: string) => {
      for (const [name, word] of Object.entries(group))
        if (typeof word === "object") walk(word, `${path}${name}.`);
        else found.set(path + name, word);
    };
    walk(text, "");
    return found;
  });

/** Words that are the same in both languages. */
const same = new Set([
  ..."Admin Agent Audit CSV Code Details Domains Excel Export Filter JSON Id Logo Mail Mails Median".split(
    " ",
  ),
  ..."Name Offline Online Passkeys Region Person optional person Signature-Input Status System Team".split(
    " ",
  ),
  ...["Link", "PDF", "Text", "URL", "Version", "Webhooks", "formd", "–"],
]);

test("no word of one language is left in the other, except words of both", () => {
  const [english, german] = [wordsIn("en"), wordsIn("de")];
  expect([...german.keys()]).toEqual([...english.keys()]);
  const left = [...english].filter(
    ([path, word]) => typeof word === "string" && word === german.get(path) && !same.has(word),
  );
  expect(left.map(([path, word]) => `${path}: ${word}`)).toEqual([]);
});

test("no German word is of the familiar form, or has the quotation marks of English", () => {
  for (const [path, word] of wordsIn("de")) {
    const said = typeof word === "string" ? word : word.toString();
    expect([path, /\b(?:du|dein\w*|dir|dich|euch|euer\w*)\b/i.test(said)]).toEqual([path, false]);
    expect([path, /[“][^„”“]*”|(?<!„[^“]*)“/.test(said)]).toEqual([path, false]);
  }
});

test("each event that a SQL function records has its word, and no other has", () => {
  const kinds = Object.keys(auditEnglish.audit.kinds);
  const objects = new Set(kinds.map((kind) => kind.split(".")[0]));
  const directory = join(import.meta.dir, "../../sql");
  const sources = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
  const named = sources.flatMap((source) =>
    [...source.matchAll(/'(([a-z_]+)\.[a-z_]+)'/g)].flatMap(([, kind, object]) =>
      objects.has(object) ? (kind ?? []) : [],
    ),
  );
  const ofWebhooksAlone = ["submission.created", "submission.updated", "webhook.test"];
  expect(new Set(named)).toEqual(new Set([...kinds, ...ofWebhooksAlone]));
});

test("each error that a person can cause has a sentence in each language, without a name of the API", () => {
  const long = "x".repeat(5_000);
  const entered: [Type, object, english: string, german: string][] = [
    [SubmissionsQuery, { q: long }, "The search may have at most 200", "Die Suche darf höchstens 200"],
    [AuditFilter, { formId: "x" }, "An id is", "Eine Id besteht"],
  ];
  const problemOf = (shape: Type, value: object): Problem => {
    try {
      assertShape(value, shape, "bad_request");
    } catch (error) {
      return error as Problem;
    }
    throw new Error("The shape takes it.");
  };
  for (const [shape, value, english, german] of entered)
    for (const [language, said] of Object.entries({ en: english, de: german }))
      inLanguageOf(new Request("http://localhost", { headers: { "accept-language": language } }), () =>
        expect(frameText.errors.sentence(problemOf(shape, value))).toStartWith(said),
      );
  inLanguageOf(new Request("http://localhost", { headers: { "accept-language": "de" } }), () =>
    expect(frameText.errors.sentence(problemOf(SubmissionsQuery, { back: "0" }))).toBe(
      "Diese Anfrage ist hier nicht gültig.",
    ),
  );
});

/** Calls a test in a language of the reader. */
const inLanguage = (of: Language, act: () => void) =>
  inLanguageOf(new Request("http://localhost", { headers: { "accept-language": of } }), act);

test("a change of a question names types, rules and members as people do", () => {
  const before = [
    { id: "a", type: "text", label: "Name", validation: { minLength: 2 } },
    { id: "b", type: "address", label: "Anschrift", help: "Wo?" },
    { id: "c", type: "text", label: "Zahl" },
    { id: "d", type: "select", label: "Wahl", options: ["x"], agentHint: "ask" },
    { id: "e", type: "date", label: "Tag" },
  ];
  const after = [
    { ...before[0], validation: { minLength: 3, pattern: "x" } },
    { ...before[1], help: "Wohin?", validation: { requiredParts: ["city", "postalCode"] } },
    { ...before[2], type: "integer" },
    { ...before[3], validation: { allowOther: true }, agentHint: "tell" },
    { ...before[4], validation: { minimum: "2026-01-01" } },
  ];
  const types = new Map(parseFields({ fields: after }).map(({ id, type }) => [id, type]));
  inLanguage("de", () =>
    expect(
      changesOf({ fields: before }, { fields: after }).map((change) =>
        changeSentence(change, types.get(change.field) ?? ""),
      ),
    ).toEqual([
      "„Mindestens … Zeichen“: 2 → 3",
      "„Muster“: nichts → „x“",
      "„Teile, die ausgefüllt sein müssen“: nichts → Ort, Postleitzahl",
      "„Hilfe unter der Frage“: „Wo?“ → „Wohin?“",
      "ändert seine Art von Kurzer Text zu Ganze Zahl",
      "„Andere Antworten erlauben“: nichts → Ja",
      "„Hinweis für Agenten“: „ask“ → „tell“",
      "„Frühestens“: nichts → „2026-01-01“",
    ]),
  );
});

test("each type, rule and member that a change can name has a label", () => {
  const members = Object.keys(fieldTypes).flatMap((type) => {
    const rules = rulesOf(type as keyof typeof fieldTypes).map(({ name }) => [name, type]);
    return [...rules, ...changedTexts.map((name) => [name, type])];
  });
  for (const of of ["en", "de"] as const)
    inLanguage(of, () => {
      const without = members.filter(([name = "", type = ""]) => ruleLabel(name, type) === undefined);
      expect(without).toEqual([]);
      expect(Object.keys(fieldTypes).filter((type) => typeLabel(type) === type)).toEqual([]);
    });
});

test("an issue of a draft is in the reader's language, with names that people do not know in quotation marks", () => {
  const issues = (fields: readonly unknown[]) =>
    issuesOf({ fields }).map((issue) => issueSentence(issue, "text"));
  const field = { id: "a", type: "text", label: "A" };
  inLanguage("de", () => {
    expect(
      issues([
        { ...field, limit: 3, validation: { foo: 1 } },
        { ...field, id: "b", validation: { label: "x" }, description: 3 },
        "x",
        { type: "text", label: " " },
      ]),
    ).toEqual([
      "„limit“ gibt es in dieser Version von formd nicht.",
      "„foo“ gibt es bei dieser Art von Frage nicht: möglich sind minLength, maxLength, pattern.",
      "„Beschreibung“ muss Text sein.",
      "„Frage“ gehört neben „validation“, nicht hinein.",
      "Frage 3 muss ein Objekt sein.",
      "Frage 4: „Name für Programme“ muss 1 bis 128 Zeichen haben.",
      "Frage 4: Geben Sie die Frage ein.",
    ]);
    for (const key of Object.keys(formFaults) as (keyof typeof formFaults)[]) {
      const said = { key, values: { max: 3, entry: 3 } };
      expect(sentenceIn(formText.formFaults, said)).not.toBe(sentenceIn(formFaults, said));
    }
  });
});

test("limits of a draft that are no numbers are named as the card names them", () => {
  const option = { value: "x", limit: 1.5 };
  const types = { s: "select", m: "multi_select", f: "file" };
  const fields = [
    { id: "s", type: "select", label: "S", options: ["a", option] },
    { id: "m", type: "multi_select", label: "M", options: [{ value: 1, limit: "viele" }] },
    { id: "s", type: "select", label: "S", options: [{ value: "x".repeat(2000), limit: 1 }] },
    { id: "f", type: "file", label: "F", validation: { maxBytes: 4.7 } },
  ].map((field, index) => ({ ...field, id: `${field.id}${index}` }));
  const said = () =>
    issuesOf({ fields }).map((issue) => issueSentence(issue, types[issue.field?.[0] as keyof typeof types]));
  inLanguage("en", () =>
    expect(said()).toEqual([
      "“Choices” needs a whole number, 0 or more, under “Places” of choice 2.",
      "“Choices” needs a whole number, 0 or more, under “Places” of choice 1.",
      "“Choices” is not valid in entry 1.",
      "“Largest file in MB” must be a number greater than 0.",
    ]),
  );
  inLanguage("de", () =>
    expect(said()).toEqual([
      "„Antworten zur Auswahl“ braucht unter „Plätze“ der Antwort 2 eine ganze Zahl ab 0.",
      "„Antworten zur Auswahl“ braucht unter „Plätze“ der Antwort 1 eine ganze Zahl ab 0.",
      "„Antworten zur Auswahl“ ist in Eintrag 1 nicht gültig.",
      "„Größte Datei in MB“ muss eine Zahl über 0 sein.",
    ]),
  );
});

test("a condition that rows cannot express is a sentence in the reader's language", () => {
  const fields = parseFields({
    fields: [
      { id: "land", type: "select", label: "Land", options: [{ value: "DE", label: "Deutschland" }] },
      { id: "age", type: "number", label: "Alter" },
      { id: "tax", type: "text", label: "Steuernummer" },
    ],
  });
  const source = "data.land == 'DE' && (data.age >= 18.0 || !has(data.tax))";
  const sentence = () => conditionSentence(source, (id) => fields.find((field) => field.id === id));
  inLanguage("de", () =>
    expect(sentence()).toBe(
      "Land ist Deutschland und (Alter ist mindestens 18 oder Steuernummer hat keine Antwort)",
    ),
  );
  inLanguage("en", () =>
    expect(sentence()).toBe("Land is Deutschland and (Alter is at least 18 or Steuernummer has no value)"),
  );
});

test("a word that is read for nobody is an error, while its group is not", () => {
  const words = formText.form;
  expect(() => words.settings).toThrow("Only a page has a reader");
  expect(() => language()).toThrow("Only a page has a reader");
  inLanguageOf(new Request("http://localhost"), () => {
    expect(words.settings).toBe("Settings");
    setLanguage("de");
    expect(words.settings).toBe("Einstellungen");
  });
});

test("each key that SQL raises has its sentence, each problem of SQL has a key, and no sentence is unused", () => {
  const sources = (directory: string, kind: RegExp) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter(({ name }) => kind.test(name) && name !== "messages.ts")
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
      .join("\n");
  const root = join(import.meta.dir, "../..");
  const sql = sources(join(root, "sql"), /\.sql$/);
  const keys: readonly string[] = Object.keys(messages);
  const calls = [...sql.matchAll(/perform formd\.(?:raise_problem|operation_raise)\((.*?)\);/gs)];
  const inSql = calls.map(([, given = ""]) =>
    [...given.matchAll(/'([a-z_]+)'/g)].flatMap(([, word = ""]) => (keys.includes(word) ? [word] : [])),
  );
  const withoutKey = calls.filter((_, index) => inSql[index]?.length === 0).map(([call]) => call);
  expect(withoutKey.filter((call) => !call.includes("(p_code, p_key"))).toEqual([]);
  const src = sources(join(root, "src"), /\.tsx?$/);
  const inSrc = [...src.matchAll(/"([a-z_]+)"/g)].map(([, word]) => word);
  const raised = new Set([...inSql.flat(), ...inSrc]);
  expect(keys.filter((key) => !raised.has(key))).toEqual([]);
});

/** Quoted texts that are no control of the console: examples, texts of a form's page, a name of the API. */
const examples = new Set([
  ...["Not at all", "Very much", "This form is full", "City sports club"],
  ...[
    "gar nicht",
    "sehr",
    "Dieses Formular ist ausgebucht",
    "Absenden",
    "Sportverein der Stadt",
    "validation",
    "lang",
  ],
]);

test.each(["en", "de"] as const)("each control that a sentence quotes exists: %s", (of) => {
  const words = [...wordsIn(of)];
  const known = new Set(words.map(([, word]) => word));
  const quoted = words.flatMap(([path, word]) =>
    [...String(word).matchAll(/“([^”“„]+)”|„([^“„]+)“/g)].map(([, english, german]) => [
      path,
      english ?? german,
    ]),
  );
  const left = quoted.filter(
    ([, name = ""]) => !name.startsWith("${") && !known.has(name) && !examples.has(name),
  );
  expect(left.map((each) => each.join(": "))).toEqual([]);
});

/** Names of several things, or a verb of several, after a 1. Units of a limit never come with a 1. */
const severalAfterOne: Record<Language, RegExp> = {
  en: /(?<!last |newest |first |of |on )\b1 (?:(?!days|minutes|characters|others)[a-z]{2,}s\b(?<!\b(?:is|was|has|gets|access|changes))|are\b|were\b|have\b|access keys\b)|\b1 of 1 (?:places|rows|were)\b|\bof 1 rows\b|\bAll 1\b/,
  de: /(?<!letzten |neuesten |ersten |In |in )\b1 (?:\p{Lu}[\p{L}-]*(?:ungen|ragen|eilen|ätzen?|pielen|ateien)(?!\p{L})|haben\b|sind\b|warten\b|werden\b|wurden\b|blieben\b|bleiben\b)|\b1 von 1 (?:Plätzen|Zeilen|blieben)\b|\bvon 1 Zeilen\b|\bAlle 1\b/u,
};

/** Returns a word with these values. Undefined: it takes others, such as an object. */
function saidOf(
  of: Language,
  word: Exclude<Word, string>,
  one: 1 | "1",
  more: 0 | "0" | undefined,
): string | undefined {
  const request = new Request("http://localhost", { headers: { "accept-language": of } });
  const given = [one, more ?? one, one, one];
  try {
    const said: unknown = inLanguageOf(request, () => word(...(given as never[])));
    return typeof said === "string" ? said : undefined;
  } catch {
    return undefined;
  }
}

test.each(["en", "de"] as const)("no word of a count has the plural after a 1: %s", (of) => {
  const wrong: string[] = [];
  for (const [path, word] of wordsIn(of)) {
    // The script of the settings has another word for 1.
    if (typeof word === "string" || path === "forms.settings.changes") continue;
    // A count is a number, or its text. As another one the word may be wrong: no page gives it that.
    for (const others of [undefined, 0] as const) {
      const said = [saidOf(of, word, 1, others), saidOf(of, word, "1", others === 0 ? "0" : undefined)];
      const known = said.filter((each) => each !== undefined);
      if (known.length > 0 && known.every((each) => severalAfterOne[of].test(each)))
        wrong.push(`${path}: ${known[0]}`);
    }
  }
  expect(wrong).toEqual([]);
});
