/** A field's definition as the text of an HTML form, and back. Pure. */
import { isPlain, linesIn, parseLine, toEntries, toLines } from "../../../fields/choice-lines.ts";
import { choiceConstraints } from "../../../fields/constraints.ts";
import { isRecord } from "../../../fields/definition.ts";
import type { Nature } from "../../../fields/field-type.ts";
import { resolveType, rulesOf } from "../../../fields/types.ts";

export type Definition = Readonly<Record<string, unknown>>;

/** Members of every definition that are text. */
const textMembers = ["label", "description", "placeholder", "help", "agentHint"] as const;

/** Members of every definition that are expressions over other fields. */
const expressionMembers = ["showIf", "requireIf", "compute"] as const;

/** Members of every definition that are true or false. */
const flagMembers = ["required", "prefill"] as const;

/** How a rule is entered, from the JSON Schema of its values. */
type RuleControl = "number" | "flag" | "lines" | "text";

export const controlOf = (schema: Record<string, unknown>): RuleControl => {
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "flag";
    case "array":
      return "lines";
    default:
      return "text";
  }
};

/** The rules of a type of fields; none for an unknown one. */
export const rulesOfType = (type: string) => {
  const { kind } = resolveType(type);
  return kind ? rulesOf(kind) : [];
};

const ownOf = (record: unknown, name: string): unknown =>
  isRecord(record) && Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;

/** The value of a rule, wherever the definition has it. */
const ruleIn = (definition: Definition, name: string): unknown =>
  ownOf(ownOf(definition, "validation"), name) ?? ownOf(definition, name);

/** A rule over other fields as one line: `rule | message`. */
const ruleLine = (entry: unknown): string => {
  if (!isRecord(entry)) return JSON.stringify(entry);
  const { rule, message, ...others } = entry;
  const isLine = (text: unknown): text is string => typeof text === "string" && isPlain(text);
  return isLine(rule) && isLine(message) && Object.keys(others).length === 0
    ? `${rule} | ${message}`
    : JSON.stringify(entry);
};

/** What is no rule stays text, and the lint says what is expected. */
function parseRules(text: string): unknown[] | undefined {
  const rules = linesIn(text).map((line) => {
    const entry = parseLine(line);
    if (!isRecord(entry) || !Object.hasOwn(entry, "label")) return entry;
    return { rule: entry.value, message: entry.label };
  });
  return rules.length > 0 ? rules : undefined;
}

/** What an input shows of a value. */
const textOf = (value: unknown): string => {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
};

/** What the form of a field shows of its definition. The name of a rule's control begins with `rule.`. */
export function definitionValues(definition: Definition): URLSearchParams {
  const type = textOf(ownOf(definition, "type"));
  const values = new URLSearchParams({ id: textOf(ownOf(definition, "id")), type });
  for (const name of [...textMembers, ...expressionMembers, "default"])
    values.set(name, textOf(ownOf(definition, name)));
  for (const name of flagMembers) if (ownOf(definition, name) === true) values.set(name, "true");
  const ownRules = ownOf(definition, "rules");
  values.set("rules", Array.isArray(ownRules) ? ownRules.map(ruleLine).join("\n") : textOf(ownRules));
  for (const { name, schema } of rulesOfType(type)) {
    const value = ruleIn(definition, name);
    const lines = controlOf(schema) === "lines" && Array.isArray(value) ? toLines(value) : [textOf(value)];
    // Parts of an address are check boxes of one name.
    if (name === "requiredParts") for (const part of lines) values.append(`rule.${name}`, part);
    else values.set(`rule.${name}`, lines.join("\n"));
  }
  return values;
}

/** A number, or what was entered: the lint says then what is expected. */
const parseNumber = (text: string): unknown => {
  const value = Number(text);
  return text !== "" && Number.isFinite(value) && Math.abs(value) < 2 ** 53 ? value : text;
};

const parseRule = (control: RuleControl, text: string, before: unknown): unknown => {
  if (text.trim() === "") return undefined;
  if (control === "number") return parseNumber(text.trim());
  if (control === "flag") return text === "true";
  if (control === "lines") return toEntries(linesIn(text), Array.isArray(before) ? before : []);
  return text;
};

const jsonNatures: ReadonlySet<Nature> = new Set(["yesNo", "choice", "choices", "parts"]);

/** A default is JSON where the field's values are no text. */
const parseDefault = (type: string, text: string): unknown => {
  if (text.trim() === "") return undefined;
  const { nature } = resolveType(type).fieldType;
  if (nature === "number") return parseNumber(text.trim());
  if (!jsonNatures.has(nature)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * What a form makes of a definition: each member with its new value, null for one that goes. Members that the
 * form does not show stay, as do members of `validation` that no type of formd has.
 */
export function toMembers(values: URLSearchParams, before: Definition = {}): Record<string, unknown> {
  const textIn = (name: string) => values.get(name)?.replaceAll("\r\n", "\n") ?? "";
  const type = textIn("type");
  const members: Record<string, unknown> = { type };
  // A field without `required` or `prefill` stays without.
  for (const name of flagMembers)
    if (name === "required" || resolveType(type).fieldType.nature !== "none")
      members[name] = values.has(name) || (Object.hasOwn(before, name) ? false : undefined);
  for (const name of textMembers) members[name] = textIn(name).trim() || undefined;
  // A page that was opened before has none of these controls.
  for (const name of expressionMembers)
    if (values.has(name)) members[name] = textIn(name).trim() || undefined;
  if (values.has("rules")) members.rules = parseRules(textIn("rules"));
  members.default = parseDefault(type, textIn("default"));
  const rules = rulesOfType(type);
  const known = new Set([...rules, ...rulesOfType(textOf(ownOf(before, "type")))].map(({ name }) => name));
  const validation = Object.fromEntries(
    Object.entries(isRecord(before.validation) ? before.validation : {}).filter(([name]) => !known.has(name)),
  );
  for (const name of known) members[name] = undefined;
  for (const { name, schema } of rules) {
    const entered = values.getAll(`rule.${name}`).join("\n");
    const value = parseRule(controlOf(schema), entered, ruleIn(before, name));
    if (value === undefined) continue;
    if (choiceConstraints.has(name)) members[name] = value;
    else validation[name] = value;
  }
  members.validation = Object.keys(validation).length > 0 ? validation : undefined;
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (value !== undefined) return [[name, value]];
      return Object.hasOwn(before, name) ? [[name, null]] : [];
    }),
  );
}

/** A new field. @param taken ids that it must not have, unless it was given one */
export function toField(
  values: URLSearchParams,
  taken: ReadonlySet<unknown> = new Set(),
): Record<string, unknown> {
  const made = idFrom(values.get("label") ?? "") || idFrom(values.get("type") ?? "");
  return { id: values.get("id")?.trim() || freeId(made, taken), ...toMembers(values) };
}

/** An id that no other field has: with a number where the first is taken. */
export function freeId(id: string, taken: ReadonlySet<unknown>): string {
  let free = id;
  for (let number = 2; taken.has(free); number++) free = `${id}_${number}`;
  return free;
}

/** An id made of a label: lower case, words joined by `_`. */
export const idFrom = (label: string): string =>
  label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);
