/** Changes of questions in people's words. */
import { isRecord } from "../../../fields/definition.ts";
import { numberText } from "../../../fields/spelling.ts";
import type { Change } from "../../../resources/forms/form-changes.ts";
import { languageName } from "../../ui/language.ts";
import { frameText } from "../frame/words.ts";
import { kindName, kindsOf, megabytes } from "./file-kinds.ts";
import { ruleLabel, typeLabel } from "./issues.ts";
import { formText } from "./words.ts";

/** Returns the value of a rule for people. @param labels of the entries of a list, by their values */
function valueText(value: unknown, labels: Readonly<Record<string, string>> = {}): string {
  if (value === undefined) return formText.changes.none;
  if (typeof value === "boolean") return formText.fieldInput[value ? "yes" : "no"];
  if (typeof value === "string") return frameText.quoted(value);
  if (typeof value === "number") return numberText(value, formText.fieldInput.locale, "large");
  if (!Array.isArray(value)) return JSON.stringify(value);
  const texts = value.map((each) => (isRecord(each) ? (each.label ?? each.value ?? each.id) : each));
  return texts.map((text) => labels[String(text)] ?? text).join(", ");
}

/** Returns the value of a rule as its control shows it. */
function ruleText(name: string, value: unknown): string {
  if (name === "accept")
    return kindsOf([value ?? "any"].flat())
      .map(kindName)
      .join(", ");
  if (name === "maxBytes" && typeof value === "number") return megabytes(value);
  return valueText(value, name === "requiredParts" ? formText.fieldInput.addressParts : {});
}

/** Names of languages, in their order. */
export const namesOfLanguages = (tags: readonly string[]): string => tags.map(languageName).join(", ");

const maxShownLength = 80;
const isLong = (value: unknown): boolean => typeof value === "string" && value.length > maxShownLength;

/** Returns a change in words, after the field's label. @param type of the field in the draft */
export function changeSentence(change: Change, type: string): string {
  const { changes } = formText;
  const labelOfMember = (name: string) => frameText.quoted(ruleLabel(name, type) ?? name);
  switch (change.kind) {
    case "type":
      return changes.type(typeLabel(change.from), typeLabel(change.to));
    case "optionsAdded":
    case "optionsRemoved":
      return changes[change.kind](change.values.join(", "));
    case "rule": {
      if ([change.from, change.to].some(isLong)) return changes.text(labelOfMember(change.name));
      const [from, to] = [change.from, change.to].map((value) => ruleText(change.name, value));
      return `${labelOfMember(change.name)}: ${from} → ${to}`;
    }
    case "translations":
      return changes.translations(namesOfLanguages(change.languages));
    case "text":
      return changes.text(labelOfMember(change.name));
    default:
      return changes[change.kind];
  }
}
