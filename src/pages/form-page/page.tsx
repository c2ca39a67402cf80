/** The page on which a form is filled in. Its form works without the script. */
import type { ComponentChildren } from "preact";
import type { CompiledForm } from "../../fields/compile.ts";
import { planOf } from "../../fields/conditions/make-plan.ts";
import { choicesOf, toText } from "../../fields/control-values.ts";
import { type Field, isRecord } from "../../fields/definition.ts";
import { valueText } from "../../fields/entered.ts";
import { listedIn } from "../../fields/option-limits.ts";
import { hintsOf, namesOf } from "../../fields/presentation.ts";
import type { FieldText } from "../../fields/translations.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { conditionsScriptAsset, formScriptAsset, formStyleAsset, uploadsScriptAsset } from "../ui/assets.ts";
import { Summary } from "../ui/controls.tsx";
import { FieldInput } from "../ui/field-input.tsx";
import { labelOf } from "../ui/fields/props.ts";
import type { PagePlan } from "../ui/form-conditions.ts";
import { language } from "../ui/language.ts";
import { type LanguageMark, marked, markedIn } from "../ui/marks.ts";
import { type DocumentProps, type PagePolicy, respondWithPage } from "../ui/page.tsx";
import { addressIn, sendingAddressIn } from "./addresses.ts";
import { type Applicable, applicableTo, isComputed, isDependent } from "./applicable.ts";
import { CaptchaInput, captchaPolicy } from "./captcha.tsx";
import type { PageMessage } from "./errors.ts";
import { isSpelled, spellingFields } from "./form-data.ts";
import { type HiddenField, keptPrefix } from "./hidden-fields.ts";
import { documentLanguage, fieldMarks, intlMark, languageHeaders, pageMark } from "./language.ts";
import { Languages, pageFormId } from "./languages.tsx";
import { emptySteps, type NextPage } from "./next-step.ts";
import { makePageKey } from "./page-key.ts";
import { embedding, type PublishedPage } from "./page-request.ts";
import type { Failure, PageText } from "./text/types.ts";
import { Cover, Footer, Logo, lookOf, pictureShared } from "./theme.tsx";

/** Characters of the text beside a link: networks show no more. */
const maxSocialLength = 200;

export interface FilledPage extends Pick<NextPage, "notice" | "changed" | "asked" | "key" | "isSwitched"> {
  page: PublishedPage;
  action: string;
  /** The entered values. Absent: nothing was entered yet. */
  values?: URLSearchParams | undefined;
  messages?: readonly PageMessage[] | undefined;
  /** E-mail addresses that the respondent was asked about. */
  confirmed?: readonly HiddenField[];
  /** One step of the form; absent: all of it. */
  step?: StepPart;
}

interface StepPart {
  /** From 1, among the steps that are shown. */
  number: number;
  count: number;
  /** From 1, among all. */
  position: number;
  opening: Field | undefined;
  fields: readonly Field[];
  hidden: readonly HiddenField[];
}

/** Paragraphs are separated by blank lines. */
export const Paragraphs = ({ text, mark }: { text: string; mark?: LanguageMark | undefined }) => (
  <>
    {text
      .split(/\n\s*\n/)
      .filter((paragraph) => paragraph.trim() !== "")
      .map((paragraph, index) => (
        <p key={index} dir="auto" {...mark}>
          {paragraph}
        </p>
      ))}
  </>
);

export const NoticeSummary = ({ notice }: { notice: Failure }) => (
  <Summary heading={notice.heading}>
    <p>{notice.message}</p>
  </Summary>
);

export const Hidden = ({ entries }: { entries: readonly HiddenField[] }) => (
  <>
    {entries.map(([name, value], index) => (
      <input key={index} type="hidden" name={name} value={value} />
    ))}
  </>
);

const Messages = ({ messages, page }: { messages: readonly PageMessage[]; page: PublishedPage }) => (
  <Summary heading={page.text.errorHeading}>
    <ul>
      {messages.map(({ field, target, summary, ownInSummary = [] }) => {
        const message = markedIn(summary, ownInSummary, field && fieldMarks(page, field));
        return (
          <li key={summary} dir="auto">
            {target === undefined ? message : <a href={`#${target}`}>{message}</a>}
          </li>
        );
      })}
    </ul>
  </Summary>
);

