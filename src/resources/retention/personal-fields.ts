/** Fields of a form that may identify a person. Pure. */
import { parseFields } from "../../fields/definition.ts";

const maxLabels = 3;

/** Labels of the first of these fields; empty: none. @param quoted puts a label in quotation marks */
export const personalLabels = (
  schema: { fields: readonly unknown[] },
  quoted = (label: string) => `“${label}”`,
): string =>
  parseFields(schema)
    .filter(
      ({ kind, definition }) =>
        definition.sensitive === true ||
        definition.pii === true ||
        /^(email|phone|address)$/.test(kind ?? ""),
    )
    .slice(0, maxLabels)
    .map(({ label, id }) => quoted(label || id))
    .join(", ");
