/** The words of the pages for respondents: every error that a form can have, in every language. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { fieldCodes } from "../../src/fields/codes.ts";
import { compile } from "../../src/fields/compile.ts";
import { hintsOf } from "../../src/fields/presentation.ts";
import { messagesOf } from "../../src/pages/form-page/errors.ts";
import { pageTexts } from "../../src/pages/form-page/text/text.ts";
import { samples } from "../form-arbitraries.ts";
import { fullIssues } from "./fields/fixture.ts";

const texts = Object.values(pageTexts);
/** Signs of a sentence whose values do not fit. */
const broken = /undefined|null|NaN|Invalid Date|\[object|\.\.$| {2}/;

test("every error of any form has a sentence about its field, which links to a control; every hint does too", () => {
  fc.assert(
    fc.property(samples(6), ({ fields, data }) => {
      const form = compile({ fields });
      const { errors, unknown, missing } = form.validate(data);
      const issues = [...errors, ...unknown, ...missing.map(form.requiredIssue)];
      for (const text of texts) {
        const messages = messagesOf(text, form.fields, issues);
        expect(messages).toHaveLength(new Set(issues.map(({ field }) => field)).size);
        for (const { text: sentence, field, target } of messages) {
          expect(sentence).not.toMatch(broken);
          if (field !== undefined) expect(target).toBeString();
        }
        for (const hint of form.fields.flatMap((field) => hintsOf(field, text.hints)))
          expect(hint).not.toMatch(broken);
      }
    }),
    { numRuns: 500 },
  );
});

test("each code's example has a sentence of its own in each language, which names the field or its part", () => {
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

test("a label stands in quotation marks, whatever it says", () => {
  const sentence = (label: string, type = "text") => {
    const form = compile({ fields: [{ id: "f", label, type, required: true }] });
    const issue = form.requiredIssue("f");
    return texts.map((text) => messagesOf(text, form.fields, [issue])[0]?.text);
  };
  expect(sentence("First name")).toEqual([
    "Enter an answer for “First name”.",
    "Bitte ausfüllen: „First name“.",
  ]);
  expect(sentence("What is your name?")[0]).toBe("Enter an answer for “What is your name?”.");
  expect(sentence("I agree", "consent")[0]).toBe("Tick “I agree” to continue.");
});
