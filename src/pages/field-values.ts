/** Values of fields as an HTML form sends them, and as JSON. Pure. */
import { valuesOf } from "../fields/constraints.ts";
import { type Field, isRecord } from "../fields/definition.ts";
import { addressParts } from "../fields/types/address.ts";
import { isExact } from "../http/body.ts";

/** What was entered, by the names of the controls: URLSearchParams, or {@link indexed} ones. */
export interface Values {
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
}

/** The same values for a form with many fields: URLSearchParams searches all of them for each name. */
export function indexed(values: URLSearchParams): Values {
  const byName = new Map<string, string[]>();
  for (const [name, value] of values) {
    const list = byName.get(name);
    if (list) list.push(value);
    else byName.set(name, [value]);
  }
  return {
    get: (name) => byName.get(name)?.[0] ?? null,
    getAll: (name) => byName.get(name) ?? [],
    has: (name) => byName.has(name),
  };
}

/** Names of the pages' own controls: no id of a field is one of them, nor begins like `formd.version`. */
const reserved = /^(?:formd|csrf)$/;

const escapeCharacter = (character: string) =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("");
const escapeName = (text: string) => text.replace(/[%.\p{Cc}]/gu, escapeCharacter);

/**
 * The name of a field's control: its id, and of a part `id.part`. In an id and a part, `%`, `.` and control characters are
 * percent-encoded, and the first letter of an id that is the name of another control.
 */
export function controlName(id: string, part?: string): string {
  const name = reserved.test(id) ? escapeCharacter(id.slice(0, 1)) + id.slice(1) : escapeName(id);
  return part === undefined ? name : `${name}.${escapeName(part)}`;
}

/** The part for a choice that is not among the options. */
export const otherPart = "other";

/** The parts of a date and time: as the respondent's clock shows it, and the offset of that clock from UTC. */
export const momentParts = ["local", "zone"] as const;

/**
 * What the two parts can show. Browsers leave out seconds and fractions that are zero, and empty a control whose value has the year 0000, the
 * second 60 or more than three digits of a fraction (HTML, "Dates and times").
 */
