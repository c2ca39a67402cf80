/** The words of the pages for respondents: every error that a form can have, in every language. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { fieldCodes } from "../../src/fields/codes.ts";
import { compile } from "../../src/fields/compile.ts";
import { messagesOf } from "../../src/form-page/errors.ts";
import { languages } from "../../src/form-page/text.ts";
import { samples } from "../form-arbitraries.ts";

const texts = Object.values(languages);
/** What a sentence has when the rule's value is not what it was made for. */
const broken = /undefined|null|NaN|Invalid Date|\[object|\.\.$| {2}/;

test("every error of any form has a sentence about its field, which links to a control; so has every hint", () => {
  fc.assert(
    fc.property(samples(6), ({ fields, data }) => {
      const form = compile({ fields });
      const { errors, unknown, missing } = form.validate(data);
      const issues = [...errors, ...unknown, ...missing.map(form.requiredIssue)];
      for (const text of texts) {
        const messages = messagesOf(
          text,
          form.fields,
          issues.map((issue) => ({ ...issue, help: "" })),
        );
        expect(messages).toHaveLength(new Set(issues.map(({ field }) => field)).size);
        for (const { text: sentence, field, target } of messages) {
          expect(sentence).not.toMatch(broken);
          if (field !== undefined) expect(target).toBeString();
        }
        for (const hint of form.fields.flatMap(text.rules)) expect(hint).not.toMatch(broken);
      }
    }),
    { numRuns: 500 },
  );
});

test("each code's example has another sentence in each language, which names the field or its part", () => {
  for (const [code, { example }] of Object.entries(fieldCodes)) {
    const form = compile({ fields: [{ id: "f", label: "First name", ...example.field }] });
    const [issue] = form.validateField("f", example.rejected);
    const sentences = texts.map((text) => {
      const [message] = messagesOf(text, form.fields, issue ? [{ ...issue, help: "" }] : []);
      return message?.text ?? "";
    });
    expect([code, sentences.every((sentence) => sentence.length > 8)]).toEqual([code, true]);
    expect(new Set(sentences).size).toBe(sentences.length);
  }
});

test("a label is part of the sentence where it can be, and is quoted where it cannot", () => {
  const [english] = texts;
  const sentence = (label: string, type = "text") => {
    const form = compile({ fields: [{ id: "f", label, type, required: true }] });
    const [message] = messagesOf(english as never, form.fields, [{ ...form.requiredIssue("f"), help: "" }]);
    return message?.text;
  };
  expect(sentence("First name")).toBe("Enter your first name");
  expect(sentence("Your name")).toBe("Enter your name");
  expect(sentence("E-mail address", "email")).toBe("Enter your e-mail address");
  expect(sentence("VAT number")).toBe("Enter your VAT number");
  expect(sentence("Number of guests", "integer")).toBe("Enter the number of guests");
  expect(sentence("What is your name?")).toBe("Enter a value for “What is your name?”");
  expect(sentence("How many?", "number")).toBe("Enter a number for “How many?”");
  expect(sentence("I agree", "consent")).toBe("Tick “I agree” to continue");
});
