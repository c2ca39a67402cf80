/** The page after a post that stores nothing: a step of the form, the values to check, or the whole form. */
import { fileIn } from "../../fields/control-values.ts";
import type { Field } from "../../fields/definition.ts";
import type { FieldIssue } from "../../fields/field-type.ts";
import { fullOptionIssues } from "../../fields/option-limits.ts";
import { namesOf } from "../../fields/presentation.ts";
import { divide, type Step } from "../../fields/steps.ts";
import type { Problem, ProblemCode } from "../../problem.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { type Applicable, applicableTo, doubtfulIn, notAsked, readValues } from "./applicable.ts";
import { spellingIn, toData } from "./form-data.ts";
import { allValues, hasKept } from "./hidden-fields.ts";
import { isOutdated } from "./page-key.ts";
import type { PublishedPage } from "./page-request.ts";
import type { Failure } from "./text/types.ts";

interface StepState {
  page: Pick<PublishedPage, "form" | "full" | "banner" | "text">;
  /** Absent: the form is one page. */
  steps: readonly Step[] | undefined;
  sent: URLSearchParams;
}

export type StepAction =
  /** A button of a step, or of the values to check. Files that were not stored have issues. */
  | { type: "send"; issues: readonly FieldIssue[] }
  | { type: "remove"; issues: readonly FieldIssue[] }
  /** The page is shown in another language. */
  | { type: "switch"; issues: readonly FieldIssue[] }
  /** The page as it was sent: it was saved, or could not be. */
  | { type: "stay"; notice?: Failure; code?: ProblemCode }
  /** Values of other steps do not match their signature. */
  | { type: "alter" }
  /** The published version is not the page's, or the form no longer has steps. */
  | { type: "publish"; changed: ReadonlySet<string> }
  | { type: "refuse"; problem: Problem };

export interface NextPage {
  /** Position of the step, from 0, or of the values to check, after the last step. Absent: the whole form. */
  at?: number | undefined;
  values: URLSearchParams;
  /** Key of the page that was sent. Absent: a new key. */
  key?: string | undefined;
  /** True if the values to check come next. */
  isChange?: boolean;
  /** True if the values are those of the page in another language. */
  isSwitched?: boolean;
  errors?: readonly FieldIssue[];
  /** Reason why the form was not sent, unless it is a field error. */
  notice?: Failure;
  /** Ids of fields that changed since the form was filled in. */
  changed?: ReadonlySet<string>;
  /** Ids of fields that apply for the first time because of the entered values. */
  asked?: ReadonlySet<string>;
  /** Ids of fields with an e-mail address that the respondent is asked about. */
  doubtful?: ReadonlySet<string>;
  code?: ProblemCode;
}

/** Every `page_break` that begins no step, since nothing follows it. No page shows it. */
export function emptySteps(fields: readonly Field[], steps = divide(fields)): ReadonlySet<Field> {
  const openings = new Set(steps.map(({ opening }) => opening));
  return new Set(fields.filter((field) => field.type === "page_break" && !openings.has(field)));
}

/** True if a question of the step applies. Other steps are skipped. */
export const isVisible = ({ fields }: Step, { hidden }: Applicable) =>
  fields.some(({ id, kind }) => kind !== "hidden" && !hidden.has(id));

/** The position of the next step that is shown, or of the values to check. */
export function stepAfter(steps: readonly Step[], at: number, applicable: Applicable): number {
  const next = steps.findIndex((step, index) => index > at && isVisible(step, applicable));
  return next < 0 ? steps.length : next;
}

function stepBefore(steps: readonly Step[], at: number, applicable: Applicable): number {
  const before = steps.findLastIndex((step, index) => index < at && isVisible(step, applicable));
  return before < 0 ? at : before;
}

/** The position of the first step with one of the fields, or -1. */
export const stepWith = (steps: readonly Step[], ids: ReadonlySet<string | undefined>): number =>
  steps.findIndex(({ fields }) => fields.some(({ id }) => ids.has(id)));

/** The position that a number from 1 names; undefined for any other text. */
function positionIn(text: string | null, steps: readonly Step[]): number | undefined {
  const position = /^[1-9]\d{0,3}$/.test(text ?? "") ? Number(text) - 1 : -1;
  return position >= 0 && position < steps.length ? position : undefined;
}

/** Returns the ids of changed fields that the respondent had not seen when the page was sent. */
export function unseenIn(fields: readonly Field[], sent: URLSearchParams): ReadonlySet<string> {
  const unseen = new Set(sent.getAll(ownNames.unseen));
  return new Set(fields.map(({ id }) => id).filter((id) => unseen.has(id)));
}

