/** Shows and hides dependent questions, and shows calculated values. `bun run scripts` builds it. */
import { compilePlan, type PlannedField } from "../../fields/conditions/plan.ts";
import { indexed } from "../../fields/control-values.ts";
import { type EnteredField, plainText } from "../../fields/entered.ts";

/** Data of the page for this script, as JSON. */
export interface PagePlan {
  fields: readonly PlannedField[];
  /** Prefix of the names of values of other steps. */
  keptPrefix: string;
  words: {
    lang: string;
    yes: string;
    no: string;
    /** BCP 47, for numbers and days. */
    locale: string;
    timeZone?: string | undefined;
    notCalculated: string;
    /** Message about questions that have appeared: one, or `{n}`. */
    appeared: readonly [one: string, several: string];
  };
}

/** Pause in typing after which a screen reader announces how many questions appeared. */
const quietMs = 600;

const find = <E extends Element>(selector: string) => document.querySelector<E>(selector) as E;
const form = find<HTMLFormElement>("form[data-key]");
const status = find<HTMLElement>("#appeared");
const { fields, keptPrefix, words } = JSON.parse(find("#conditions").textContent ?? "") as PagePlan;
const run = compilePlan(fields, words);
const planned = new Map(fields.map((field) => [field.id, field]));
const dependent = [...form.querySelectorAll<HTMLFieldSetElement>("fieldset.dependent")].filter(
  ({ dataset }) => planned.get(dataset.field as string)?.showIf,
);
const outputs = [...form.querySelectorAll<HTMLOutputElement>("output[data-computed]")];

/** Returns the values that the form would send if all of its fields applied, by the names of the controls. */
function enteredValues(): URLSearchParams {
  for (const fieldset of dependent) fieldset.disabled = false;
  return new URLSearchParams(
    [...new FormData(form)].map(([name, value]): [string, string] => [
      name.startsWith(keptPrefix) ? name.slice(keptPrefix.length) : name,
      String(value),
    ]),
  );
}

const isShownQuestion = (fieldset: HTMLFieldSetElement) =>
  !fieldset.hidden && fieldset.querySelector("input:not([type=hidden]), select, textarea") !== null;
const shownQuestions = () => new Set(dependent.filter(isShownQuestion));

function show(output: HTMLOutputElement, value: unknown): void {
  const { id, kind, options } = planned.get(output.dataset.computed as string) as PlannedField;
  const field = { id, kind, constraints: { options } } as EnteredField;
  const text = value === undefined ? words.notCalculated : plainText(field, value, words);
  if (output.textContent !== text) output.textContent = text;
}

function update(): void {
  const { hidden, computed } = run(indexed(enteredValues()));
  for (const fieldset of dependent)
    fieldset.hidden = fieldset.disabled = hidden.has(fieldset.dataset.field as string);
  for (const output of outputs) {
    const id = output.dataset.computed as string;
    if (planned.get(id)?.compute) show(output, computed.get(id));
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;
let known: ReadonlySet<HTMLFieldSetElement>;

/** Announces how many questions appeared since the last announcement. */
function announce(): void {
  const shown = shownQuestions();
  const count = [...shown].filter((each) => !known.has(each)).length;
  known = shown;
  status.textContent = count === 0 ? "" : words.appeared[count === 1 ? 0 : 1].replace("{n}", String(count));
}

function changed(): void {
  update();
  // A repeated sentence is read out only if it was cleared before.
  status.textContent = "";
  clearTimeout(timer);
  timer = setTimeout(announce, quietMs);
}

update();
known = shownQuestions();
form.addEventListener("input", changed);
form.addEventListener("change", changed);
// A browser may fill controls in when the page is shown again.
addEventListener("pageshow", update);
