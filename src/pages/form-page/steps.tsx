/**
 * A form in several steps: `page_break` divides it. What was entered goes with the page, and is stored after
 * the last step only.
 */
import { randomUUID } from "node:crypto";
import type { Field } from "../../fields/definition.ts";
import { toValue, valueText } from "../../fields/entered.ts";
import type { FieldIssue } from "../../fields/field-type.ts";
import { fullOptionIssues } from "../../fields/option-limits.ts";
import { namesOf } from "../../fields/presentation.ts";
import type { Deps } from "../../platform/deps.ts";
import { type FieldError, fieldErrors } from "../../platform/http/field-errors.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import type { Problem } from "../../problem.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { labelOf } from "../ui/fields/props.ts";
import { type Applicable, applicableTo, defaultsOf, isComputed, notAsked } from "./applicable.ts";
import { changedSince, unseenIn } from "./changed-fields.ts";
import { messagesOf } from "./errors.ts";
import { toData } from "./form-data.ts";
import { allValues, type HiddenField, hasKept, isUnchanged, keptFields } from "./hidden-fields.ts";
import {
  addressIn,
  draftData,
  type FilledPage,
  Hidden,
  keepForBackKey,
  NoticeSummary,
  respondWithForm,
  respondWithFormPage,
  StepName,
  titleOf,
} from "./page.tsx";
import type { PublishedPage } from "./read.ts";
import { textForLanguage } from "./text/text.ts";
import type { PageText } from "./text/types.ts";
import { withoutRemoved } from "./uploads.ts";

/** One step. */
interface Step {
  /** The `page_break` that it begins with; the first step has none. */
  opening: Field | undefined;
  fields: readonly Field[];
}

/** Where a page is sent, and what its response is made with. */
export interface StepContext {
  deps: Deps;
  request: Request;
  set: { status?: number | string; headers: Record<string, unknown> };
  page: PublishedPage;
  /** The address of the form's page. */
  action: string;
}

/** A step as it is shown, or after the last one the values to check. */
interface Shown extends Pick<FilledPage, "messages" | "notice" | "changed" | "asked" | "key"> {
  /** Position of the step, from 0. */
  at: number;
  values: URLSearchParams;
  /** Whether the values to check come next. */
  isChange?: boolean;
}

/** By the fields of a published version, which never change. */
const stepsByForm = new WeakMap<readonly Field[], readonly Step[]>();

/**
 * The steps of a form; undefined when it is shown as one page, as it is with a CAPTCHA, and without a master
 * key to sign with.
 */
export function stepsOf({ masterKey }: Deps, page: PublishedPage): readonly Step[] | undefined {
  const { settings, captcha, form } = page;
  if (settings.layout !== "steps" || captcha || !masterKey.isPresent) return undefined;
  const steps = stepsByForm.get(form.fields) ?? divide(form.fields);
  stepsByForm.set(form.fields, steps);
  return steps.length > 1 ? steps : undefined;
}

/**
 * A step without a field that is shown is none: its fields go with the one before it, or after it at the
 * start.
 */
