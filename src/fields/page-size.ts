import { choicesOf } from "./control-values.ts";
import type { Field } from "./definition.ts";

/** Maximum number of entries in all lists of a ranking, which has a list of all options per place. */
const maxListed = 1_000;

/** Number of places of a ranking. `isListed`: each place has its own list; otherwise all share one. */
export function rankingSize({ constraints: { options, maxItems } }: Field) {
  const count = choicesOf(options).length;
  const places = Math.min(count, maxItems ?? count);
  return { places, isListed: places * count <= maxListed };
}

/** The controls and options of a field on the page. */
export function pageControls(field: Field): number {
  const [options, rows, columns] = [
    field.constraints.options,
    field.constraints.rows,
    field.constraints.columns,
  ].map((choices) => choicesOf(choices).length) as [number, number, number];
  if (field.kind === "matrix") return rows * columns;
  if (field.kind !== "ranking") return Math.max(1, options);
  const { places, isListed } = rankingSize(field);
  return isListed ? places * options : places + options;
}
