/** The next page of a form in steps after a post that no page sends. tests/http/form-page has the others. */
import { expect, test } from "bun:test";
import { compile } from "../../src/fields/compile.ts";
import { divide } from "../../src/fields/steps.ts";
import { next } from "../../src/pages/form-page/next-step.ts";
import { textForLanguage } from "../../src/pages/form-page/text/text.ts";

const form = compile({
  fields: [
    { id: "a", type: "text" },
    { id: "p1", type: "page_break" },
    { id: "b", type: "file" },
    { id: "p2", type: "page_break" },
    { id: "c", type: "text" },
  ],
});
const steps = divide(form.fields);
const issue = { code: "max_bytes", field: "b", message: "Too large." };
/** Position, code and errors of the page after a button of a step. */
const after = (sent: Record<string, string>) => {
  const page = { form, text: textForLanguage("en") };
  const { at, code, errors } = next(
    { page, steps, sent: new URLSearchParams(sent) },
    { type: "send", issues: [issue] },
  );
  return [at, code, errors];
};

test("a number without a step opens the first one", () => {
  for (const step of ["0", "4", "x", "1e0", "-1", ""])
    expect([step, ...after({ "formd.step": step })]).toEqual([step, 1, undefined, undefined]);
  expect(after({ "formd.step": "1", "formd.goto": "4" })).toEqual([1, undefined, undefined]);
});

test("nothing is before the first step", () => {
  expect(after({ "formd.step": "1", "formd.goto": "back" })).toEqual([0, undefined, undefined]);
});

test("a file that was not stored keeps the respondent at its own step only", () => {
  expect(after({ "formd.step": "1" })).toEqual([1, undefined, undefined]);
  expect(after({ "formd.step": "2" })).toEqual([1, "validation_failed", [issue]]);
  expect(after({ "formd.step": "3" })).toEqual([3, undefined, undefined]);
});
