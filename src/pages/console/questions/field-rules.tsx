/** The rules of a type of questions as controls, in people's words. */
import { addressParts } from "../../../fields/control-values.ts";
import { resolveType } from "../../../fields/types.ts";
import { Checkbox, Checkboxes, Input, TextArea } from "../../ui/controls.tsx";
import { ruleLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { controlOf, type rulesOfType } from "./field-form.ts";
import { questionsText } from "./words.ts";

type Rule = ReturnType<typeof rulesOfType>[number];

const words = questionsText.field;

interface RuleProps {
  rule: Rule;
  type: string;
  value: string;
}

const hintOfLines = (name: string, type: string) =>
  name === "options" && resolveType(type).kind !== "ranking" ? words.limitsHint : words.choicesHint;

export const RuleInput = ({ rule, type, value }: RuleProps) => {
  const { ruleHints } = questionsText;
  const label = ruleLabel(rule.name, type) ?? rule.name;
  const own = Object.hasOwn(ruleHints, rule.name)
    ? ruleHints[rule.name as keyof typeof ruleHints]
    : undefined;
  const common = { name: `rule.${rule.name}`, label };
  if (rule.name === "requiredParts")
    return <Checkboxes {...common} choices={addressParts} labels={formText.fieldInput.addressParts} />;
  switch (controlOf(rule.schema)) {
    case "flag":
      return <Checkbox {...common} />;
    case "lines":
      return <TextArea {...common} hint={own ?? hintOfLines(rule.name, type)} rows={5} />;
    case "number":
      return <Input {...common} hint={own} inputmode="decimal" />;
    default:
      return (
        <Input
          {...common}
          hint={own}
          {...(resolveType(type).kind === "date" && /^$|^\d{4}-\d\d-\d\d$/.test(value) && { type: "date" })}
        />
      );
  }
};
