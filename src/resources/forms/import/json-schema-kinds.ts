/** The kinds of questions of JSON Schemas, and the keywords that are read of them. Pure. */
import type { Option } from "../../../fields/values.ts";
import type { QuestionKind } from "./draft.ts";
import { annotationKeywords, type Flat, typesOf } from "./json-schema-reader.ts";
import type { Node } from "./read.ts";

export const kinds = {
  string: { type: "text" },
  textarea: { type: "textarea" },
  email: { type: "email" },
  uri: { type: "url" },
  date: { type: "date" },
  time: { type: "time" },
  "date-time": { type: "datetime" },
  "data-url": { type: "file" },
  hidden: { type: "hidden" },
  password: { type: "text", loss: "Its characters can be read while they are entered." },
  color: { type: "text", loss: "A color is entered as a text." },
  integer: { type: "integer" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  "const true": { type: "consent" },
  const: { type: "hidden" },
  enum: { type: "select" },
  "array of enum with uniqueItems": { type: "multi_select" },
  "array of enum": { type: "multi_select", loss: "A value can be chosen once." },
  "array of data-url": { type: "file" },
  "array of texts or numbers": { type: "textarea", loss: "A list is one text, with a line for each item." },
  "several types": { type: "text", loss: "Its value is a text, where other types are accepted too." },
  "any type": { type: "text", loss: "Its value is a text, where any type is accepted." },
  "array of objects": { loss: "It is part of a list, which formd does not have." },
  "array of other items": { loss: "formd has no list of such items." },
  "object without properties": { loss: "Its members have no names." },
  "reference without end": { loss: "It refers to itself, to another document, or to too much." },
} satisfies Record<string, QuestionKind>;

export type KindName = keyof typeof kinds;

/** Kinds by `format` or `ui:widget`. */
export const textKinds: ReadonlyMap<unknown, KindName> = new Map(
  Object.entries({
    ...{ textarea: "textarea", email: "email", "idn-email": "email", uri: "uri", iri: "uri", url: "uri" },
    ...{ date: "date", "alt-date": "date", time: "time", "date-time": "date-time", datetime: "date-time" },
    ...{ "alt-datetime": "date-time", "data-url": "data-url", file: "data-url", files: "data-url" },
    ...{ hidden: "hidden", password: "password", color: "color" },
  } satisfies Record<string, KindName>),
);

export const constraints = [
  ...["minLength", "maxLength", "pattern", "minimum", "maximum", "multipleOf", "minItems", "maxItems"],
];
export const exclusives = [
  ["exclusiveMinimum", "minimum", ">", "more"],
  ["exclusiveMaximum", "maximum", "<", "less"],
] as const;
/** Keywords that are converted, and those without effect on respondents. */
export const readOfObjects: ReadonlySet<string> = new Set([
  ...annotationKeywords.filter((name) => name !== "default"),
  ...["type", "required", "nullable", "id", "$anchor", "deprecated", "writeOnly", "x-formd"],
]);
export const readOfQuestions: ReadonlySet<string> = new Set([
  ...[...readOfObjects, ...constraints, ...exclusives.map(([name]) => name), "default", "const", "enum"],
  ...["enumNames", "items", "contentEncoding", "contentMediaType"],
]);
export const readOfItems: ReadonlySet<string> = new Set([
  ...[...readOfObjects, "const", "enum", "enumNames", "contentEncoding", "contentMediaType"],
]);
/** The same of a uiSchema, and widgets that ask the same in another way. */
export const readOfUi: ReadonlySet<string> = new Set(
  [
    ...["title", "description", "help", "placeholder", "order", "options", "enumNames", "rows", "inline"],
    ...["autofocus", "autocomplete", "classNames", "style", "emptyValue", "rootFieldId"],
  ].map((name) => `ui:${name}`),
);
export const sameWidgets: readonly unknown[] = [
  ...["text", "radio", "select", "checkbox", "checkboxes", "updown", "range"],
];

/**
 * @param items the schema of the items of an array @param ui members of the uiSchema
 * @param options the values to choose from, of the items of an array
 */
export function kindOf(flat: Flat, items: Flat, ui: Node, options: readonly Option[] | undefined): KindName {
  const { keywords } = flat;
  const [type, other] = typesOf(flat);
  const textKind = textKinds.get(ui["ui:widget"]) ?? textKinds.get(keywords.get("format"));
  const fixed = keywords.get("const") ?? (options?.length === 1 ? options[0]?.value : undefined);
  if (textKind === "hidden") return "hidden";
  if (keywords.has("$ref") && !type) return "reference without end";
  if (type === "array" && options)
    return keywords.get("uniqueItems") === true ? "array of enum with uniqueItems" : "array of enum";
  if (type === "array" && items.keywords.get("format") === "data-url") return "array of data-url";
  if (type === "array" && ["string", "integer", "number"].includes(String(typesOf(items)[0])))
    return "array of texts or numbers";
  if (fixed === true) return "const true";
  if (keywords.has("const") && typeof fixed !== "object") return "const";
  if (options && (type !== "boolean" || options.some(({ value, label }) => label !== String(value))))
    return "enum";
  if (other) return "several types";
  if (type === "integer" || type === "number" || type === "boolean") return type;
  if (type === "array") return "array of other items";
  if (type !== "string") return type === "object" ? "object without properties" : "any type";
  return textKind ?? (Number(keywords.get("maxLength")) > 255 ? "textarea" : "string");
}