/** The texts of a field in a value, in the order in which it is shown. */
function textsIn({ constraints }: Field, value: unknown): FieldText[] {
  const chosen = (list: "options" | "rows" | "columns", values: unknown): FieldText[] => {
    const labels = new Map(choicesOf(constraints[list]).map((choice) => [choice.value, choice.label]));
    return [values].flat().flatMap((each): FieldText[] => {
      const text = labels.get(String(each));
      return text === undefined ? [] : [{ place: [list, String(each)], text }];
    });
  };
  if (!isRecord(value)) return chosen("options", value);
  return Object.entries(value).flatMap(([row, cells]) => [
    ...chosen("rows", row),
    ...chosen("columns", cells),
  ]);
}

/** The texts in a value that `Intl` writes: days, numbers, countries, sizes of files. */
function intlTexts(field: Field, value: unknown, words: PageText): FieldText[] {
  const of = (part: unknown): FieldText[] => {
    const text = valueText(field, part, words);
    return text === toText(part) ? [] : [{ place: ["value"], text }];
  };
  if (isSpelled(field)) return of(value);
  if (field.kind === "address") return isRecord(value) ? of({ country: value.country }) : [];
  return field.kind === "file"
    ? [value]
        .flat()
        .filter(isRecord)
        .flatMap(({ size }) => of([{ size }]))
    : [];
}

/** A value as text, in which texts of another language are marked. */
export const ShownValue = ({ field, value, page }: { field: Field; value: unknown; page: PublishedPage }) => {
  const { text } = page;
  const shown = valueText(field, value, text);
  const mark = intlMark(page);
  const written = mark ? intlTexts(field, value, text) : [];
  if (written.length > 0) return <>{markedIn(shown, written, () => mark)}</>;
  return <>{markedIn(shown, textsIn(field, value), fieldMarks(page, field))}</>;
};

interface FormFieldProps {
  field: Field;
  text: PageText;
  view: FilledPage;
  applicable: Applicable;
}

/** A calculated value, if the values that it needs have been entered. */
const Calculated = ({ field, text, view, applicable: { data } }: FormFieldProps) => {
  const value = Object.hasOwn(data, field.id) ? data[field.id] : undefined;
  return (
    <div class="statement" dir="auto">
      <strong {...fieldMarks(view.page, field)("label")}>{labelOf(field)}</strong>
      <p>
        <output data-computed={field.id} aria-live="off">
          {value === undefined ? (
            text.notCalculated
          ) : (
            <ShownValue field={field} value={value} page={view.page} />
          )}
        </output>
      </p>
    </div>
  );
};

/** A field that depends on others. Unless it applies, its fieldset is disabled and sends nothing. */
const DependentField = (props: FormFieldProps) => {
  const { field, view, applicable } = props;
  if (!isDependent(view.page.form, field)) return <FormField {...props} />;
  const isHidden = applicable.hidden.has(field.id);
  return (
    <fieldset class="dependent" role="none" data-field={field.id} hidden={isHidden} disabled={isHidden}>
      <input type="hidden" name={ownNames.asked} value={field.id} />
      <FormField {...props} />
    </fieldset>
  );
};

/** The mark of a field that has changed, with the value that was stored after its page was opened. */
const changedText = (field: Field, { change, text }: PublishedPage): string => {
  if (!change || isSensitive(field)) return text.changed.field;
  const value = Object.hasOwn(change.stored, field.id) ? change.stored[field.id] : undefined;
  return text.change.storedNow(value == null ? text.steps.noValue : valueText(field, value, text));
};

