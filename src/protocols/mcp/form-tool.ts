/**
 * The arguments of a form's own tool: plain keys for the ids of fields and rows, texts for options, and a
 * schema that every model takes. A key follows from its id alone, so that it means the same in each version.
 */
import { createHash } from "node:crypto";
import type { CompiledForm, Field } from "../../fields/compile.ts";
import { describe } from "../../fields/conditions/describe.ts";
import type { Formula } from "../../fields/conditions/logic.ts";
import { type Constraints, valuesOf } from "../../fields/constraints.ts";
import { choicesOf, optionTexts } from "../../fields/control-values.ts";
import { isRecord } from "../../fields/definition.ts";
import { limitsText } from "../../fields/option-limits.ts";
import { plainSchema } from "../../fields/plain-schema.ts";
import { sizeText } from "../../fields/types/file.ts";
import type { Schema } from "../../platform/http/operation.ts";
import type { SentData } from "../../platform/http/request-context.ts";
import { quoted } from "./tool.ts";

/** Keys that every vendor takes. Programs that assign `__proto__` lose the member. */
const isPlain = (id: string): boolean => /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(id);

/** Small letters, digits and single `_`; empty for a text of other letters. */
export const slugOf = (text: string): string =>
  text
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .slice(0, 40)
    .replace(/^_|_$/g, "");

/** The first hexadecimal digits of a text's SHA-256. */
export const digitsOf = (text: string, digits: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, digits);

/** Keys by ids, and ids by keys. */
interface Names {
  keys: ReadonlyMap<string, string>;
  ids: ReadonlyMap<string, string>;
}

/** A key per id: the id if it is plain, else its letters and digits of its digest. No key is another's id. */
function namesOf(all: readonly string[], prefix: string): Names {
  const taken = new Set(all);
  const keyOf = (id: string, attempt = 0): string => {
    const slug = slugOf(id);
    const start = /^[a-z]/.test(slug) ? slug : [prefix, slug].filter(Boolean).join("_");
    const key = `${start}_${digitsOf(attempt === 0 ? id : `${id}\n${attempt}`, 8)}`;
    return taken.has(key) ? keyOf(id, attempt + 1) : key;
  };
  const keys = new Map<string, string>();
  for (const id of all) {
    const key = isPlain(id) ? id : keyOf(id);
    taken.add(key);
    keys.set(id, key);
  }
  return { keys, ids: new Map([...keys].map(([id, key]) => [key, id])) };
}

interface FormNames extends Names {
  /** Rows of a matrix, by the id of its field. */
  rows: ReadonlyMap<string, Names>;
  /** Options by their texts, of the fields whose options are not all texts. */
  options: ReadonlyMap<string, ReadonlyMap<unknown, unknown>>;
  /** True if a call has the data as the API has it. */
  isSame: boolean;
}

const known = new WeakMap<CompiledForm, FormNames>();

function formNames(form: CompiledForm): FormNames {
  const held = known.get(form);
  if (held) return held;
  const questions = form.fields.filter(({ fieldType }) => fieldType.nature !== "none");
  const texts = questions.flatMap(({ id, constraints }) => {
    const values = valuesOf(constraints.options);
    if (values.every((value) => typeof value === "string")) return [];
    return [
      [id, new Map<unknown, unknown>(optionTexts(values).map((text, i) => [text, values[i]]))] as const,
    ];
  });
  const fields = namesOf(
    questions.map(({ id }) => id),
    "field",
  );
  const rows = new Map(
    questions.flatMap(({ id, constraints: { rows } }) =>
      rows ? [[id, namesOf(valuesOf(rows).map(String), "row")] as const] : [],
    ),
  );
  const isSame =
    texts.length === 0 &&
    [fields, ...rows.values()].every(({ keys }) => [...keys].every(([id, key]) => id === key));
  const names = { ...fields, rows, options: new Map(texts), isSame };
  known.set(form, names);
  return names;
}

/** Members by ids. A key stays if its id was sent as well: it is an unknown field then. */
const byId = <T>(members: Iterable<readonly [string, T]>, { ids }: Names, isSent: (id: string) => boolean) =>
  [...members].map(([key, value]): [id: string, value: T] => {
    const id = ids.get(key) ?? key;
    return [id === key || isSent(id) ? key : id, value];
  });

/**
 * The data of a call by the ids of fields and rows. Ids are taken too, as `form_get` has them.
 * @param hasTexts true: options are texts, as the form's own tool has them
 */
