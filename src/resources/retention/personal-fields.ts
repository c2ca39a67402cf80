/** Which fields of a form ask for what tells who a person is. Pure. */
import { parseFields } from "../../fields/definition.ts";

/** Fields that a warning names. */
const maxLabels = 3;

/** The labels of the first of these fields, quoted; empty: there is none. */
export const personalLabels = (schema: { fields: readonly unknown[] }): string =>
  parseFields(schema)
    .filter(
      ({ kind, definition }) =>
        definition.sensitive === true ||
        definition.pii === true ||
        /^(email|phone|address)$/.test(kind ?? ""),
    )
    .slice(0, maxLabels)
    .map(({ label, id }) => `“${label || id}”`)
    .join(", ");
