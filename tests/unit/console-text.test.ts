/** The words of the console: each in each language, looked up in that of the reader. */
import { expect, test } from "bun:test";
import { text } from "../../src/pages/console/text.ts";
import { inLanguageOf, type Language, language, setLanguage } from "../../src/pages/ui/language.ts";

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
  ...[
    "Admin",
    "Agent",
    "Audit",
    "CSV",
    "Code",
    "Domains",
    "Excel",
    "Export",
    "Filter",
    "JSON",
    "Id",
    "Logo",
    "Mail",
    "Mails",
    "Median",
  ],
  ...[
    "Name",
    "Offline",
    "Online",
    "Passkeys",
    "Region",
    "Person",
    "person",
    "Signature-Input",
    "Status",
    "System",
    "Team",
    "Text",
  ],
  ...["URL", "Version", "Webhooks", "formd", "–"],
]);

test("no word of one language is left in the other, except those that are the same", () => {
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

test("a word that is read for nobody is an error, while its group is not", () => {
  const words = text.settings;
  expect(() => words.title).toThrow("Only a page has a reader");
  expect(() => language()).toThrow("Only a page has a reader");
  inLanguageOf(new Request("http://localhost"), () => {
    expect(words.title).toBe("Settings");
    setLanguage("de");
    expect(words.title).toBe("Einstellungen");
  });
});
