/** The words of the pages for respondents: every error that a form can have, in every language. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { fieldCodes } from "../../src/fields/codes.ts";
import { compile } from "../../src/fields/compile.ts";
import type { Field } from "../../src/fields/definition.ts";
import { valueText } from "../../src/fields/entered.ts";
import { canonicalTag, directionOf, lookUp, nameOfLanguage, ownNameOf } from "../../src/fields/languages.ts";
import { hintsOf } from "../../src/fields/presentation.ts";
import { fieldTypes } from "../../src/fields/types.ts";
import { messagesOf } from "../../src/pages/form-page/errors.ts";
import { textForLanguage, wordsByLanguage } from "../../src/pages/form-page/text/text.ts";
import { countriesIn } from "../../src/pages/ui/fields/address.tsx";
import { copyTextIn } from "../../src/resources/mails/text.ts";
import { samples } from "../form-arbitraries.ts";
import { fullIssues } from "./fields/fixture.ts";

const texts = Object.keys(wordsByLanguage).map(textForLanguage);
const [english, german] = [textForLanguage("en"), textForLanguage("de")];
/** Signs of a sentence whose values do not fit. */
const broken = /undefined|null|NaN|Invalid Date|\[object|\.\.$| {2}/;

test("every error of any form has a sentence about its field, which links to a control; every hint does too", () => {
  fc.assert(
    fc.property(samples(6), fc.constantFrom(...texts), ({ fields, data }, other) => {
      const form = compile({ fields });
      const { errors, unknown, missing } = form.validate(data);
      const issues = [...errors, ...unknown, ...missing.map(form.requiredIssue)];
      for (const text of [english, german, other]) {
        const messages = messagesOf(text, form.fields, issues);
        expect(messages).toHaveLength(new Set(issues.map(({ field }) => field)).size);
        for (const { text: sentence, summary, field, target } of messages) {
          expect(sentence + summary).not.toMatch(broken);
          if (field !== undefined) expect(target).toBeString();
        }
        for (const hint of form.fields.flatMap((field) => hintsOf(field, text.hints)))
          expect(hint).not.toMatch(broken);
      }
    }),
    { numRuns: 500 },
  );
});

test("each code's example has a sentence of its own in each language", () => {
  for (const [code, { example }] of Object.entries(fieldCodes)) {
    const form = compile({ fields: [{ id: "f", label: "First name", ...example.field }] });
    const [issue] = [
      ...form.validateField("f", example.rejected),
      ...fullIssues(form, { f: example.rejected }),
    ];
    const sentences = texts.map((text) => {
      const [message] = messagesOf(text, form.fields, issue ? [issue] : []);
      return message?.text ?? "";
    });
    expect([code, sentences.every((sentence) => sentence.length > 8)]).toEqual([code, true]);
    // In every language a rule has the words of its owner.
    expect(new Set(sentences).size).toBe(code === "rule" ? 1 : sentences.length);
  }
});

test("a sentence fits the type at its field, and has the label in the summary, whatever it says", () => {
  const found = (label: string, type = "text") => {
    const form = compile({ fields: [{ id: "f", label, type, required: true }] });
    const issue = form.requiredIssue("f");
    return [english, german].flatMap((text) => messagesOf(text, form.fields, [issue]));
  };
  const summaries = (label: string, type?: string) => found(label, type).map(({ summary }) => summary);
  expect(found("First name").map(({ text }) => text)).toEqual(["Enter an answer.", "Bitte ausfüllen."]);
  expect(summaries("First name")).toEqual(["First name: enter an answer.", "First name: Bitte ausfüllen."]);
  expect(summaries("What is your name?")).toEqual([
    "What is your name? Enter an answer.",
    "What is your name? Bitte ausfüllen.",
  ]);
  expect(summaries("E-mail", "email")).toEqual([
    "E-mail: enter your e-mail address.",
    "E-mail: Geben Sie Ihre E-Mail-Adresse ein.",
  ]);
  expect(summaries("E-mail of your boss", "email")).toEqual([
    "E-mail of your boss: enter an e-mail address.",
    "E-mail of your boss: Geben Sie eine E-Mail-Adresse ein.",
  ]);
});

const part = (...parts: string[]) => fc.constantFrom("", "", ...parts.map((each) => `-${each}`));
const anyTag = fc
  .tuple(
    fc.constantFrom(..."en de zh ar sr ca ja und qaa sl nn no sgn art hy ug".split(" ")),
    part("Latn", "Arab", "Hant", "Zzzz"),
    part("US", "ES", "JP", "NO", "419", "ZZ"),
    part("posix", "valencia", "1996", "rozaj-1994", "scouse", "arevela"),
    part("t-en", "a-foo", "u-va-posix", "u-ca-buddhist", "u-nu-arab", "u-rg-uszzzz", "u-sd-gbsct"),
    part("x-whatever", "x-lvariant-posix"),
  )
  .map((parts) => parts.join(""))
  .filter((tag) => canonicalTag(tag) !== undefined);

test("every tag has a name, a direction, and every sentence, number, day and mail", () => {
  const examples = Object.values(fieldCodes).map(({ example }) => {
    const form = compile({ fields: [{ id: "f", label: "F", ...example.field }] });
    const issues = form.validateField("f", example.rejected);
    return { form, issues: [...issues, ...fullIssues(form, { f: example.rejected })] };
  });
  const values = Object.entries(fieldTypes).map(([type, { example }]) => {
    const [field] = compile({ fields: [{ id: "f", type, label: "F", ...example.field }] }).fields;
    return { field: field as Field, value: example.value };
  });
  fc.assert(
    fc.property(anyTag, (tag) => {
      const [page, mail] = [textForLanguage(tag), copyTextIn(tag)];
      const found = [
        ...examples
          .flatMap(({ form, issues }) => messagesOf(page, form.fields, issues))
          .map(({ text }) => text),
        ...examples.flatMap(({ form }) => hintsOf(form.fields[0] as Field, page.hints)),
        ...[page, mail].flatMap((words) => values.map(({ field, value }) => valueText(field, value, words))),
        ...[ownNameOf(tag), nameOfLanguage(tag, "de"), nameOfLanguage("de", tag), lookUp([tag], [tag]) ?? ""],
        ...[page.wait(90), page.steps.position(2, 12_345), page.meant(["1", "2"]), mail.subject("F", "R")],
        ...countriesIn(tag).map(({ label }) => label),
      ];
      expect(found.filter((text) => /undefined|NaN|Invalid Date/.test(text))).toEqual([]);
      expect(page.dir).toBe(directionOf(tag));
    }),
    { numRuns: 60, examples: ["en-US-posix", "en-u-va-posix", "ca-ES-valencia"].map((tag) => [tag]) },
  );
});

test.each(["Pacific/Kiritimati", "UTC", "Pacific/Pago_Pago"])(
  "the day of an example is the same on a server in %s",
  (timeZone) => {
    const form = compile({ fields: [{ id: "f", type: "date", label: "Day" }] });
    const { errors } = form.validate({ f: "tomorrow" });
    const { TZ } = process.env;
    process.env.TZ = timeZone;
    const days = texts.flatMap((text) => messagesOf(text, form.fields, errors)).map(({ text }) => text);
    process.env.TZ = TZ ?? "UTC";
    expect(days).toHaveLength(texts.length);
    for (const day of days) expect([day, /(^|\D)(20|٢٠)(?!\d)/.test(day)]).toEqual([day, true]);
  },
);