const FormField = ({ field, text, view, applicable }: FormFieldProps) => {
  if (isComputed(view.page.form, field) && field.kind !== "hidden")
    return <Calculated {...{ field, text, view, applicable }} />;
  const message = view.messages?.find((each) => each.field?.id === field.id);
  const mark = fieldMarks(view.page, field);
  const input = (
    <FieldInput
      field={field}
      words={text}
      values={view.values}
      error={message && markedIn(message.text, message.own ?? [], mark)}
      invalidPart={message?.part}
      hints={[
        ...hintsOf(field, text.hints),
        ...(view.page.change?.notShown.has(field.id) ? [text.change.notShown] : []),
      ]}
      left={listedIn(view.page.left, field.id)}
      removeAction={addressIn(view.page, view.step ? view.action : `${view.action}/steps`, view.values)}
      autofill
      mark={mark}
      intlMark={intlMark(view.page)}
    />
  );
  const isNew = view.asked?.has(field.id) === true;
  if (!(isNew || view.changed?.has(field.id)) || field.type === "divider") return input;
  return (
    <div class="changed">
      <p class={view.page.change && !isNew ? "stored" : "badge"} dir={view.page.change && "auto"}>
        {isNew ? text.more.field : changedText(field, view.page)}
      </p>
      {input}
    </div>
  );
};

/** Name of a step: its number, and the label of the `page_break` that it begins with. */
export const StepName = ({
  number,
  count,
  opening,
  page,
}: Pick<StepPart, "number" | "count" | "opening"> & { page: Parameters<typeof fieldMarks>[0] }) => {
  const position = page.text.steps.position(number, count);
  if (!opening) return <>{position}</>;
  return (
    <>
      <span class="position">{position}</span> {marked(labelOf(opening), fieldMarks(page, opening)("label"))}
    </>
  );
};

const StepHeading = ({ step: { number, count, opening }, page }: { step: StepPart; page: PublishedPage }) => {
  const description = opening?.definition.description;
  return (
    <>
      <h2 dir="auto">
        <StepName number={number} count={count} opening={opening} page={page} />
      </h2>
      {opening && typeof description === "string" && (
        <Paragraphs text={description} mark={fieldMarks(page, opening)("description")} />
      )}
    </>
  );
};

export const SubmitButton = ({ page }: { page: PublishedPage }) => {
  const { submitLabel } = page.settings;
  if (page.change) return <button type="submit">{page.text.change.submit}</button>;
  return (
    <button type="submit" {...(submitLabel && pageMark(page, "submitLabel"))}>
      {submitLabel || page.text.submit}
    </button>
  );
};

/** Saves the page to continue later, without validation. @param action the address of steps */
export const SaveButton = ({ page, action }: { page: PublishedPage; action: string }) =>
  page.isSavable ? (
    <p class="save">
      <button type="submit" class="link" name={ownNames.save} value="1" formaction={action}>
        {page.text.resume.save}
      </button>
    </p>
  ) : null;

/** The Enter key presses the first button. */
const StepButtons = ({ step: { number }, text }: { step: StepPart; text: PageText }) => (
  <div class="actions">
    <button type="submit">{text.steps.next}</button>
    {number > 1 && (
      <button type="submit" class="secondary" name={ownNames.goTo} value="back">
        {text.steps.back}
      </button>
    )}
  </div>
);

/** True if the value of a field must not stay in the browser. */
export const isSensitive = ({ definition }: Field): boolean => definition.sensitive === true;

/**
 * Lets the browser's Back key show a page from its cache, with the key of what was sent from it. Does nothing
 * if a value must not stay in the browser. Reason, for the response to a post: a redirect would put the
 * values into an address, which is logged and shared, or into a table of values that were never submitted.
 */
export function keepForBackKey(
  set: { headers: Record<string, unknown> },
  fields: readonly Field[],
  values: URLSearchParams,
): void {
  const hasSensitive = fields
    .filter(isSensitive)
    .flatMap(namesOf)
    .some((name) => values.get(name));
  if (!hasSensitive) set.headers["cache-control"] = "private, no-cache";
}

/** Names of values that the browser does not keep. Files may be gone when the draft is restored. */
const sensitiveNames = (fields: readonly Field[]): string =>
  JSON.stringify(
    fields.filter((field) => isSensitive(field) || field.fieldType.nature === "files").flatMap(namesOf),
  );

/** Names of values that are written in the page's language and zone. A draft in others is without them. */
const spelledNames = (fields: readonly Field[]): string =>
  JSON.stringify(fields.filter(isSpelled).flatMap(namesOf));

