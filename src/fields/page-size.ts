/** How large the page of a form is. Pure. */
import { choicesOf } from "./control-values.ts";
import type { Field } from "./definition.ts";

/** A ranking has a list of all options at each place, up to this many entries in all. */
const maxListed = 1_000;

/** How many places a ranking has, and whether each has a list of its own: else all share one. */
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
