/** The errors of a submission in the words of the page. */
import type { FieldCode } from "../../fields/codes.ts";
import { addressParts, choicesOf, type Values } from "../../fields/control-values.ts";
import type { Field } from "../../fields/definition.ts";
import { isSkipped, readingsOf, toValue } from "../../fields/entered.ts";
import type { FieldIssue } from "../../fields/field-type.ts";
import { type FullOptions, listedIn } from "../../fields/option-limits.ts";
import type { FieldText } from "../../fields/translations.ts";
import { targetOf } from "../ui/field-input.tsx";
import { labelOf } from "../ui/fields/props.ts";
import type { PageText } from "./text/types.ts";

/** One message, and the id of the control that it is about, if it is about one. */
export interface PageMessage {
  /** Absent: of no field on the page. */
  field?: Field;
  part?: string | undefined;
  target?: string;
  /** The sentence at the control. */
  text: string;
  /** The sentence in a list of all, with the label. */
  summary: string;
  /** Texts of the field in the sentence, and in the one with the label. */
  own?: FieldText[];
  ownInSummary?: FieldText[];
}

/**
 * Returns the first message of each field, in the order of the page; then messages of no field.
 * @param shown full options, the values of the page, on which the controls depend, and doubtful addresses
 */
export function messagesOf(
  text: PageText,
  fields: readonly Field[],
  errors: readonly FieldIssue[],
  shown: { full?: FullOptions | undefined; values?: Values; doubtful?: ReadonlySet<string> | undefined } = {},
): PageMessage[] {
  const byField = Map.groupBy(errors, ({ field }) => field);
  const known = fields.flatMap((field): PageMessage[] => {
    const [error] = byField.get(field.id) ?? [];
    byField.delete(field.id);
    const saying = (own: string) => {
      // A rule has the words of its owner.
      if (error?.code === "rule") {
        const texts: FieldText[] = [
          { place: ["messages", String(/\d+/.exec(error.constraint ?? ""))], text: own },
        ];
        return { field, text: own, summary: own, own: texts, ownInSummary: texts };
      }
      const label = labelOf(field);
      const ownInSummary: FieldText[] = [{ place: ["label"], text: label }];
      return { field, text: own, summary: text.inSummary(label, own), ownInSummary };
    };
    if (!error && shown.doubtful?.has(field.id)) {
      const address = String(shown.values && toValue(field, shown.values, text));
      return [{ ...saying(text.isRight(address)), target: targetOf(field) }];
    }
    if (!error) return [];
    const part = partOf(field, error);
    return [
      {
        ...saying(sentence(text, field, error, part, shown.values)),
        part,
        target: targetOf(field, { ...shown, part, full: listedIn(shown.full, field.id) }),
      },
    ];
  });
  const unknown = [...byField.keys()].map((name = ""): PageMessage => {
    const summary = text.unknownName(name);
    return { text: summary, summary };
  });
  return [...known, ...unknown];
}

function sentence(
  text: PageText,
  field: Field,
  { code, expected, constraint, message }: FieldIssue,
  part: string | undefined,
  values: Values | undefined,
): string {
  if (code === "rule") return message;
  const readings =
    values && (code === "type_mismatch" || code === "format") ? readingsOf(field, values, text) : [];
  const meant = readings.length > 0 ? text.meant(readings) : "";
  if (readings.length > 1) return meant;
  if (values && code === "format" && isSkipped(field, values, text)) return text.skipped;
  const entry = text.sentences[code as Exclude<FieldCode, "rule">];
  const ofType =
    typeof entry === "object" && "any" in entry ? ((field.kind && entry[field.kind]) ?? entry.any) : entry;
  const said = text.say(ofType, {
    label: labelOf(field),
    field,
    expected,
    constraint,
    timeZone: text.timeZone,
    part: part && partLabel(text, field, part),
  });
  return meant ? `${said} ${meant}` : said;
}

/** The part of an address, or the row of a matrix, that an error is about. */
function partOf({ kind, constraints }: Field, { code, constraint = "", expected }: FieldIssue) {
  if (kind === "address")
    return addressParts.find((part) => constraint === part || constraint === `parts.${part}`);
  if (kind !== "matrix") return undefined;
  const rows = choicesOf(constraints.rows).map(({ value }) => value);
  if (code === "incomplete_matrix" && Array.isArray(expected)) return rows.find((row) => row === expected[0]);
  return rows.find((row) =>
    ["rows", "columns", "uniqueItems"].some((rule) => constraint === `${rule}.${row}`),
  );
}

const partLabel = (text: PageText, { kind, constraints }: Field, part: string): string =>
  kind === "address"
    ? text.addressParts[part as (typeof addressParts)[number]]
    : (choicesOf(constraints.rows).find(({ value }) => value === part)?.label ?? part);