/** Note that the script shows once this browser has a draft. */
const DraftNote = ({ note, text }: { note: "restored" | "kept"; text: PageText }) => (
  <p class="draft" role="status" data-draft-note={note} hidden>
    {text.draft[note]}{" "}
    <button type="button" class="link">
      {text.draft.clear}
    </button>
  </p>
);

/** Data for the script: the key of the draft, and values that it never keeps. A preview has no draft. */
export const draftData = (
  page: PublishedPage,
  action: string,
): Record<`data-${string}`, string | undefined> => ({
  "data-draft":
    page.banner === undefined && (page.link === undefined || page.link.use === "i")
      ? (page.invited?.draft ?? page.formId)
      : undefined,
  "data-home": addressIn(page, action.replace(/\/steps$/, "")),
  "data-leaves": page.invited ? "" : page.settings.redirectUrl && "",
  "data-sensitive": sensitiveNames(page.form.fields),
  "data-spelled": spelledNames(page.form.fields),
});

/** The script of forms whose questions depend on others, and its data. */
const ConditionsScript = ({ form, text }: { form: CompiledForm; text: PageText }) => {
  if (!form.hasLogic) return null;
  const { lang, yes, no, locale, timeZone, notCalculated, more } = text;
  const plan: PagePlan = {
    fields: planOf(form),
    keptPrefix,
    words: { lang, yes, no, locale, timeZone, notCalculated, appeared: more.appeared },
  };
  // In a script element only this sign could begin anything but text.
  const json = JSON.stringify(plan).replaceAll("<", "\\u003c");
  return (
    <>
      <p id="appeared" class="read-only-aloud" role="status" />
      <script id="conditions" type="application/json" dangerouslySetInnerHTML={{ __html: json }} />
      <script type="module" src={conditionsScriptAsset.path} />
    </>
  );
};

/** Link to the page that asks before the submission is taken back. */
export const WithdrawLink = ({ page, action }: { page: PublishedPage; action: string }) => (
  <p>
    <a href={addressIn(page, `${action.replace(/\/steps$/, "")}/withdraw`)}>
      {page.text.change.withdraw.button}
    </a>
  </p>
);

/** Fields of a form on one page. */
const shownFields = (fields: readonly Field[]): readonly Field[] => {
  const empty = emptySteps(fields);
  return empty.size > 0 ? fields.filter((field) => !empty.has(field)) : fields;
};

const FormPage = ({ view, text }: { view: FilledPage; text: PageText }) => {
  const {
    page,
    action,
    messages = [],
    notice,
    changed = [],
    confirmed = [],
    key = makePageKey(),
    step,
  } = view;
  const { settings, description, version, form } = page;
  const applicable = applicableTo(form, view.values);
  // A preview stores nothing.
  const hasFiles = form.fileFields.length > 0 && page.banner === undefined;
  const introduction = settings.introduction ?? description ?? "";
  const isFirst = (!step || step.number === 1) && messages.length === 0 && !notice;
  return (
    <main id="main">
      <Languages page={page} action={step ? action : `${action}/steps`} values={view.values} />
      {messages.length > 0 && <Messages messages={messages} page={page} />}
      {notice && <NoticeSummary notice={notice} />}
      {isFirst && <Cover settings={settings} />}
      <Logo settings={settings} />
      <h1 class="form-title" dir="auto" {...pageMark(page, "title")}>
        {page.title}
      </h1>
      {(!step || step.number === 1) &&
        (page.change ? (
          <p>{text.change.message}</p>
        ) : (
          <Paragraphs text={introduction} mark={pageMark(page, "introduction")} />
        ))}
      {step && <StepHeading step={step} page={page} />}
      <form
        id={page.languages && pageFormId}
        method="post"
        action={step ? addressIn(page, action, view.values) : sendingAddressIn(page, action, view.values)}
        enctype={hasFiles ? "multipart/form-data" : undefined}
        noValidate
        data-uploads={hasFiles ? JSON.stringify(text.uploads) : undefined}
        data-left={text.characters.left}
        data-over={text.characters.over}
        data-key={key}
        data-step={step?.position}
        data-switched={view.isSwitched && ""}
        {...draftData(page, action)}
      >
        <DraftNote note="restored" text={text} />
        <Hidden
          entries={[
            [ownNames.version, String(version)],
            [ownNames.key, key],
            ...spellingFields(form.fields, text),
            ...(page.carried ?? []),
            ...confirmed,
            ...[...changed].map((id): HiddenField => [ownNames.unseen, id]),
            ...(step?.hidden ?? []),
          ]}
        />
        {/* The Enter key presses this button, not one that removes a file. */}
        {hasFiles && (
          <button type="submit" hidden>
            {step ? text.steps.next : page.change ? text.change.submit : settings.submitLabel || text.submit}
          </button>
        )}
        {(step?.fields ?? shownFields(form.fields)).map((field) => (
          <DependentField key={field.id} field={field} text={text} view={view} applicable={applicable} />
        ))}
        {hasFiles && <script type="module" src={uploadsScriptAsset.path} />}
        <ConditionsScript form={form} text={text} />
        {page.captcha && <CaptchaInput captcha={page.captcha} text={text} />}
        {step ? <StepButtons step={step} text={text} /> : <SubmitButton page={page} />}
        <SaveButton page={page} action={addressIn(page, step ? action : `${action}/steps`, view.values)} />
        <DraftNote note="kept" text={text} />
      </form>
      {page.change?.canWithdraw && <WithdrawLink page={page} action={action} />}
    </main>
  );
};

