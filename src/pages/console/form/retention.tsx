/** A rule of retention, of a form or a team's default, as controls and back. */
import { RetentionRule } from "../../../resources/forms/settings.ts";
import { Input, Select } from "../../ui/controls.tsx";
import { type FormControl, Wrong } from "../frame/form.tsx";
import { formText } from "./words.ts";

const words = formText.retention;

type Rule = typeof RetentionRule.infer;

const unitDays = { D: 1, W: 7, M: 30.436875, Y: 365.2425 };
type Unit = keyof typeof unitDays;

/** Returns the number and unit of a time such as `P3M`. Without a time the number is empty. */
export function countAndUnit(time: string | undefined): { count: string; unit: Unit } {
  const [, count = "", unit = "D"] = /^P(\d+)([DWMY])$/.exec(time ?? "") ?? [];
  return { count, unit: unit as Unit };
}

/** Returns a time such as `P3M` in words. */
export function periodText(time: string): string {
  const { count, unit } = countAndUnit(time);
  return `${count} ${words.units[unit]}`;
}

/** A rule, or null. Its errors are at `retention.count`, its number. @param hint meaning of no number */
export const retentionRule = (hint: string): FormControl<Rule | null> => ({
  draw: (name) => (
    <>
      <div class="inline">
        <Input name={name} label={words.count} hint={hint} inputmode="numeric" required={false} />
        <Select name="retention.unit" label={words.unit} choices={words.units} />
      </div>
      <Select name="retention.from" label={words.from} choices={words.moments} />
    </>
  ),
  read: (values, name) => {
    const count = values.get(name)?.trim();
    if (!count) return null;
    const from = values.get("retention.from") === "completed" ? "completed" : "created";
    const rule = { deleteAfter: `P${count}${values.get("retention.unit")}`, from } as const;
    return RetentionRule.allows(rule) ? rule : new Wrong(words.wrong);
  },
  show: (rule) => {
    const { count, unit } = countAndUnit(rule?.deleteAfter);
    return [
      ["retention.count", count],
      ["retention.unit", unit],
      ["retention.from", rule?.from ?? "created"],
    ];
  },
});

/** Returns the days of a time, approximately. */
function daysOf(time: string | undefined): number {
  const { count, unit } = countAndUnit(time);
  return Number(count) * unitDays[unit];
}

/** True if a rule deletes earlier than another: after a shorter time, or counted from an earlier moment. */
export const isShorterRule = (rule: Rule, before: Partial<Rule>): boolean =>
  daysOf(rule.deleteAfter) < daysOf(before.deleteAfter) ||
  (before.from === "completed" && rule.from !== "completed");
