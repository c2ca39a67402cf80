/** A form in several steps. The page carries the entered values, which are stored after the last step. */
import { indexed } from "../../fields/control-values.ts";
import { type Field, isRecord } from "../../fields/definition.ts";
import { toValue } from "../../fields/entered.ts";
import { namesOf } from "../../fields/presentation.ts";
import { divide, isInSteps, type Step } from "../../fields/steps.ts";
import { languagesIn, seenIn } from "../../fields/translations.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { type Problem, type ProblemCode, problemCodes } from "../../problem.ts";
import { canonicalText } from "../../resources/forms/file.ts";
import { schemaOfVersion } from "../../resources/forms/form-view.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { labelOf } from "../ui/fields/props.ts";
import { addressIn, sendingAddressIn } from "./addresses.ts";
import { type Applicable, applicableTo, defaultsOf, isComputed } from "./applicable.ts";
import { messagesOf } from "./errors.ts";
import { respelled, spellingFields, withInvitation, withQuery, withSpelling } from "./form-data.ts";
import { allValues, carriedIn, type HiddenField, hasKept, isUnchanged, keptFields } from "./hidden-fields.ts";
import { fieldMarks, pageMark } from "./language.ts";
import { Languages, pageFormId } from "./languages.tsx";
import type { NextPage, StepAction } from "./next-step.ts";
import { isVisible, next, stepAfter, stepWith, unseenIn } from "./next-step.ts";
import {
  draftData,
  type FilledPage,
  Hidden,
  keepForBackKey,
  NoticeSummary,
  respondWithForm,
  respondWithFormPage,
  SaveButton,
  ShownValue,
  StepName,
  SubmitButton,
  WithdrawLink,
} from "./page.tsx";
import { makePageKey } from "./page-key.ts";
import type { Asked, Posted, PublishedPage } from "./page-request.ts";
import { countOpened, countReached } from "./reached.ts";
import type { Failure, PageText } from "./text/types.ts";

export interface StepContext extends Omit<Asked, "address"> {
  set: { status?: number | string; headers: Record<string, unknown> };
  page: PublishedPage;
}

/** Steps of forms. The key, the fields of a published version, never changes. */
const stepsByForm = new WeakMap<readonly Field[], readonly Step[]>();

/** Returns the steps of a form. Undefined: one page, as with a CAPTCHA, or without a master key. */
function stepsOf({ deps: { masterKey }, page }: StepContext): readonly Step[] | undefined {
  const { settings, captcha, form } = page;
  if (captcha || !masterKey.isPresent) return undefined;
  const steps = stepsByForm.get(form.fields) ?? divide(form.fields);
  stepsByForm.set(form.fields, steps);
  return isInSteps(steps, settings) ? steps : undefined;
}

type SchemaBefore = { fields: readonly unknown[] } | undefined;

/** The schema of the version that a page was of; undefined: it is the published one, or there is none. */
async function schemaBefore({ deps: { sql }, page }: StepContext, values: URLSearchParams) {
  const version = values.get(ownNames.version) ?? "";
  if (version === String(page.version) || !/^[1-9]\d{0,8}$/.test(version)) return undefined;
  return await schemaOfVersion(sql, { teamId: page.team, id: page.formId }, Number(version));
}

/**
 * The values of a post, whether its page is of the published version, and the schema of another one.
 * @param saved the schema of a draft, with whose values those of the query are
 */
async function received(context: StepContext, values: URLSearchParams, saved?: { before: SchemaBefore }) {
  const { page, request } = context;
  const { fields } = page.form;
  const version = values.get(ownNames.version) ?? "";
  const isCurrent = version === String(page.version);
  const before = saved ? saved.before : await schemaBefore(context, values);
  const languages = before ? languagesIn(before) : page.languages;
  const spelled = withSpelling(fields, values, page.text, languages);
  const given = saved ? spelled : withQuery(fields, spelled, request);
  const sent = page.invited ? withInvitation(fields, spelled, page.invited.prefill) : given;
  return { sent, isCurrent, before: isCurrent ? { fields: fields.map((each) => each.definition) } : before };
}