/** @throws the problem of a refused submission, when it has a page of its own */
export function next(state: StepState, action: StepAction): NextPage {
  const { page, steps, sent } = state;
  const { form, text } = page;
  const isChange = sent.has(ownNames.change);
  const shown = {
    at: steps && (positionIn(sent.get(ownNames.step), steps) ?? 0),
    values: allValues(sent),
    key: sent.get(ownNames.key) ?? undefined,
    changed: unseenIn(form.fields, sent),
  };
  switch (action.type) {
    case "send":
      return steps ? afterStep(page, steps, sent, shown, action.issues) : shown;
    case "remove": {
      const values = allValues(withoutRemoved(sent));
      return { ...shown, values, isChange, ...(action.issues.length > 0 && { errors: action.issues }) };
    }
    case "switch": {
      // The values to check have no number.
      const at = steps && (positionIn(sent.get(ownNames.step), steps) ?? steps.length);
      const errors = action.issues.length > 0 && { errors: action.issues };
      return { ...shown, at, isChange, isSwitched: true, ...errors };
    }
    case "stay": {
      const { notice, code } = action;
      const at = steps && (positionIn(sent.get(ownNames.step), steps) ?? (hasKept(sent) ? steps.length : 0));
      return { ...shown, at, isChange, ...(notice && { notice }), ...(code && { code }) };
    }
    case "alter":
      return { ...shown, at: 0, notice: text.steps.altered, code: "bad_request" };
    case "publish": {
      const at = steps && Math.max(stepWith(steps, action.changed), 0);
      return { ...shown, at, changed: action.changed, notice: text.changed, code: "conflict" };
    }
    case "refuse":
      return afterRefusal(state, { ...shown, code: action.problem.code }, action.problem);
  }
}

function afterStep(
  page: StepState["page"],
  steps: readonly Step[],
  sent: URLSearchParams,
  shown: NextPage & { changed: ReadonlySet<string> },
  issues: readonly FieldIssue[],
): NextPage {
  const { form, text } = page;
  const { at = 0, values } = shown;
  const isChange = sent.has(ownNames.change);
  const goTo = sent.get(ownNames.goTo);
  const target = positionIn(goTo, steps);
  if (target !== undefined) return { ...shown, at: target, isChange: true };
  const { fields } = steps[at] as Step;
  const here = new Set(fields.map(({ id }) => id));
  const elsewhere = { ...shown, changed: shown.changed.difference(here) };
  const applicable = applicableTo(form, values);
  if (goTo === "back") return { ...elsewhere, at: stepBefore(steps, at, applicable) };
  const asked = notAsked(form, applicable, sent);
  const again = { ...shown, isChange, code: "validation_failed" as const };
  if (!here.isDisjointFrom(asked)) return { ...again, notice: text.more, asked };
  const errors = [...issues.filter(({ field = "" }) => here.has(field)), ...errorsOf(page, fields, values)];
  const doubtful = doubtfulIn(form, toData(fields, values).data, sent);
  if (errors.length + doubtful.size > 0) return { ...again, errors, doubtful };
  const after = isChange ? steps.length : stepAfter(steps, at, applicable);
  const open = stepWith(steps, asked);
  // A change of a step that was sent may open questions in steps that the respondent has passed.
  return open >= 0 && open !== after && (isChange || open < after)
    ? { ...elsewhere, at: open, isChange, notice: text.more, asked }
    : { ...elsewhere, at: after };
}

/** The errors of one step, from the validation that a submission has. A preview takes no files. */
function errorsOf(
  { form, full, banner }: StepState["page"],
  fields: readonly Field[],
  values: URLSearchParams,
): FieldIssue[] {
  const names = new Set(fields.flatMap(namesOf));
  const own = new URLSearchParams([...values].filter(([name]) => names.has(name)));
  const { data, unstorable } = form.hasLogic
    ? toData(form.fields, values)
    : toData(fields, own, spellingIn(values));
  const { errors, missing, data: known } = form.validate(data, unstorable);
  const ids = new Set(fields.map(({ id }) => id));
  const isAsked = (id: string) =>
    ids.has(id) && !(banner !== undefined && form.field(id)?.fieldType.nature === "files");
  const required = missing.filter(isAsked).map(form.requiredIssue);
  const here = errors.filter(({ field = "" }) => ids.has(field));
  return [...here, ...fullOptionIssues(fields, known, full), ...required];
}

/** The step that the problem is about, or the whole form. */
function afterRefusal(
  { page: { form, text }, steps, sent }: StepState,
  shown: NextPage,
  problem: Problem,
): NextPage {
  switch (problem.code) {
    case "validation_failed": {
      const errors = problem.extras.errors as FieldIssue[];
      const { data, unasked } = readValues(form, sent);
      if (!steps && errors.length === 0 && unasked.size > 0)
        return { ...shown, notice: text.more, asked: unasked };
      const doubtful = doubtfulIn(form, data, sent);
      if (!steps) return { ...shown, errors, doubtful };
      const at = stepWith(steps, new Set([...doubtful, ...errors.map(({ field }) => field)]));
      const ids = new Set<string | undefined>(steps[at]?.fields.map(({ id }) => id));
      const here = errors.filter(({ field }) => ids.has(field));
      return {
        ...{ ...shown, at: Math.max(at, 0), isChange: true },
        ...{ errors: at < 0 ? errors : here, doubtful: doubtful.intersection(ids as ReadonlySet<string>) },
      };
    }
    case "idempotency_key_reused":
      return {
        ...shown,
        at: steps?.length,
        key: undefined,
        notice: isOutdated(shown.key) ? text.openForLong : text.alreadySent,
      };
    case "captcha_required":
    case "captcha_failed":
      if (!steps) return { ...shown, notice: text.captcha.failed };
  }
  throw problem;
}

function withoutRemoved(posted: URLSearchParams): URLSearchParams {
  const removed = posted.get(ownNames.remove);
  return new URLSearchParams(
    [...posted].filter(([name, text]) => name !== ownNames.remove && fileIn(text)?.id !== removed),
  );
}
