/** Values of fields as an HTML form sends them, and as JSON. Pure. */
import { valuesOf } from "../fields/constraints.ts";
import { type Field, isRecord } from "../fields/definition.ts";
import { addressParts } from "../fields/types/address.ts";

/** The name of a field's control, or of a part of it. An id may be any text, also that of another control of the form. */
export const controlName = (id: string, part?: string): string =>
  ["v", id, ...(part === undefined ? [] : [part])].map(encodeURIComponent).join(":");

/** The part for a choice that is not among the options. */
export const otherPart = "other";

const textIn = (values: URLSearchParams, name: string) => values.get(name)?.replaceAll("\r\n", "\n") ?? "";

/** What is no number stays text, and fails as `type_mismatch`. */
const numberOf = (text: string): unknown => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);

/** The option that was sent as text: options may be numbers or booleans. */
const optionOf = (field: Field, text: string): unknown =>
  valuesOf(field.constraints.options).find((value) => String(value) === text) ?? text;

/** The JSON value of one field; undefined when nothing was entered. */
export function toValue(field: Field, values: URLSearchParams): unknown {
  const { id, kind, constraints } = field;
  const name = controlName(id);
  const text = textIn(values, name);
  const other = constraints.allowOther ? textIn(values, controlName(id, otherPart)).trim() : "";
  switch (kind) {
    case "statement":
      return undefined;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text || undefined;
    case "consent":
      return text !== "" || undefined;
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
  for (const { id, constraints } of fields) {
    const value = Object.hasOwn(data, id) ? data[id] : undefined;
    const options = new Set(valuesOf(constraints.options).map(String));
    const add = (name: string, given: unknown) => {
      for (const each of [given].flat())
        if (each !== undefined && each !== null)
          values.append(
            constraints.allowOther && !options.has(String(each)) ? controlName(id, otherPart) : name,
            String(each),
          );
    };
    if (isRecord(value)) for (const [part, cell] of Object.entries(value)) add(controlName(id, part), cell);
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