export function withIds(form: CompiledForm, sent: SentData, hasTexts: boolean): SentData {
  const names = formNames(form);
  if (names.isSame) return sent;
  const { data, unstorable } = sent;
  const readValue = (id: string, value: unknown): unknown => {
    const [rows, options] = [names.rows.get(id), hasTexts ? names.options.get(id) : undefined];
    if (rows && isRecord(value))
      return Object.fromEntries(byId(Object.entries(value), rows, (row) => Object.hasOwn(value, row)));
    const optionOf = (text: unknown) => (options?.has(text) ? options.get(text) : text);
    return Array.isArray(value) ? value.map(optionOf) : optionOf(value);
  };
  const isSent = (id: string) => Object.hasOwn(data, id);
  const members = byId(Object.entries(data), names, isSent);
  return {
    data: Object.fromEntries(members.map(([id, value]) => [id, readValue(id, value)])),
    unstorable: new Map(byId(unstorable, names, isSent)),
  };
}

/** An issue in the result of a call. */
interface Issue {
  field?: string;
  code: string;
  message: string;
  constraint?: string;
  expected?: unknown;
}

/**
 * The result of a call with the keys that it was sent, where the API has ids.
 * @param isOwnTool true: what was not sent has its key too
 */
export function withKeys(
  form: CompiledForm,
  sent: Record<string, unknown>,
  result: Record<string, unknown>,
  isOwnTool: boolean,
): Record<string, unknown> {
  const { keys, rows, isSame } = formNames(form);
  if (isSame) return result;
  const nameOf = (id: string): string => {
    const key = keys.get(id) ?? id;
    return !Object.hasOwn(sent, id) && (isOwnTool || Object.hasOwn(sent, key)) ? key : id;
  };
  const issueOf = (issue: Issue): Issue => {
    const { field = "", code, message, constraint = "", expected } = issue;
    const isField = code === "unknown_field";
    const cellOf = (id: string): string => rows.get(field)?.keys.get(id) ?? id;
    const [rule = "", row] = constraint.split(/\.(.*)/s);
    const isOfRows = rule === "rows" || rule === "allRows";
    return {
      ...issue,
      ...(issue.field !== undefined && { field: nameOf(field) }),
      message: message.replace(
        /is (.+) meant\?$/s,
        (_, id) => `is ${(isField ? nameOf : cellOf)(id)} meant?`,
      ),
      ...(row !== undefined && { constraint: `${rule}.${cellOf(row)}` }),
      ...(isField && typeof expected === "string" && { expected: nameOf(expected) }),
      ...(isOfRows && Array.isArray(expected) && { expected: expected.map(cellOf) }),
    };
  };
  const writers: Record<string, (list: never[]) => unknown> = {
    errors: (issues: Issue[]) => issues.map(issueOf),
    warnings: (issues: Issue[]) => issues.map(issueOf),
    missingRequired: (ids: string[]) => ids.map(nameOf),
    applicable: (ids: string[]) => ids.map(nameOf),
    fields: (ids: string[]) => ids.map(nameOf),
  };
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      Array.isArray(value) ? (writers[name]?.(value as never[]) ?? value) : value,
    ]),
  );
}

type Said<V> = (value: V) => string | false;
const inSchema = () => false as const;

/** Sentences for the constraints that the schema of a value cannot express. */
const rules: { readonly [name in keyof Constraints]-?: Said<NonNullable<Constraints[name]>> } = {
  minLength: inSchema,
  maxLength: inSchema,
  minimum: (least) => typeof least === "string" && `${least} or later.`,
  maximum: (greatest) => typeof greatest === "string" && `${greatest} or earlier.`,
  minimumLabel: (label) => `The least means ${quoted(label)}.`,
  maximumLabel: (label) => `The greatest means ${quoted(label)}.`,
  multipleOf: (step) => `A multiple of ${step}.`,
  pattern: (source) => `Matches the regular expression ${quoted(source)}, anywhere unless it is anchored.`,
  country: (code) => `A national number of ${code} is taken too.`,
  allowedDomains: (domains) => `At ${domains.join(" or ")}.`,
  options: inSchema,
  allowOther: (isAllowed) => isAllowed && "Another text is taken too.",
  minItems: inSchema,
  maxItems: inSchema,
  rankAll: (isWhole) => isWhole && "All options are ranked.",
  requiredParts: inSchema,
  rows: inSchema,
  columns: inSchema,
  allRows: (isWhole) => isWhole && "Every row has a value.",
  accept: (mediaTypes) => `Of the media types ${mediaTypes.join(", ")}.`,
  maxBytes: (bytes) => `Each of at most ${sizeText(bytes)}.`,
};

/** Options whose labels are in a description. */
const maxLabels = 100;

