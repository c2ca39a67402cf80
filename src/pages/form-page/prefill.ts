/** Values that the query of a page's address gives. */
import type { Field } from "../../fields/definition.ts";
import { namesOf, toControls } from "../../fields/presentation.ts";

/** Returns the defaults, replaced by the query's values for fields with `prefill: true`. Undefined: none. */
export function prefilled(fields: readonly Field[], query: URLSearchParams): URLSearchParams | undefined {
  const allowed = fields.filter(({ definition }) => definition.prefill === true);
  const given = allowed.filter((field) => namesOf(field).some((name) => query.has(name)));
  if (given.length === 0) return undefined;
  const defaults = Object.fromEntries(fields.map(({ id, definition }) => [id, definition.default]));
  const values = toControls(
    fields.filter((field) => !given.includes(field)),
    defaults,
  );
  for (const name of given.flatMap(namesOf))
    for (const value of query.getAll(name)) values.append(name, value.replaceAll("\0", ""));
  return values;
}
