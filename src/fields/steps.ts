/** Steps of a form. */
import type { Field } from "./definition.ts";

export interface Step {
  /** The `page_break` that it begins with; the first step has none. */
  opening: Field | undefined;
  fields: readonly Field[];
}

/** Divides a form at each `page_break`. Fields of a step with none visible join the next one, or the last. */
export function divide(fields: readonly Field[]): Step[] {
  const steps: { opening: Field | undefined; fields: Field[] }[] = [];
  let hidden: Field[] = [];
  let opening: Field | undefined;
  let isOpen = false;
  for (const field of fields) {
    if (field.type === "page_break") {
      opening = field;
      isOpen = false;
    } else if (field.kind === "hidden") hidden.push(field);
    else {
      if (!isOpen) steps.push({ opening, fields: [] });
      isOpen = true;
      steps.at(-1)?.fields.push(...hidden, field);
      hidden = [];
    }
  }
  steps.at(-1)?.fields.push(...hidden);
  return steps;
}

/** True for a form whose page shows one step after another. */
export const isInSteps = (steps: readonly Step[], { layout }: { layout?: "single" | "steps" }): boolean =>
  layout !== "single" && steps.length > 1;
