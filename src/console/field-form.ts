/** A field's definition as the text of an HTML form, and back. Pure. */
import { choiceConstraints } from "../fields/constraints.ts";
import { isRecord } from "../fields/definition.ts";
import { type FieldKind, resolveType, rulesOf } from "../fields/types.ts";

export type Definition = Readonly<Record<string, unknown>>;

/** Members of every definition that are text. */
export const textMembers = ["label", "description", "placeholder", "help", "agentHint"] as const;

/** Members of every definition that are true or false. */
const flagMembers = ["required", "prefill"] as const;

/** How a rule is entered, from the JSON Schema of its values. */
export type RuleControl = "number" | "flag" | "lines" | "text";

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
  const kind: FieldKind | undefined = resolveType(type).kind;
  return kind ? rulesOf(kind) : [];
};

const ownOf = (record: unknown, name: string): unknown =>
  isRecord(record) && Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;

/** The value of a rule, wherever the definition has it. */
const ruleIn = (definition: Definition, name: string): unknown =>
  ownOf(ownOf(definition, "validation"), name) ?? ownOf(definition, name);

const isPlain = (text: string): boolean => !/^[\s{"]|\s$|[\n\r]|\s\|(?:\s|$)|^$/.test(text);

/** An entry of a list as one line: a text as it is, a value with its label as `value | label`, anything else as JSON. */
const lineOf = (entry: unknown): string => {
  if (typeof entry === "string" && isPlain(entry)) return entry;
  if (isRecord(entry)) {
    const { value, label, ...others } = entry;
    if (typeof value === "string" && typeof label === "string" && Object.keys(others).length === 0)
      if (isPlain(value) && isPlain(label)) return `${value} | ${label}`;
  }
  return JSON.stringify(entry);
};

const parseLine = (line: string): unknown => {
  if (/^[{"]/.test(line)) {
    try {
      return JSON.parse(line);
    } catch {
      return line;
    }
  }
  const [, value, label] = /^(.*?)\s\|\s(.*)$/s.exec(line) ?? [];
  return value === undefined ? line : { value, label };
};

/** What an input shows of a value. */
const textOf = (value: unknown): string => {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
};

/** What the form of a field shows of its definition. The name of a rule's control begins with `rule.`. */
export function toValues(definition: Definition): URLSearchParams {
  const type = textOf(ownOf(definition, "type"));
  const values = new URLSearchParams({ id: textOf(ownOf(definition, "id")), type });
  for (const name of [...textMembers, "default"]) values.set(name, textOf(ownOf(definition, name)));
  for (const name of flagMembers) if (ownOf(definition, name) === true) values.set(name, "true");
  for (const { name, schema } of rulesOfType(type)) {
    const value = ruleIn(definition, name);
    const isLines = controlOf(schema) === "lines" && Array.isArray(value);
    values.set(`rule.${name}`, isLines ? value.map(lineOf).join("\n") : textOf(value));
  }
  return values;
}

/** A number, or what was entered: the lint says then what is expected. */
const parseNumber = (text: string): unknown => {
  const value = Number(text);
  return text !== "" && Number.isFinite(value) && Math.abs(value) < 2 ** 53 ? value : text;
};

const parseRule = (control: RuleControl, text: string): unknown => {
  if (text.trim() === "") return undefined;
  if (control === "number") return parseNumber(text.trim());
  if (control === "flag") return text === "true";
  if (control === "lines")
    return text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .map(parseLine);
  return text;
};

/** A default is JSON where the field's values are no text. */
const parseDefault = (type: string, text: string): unknown => {
  if (text.trim() === "") return undefined;
  const { kind } = resolveType(type);
  if (kind && ["number", "integer", "rating"].includes(kind)) return parseNumber(text.trim());
  if (
    !kind ||
    !["boolean", "consent", "select", "multi_select", "ranking", "address", "matrix"].includes(kind)
  )
    return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * What a form makes of a definition: each member with its new value, null for one that goes. Members that the form does not show stay, as
 * do members of `validation` that no type of formd has.
 */
export function toMembers(values: URLSearchParams, before: Definition = {}): Record<string, unknown> {
  const textIn = (name: string) => values.get(name)?.replaceAll("\r\n", "\n") ?? "";
  const type = textIn("type");
  const members: Record<string, unknown> = { type };
  // A field that never said whether it is required, or prefilled, goes on without.
  for (const name of flagMembers)
    if (name === "required" || !resolveType(type).fieldType.displayOnly)
      members[name] = values.has(name) || (Object.hasOwn(before, name) ? false : undefined);
  for (const name of textMembers)
    members[name] = textIn(name).trim() === "" ? undefined : textIn(name).trim();
  members.default = parseDefault(type, textIn("default"));
  const rules = rulesOfType(type);
  const known = new Set([...rules, ...rulesOfType(textOf(ownOf(before, "type")))].map(({ name }) => name));
  const validation = Object.fromEntries(
    Object.entries(isRecord(before.validation) ? before.validation : {}).filter(([name]) => !known.has(name)),
  );
  for (const name of known) members[name] = undefined;
  for (const { name, schema } of rules) {
    const value = parseRule(controlOf(schema), textIn(`rule.${name}`));
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

/** A new field. */
export const toField = (values: URLSearchParams): Record<string, unknown> => ({
  id: values.get("id")?.trim() || idFrom(values.get("label") ?? ""),
  ...toMembers(values),
});

/** An id made of a label: lower case, words joined by `_`. */
export const idFrom = (label: string): string =>
  label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);