/** Returns the ids of fields that changed and were not seen since; all, if the version is unknown. */
function changedSince(
  { form: { fields }, text }: PublishedPage,
  sent: URLSearchParams,
  schema: { fields: readonly unknown[] } | undefined,
): ReadonlySet<string> {
  // Texts of other languages are not on the page.
  const shown = (definition: Field["definition"]) => canonicalText(seenIn(definition, text.lang), "", "");
  const before = new Map(schema?.fields.filter(isRecord).map((field) => [field.id, shown(field)]));
  const changed = fields.filter(({ id, definition }) => before.get(id) !== shown(definition));
  return unseenIn(fields, sent).union(new Set(changed.map(({ id }) => id)));
}

/** Responds with the form, or its first step. @param given values of the query */
export function respondWithStart(context: StepContext, given: URLSearchParams | undefined): string {
  const { set, page, action, link } = context;
  const steps = stepsOf(context);
  if (!link) keepForBackKey(set, page.form.fields, given ?? new URLSearchParams());
  countOpened(context);
  if (!steps)
    return respondWithForm(set, {
      page,
      action,
      values: given && respelled(page.form.fields, given, page.text),
    });
  const values = given ?? defaultsOf(page.form.fields);
  return respondWithNext(context, steps, {
    at: stepAfter(steps, -1, applicableTo(page.form, values)),
    values,
  });
}

/** Responds to a button of a step, or of the values to check, except the one that submits. */
export async function respondAfterStep(context: StepContext, { values, issues }: Posted) {
  const { deps, page } = context;
  const { sent, isCurrent, before } = await received(context, values);
  const steps = stepsOf(context);
  let action: StepAction = { type: "send", issues };
  if (steps && !isUnchanged(deps.masterKey, page.formId, sent)) action = { type: "alter" };
  // Files that could not be stored are named before anything is saved.
  else if (sent.has(ownNames.remove) || sent.has(ownNames.save)) action = { type: "remove", issues };
  else if (page.languages && sent.has(ownNames.switch) && isCurrent) action = { type: "switch", issues };
  else if (!(steps && isCurrent)) action = { type: "publish", changed: changedSince(page, sent, before) };
  return respondAfterPost(context, steps, next({ page, steps, sent }, action));
}

/**
 * Responds with the form, or its step, as it was saved.
 * @param saved the values of its draft
 * @param schema of the earlier version that it was saved of
 */
export async function respondWithDraft(
  context: StepContext,
  saved: URLSearchParams,
  schema: SchemaBefore,
): Promise<string> {
  const { page } = context;
  const { sent, isCurrent, before } = await received(context, saved, { before: schema });
  const steps = stepsOf(context);
  const action: StepAction = isCurrent
    ? { type: "stay" }
    : { type: "publish", changed: changedSince(page, sent, before) };
  // The page is a new one, and no post of it was refused.
  const { code: _, ...shown } = next({ page, steps, sent }, action);
  const reached = sent.get(ownNames.reached);
  const carried: HiddenField[] = reached === null ? [] : [[ownNames.reached, reached]];
  return respondWithNext({ ...context, page: { ...page, carried } }, steps, { ...shown, key: undefined });
}

/** Responds with the page that was not saved. */
export async function respondWithUnsaved(
  context: StepContext,
  values: URLSearchParams,
  reason: { notice: Failure; code: ProblemCode },
): Promise<string> {
  const { deps, page } = context;
  const { sent, isCurrent, before } = await received(context, values);
  const steps = stepsOf(context);
  let action: StepAction = { type: "stay", ...reason };
  if (steps && hasKept(sent) && !isUnchanged(deps.masterKey, page.formId, sent)) action = { type: "alter" };
  else if (!isCurrent) action = { type: "publish", changed: changedSince(page, sent, before) };
  return respondAfterPost(context, steps, next({ page, steps, sent }, action));
}

