/** A rule of retention, of a form or a team's default, as controls and back. */
import { RetentionRule } from "../../../resources/forms/settings.ts";
import { Input, Select } from "../../ui/controls.tsx";
import { type FormControl, Wrong } from "../frame/form.tsx";
import { formText } from "./words.ts";

const words = formText.retention;

/** @param countHint what no number means */
export const RetentionInputs = ({ countHint }: { countHint: string }) => (
  <>
    <div class="inline">
      <Input
        name="retention.count"
        label={words.count}
        hint={countHint}
        inputmode="numeric"
        required={false}
      />
      <Select name="retention.unit" label={words.unit} choices={words.units} />
    </div>
    <Select name="retention.from" label={words.from} choices={words.moments} />
  </>
);

type Rule = typeof RetentionRule.infer;

const unitDays = { D: 1, W: 7, M: 30.436875, Y: 365.2425 };
type Unit = keyof typeof unitDays;

/** Number and unit of a time such as `P3M`; of none an empty text. */
export function countAndUnit(time: string | undefined): { count: string; unit: Unit } {
  const [, count = "", unit = "D"] = /^P(\d+)([DWMY])$/.exec(time ?? "") ?? [];
  return { count, unit: unit as Unit };
}

/** What the controls show of a rule. */
export function ruleValues(rule: Partial<Rule> | null | undefined): URLSearchParams {
  const { count, unit } = countAndUnit(rule?.deleteAfter);
  return new URLSearchParams({
    "retention.count": count,
    "retention.unit": unit,
    "retention.from": rule?.from ?? "created",
  });
}

/** The rule that was entered; null: none. */
export function ruleIn(values: URLSearchParams): Rule | null {
  const count = values.get("retention.count")?.trim();
  if (!count) return null;
  const from = values.get("retention.from") === "completed" ? "completed" : "created";
  return { deleteAfter: `P${count}${values.get("retention.unit")}`, from };
}

/**
 * A rule; null: none. Its name in a form is `retention.count`, that of the number, where errors stand.
 * @param countHint what no number means
 */
export const retentionRule = (countHint: string): FormControl<Rule | null> => ({
  draw: () => <RetentionInputs countHint={countHint} />,
  read: (values) => {
    const rule = ruleIn(values);
    return rule === null || RetentionRule.allows(rule) ? rule : new Wrong(words.wrong);
  },
  show: (rule) => [...ruleValues(rule)],
});

/** Days of a time, about. */
function daysOf(time: string | undefined): number {
  const { count, unit } = countAndUnit(time);
  return Number(count) * unitDays[unit];
}

/** Whether a rule deletes earlier than another: after a shorter time, or counted from an earlier moment. */
export const isShorterRule = (rule: Rule, before: Partial<Rule>): boolean =>
  daysOf(rule.deleteAfter) < daysOf(before.deleteAfter) ||
  (before.from === "completed" && rule.from !== "completed");
