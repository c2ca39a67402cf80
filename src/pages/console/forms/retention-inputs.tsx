/** The controls of a rule of retention: that of a form, and the default of a team. */
import { Input, Select } from "../../ui/controls.tsx";
import { text } from "../frame/text.ts";

const words = text.settings.retention;

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
