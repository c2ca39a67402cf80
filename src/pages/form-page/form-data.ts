/** Conversion of a form post to data: JSON values by the types of the fields, in the spelling of the page. */
import type { UnstorableFields } from "../../fields/compile.ts";
import { controlName, indexed, type Values } from "../../fields/control-values.ts";
import type { Field } from "../../fields/definition.ts";
import { allOf, isWellFormed, readingsIn, toValue } from "../../fields/entered.ts";
import { namesOf, toControls } from "../../fields/presentation.ts";
import type { Spelling } from "../../fields/spelling.ts";
import { isTimeZone } from "../../fields/time-zones.ts";
import { rawQueryOf } from "../../platform/http/request-context.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { pageLanguages } from "../../resources/forms/settings.ts";
import { isTokenName } from "./captcha.tsx";
import type { HiddenField } from "./hidden-fields.ts";
import { textForLanguage } from "./text/text.ts";
import type { PageText } from "./text/types.ts";

const isOwnName = (name: string) => name.startsWith("formd.") || isTokenName(name);

/** Names of controls. The key, the fields of a published version, never changes. */
const namesByForm = new WeakMap<
  readonly Field[],
  { ofField: readonly string[][]; all: ReadonlySet<string> }
>();

function namesOfForm(fields: readonly Field[]) {
  const known = namesByForm.get(fields);
  if (known) return known;
  const ofField = fields.map(namesOf);
  const names = { ofField, all: new Set(ofField.flat()) };
  namesByForm.set(fields, names);
  return names;
}

/** True for a field whose values a page writes in its language, or on the clock of its zone. */
export const isSpelled = ({ fieldType, kind }: Field): boolean =>
  fieldType.nature === "number" || kind === "date" || kind === "time" || kind === "datetime";

/** The hidden fields that say how a page writes values. The posts of its forms carry them along. */
export const spellingFields = (fields: readonly Field[], { lang, timeZone }: PageText): HiddenField[] => {
  const zone = fields.some(({ kind }) => kind === "datetime") ? timeZone : undefined;
  return [[ownNames.language, lang], ...(zone ? [[ownNames.zone, zone] satisfies HiddenField] : [])];
};

/** Returns the spelling of the page that a post comes from. Without its fields: JSON's and ISO 8601's. */
export function spellingIn(values: URLSearchParams): Spelling {
  const [language, timeZone] = [values.get(ownNames.language), values.get(ownNames.zone)];
  if (language === null) return {};
  const { locale, written } = textForLanguage(language);
  return { locale, written, ...(timeZone !== null && isTimeZone(timeZone) && { timeZone }) };
}

/**
 * The values of a post, with how the form's page writes them if the post does not say it, or names a language
 * that its page cannot have had: the data of each language that is read takes memory.
 * @param languages of the version of the post's page; none: it had that of the settings, and another one that
 * the post names is read as English
 */
export function withSpelling(
  fields: readonly Field[],
  values: URLSearchParams,
  text: PageText,
  languages: readonly string[] = [],
): URLSearchParams {
  const known: readonly string[] = languages.length > 0 ? languages : pageLanguages;
  if (known.includes(values.get(ownNames.language) ?? "")) return values;
  const others = [...values].filter(([name]) => name !== ownNames.language);
  // A text that is no tag is read as English.
  const isRead = languages.length > 0 || !values.has(ownNames.language);
  const spelling = isRead ? spellingFields(fields, text) : [[ownNames.language, ""]];
  return new URLSearchParams([...others, ...spelling]);
}

/** The control of a text that would mean other values on the page, with all that it meant before. */
function unclearIn(
  field: Field,
  values: Values,
  spelling: Spelling,
  text: PageText,
): HiddenField[] | undefined {
  const [meant = [], here = []] = [spelling, text].map((of) => readingsIn(field, values, of, text));
  const isSame = new Set(meant).symmetricDifference(new Set(here)).size === 0;
  return meant.length === 0 || isSame ? undefined : [[controlName(field.id), allOf(meant)]];
}