/** Responds with the form, or its step, that a problem is about. @throws the problem, if it has a page */
export async function respondWithProblem(context: StepContext, values: URLSearchParams, problem: Problem) {
  const { deps, page } = context;
  const { sent, before } = await received(context, values);
  const steps = stepsOf(context);
  let action: StepAction = { type: "refuse", problem };
  if (steps && hasKept(sent) && !isUnchanged(deps.masterKey, page.formId, sent)) action = { type: "alter" };
  else if (problem.code === "conflict")
    action = { type: "publish", changed: changedSince(page, sent, before) };
  return respondAfterPost(context, steps, next({ page, steps, sent }, action));
}

/**
 * Responds with the form, or the first step with a value that was stored meanwhile, and the reason.
 * @param changed the fields with such a value
 */
export function respondWithStored(
  context: StepContext,
  sent: URLSearchParams,
  changed: ReadonlySet<string>,
): string {
  const { page } = context;
  const steps = stepsOf(context);
  const at = steps && Math.max(stepWith(steps, changed), 0);
  const key = sent.get(ownNames.key) ?? undefined;
  const why = { notice: page.text.change.conflict, code: "conflict" as const };
  return respondWithNext(context, steps, { at, values: allValues(sent), key, changed, ...why });
}

/** Returns values of the fields on the other steps. Those of hidden fields are in the address. */
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
    .filter(({ kind }) => kind !== "hidden")
    .flatMap(namesOf)
    .flatMap((name) => values.getAll(name).map((value): HiddenField => [name, value]))
    .filter(([, value]) => value !== "");

/** Counts how far the respondent has come, and shows the next page. */
const respondAfterPost = (
  context: StepContext,
  steps: readonly Step[] | undefined,
  shown: NextPage,
): string => {
  const at = steps && shown.at;
  const [step, last] = steps && at !== undefined ? [at + 1, steps.length + 1] : [];
  const page = countReached(context, shown.values, step, last);
  return respondWithNext({ ...context, page }, steps, shown);
};

function respondWithNext(context: StepContext, steps: readonly Step[] | undefined, shown: NextPage): string {
  const { deps, request, set, action, link } = context;
  const { at, values: sent, isChange, errors, doubtful, code, key = makePageKey(), ...rest } = shown;
  const carried = link?.use === "r" ? carriedIn(sent) : [];
  const page = { ...context.page, carried: [...(context.page.carried ?? []), ...carried] };
  const { text } = page;
  const values = respelled(page.form.fields, sent, text);
  if (code) {
    set.status = problemCodes[code][0];
    contextOf(request).code = code;
  }
  if (!link) keepForBackKey(set, page.form.fields, values);
  const messages =
    (errors || doubtful) &&
    messagesOf(text, page.form.fields, errors ?? [], { full: page.full, values, doubtful });
  const confirmed = confirmedIn(page, values, doubtful);
  const filled = { page, values, key, messages, confirmed, ...rest };
  if (!steps || at === undefined) return respondWithForm(set, { ...filled, action });
  const applicable = applicableTo(page.form, values);
  const beside = valuesBeside(steps, at, values, at < steps.length ? undefined : applicable);
  const kept = keptFields(deps.masterKey, page.formId, beside);
  const step = steps[at];
  if (!step) {
    const { notice, isSwitched } = rest;
    const title = `${text.steps.check.heading} · ${page.title}`;
    const view = { page, action, key, values, steps, kept, text, notice, isSwitched, applicable, confirmed };
    return respondWithFormPage(
      set,
      page,
      notice ? text.errorTitle(title) : title,
      <CheckedValues {...view} />,
    );
  }
  const hidden: HiddenField[] = [...kept, [ownNames.step, String(at + 1)]];
  const isHere = new Set(step.fields.map(({ id }) => id));
  hidden.push(...askedIn(page, values, applicable).filter(([, id]) => !isHere.has(id)));
  if (isChange) hidden.push([ownNames.change, "1"]);
  const visible = steps.filter((each) => isVisible(each, applicable));
  const number = visible.indexOf(step) + 1 || at + 1;
  const part = { ...step, position: at + 1, number, count: Math.max(visible.length, number), hidden };
  return respondWithForm(set, { ...filled, action: `${action}/steps`, step: part });
}

