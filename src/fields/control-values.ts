/** Names and texts of the controls of an HTML form. Pure; the pages' script runs this module too. */
import { isRecord, type Option, valuesOf } from "./values.ts";

/** Entered values by the names of the controls: URLSearchParams, or {@link indexed} ones. */
export interface Values {
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
}

/** Indexes the values for a form with many fields: URLSearchParams searches all of them for each name. */
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

/** Names of the pages' own controls, which no control of a field has. Others begin like `formd.version`. */
const reserved = /^(?:formd|csrf)$/;

const escapeCharacter = (character: string) =>
  [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`)
    .join("");
const escapeName = (text: string) => text.replace(/[%.\p{Cc}]/gu, escapeCharacter);

/**
 * The name of a field's control: its id, or `id.part` for a part. In both, `%`, `.` and control characters
 * are percent-encoded. The first letter of an id that equals a reserved name is percent-encoded too.
 */
export function controlName(id: string, part?: string): string {
  const name = reserved.test(id) ? escapeCharacter(id.slice(0, 1)) + id.slice(1) : escapeName(id);
  return part === undefined ? name : `${name}.${escapeName(part)}`;
}

/** The part for a choice that is not among the options. */
export const otherPart = "other";

/** The parts of a date and time: the respondent's local time, and its offset from UTC. */
export const momentParts = ["local", "zone"] as const;

export const addressParts = ["line1", "line2", "city", "region", "postalCode", "country"] as const;

/** Parses the file in the control of an upload, which is JSON; undefined for any other text. */
export function fileIn(text: string): (Record<string, unknown> & { id: string }) | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const file: unknown = JSON.parse(text);
    return isRecord(file) && typeof file.id === "string" ? { ...file, id: file.id } : undefined;
  } catch {
    return undefined;
  }
}

/** Entered text of one control, with LF line breaks as in JSON. */
export const controlText = (values: Values, name: string): string =>
  values.get(name)?.replaceAll("\r\n", "\n") ?? "";

/** Texts that a form sends for options: `1` for the number, and `"1"`, with the marks, for the text. */
export function optionTexts(values: readonly unknown[]): string[] {
  const taken = new Set(values.filter((value) => typeof value !== "string").map(String));
  return values.map((value) =>
    typeof value === "string" && taken.has(value) ? JSON.stringify(value) : String(value),
  );
}

/** Options, rows or columns: each value as the text that a form sends, with its label. */
export function choicesOf(list: readonly (string | Option)[] = []): { value: string; label: string }[] {
  const values = valuesOf(list);
  return optionTexts(values).map((value, index) => {
    const entry = list[index];
    return { value, label: (typeof entry === "object" && entry.label) || String(values[index]) };
  });
}

export function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(toText).join(", ");
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${toText(each)}`)
      .join("; ");
  return String(value);
}

/** The label of an option, a row or a column; for any other value the value itself. */
export const labelIn = (list: readonly (string | Option)[] | undefined, value: unknown): string =>
  choicesOf(list).find((choice) => choice.value === String(value))?.label ?? toText(value);