/** Options or columns that the value itself does not show. */
function choicesText({ options, columns, allowOther }: Constraints): string | undefined {
  const shown = choicesOf(options ?? columns)
    .filter(({ value, label }) => allowOther || label !== value)
    .map(({ value, label }) => (label === value ? quoted(value) : `${quoted(value)} is ${quoted(label)}`));
  if (shown.length === 0) return undefined;
  return `Options: ${shown.slice(0, maxLabels).join(", ")}${shown.length > maxLabels ? ", …" : ""}.`;
}

const choice = ({ options, allowOther }: Constraints): Schema =>
  allowOther ? { type: "string" } : { type: "string", enum: optionTexts(valuesOf(options)) };

/** The schema of a field's value, without a description. */
function valueSchema({ constraints, required, fieldType }: Field, rows: Names | undefined): Schema {
  const { minItems, maxItems, columns, requiredParts = [], allRows } = constraints;
  const { type, minimum, maximum, minLength, maxLength, ...exact } = fieldType.jsonSchema(
    constraints,
    required,
  );
  if (fieldType.nature === "choice") return choice(constraints);
  if (fieldType.nature === "choices")
    return plainSchema({ type: "array", items: choice(constraints), minItems: exact.minItems, maxItems });
  if (fieldType.nature === "files") {
    const id = { type: "string", description: "As the upload returned it." };
    return plainSchema({ type, items: { properties: { id }, required: ["id"] }, minItems, maxItems });
  }
  if (fieldType.nature !== "parts")
    return plainSchema({
      ...{ type: fieldType.nature === "yesNo" ? "boolean" : type },
      ...{ minimum, maximum, minLength, maxLength },
    });
  const labels = new Map(choicesOf(constraints.rows).map(({ value, label }) => [value, label]));
  const parts = fieldType.parts(constraints);
  const partOf = (part: string): [key: string, schema: Schema] => [
    rows?.keys.get(part) ?? part,
    {
      ...{ type: "string", enum: columns && valuesOf(columns) },
      ...(rows &&
        labels.get(part) !== rows.keys.get(part) && { description: quoted(labels.get(part) ?? part) }),
    },
  ];
  const needed = (allRows ? parts : requiredParts).map((part) => rows?.keys.get(part) ?? part);
  return plainSchema({ type, properties: Object.fromEntries(parts.map(partOf)), required: needed });
}

/** A question: the owner's words as a quotation, then the rules. */
function propertyOf(form: CompiledForm, field: Field): Schema {
  const { id, label, definition, constraints, fieldType, kind, required } = field;
  const { keys, rows } = formNames(form);
  const { showIf = [], requireIf, compute, rules: ownRules = [] } = form.logicOf(id) ?? {};
  const { description, agentHint, default: offered } = definition;
  const words = [label, description, agentHint, ...ownRules.map(({ message }) => message)];
  const conditionText = ({ expression, source }: Formula) =>
    describe(expression, {
      field: (each) => keys.get(each) ?? each,
      option: (_, value) => JSON.stringify(value),
    }) ?? quoted(source);
  const quotation = words.filter((text) => typeof text === "string" && text !== "").join("\n");
  const offer = typeof offered === "string" ? offered : JSON.stringify(offered ?? null);
  const texts = [
    quotation && quoted(quotation),
    kind === "matrix" ? "An object: one of the columns per row." : fieldType.meaning,
    choicesText(constraints),
    ...Object.entries(rules).map(([name, say]) => {
      const value = constraints[name as keyof Constraints];
      return value !== undefined && say(value as never);
    }),
    limitsText(field),
    offer !== "null" && `The form's page offers ${quoted(offer)}.`,
    showIf.length > 0 && `Asked when ${showIf.map(conditionText).join(", and ")}.`,
    required && showIf.length > 0 && "Required when it is asked.",
    requireIf && `Required when ${conditionText(requireIf)}.`,
    compute
      ? `Calculated by the server: ${quoted(compute.source)}. Leave it out.`
      : !required && "Optional: leave out if unknown.",
  ];
  const { type, ...rest } = valueSchema(field, rows.get(id));
  return { type, description: texts.filter(Boolean).join(" "), ...rest };
}

/** The input schema of a form's own tool. */
export function toolSchema(form: CompiledForm): Schema & { type: "object" } {
  const { keys } = formNames(form);
  const questions = form.fields.filter(({ fieldType }) => fieldType.nature !== "none");
  const required = questions
    .filter(({ id, required }) => required && !form.logicOf(id)?.showIf.length && !form.logicOf(id)?.compute)
    .map(({ id }) => keys.get(id));
  return {
    type: "object",
    properties: Object.fromEntries(questions.map((field) => [keys.get(field.id), propertyOf(form, field)])),
    ...(required.length > 0 && { required }),
  };
}
