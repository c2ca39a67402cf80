/** The rules of a type of questions as controls, in people's words. */
import { addressParts } from "../../../fields/control-values.ts";
import { resolveType } from "../../../fields/types.ts";
import { Checkbox, Checkboxes, Input, TextArea } from "../../ui/controls.tsx";
import { text } from "../frame/text.ts";
import { controlOf, type rulesOfType } from "./field-form.ts";

type Rule = ReturnType<typeof rulesOfType>[number];

const words = text.field;
const timeKinds = new Set<string | undefined>(["date", "time", "datetime"]);

const isTime = (type: string): boolean => timeKinds.has(resolveType(type).kind);

/** What people call a rule, or a member of a definition; undefined for other names. */
export const ruleLabel = (name: string, type: string): string | undefined => {
  const isFile = resolveType(type).kind === "file";
  const rules: Record<string, string> = {
    ...text.rules,
    ...(isTime(type) && text.timeRules),
    ...(isFile && text.fileRules),
  };
  if (Object.hasOwn(rules, name)) return rules[name];
  const { label, type: kind, help, default: initial, id } = words;
  const { prefill, required } = words;
  const members: Record<string, string> = {
    label,
    type: kind,
    help,
    default: initial,
    id,
    prefill,
    required,
    ...text.conditions.headings,
  };
  return Object.hasOwn(members, name) ? members[name] : undefined;
};

interface RuleProps {
  rule: Rule;
  type: string;
  value: string;
}

const hintOfLines = (name: string, type: string) =>
  name === "options" && resolveType(type).kind !== "ranking" ? words.limitsHint : words.choicesHint;

export const RuleInput = ({ rule, type, value }: RuleProps) => {
  const { ruleHints } = text;
  const label = ruleLabel(rule.name, type) ?? rule.name;
  const own = Object.hasOwn(ruleHints, rule.name)
    ? ruleHints[rule.name as keyof typeof ruleHints]
    : undefined;
  const common = { name: `rule.${rule.name}`, label };
  if (rule.name === "requiredParts")
    return <Checkboxes {...common} choices={addressParts} labels={text.fieldInput.addressParts} />;
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
