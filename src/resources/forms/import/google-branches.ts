/** Sections of Google Forms to which the options of a question lead. Pure. */
import type { Expression } from "../../../fields/conditions/expression.ts";
import type { DraftEntry, ImportDraft } from "./draft.ts";
import { all, any, equalsOne, not } from "./logic.ts";
import { isSet, isTrue, type Node } from "./read.ts";
import { quote } from "./text.ts";

/** A question after whose section the chosen option decides where to go on. */
export interface SectionBranch {
  readonly entry: DraftEntry;
  readonly section: number;
  readonly options: readonly Node[];
}

/** A section with its page break: the conditions of the branches that lead to it, and that end before it. */
export interface FormSection {
  readonly entry: DraftEntry | undefined;
  readonly ways: (Expression | undefined)[];
  readonly ends: (Expression | undefined)[];
  original?: string;
}

/** Options of a branch, and branches of a section: more make too long a condition. */
const maxOptions = 100;
const maxBranches = 20;

/** Position of the section to which an option leads. Undefined: back, or to no section. */
function targetOf(option: Node, section: number, places: ReadonlyMap<unknown, number>, end: number) {
  const { goToSectionId, goToAction } = option;
  if (goToAction === "SUBMIT_FORM") return end;
  if (goToAction !== "RESTART_FORM" && !isSet(goToSectionId)) return section + 1;
  const target = places.get(goToSectionId);
  return isTrue(option.isOther) || (target !== undefined && target <= section) ? undefined : target;
}

/**
 * Gives the sections after a branch the options that lead to them. A document does not say where a section
 * goes on: a way is assumed to last until the next one begins, and all to have met after the last one.
 * @returns false: an option has no counterpart
 */
function addBranch(
  branch: SectionBranch,
  sections: readonly FormSection[],
  places: ReadonlyMap<unknown, number>,
): boolean {
  const { entry, section, options } = branch;
  const targets = options.map((each) => targetOf(each, section, places, sections.length));
  if (options.length > maxOptions || targets.includes(undefined)) return false;
  const values = new Map<number, unknown[]>();
  for (const [index, { value }] of options.entries()) {
    const target = targets[index] as number;
    values.set(target, [...(values.get(target) ?? []), value]);
  }
  const ended = values.get(sections.length);
  const end = ended && not(equalsOne(entry, ended));
  values.delete(sections.length);
  const [first, last] = [Math.min(...values.keys()), Math.max(section, ...values.keys())];
  // An option that leads to no section of its own goes the way of the others in the end.
  const goesOn = options.some(
    ({ goToSectionId, goToAction }) => !isSet(goToSectionId) && goToAction !== "SUBMIT_FORM",
  );
  const original = quote(options);
  let way: Expression | undefined;
  for (let index = section + 1; index < sections.length; index++) {
    const each = sections[index] as FormSection;
    const chosen = values.get(index);
    if (chosen && goesOn && index === section + 1)
      way = not(
        equalsOne(
          entry,
          options.map(({ value }) => value).filter((value) => !chosen.includes(value)),
        ),
      );
    else if (chosen) way = equalsOne(entry, chosen);
    if (index > last || (goesOn && index === last)) each.ends.push(...(end ? [end] : []));
    else if (index >= first) each.ways.push(way);
    each.original = original;
  }
  return true;
}

/** Gives each section the condition under which a branch leads to it. @param places of sections, by ids */
export function applyBranches(
  draft: ImportDraft,
  branches: readonly SectionBranch[],
  sections: readonly FormSection[],
  places: ReadonlyMap<unknown, number>,
): void {
  const left = branches.filter((branch) => !addBranch(branch, sections, places));
  for (const { entry, options } of left)
    draft.lose(entry, "condition", `Its branches are left out: ${quote(options)}`);
  if (left.length < branches.length)
    draft.note(
      "items",
      "condition",
      "A branch is taken to end where the next one begins: the document does not say where it ends.",
    );
  for (const { entry, ways, ends, original } of sections) {
    if (!entry || ways.length + ends.length === 0) continue;
    const isShort = ways.length + ends.length <= maxBranches;
    const showIf = isShort ? all([...(ways.length > 0 ? [any(ways)] : []), ...ends]) : undefined;
    draft.setLogic(entry, "showIf", showIf, original);
  }
}
