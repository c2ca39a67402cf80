/** The controls of a rule of retention: that of a form, and the default of a team. */
import { Input, Select } from "../ui/controls.tsx";
import { text } from "./text.ts";

const words = text.settings.retention;

/** @param of the name, value and error of a control */
export const RetentionInputs = ({
  of,
  countHint,
}: {
  of: (name: string) => { name: string; value: string; error?: string };
  countHint: string;
}) => (
  <>
    <div class="inline">
      <Input
        {...of("retention.count")}
        label={words.count}
        hint={countHint}
        inputmode="numeric"
        required={false}
      />
      <Select {...of("retention.unit")} label={words.unit} choices={words.units} />
    </div>
    <Select {...of("retention.from")} label={words.from} choices={words.moments} />
  </>
);
