/** A translation is refused where it is entered if publishing would refuse it. */
import { expect, test } from "bun:test";
import { maxRuleMessageLength } from "../../src/fields/conditions/logic.ts";
import { maxEndLength } from "../../src/fields/types/number.ts";
import { limits } from "../../src/limits.ts";
import { checkDraft } from "../../src/resources/forms/draft-checks.ts";
import { textsOfForm } from "../../src/resources/forms/form-texts.ts";
import { planOfTranslations } from "../../src/resources/forms/language-operations.ts";
import { settingMembers } from "../../src/resources/forms/settings.ts";
import type { FormRow } from "../../src/resources/forms/shapes.ts";
import { translationFault } from "../../src/resources/forms/translation-operations.ts";

const textsFor = (members: readonly string[]) => Object.fromEntries(members.map((name) => [name, "Text"]));
const shown = { label: "A", description: "B", help: "C" };
const schema: FormRow["schema"] = {
  fields: [
    { id: "a", type: "email", ...shown, placeholder: "D", rules: [{ rule: "true", message: "No" }] },
    { id: "b", type: "rating", ...shown, maximum: 5, minimumLabel: "Least", maximumLabel: "Most" },
    { id: "c", type: "nps", ...shown, validation: { minimumLabel: "Least", maximumLabel: "Most" } },
    { id: "d", type: "select", ...shown, options: [{ value: "s", label: "Small" }, "l"] },
    {
      id: "e",
      type: "matrix",
      ...shown,
      rows: [{ id: "r", label: "R" }],
      columns: [{ id: "c", label: "C" }],
    },
  ],
};
const draft = {
  ...{ name: "Form", description: null, currentVersion: 0, schema },
  settings: {
    languages: ["en", "de"],
    page: textsFor(settingMembers.page),
    copy: { field: "a", ...textsFor(settingMembers.copy) },
  } satisfies FormRow["settings"],
};
const { maxTitleLength, maxTextLength, maxLabelLength } = limits.formPage;
const lengths = new Set([
  ...[maxEndLength, maxRuleMessageLength, maxTitleLength, maxTextLength, maxLabelLength],
  ...[limits.mail.maxSubjectLength, limits.mail.maxTextLength],
]);

test.each(textsOfForm(draft).map((text) => [text.place, text] as const))("%s", (_place, text) => {
  const isAccepted = (translation: string) => {
    const { operations, fields } = planOfTranslations(draft, [{ text, language: "de", translation }]);
    const meta = operations.find(({ op }) => op === "setMeta") as Partial<typeof draft> | undefined;
    const settings = {
      ...draft.settings,
      page: { ...draft.settings.page, ...meta?.settings?.page },
      copy: { ...draft.settings.copy, ...meta?.settings?.copy },
    };
    return checkDraft({ ...draft, settings, schema: { fields } } as typeof draft, true).length === 0;
  };
  for (const max of lengths) {
    const [longest, tooLong] = ["x".repeat(max), "x".repeat(max + 1)];
    const faults = [longest, tooLong].map((entered) => translationFault(text, entered));
    const isFit = faults.map((fault) => fault === undefined);
    expect([max, ...isFit]).toEqual([max, isAccepted(longest), isAccepted(tooLong)]);
    if (faults[0] === undefined && faults[1] !== undefined) expect(faults[1]).toBe(max);
  }
});
