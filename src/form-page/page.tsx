/** The page on which a form is filled in. Its form works without the script. */
import { randomUUID } from "node:crypto";
import type { ComponentChildren } from "preact";
import type { Field } from "../fields/definition.ts";
import { formScriptAsset, formStyleAsset } from "../pages/assets.ts";
import { FieldInput } from "../pages/field-input.tsx";
import { namesOf } from "../pages/field-values.ts";
import { labelOf } from "../pages/fields/props.ts";
import { respondWithPage } from "../pages/page.tsx";
import { CaptchaInput, captchaPolicy } from "./captcha.tsx";
import type { Message } from "./errors.ts";
import type { Entry } from "./kept.ts";
import { ownNames } from "./own-names.ts";
import type { PublishedPage } from "./read.ts";
import { textIn } from "./text.ts";
import { embedding } from "./visit.ts";
import type { Failure, PageText } from "./words.ts";

export interface FilledPage {
  page: PublishedPage;
  /** Where the form is sent. */
  action: string;
  /** What was entered; absent: nothing yet. */
  values?: URLSearchParams | undefined;
  messages?: readonly Message[];
  /** Why the form was not sent, where that is no error of a field. */
  notice?: Failure | undefined;
  /** Ids of fields that are not what they were when the form was filled in; those of other steps are marked there. */
  changed?: ReadonlySet<string>;
  /** Of the page that was sent; a new one otherwise. */
  key?: string | undefined;
  /** One step of the form; absent: all of it. */
  step?: StepPart;
}

/** What the page of one step has in place of the whole form. */
export interface StepPart {
  /** From 1. */
  number: number;
  count: number;
  /** The field that the step begins with. */
  opening: Field | undefined;
  fields: readonly Field[];
  hidden: readonly Entry[];
}

/** Paragraphs are separated by blank lines. */
export const Paragraphs = ({ text }: { text: string }) => (
  <>
    {text
      .split(/\n\s*\n/)
      .filter((paragraph) => paragraph.trim() !== "")
      .map((paragraph, index) => (
        <p key={index} dir="auto">
          {paragraph}
        </p>
      ))}
  </>
);

/** What is wrong, on top of the page. It takes the focus, so that it is read out first. */
const Summary = ({ heading, children }: { heading: string; children: ComponentChildren }) => (
  <div class="summary" role="alert" tabIndex={-1} autofocus aria-labelledby="summary-heading" id="summary">
    <h2 id="summary-heading">{heading}</h2>
    {children}
  </div>
);

export const NoticeSummary = ({ notice }: { notice: Failure }) => (
  <Summary heading={notice.heading}>
    <p>{notice.message}</p>
  </Summary>
);

export const Hidden = ({ entries }: { entries: readonly Entry[] }) => (
  <>
    {entries.map(([name, value], index) => (
      <input key={index} type="hidden" name={name} value={value} />
    ))}
  </>
);

const Messages = ({ messages, text }: { messages: readonly Message[]; text: PageText }) => (
  <Summary heading={text.errorHeading}>
    <ul>
      {messages.map(({ target, text: message }) => (
        <li key={message} dir="auto">
          {target === undefined ? message : <a href={`#${target}`}>{message}</a>}
        </li>
      ))}
    </ul>
  </Summary>
);

const FormField = ({ field, text, view }: { field: Field; text: PageText; view: FilledPage }) => {
  const message = view.messages?.find((each) => each.field === field.id);
  const input = (
    <FieldInput
      field={field}
      words={text}
      values={view.values}
      error={message?.text}
      invalidPart={message?.part}
      rules={text.rules(field)}
      autofill
    />
  );
  if (!view.changed?.has(field.id) || field.type === "divider") return input;
  return (
    <div class="changed">
      <p class="badge">{text.changed.field}</p>
      {input}
    </div>
  );
};

export const titleOf = ({ settings, name }: PublishedPage): string => settings.title || name;