function divide(fields: readonly Field[]): Step[] {
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

/** Whether a step has something to show: one whose questions do not apply is skipped. */
const isVisible = ({ fields }: Step, { hidden }: Applicable) =>
  fields.some(({ id, kind }) => kind !== "hidden" && !hidden.has(id));

/** The position of the next step that is shown; of the values to check after the last one. */
function stepAfter(steps: readonly Step[], at: number, applicable: Applicable): number {
  const next = steps.findIndex((step, index) => index > at && isVisible(step, applicable));
  return next < 0 ? steps.length : next;
}

function stepBefore(steps: readonly Step[], at: number, applicable: Applicable): number {
  const before = steps.findLastIndex((step, index) => index < at && isVisible(step, applicable));
  return before < 0 ? at : before;
}

/** The first step. @param given what the query fills in */
export function respondWithFirstStep(
  context: StepContext,
  steps: readonly Step[],
  given?: URLSearchParams,
): string {
  const { form } = context.page;
  const values = given ?? defaultsOf(form.fields);
  return respondWithStep(context, steps, { at: stepAfter(steps, -1, applicableTo(form, values)), values });
}

/** After a button of a step, or of the values to check, other than the one that submits. */
export async function respondAfterStep(
  context: StepContext,
  sent: URLSearchParams,
  uploadIssues: readonly FieldIssue[] = [],
): Promise<string> {
  const { deps, page } = context;
  const steps = stepsOf(deps, page);
  const values = allValues(sent);
  const key = sent.get(ownNames.key) ?? undefined;
  if (steps && !isUnchanged(deps.masterKey, page.formId, sent)) return respondAltered(context, steps, sent);
  const notStored = fieldErrors(deps.config, uploadIssues);
  if (sent.has(ownNames.remove)) return respondWithoutFile(context, steps, sent, notStored);
  if (!steps || sent.get(ownNames.version) !== String(page.version))
    return await respondWithChanges(context, steps, sent);
  const at = positionIn(sent.get(ownNames.step), steps) ?? 0;
  const isChange = sent.has(ownNames.change);
  const goTo = sent.get(ownNames.goTo);
  const target = positionIn(goTo, steps);
  const unseen = unseenIn(page.form.fields, sent);
  if (target !== undefined)
    return respondWithStep(context, steps, { at: target, values, key, isChange: true, changed: unseen });
  const { fields } = steps[at] as Step;
  const changed = unseen.difference(new Set(fields.map(({ id }) => id)));
  const applicable = applicableTo(page.form, values);
  if (goTo === "back")
    return respondWithStep(context, steps, { at: stepBefore(steps, at, applicable), values, key, changed });
  const isHere = new Set(fields.map(({ id }) => id));
  const errors = [
    ...notStored.filter(({ field = "" }) => isHere.has(field)),
    ...errorsOf(context, fields, values),
  ];
  const asked = notAsked(page.form, applicable, sent);
  const isAskedHere = fields.some(({ id }) => asked.has(id));
  if (errors.length === 0 && !isAskedHere) {
    const next = isChange ? steps.length : stepAfter(steps, at, applicable);
    const open = steps.findIndex(({ fields }) => fields.some(({ id }) => asked.has(id)));
    // A change of a step that was sent may open questions in steps that the respondent has passed.
    const isOpened = open >= 0 && (isChange || open < next) && open !== next;
    const shown = { at: isOpened ? open : next, values, key, changed };
    if (!isOpened) return respondWithStep(context, steps, shown);
    const { more } = textForLanguage(page.settings.language);
    return respondWithStep(context, steps, { ...shown, isChange, notice: more, asked });
  }
  if (isAskedHere) {
    const { more } = textForLanguage(page.settings.language);
    report(context, 422, "validation_failed");
    return respondWithStep(context, steps, {
      at,
      values,
      key,
      isChange,
      notice: more,
      asked,
      changed: unseen,
    });
  }
  const messages = messagesOf(textForLanguage(page.settings.language), fields, errors, page.full);
  report(context, 422, "validation_failed");
  return respondWithStep(context, steps, { at, values, key, isChange, messages, changed: unseen });
}

/** After the button of a file that removes it, and not of a step. */
function respondWithoutFile(
  context: StepContext,
  steps: readonly Step[] | undefined,
  sent: URLSearchParams,
  errors: FieldError[],
): string {
  const { set, page, action } = context;
  const values = allValues(withoutRemoved(sent));
  const shown = {
    values,
    key: sent.get(ownNames.key) ?? undefined,
    changed: unseenIn(page.form.fields, sent),
    ...(errors.length > 0 && {
      messages: messagesOf(textForLanguage(page.settings.language), page.form.fields, errors, page.full),
    }),
  };
  const at = steps && (positionIn(sent.get(ownNames.step), steps) ?? 0);
  if (steps && at !== undefined)
    return respondWithStep(context, steps, { at, isChange: sent.has(ownNames.change), ...shown });
  keepForBackKey(set, page.form.fields, values);
  return respondWithForm(set, { page, action, ...shown });
}

/**
 * Why the last step was not stored: at the step that it is about.
 * @returns undefined for a problem that has another page
 */
export async function respondWithProblem(
  context: StepContext,
  steps: readonly Step[],
  sent: URLSearchParams,
  { code, status, extras }: Problem,
): Promise<string | undefined> {
  const { deps, page } = context;
  const text = textForLanguage(page.settings.language);
  const values = allValues(sent);
  const key = sent.get(ownNames.key) ?? undefined;
  if (hasKept(sent) && !isUnchanged(deps.masterKey, page.formId, sent))
    return respondAltered(context, steps, sent);
  if (code === "conflict") return await respondWithChanges(context, steps, sent);
  if (code === "idempotency_key_reused") {
    report(context, status, code);
    return respondWithStep(context, steps, { at: steps.length, values, notice: text.alreadySent });
  }
  if (code === "validation_failed") {
    const errors = extras.errors as FieldError[];
    const at = steps.findIndex(({ fields }) => errors.some((error) => isAbout(fields, error)));
    const { fields } = steps[Math.max(at, 0)] as Step;
    const shown = at < 0 ? errors : errors.filter((error) => isAbout(fields, error));
    report(context, status, code);
    return respondWithStep(context, steps, {
      at: Math.max(at, 0),
      values,
      key,
      isChange: true,
      messages: messagesOf(text, fields, shown, page.full),
    });
  }
  return undefined;
}

const isAbout = (fields: readonly Field[], { field }: FieldError) => fields.some(({ id }) => id === field);

function report({ set, request }: StepContext, status: number, code: Problem["code"]): void {
  set.status = status;
  contextOf(request).code = code;
}

/** The position that a number from 1 names; undefined for any other text. */
function positionIn(text: string | null, steps: readonly Step[]): number | undefined {
  const position = /^[1-9]\d{0,3}$/.test(text ?? "") ? Number(text) - 1 : -1;
  return position >= 0 && position < steps.length ? position : undefined;
}

/** The errors of one step, from the validation that a submission has. A preview takes no files. */
function errorsOf(
  { deps, page: { form, full, banner } }: StepContext,
  fields: readonly Field[],
  values: URLSearchParams,
) {
  const names = new Set(fields.flatMap(namesOf));
  const own = new URLSearchParams([...values].filter(([name]) => names.has(name)));
  const { data, unstorable } = form.hasLogic ? toData(form.fields, values) : toData(fields, own);
  const { errors, missing, data: known } = form.validate(data, unstorable);
  const ids = new Set(fields.map(({ id }) => id));
  const isAsked = (id: string) =>
    ids.has(id) && !(banner !== undefined && form.field(id)?.fieldType.nature === "files");
  const required = missing.filter(isAsked).map(form.requiredIssue);
  const here = errors.filter(({ field = "" }) => ids.has(field));
  return fieldErrors(deps.config, [...here, ...fullOptionIssues(fields, known, full), ...required]);
}

/** The form begins again with what was sent, so that the respondent sees each value that was changed. */
function respondAltered(context: StepContext, steps: readonly Step[], sent: URLSearchParams): string {
  const { altered } = textForLanguage(context.page.settings.language).steps;
  report(context, 400, "bad_request");
  const key = sent.get(ownNames.key) ?? undefined;
  const changed = unseenIn(context.page.form.fields, sent);
  return respondWithStep(context, steps, { at: 0, values: allValues(sent), key, notice: altered, changed });
}

/** Another version is published than that of the page, or the form is no longer in steps. */
async function respondWithChanges(
  context: StepContext,
  steps: readonly Step[] | undefined,
  sent: URLSearchParams,
): Promise<string> {
  const { deps, set, page, action } = context;
  const changed = await changedSince(deps, page, sent);
  const { changed: notice } = textForLanguage(page.settings.language);
  const common = { values: allValues(sent), key: sent.get(ownNames.key) ?? undefined, notice, changed };
  report(context, 409, "conflict");
  if (!steps) return respondWithForm(set, { page, action, ...common });
  const at = steps.findIndex(({ fields }) => fields.some(({ id }) => changed.has(id)));
  return respondWithStep(context, steps, { at: Math.max(at, 0), ...common });
}

/**
 * Values of the fields on other steps than one; a hidden field has one only if the address may fill it in.
 */
const valuesBeside = (
  steps: readonly Step[],
  at: number,
  values: URLSearchParams,
  applicable: Applicable | undefined,
): HiddenField[] =>
  steps
    .filter((_, index) => index !== at)
    .flatMap(({ fields }) => fields)
    .filter(({ id }) => !applicable?.hidden.has(id))
    .filter(({ kind, definition }) => kind !== "hidden" || definition.prefill === true)
    .flatMap(namesOf)
    .flatMap((name) => values.getAll(name).map((value): HiddenField => [name, value]))
    .filter(([, value]) => value !== "");

function respondWithStep(context: StepContext, steps: readonly Step[], shown: Shown): string {
  const { deps, set, page, action } = context;
  const { at, values, isChange, key = randomUUID(), ...rest } = shown;
  const text = textForLanguage(page.settings.language);
  const applicable = applicableTo(page.form, values);
  const beside = valuesBeside(steps, at, values, at < steps.length ? undefined : applicable);
  const kept = keptFields(deps.masterKey, page.formId, beside);
  keepForBackKey(set, page.form.fields, values);
  const step = steps[at];
  if (!step) {
    const view = { page, action, key, values, steps, kept, text, notice: rest.notice, applicable };
    const title = `${text.steps.check.heading} · ${titleOf(page)}`;
    return respondWithFormPage(
      set,
      page,
      rest.notice ? text.errorTitle(title) : title,
      <CheckedValues {...view} />,
    );
  }
  const hidden: HiddenField[] = [...kept, [ownNames.step, String(at + 1)]];
  const isHere = new Set(step.fields.map(({ id }) => id));
  hidden.push(...askedIn(page, values, applicable).filter(([, id]) => !isHere.has(id)));
  if (isChange) hidden.push([ownNames.change, "1"]);
  const visible = steps.filter((each) => isVisible(each, applicable));
  const number = visible.indexOf(step) + 1 || at + 1;
  const { opening, fields } = step;
  const part = { position: at + 1, number, count: Math.max(visible.length, number), opening, fields, hidden };
  return respondWithForm(set, { page, action: `${action}/steps`, values, key, ...rest, step: part });
}

/** A question that no longer applies is asked again when it does. */
const askedIn = ({ form }: PublishedPage, values: URLSearchParams, { hidden }: Applicable): HiddenField[] =>
  [...new Set(values.getAll(ownNames.asked))]
    .filter((id) => form.field(id) !== undefined && !hidden.has(id))
    .map((id): HiddenField => [ownNames.asked, id]);

interface CheckedValuesProps {
  page: PublishedPage;
  action: string;
  key: string;
  values: URLSearchParams;
  steps: readonly Step[];
  kept: readonly HiddenField[];
  text: PageText;
  notice: FilledPage["notice"];
  applicable: Applicable;
}

/** All values before they are sent, each step with a button that leads to it. */
const CheckedValues = (props: CheckedValuesProps) => {
  const { page, action, key, values, steps, kept, text, notice, applicable } = props;
  const visible = steps.filter((step) => isVisible(step, applicable));
  return (
    <main id="main">
      {notice && <NoticeSummary notice={notice} />}
      <p class="quiet form-title" dir="auto">
        {titleOf(page)}
      </p>
      <h1>{text.steps.check.heading}</h1>
      {notice?.heading !== text.alreadySent.heading && <p>{text.steps.check.message}</p>}
      <form method="post" action={addressIn(page, action)} data-key={key} {...draftData(page, action)}>
        <Hidden
          entries={[
            [ownNames.version, String(page.version)],
            [ownNames.key, key],
            ...kept,
            ...askedIn(page, values, applicable),
          ]}
        />
        {visible.map(({ opening, fields }, index) => (
          <section class="checked-values" key={index} aria-labelledby={`step-${index + 1}`}>
            <div class="actions">
              <h2 id={`step-${index + 1}`} dir="auto">
                <StepName number={index + 1} count={visible.length} opening={opening} text={text} />
              </h2>
              <button
                type="submit"
                class="secondary"
                name={ownNames.goTo}
                value={String(steps.indexOf(visible[index] as Step) + 1)}
                formaction={addressIn(page, `${action}/steps`)}
                aria-describedby={`step-${index + 1}`}
              >
                {text.steps.change}
              </button>
            </div>
            <dl>
              {fields
                .filter(({ kind, fieldType }) => kind !== "hidden" && fieldType.nature !== "none")
                .filter(({ id }) => !applicable.hidden.has(id))
                .map((field) => (
                  <CheckedValue
                    key={field.id}
                    field={field}
                    value={isComputed(page.form, field) ? applicable.data[field.id] : toValue(field, values)}
                    text={text}
                  />
                ))}
            </dl>
          </section>
        ))}
        <button type="submit">{page.settings.submitLabel || text.submit}</button>
      </form>
    </main>
  );
};

export const CheckedValue = ({
  field,
  value,
  notShown = false,
  text,
}: {
  field: Field;
  value: unknown;
  /** It is not shown. */
  notShown?: boolean;
  text: PageText;
}) => {
  return (
    <div>
      <dt dir="auto">{labelOf(field)}</dt>
      {value === undefined || notShown ? (
        <dd class="quiet">{notShown ? text.sent.notShown : text.steps.noValue}</dd>
      ) : (
        <dd dir="auto">{valueText(field, value, text)}</dd>
      )}
    </div>
  );
};
