/** A value as people read it: with the labels of its options, one line for each part. */
import { type Field, isRecord } from "../../fields/definition.ts";
import { addressParts } from "../../fields/types/address.ts";
import { toText } from "../field-values.ts";
import { choicesOf } from "./choices.tsx";
import type { FieldWords } from "./props.ts";

const labelIn = (list: Parameters<typeof choicesOf>[0], value: unknown): string =>
  choicesOf(list).find((choice) => choice.value === String(value))?.label ?? toText(value);

/** The text of a value, which need not be valid. */
export function valueText(
  { kind, constraints }: Field,
  value: unknown,
  text: Pick<FieldWords, "lang" | "yes" | "no" | "day">,
): string {
  const items = [value].flat();
  switch (kind) {
    case "boolean":
    case "consent":
      return value === true ? text.yes : value === false ? text.no : toText(value);
    case "select":
    case "multi_select":
      return items.map((item) => labelIn(constraints.options, item)).join("\n");
    case "ranking":
      return items.map((item, index) => `${index + 1}. ${labelIn(constraints.options, item)}`).join("\n");
    case "matrix":
      return Object.entries(isRecord(value) ? value : {})
        .map(([row, cells]) => {
          const columns = [cells].flat().map((cell) => labelIn(constraints.columns, cell));
          return `${labelIn(constraints.rows, row)}: ${columns.join(", ")}`;
        })
        .join("\n");
    case "address": {
      const parts = isRecord(value) ? value : {};
      const lines = addressParts.map((part) =>
        part === "country" ? countryOf(parts[part], text.lang) : toText(parts[part]),
      );
      return lines.filter((line) => line !== "").join("\n");
    }
    case "date":
      return Number.isNaN(Date.parse(`${value}T00:00:00Z`)) ? toText(value) : text.day(value);
    case "datetime":
      return toText(value).replace(/^(\S+)T(\S+?)(Z|[+-]\d\d:\d\d)$/, (_, day, time, zone) =>
        [day, time, zone === "Z" ? "UTC" : `UTC${zone}`].join(" "),
      );
    default:
      return toText(value);
  }
}

/** The name of a country; a text that is no code stays as it is. */
const countryOf = (code: unknown, language: string): string =>
  typeof code === "string" && /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames([language], { type: "region" }).of(code) ?? code)
    : toText(code);