/** What a step is called: its number, and the label of the `page_break` that it begins with. */
export const StepName = ({
  number,
  count,
  opening,
  text,
}: Omit<StepPart, "fields" | "hidden"> & { text: PageText }) => {
  const position = text.steps.position(number, count);
  if (!opening) return <>{position}</>;
  return (
    <>
      <span class="position">{position}</span> {labelOf(opening)}
    </>
  );
};

const StepHeading = ({ step: { number, count, opening }, text }: { step: StepPart; text: PageText }) => {
  const description = opening?.definition.description;
  return (
    <>
      <h2 dir="auto">
        <StepName number={number} count={count} opening={opening} text={text} />
      </h2>
      {typeof description === "string" && <Paragraphs text={description} />}
    </>
  );
};

/** The first one is that of the Enter key. */
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

/** Whether the value of a field does not stay in the browser. */
export const isSensitive = ({ definition }: Field): boolean => definition.sensitive === true;

const sensitiveNames = (fields: readonly Field[]): string =>
  JSON.stringify(fields.filter(isSensitive).flatMap(namesOf));

const FormPage = ({ view, text }: { view: FilledPage; text: PageText }) => {
  const { page, action, messages = [], notice, changed = [], key = randomUUID(), step } = view;
  const { settings, description, version, form } = page;
  const introduction = settings.introduction ?? description ?? "";
  return (
    <main id="main">
      {messages.length > 0 && <Messages messages={messages} text={text} />}
      {notice && <NoticeSummary notice={notice} />}
      <h1 dir="auto">{titleOf(page)}</h1>
      {(!step || step.number === 1) && <Paragraphs text={introduction} />}
      {step && <StepHeading step={step} text={text} />}
      <form
        method="post"
        action={action}
        noValidate
        data-left={text.characters.left}
        data-over={text.characters.over}
        data-key={key}
        data-step={step?.number}
        data-sensitive={sensitiveNames(form.fields)}
      >
        <Hidden
          entries={[
            [ownNames.version, String(version)],
            [ownNames.key, key],
            ...[...changed].map((id): Entry => [ownNames.unseen, id]),
            ...(step?.hidden ?? []),
          ]}
        />
        {(step ?? form).fields.map((field) => (
          <FormField key={field.id} field={field} text={text} view={view} />
        ))}
        {page.captcha && <CaptchaInput captcha={page.captcha} text={text} />}
        {step ? (
          <StepButtons step={step} text={text} />
        ) : (
          <button type="submit">{settings.submitLabel || text.submit}</button>
        )}
      </form>
    </main>
  );
};

/** The page as the response. */
export function respondWithForm(set: { headers: Record<string, unknown> }, view: FilledPage): string {
  const { page, step } = view;
  const text = textIn(page.settings.language);
  const position = step && `${text.steps.position(step.number, step.count)} · `;
  const title = (position ?? "") + titleOf(page);
  const hasErrors = view.messages !== undefined || view.notice !== undefined;
  return respondWithFormPage(
    set,
    page,
    hasErrors ? text.errorTitle(title) : title,
    <FormPage view={view} text={text} />,
  );
}

/** A page with a form that leads to another one, or to `settings.redirectUrl`. */
export function respondWithFormPage(
  set: { headers: Record<string, unknown> },
  page: PublishedPage,
  title: string,
  children: ComponentChildren,
): string {
  const { lang } = textIn(page.settings.language);
  const props = { title, lang, style: formStyleAsset, script: formScriptAsset, children };
  return respondWithPage(set, props, policyOf(page));
}

/** Browsers apply `form-action` to the redirects that follow as well (CSP 3, section 6.4.1). */
const policyOf = ({ settings, captcha }: PublishedPage) => {
  const redirect = settings.redirectUrl === undefined ? null : URL.parse(settings.redirectUrl);
  return {
    ...captchaPolicy(captcha),
    ...embedding(settings),
    ...(redirect && { "form-action": `'self' ${redirect.origin}` }),
  };
};
