/** The page on which a form is filled in. Its form works without the script. */
import { randomUUID } from "node:crypto";
import type { ComponentChildren } from "preact";
import type { Field } from "../fields/definition.ts";
import { formScriptAsset, formStyleAsset } from "../pages/assets.ts";
import { FieldInput } from "../pages/field-input.tsx";
import { respondWithPage } from "../pages/page.tsx";
import { CaptchaInput, captchaPolicy } from "./captcha.tsx";
import type { Message } from "./errors.ts";
import { ownNames } from "./post.ts";
import type { PublishedPage } from "./read.ts";
import { textIn } from "./text.ts";
import { embedding } from "./visit.ts";
import type { PageText } from "./words.ts";

export interface FilledPage {
  page: PublishedPage;
  /** Where the form is sent. */
  action: string;
  /** What was entered; absent: nothing yet. */
  values?: URLSearchParams | undefined;
  messages?: readonly Message[];
  /** Why the form was not sent, where that is no error of a field. */
  notice?: { heading: string; message: string };
  /** Ids of fields that are not what they were when the form was filled in. */
  changed?: ReadonlySet<string>;
  /** Of the page that was sent; a new one otherwise. */
  key?: string | undefined;
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
  if (!view.changed?.has(field.id)) return input;
  return (
    <div class="changed">
      <p class="badge">{text.changed.field}</p>
      {input}
    </div>
  );
};

export const titleOf = ({ settings, name }: PublishedPage): string => settings.title || name;

const FormPage = ({ view, text }: { view: FilledPage; text: PageText }) => {
  const { page, action, messages = [], notice, key = randomUUID() } = view;
  const { settings, description, version, form } = page;
  const introduction = settings.introduction ?? description ?? "";
  return (
    <main id="main">
      {messages.length > 0 && <Messages messages={messages} text={text} />}
      {notice && (
        <Summary heading={notice.heading}>
          <p>{notice.message}</p>
        </Summary>
      )}
      <h1 dir="auto">{titleOf(page)}</h1>
      <Paragraphs text={introduction} />
      <form
        method="post"
        action={action}
        noValidate
        data-left={text.characters.left}
        data-over={text.characters.over}
        data-key={key}
      >
        <input type="hidden" name={ownNames.version} value={version} />
        <input type="hidden" name={ownNames.key} value={key} />
        {form.fields.map((field) => (
          <FormField key={field.id} field={field} text={text} view={view} />
        ))}
        {page.captcha && <CaptchaInput captcha={page.captcha} text={text} />}
        <button type="submit">{settings.submitLabel || text.submit}</button>
      </form>
    </main>
  );
};

/** The page as the response. */
export function respondWithForm(set: { headers: Record<string, unknown> }, view: FilledPage): string {
  const { settings } = view.page;
  const text = textIn(settings.language);
  const title = titleOf(view.page);
  const hasErrors = view.messages !== undefined || view.notice !== undefined;
  return respondWithPage(
    set,
    {
      title: hasErrors ? text.errorTitle(title) : title,
      lang: text.lang,
      style: formStyleAsset,
      script: formScriptAsset,
      children: <FormPage view={view} text={text} />,
    },
    policyOf(view.page),
  );
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