const Banner = ({ page: { banner, text } }: { page: PublishedPage }) =>
  banner ? (
    <aside class="banner" lang={language()} dir={text.dir === "rtl" ? "ltr" : undefined}>
      {banner}
    </aside>
  ) : null;

export function respondWithForm(set: { headers: Record<string, unknown> }, view: FilledPage): string {
  const { page, step } = view;
  const { text } = page;
  const position = step && `${text.steps.position(step.number, step.count)} · `;
  const title = (position ?? "") + (page.change ? `${text.change.heading} · ` : "") + page.title;
  const hasErrors = view.messages !== undefined || view.notice !== undefined;
  return respondWithFormPage(
    set,
    page,
    hasErrors ? text.errorTitle(title) : title,
    <FormPage view={view} text={text} />,
  );
}

/** A page of the form, by default with a form that leads to another page or to `settings.redirectUrl`. */
export function respondWithFormPage(
  set: { headers: Record<string, unknown> },
  page: PublishedPage,
  title: string,
  children: ComponentChildren,
  policy: PagePolicy = policyOf(page),
): string {
  const { text } = page;
  const props = {
    title,
    ...documentLanguage(text),
    busy: text.sending,
    style: formStyleAsset,
    script: formScriptAsset,
    ...lookOf(page.settings, page.isEmbedded),
    social: socialOf(page),
    alternates: alternatesOf(page),
    children: (
      <>
        <Banner page={page} />
        {children}
        <Footer settings={page.settings} text={text} />
      </>
    ),
  };
  Object.assign(set.headers, languageHeaders(page));
  return respondWithPage(set, props, policy);
}

/** Texts for networks. A link that a person holds is not to be shared. */
const socialOf = ({ address, link, title, description, settings }: PublishedPage) =>
  address === undefined || link
    ? {}
    : {
        title,
        description: (settings.introduction || description)?.slice(0, maxSocialLength),
        image: pictureShared(settings) && `${address}/picture`,
      };

/** The form's page in each language, and without a choice. */
const alternatesOf = ({
  address,
  link,
  languages,
  isEmbedded,
}: PublishedPage): NonNullable<DocumentProps["alternates"]> =>
  address === undefined || link || languages === undefined || isEmbedded
    ? []
    : [
        ...languages.map((tag) => [tag, `${address}?${new URLSearchParams({ lang: tag })}`] as const),
        ["x-default", address],
      ];

/** Browsers apply `form-action` to the redirects that follow as well (CSP 3, section 6.4.1). */
const policyOf = ({ settings, captcha }: PublishedPage) => {
  const redirect = settings.redirectUrl === undefined ? null : URL.parse(settings.redirectUrl);
  return {
    ...captchaPolicy(captcha),
    ...embedding(settings),
    ...(redirect && { "form-action": `'self' ${redirect.origin}` }),
  };
};