/**
 * The values as a page writes them. A text that means nothing in its own spelling stays as it is; one that
 * means several values has them all, unless the page asks about the same ones.
 */
export function respelled(
  fields: readonly Field[],
  values: URLSearchParams,
  text: PageText,
): URLSearchParams {
  const own = spellingFields(fields, text);
  if (own.every(([name, value]) => values.get(name) === value)) return values;
  const [spelling, read, written] = [spellingIn(values), indexed(values), new URLSearchParams(values)];
  // A query is in the spelling of JSON, or in the page's.
  const isTyped = values.has(ownNames.language);
  const spellings = isTyped ? [spelling] : [spelling, text];
  for (const field of fields) {
    if (field.fieldType.nature !== "number" && !field.fieldType.isTime) continue;
    const value = spellings
      .map((of) => toValue(field, read, of))
      .find((each) => each !== undefined && isWellFormed(field, each));
    const controls =
      value === undefined
        ? isTyped && unclearIn(field, read, spelling, text)
        : [...toControls([field], { [field.id]: value }, text)];
    if (!controls) continue;
    for (const name of namesOf(field)) written.delete(name);
    for (const [name, shown] of controls) written.append(name, shown);
  }
  for (const name of [ownNames.language, ownNames.zone]) written.delete(name);
  for (const [name, value] of own) written.append(name, value);
  return written;
}

/** Names of the hidden fields that the query of the address may fill in. */
const namesInQuery = (fields: readonly Field[]): string[] =>
  fields.filter(({ kind, definition }) => kind === "hidden" && definition.prefill === true).flatMap(namesOf);

/** The values of a post with those of hidden fields from the query of its address, and from nowhere else. */
export function withQuery(fields: readonly Field[], sent: URLSearchParams, request: Request) {
  const names = namesInQuery(fields);
  if (names.length === 0) return sent;
  const [values, query] = [new URLSearchParams(sent), new URLSearchParams(rawQueryOf(request))];
  for (const name of names) {
    values.delete(name);
    for (const value of query.getAll(name)) values.append(name, value);
  }
  return values;
}

/** The values of a post with those of hidden fields from an invitation, and from nowhere else. */
export function withInvitation(
  fields: readonly Field[],
  sent: URLSearchParams,
  prefill: Readonly<Record<string, unknown>>,
) {
  const hidden = fields.filter(({ kind, definition }) => kind === "hidden" && definition.prefill === true);
  const names = new Set(hidden.flatMap(namesOf));
  const given = toControls(hidden, prefill, spellingIn(sent));
  return new URLSearchParams([...[...sent].filter(([name]) => !names.has(name)), ...given]);
}

/** The query that {@link withQuery} reads again from the address that a page is sent to. */
export const queryOf = (fields: readonly Field[], values: URLSearchParams = new URLSearchParams()) =>
  new URLSearchParams(
    namesInQuery(fields).flatMap((name) => values.getAll(name).map((value) => [name, value])),
  ).toString();

/**
 * Returns the values by field id. A name of no field is kept as a key, so that validation reports
 * `unknown_field`. A hidden field is the owner's: a value counts only if the address may fill it in.
 */
export function toData(fields: readonly Field[], sent: URLSearchParams, spelling = spellingIn(sent)) {
  const data: Record<string, unknown> = Object.create(null);
  const unstorable = new Map<string, "format">();
  const names = namesOfForm(fields);
  const values = indexed(sent);
  for (const [index, field] of fields.entries()) {
    const { kind, definition } = field;
    if (kind === "hidden" && definition.prefill !== true) {
      if (definition.default != null) data[field.id] = definition.default;
      continue;
    }
    const value = toValue(field, values, spelling) ?? (kind === "hidden" ? definition.default : undefined);
    if (value != null) data[field.id] = value;
    const isUnstorable = names.ofField[index]?.some((name) =>
      values.getAll(name).some((text) => text.includes("\0")),
    );
    if (isUnstorable) unstorable.set(field.id, "format");
  }
  for (const [name, value] of sent) if (!names.all.has(name) && !isOwnName(name)) data[name] ??= value;
  return { data, unstorable: unstorable as UnstorableFields };
}
