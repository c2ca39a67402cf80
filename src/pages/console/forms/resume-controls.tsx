/** Controls of the links by which respondents continue a form later, or change what they sent. */
import { limits } from "../../../limits.ts";
import { ChangeSettings, ResumeSettings } from "../../../resources/forms/settings.ts";
import { Input, Select } from "../../ui/controls.tsx";
import { countAndUnit } from "../form/retention.tsx";
import { formText } from "../form/words.ts";
import { readValue } from "../frame/entered-value.tsx";
import { Wrong } from "../frame/form.tsx";
import {
  checkboxOf,
  parsedInput,
  type SettingControl,
  type SettingControls,
  shapesOf,
} from "./setting-controls.tsx";
import { formsText } from "./words.ts";

const words = formsText.comingBack;
const { units } = formText.retention;
const shapes = { resume: shapesOf(ResumeSettings), change: shapesOf(ChangeSettings) };

/** The time for changes: none, a number of days or longer units, or until the form closes. */
const untilControl = (): SettingControl<string | null> => {
  const [count, unit] = ["page.change.until.count", "page.change.until.unit"];
  return {
    inputs: ["page.change.until", count, unit] as string[],
    choices: { ...words.untils, ...units },
    draw: (name) => (
      <>
        <Select name={name} label={words.until} hint={words.untilHint} choices={words.untils} />
        <div class="inline">
          <Input name={count} label={words.count} inputmode="numeric" required={false} />
          <Select name={unit} label={formText.retention.unit} choices={units} />
        </div>
      </>
    ),
    read: (values, name) => {
      const chosen = values.get(name);
      if (chosen !== "time") return chosen === "closes" ? chosen : null;
      const until = `P${values.get(count)?.trim()}${values.get(unit)}`;
      return shapes.change.until.allows(until) ? until : new Wrong(words.countWrong, count);
    },
    show: (until, name) => {
      const shown = countAndUnit(until ?? undefined);
      return [
        [name, shown.count ? "time" : (until ?? "")],
        [count, shown.count],
        [unit, shown.unit],
      ];
    },
  };
};

export const comingBackControls = (): SettingControls => ({
  "page.resume.enabled": checkboxOf(words.resume, false, words.resumeHint),
  "page.resume.days": parsedInput<number>(
    shapes.resume.days,
    (days) => readValue("integer", days, words.days),
    {
      ...{ label: words.days, hint: words.daysHint(limits.resume.maxDays, limits.resume.defaultDays) },
      ...{ required: false, inputmode: "numeric", wrong: words.daysWrong(limits.resume.maxDays) },
    },
  ),
  "page.change.until": untilControl(),
  "page.change.withdraw": checkboxOf(words.withdraw, false, words.withdrawHint),
});