/** A question that no longer applies is asked again when it does. */
const askedIn = ({ form }: PublishedPage, values: URLSearchParams, { hidden }: Applicable): HiddenField[] =>
  [...new Set(values.getAll(ownNames.asked))]
    .filter((id) => form.field(id) !== undefined && !hidden.has(id))
    .map((id): HiddenField => [ownNames.asked, id]);

/** The addresses that this page, or one before it, asks about: sent again they are right. */
const confirmedIn = (
  { form, text }: PublishedPage,
  values: URLSearchParams,
  doubtful: ReadonlySet<string> = new Set(),
): HiddenField[] => {
  const read = indexed(values);
  const asked = form.fields.filter(({ id }) => doubtful.has(id)).map((field) => toValue(field, read, text));
  return [...new Set([...values.getAll(ownNames.confirmed), ...asked.map(String)])].map(
    (address): HiddenField => [ownNames.confirmed, address],
  );
};

interface CheckedValuesProps {
  page: PublishedPage;
  action: string;
  key: string;
  values: URLSearchParams;
  steps: readonly Step[];
  kept: readonly HiddenField[];
  text: PageText;
  notice: FilledPage["notice"];
  isSwitched: FilledPage["isSwitched"];
  applicable: Applicable;
  confirmed: readonly HiddenField[];
}

/** All values before they are sent, each step with a button that leads to it. */
const CheckedValues = (props: CheckedValuesProps) => {
  const { page, action, key, values, steps, kept, text, notice, isSwitched, applicable, confirmed } = props;
  const visible = steps.filter((step) => isVisible(step, applicable));
  return (
    <main id="main">
      <Languages page={page} action={`${action}/steps`} values={values} />
      {notice && <NoticeSummary notice={notice} />}
      <p class="quiet form-title" dir="auto" {...pageMark(page, "title")}>
        {page.title}
      </p>
      <h1>{text.steps.check.heading}</h1>
      {notice !== text.alreadySent && notice !== text.openForLong && <p>{text.steps.check.message}</p>}
      <form
        id={page.languages && pageFormId}
        method="post"
        action={sendingAddressIn(page, action, values)}
        data-key={key}
        data-switched={isSwitched && ""}
        {...draftData(page, action)}
      >
        <Hidden
          entries={[
            [ownNames.version, String(page.version)],
            [ownNames.key, key],
            ...spellingFields(page.form.fields, text),
            ...(page.carried ?? []),
            ...kept,
            ...confirmed,
            ...askedIn(page, values, applicable),
          ]}
        />
        {visible.map(({ opening, fields }, index) => (
          <section class="checked-values" key={index} aria-labelledby={`step-${index + 1}`}>
            <div class="actions">
              <h2 id={`step-${index + 1}`} dir="auto">
                <StepName number={index + 1} count={visible.length} opening={opening} page={page} />
              </h2>
              <button
                type="submit"
                class="secondary"
                name={ownNames.goTo}
                value={String(steps.indexOf(visible[index] as Step) + 1)}
                formaction={addressIn(page, `${action}/steps`, values)}
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
                    value={
                      isComputed(page.form, field) ? applicable.data[field.id] : toValue(field, values, text)
                    }
                    notShown={
                      page.change?.notShown.has(field.id) === true &&
                      toValue(field, values, text) === undefined
                    }
                    page={page}
                  />
                ))}
            </dl>
          </section>
        ))}
        <SubmitButton page={page} />
        <SaveButton page={page} action={addressIn(page, `${action}/steps`, values)} />
      </form>
      {page.change?.canWithdraw && <WithdrawLink page={page} action={action} />}
    </main>
  );
};

export const CheckedValue = ({
  field,
  value,
  notShown = false,
  page,
}: {
  field: Field;
  value: unknown;
  notShown?: boolean;
  page: PublishedPage;
}) => {
  const { text } = page;
  return (
    <div>
      <dt dir="auto" {...fieldMarks(page, field)("label")}>
        {labelOf(field)}
      </dt>
      {value === undefined || notShown ? (
        <dd class="quiet">{notShown ? text.sent.notShown : text.steps.noValue}</dd>
      ) : (
        <dd dir="auto">
          <ShownValue field={field} value={value} page={page} />
        </dd>
      )}
    </div>
  );
};