const momentPattern =
  /^((?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d)(?::00(?:\.0+)?|(:[0-5]\d(?:\.\d{0,2}[1-9])?)(?:\.0+)?)?(Z|[+-]\d\d:\d\d)$/;

function momentOf(values: Values, id: string): string | undefined {
  const [local, zone] = momentParts.map((part) => textIn(values, controlName(id, part)).trim());
  if (!local) return undefined;
  return `${/T\d\d:\d\d$/.test(local) ? `${local}:00` : local}${zone}`;
}

/** The names by which the value of a field is sent. */
export function namesOf({ id, kind, constraints }: Field): string[] {
  switch (kind) {
    case "statement":
      return [];
    case "address":
      return addressParts.map((part) => controlName(id, part));
    case "datetime":
      return [controlName(id), ...momentParts.map((part) => controlName(id, part))];
    case "matrix":
      return valuesOf(constraints.rows).map((row) => controlName(id, String(row)));
    default:
      return constraints.allowOther ? [controlName(id), controlName(id, otherPart)] : [controlName(id)];
  }
}

const textIn = (values: Values, name: string) => values.get(name)?.replaceAll("\r\n", "\n") ?? "";

/**
 * What is no number, or none that a double holds exactly, stays text, and fails as `type_mismatch`. A comma is a decimal point, as in German,
 * unless three digits follow, which may be thousands.
 */
function numberOf(text: string): unknown {
  const digits = text.replace(/^(-?\d+),(?!\d{3}$)(\d+)$/, "$1.$2");
  return /^-?\d+(?:\.\d+)?$/.test(digits) && isExact(Number(digits), digits) ? Number(digits) : text;
}

/**
 * The texts by which a form sends options, which may be numbers or booleans: `1` for the number, and for the text "1" beside it `"1"`, with the
 * quotation marks.
 */
export function optionTexts(values: readonly unknown[]): string[] {
  const taken = new Set(values.filter((value) => typeof value !== "string").map(String));
  return values.map((value) =>
    typeof value === "string" && taken.has(value) ? JSON.stringify(value) : String(value),
  );
}

/** Of a published field they never change. */
const optionsByText = new WeakMap<Field, Map<string, unknown>>();

/** The option that was sent as text. */
function optionOf(field: Field, text: string): unknown {
  let options = optionsByText.get(field);
  if (!options) {
    const values = valuesOf(field.constraints.options);
    options = new Map(optionTexts(values).map((each, index) => [each, values[index]]));
    optionsByText.set(field, options);
  }
  return options.get(text) ?? text;
}

/** The JSON value of one field; undefined when nothing was entered. */
export function toValue(field: Field, values: Values): unknown {
  const { id, kind, constraints } = field;
  const name = controlName(id);
  const text = textIn(values, name);
  const other = constraints.allowOther ? textIn(values, controlName(id, otherPart)).trim() : "";
  switch (kind) {
    case "statement":
      return undefined;
    case "boolean":
      return text === "true" || text === "on" ? true : text === "false" ? false : text || undefined;
    case "consent":
      return text === "false" ? false : text !== "" || undefined;
    case "number":
    case "integer":
    case "rating":
      return text.trim() === "" ? undefined : numberOf(text.trim());
    case "select":
      return other || (text === "" ? undefined : optionOf(field, text));
    case "multi_select":
    case "ranking": {
      const chosen = values.getAll(name).filter((each) => each !== "");
      const items = [...chosen.map((each) => optionOf(field, each)), ...(other ? [other] : [])];
      return items.length > 0 ? items : undefined;
    }
    case "address":
      return objectOf(addressParts, (part) => textIn(values, controlName(id, part)).trim() || undefined);
    case "matrix":
      return objectOf(valuesOf(constraints.rows).map(String), (row) => {
        const cells = values.getAll(controlName(id, row)).filter((cell) => cell !== "");
        return cells.length > 1 ? cells : cells[0];
      });
    case "datetime":
      return text || momentOf(values, id);
    default:
      return text === "" ? undefined : text;
  }
}

/** The members that have a value; undefined when none has. */
function objectOf(
  names: readonly string[],
  cellOf: (name: string) => unknown,
): Record<string, unknown> | undefined {
  const members = names.flatMap((name): [string, unknown][] => {
    const value = cellOf(name);
    return value === undefined ? [] : [[name, value]];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** What the controls of a form show of its data. */
export function toControls(
  fields: readonly Field[],
  data: Readonly<Record<string, unknown>>,
): URLSearchParams {
  const values = new URLSearchParams();
  for (const { id, kind, constraints } of fields) {
    const value = Object.hasOwn(data, id) ? data[id] : undefined;
    const options = valuesOf(constraints.options);
    const texts = new Map(optionTexts(options).map((text, index) => [options[index] as unknown, text]));
    const add = (name: string, given: unknown) => {
      for (const each of [given].flat())
        if (each !== undefined && each !== null)
          values.append(
            constraints.allowOther && !texts.has(each) ? controlName(id, otherPart) : name,
            texts.get(each) ?? String(each),
          );
    };
    const moment = kind === "datetime" && typeof value === "string" ? momentPattern.exec(value) : null;
    if (moment) {
      const [, minutes, seconds = "", zone = ""] = moment;
      add(controlName(id, momentParts[0]), minutes + seconds);
      add(controlName(id, momentParts[1]), zone);
    } else if (isRecord(value))
      for (const [part, cell] of Object.entries(value)) add(controlName(id, part), cell);
    else add(controlName(id), value);
  }
  return values;
}

/** A value as a line of text. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(toText).join(", ");
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${toText(each)}`)
      .join("; ");
  return String(value);
}
