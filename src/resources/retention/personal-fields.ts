/** Which fields of a form ask for what tells who a person is. Pure. */
import { parseFields } from "../../fields/definition.ts";

/** Fields that a warning names. */
const maxLabels = 3;

/**
 * The labels of the first of these fields; empty: there is none.
 *
 * @param quoted puts one in quotation marks
 */
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
