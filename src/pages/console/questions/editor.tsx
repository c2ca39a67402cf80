/** The page of a draft as respondents see it. Each question and each text opens in its place. */
import { type Field, isRecord, parseField } from "../../../fields/definition.ts";
import type { FieldIssue } from "../../../fields/field-type.ts";
import { hintsOf } from "../../../fields/presentation.ts";
import { divide, isInSteps } from "../../../fields/steps.ts";
import { draftInLanguage } from "../../../resources/forms/form-texts.ts";
import { fieldMarks } from "../../form-page/language.ts";
import { emptySteps } from "../../form-page/next-step.ts";
import { StepName } from "../../form-page/page.tsx";
import { textOfPage } from "../../form-page/text/text.ts";
import type { PageText } from "../../form-page/text/types.ts";
import { Cover, Logo, lookOf } from "../../form-page/theme.tsx";
import { buildScriptAsset, buildStyleAsset, rowsScriptAsset } from "../../ui/assets.ts";
import { Notice, ScopeProvider, Submit } from "../../ui/controls.tsx";
import { FieldInput } from "../../ui/field-input.tsx";
import { languageName } from "../../ui/language.ts";
import { type FormView, fieldHref, formPage, pathOfForm, Seen, translateHref } from "../form/form.tsx";
import { issueSentence, issuesOf, typeLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { type ConsolePage, PostForm, useMay } from "../frame/layout.tsx";
import { dependenciesOf } from "./condition-text.ts";
import { type OpenQuestion, Question } from "./question.tsx";
import { SeveralQuestions } from "./several.tsx";
import { TextCard, type TextPart } from "./texts.tsx";
import { TypePicture } from "./types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.editor;

interface EditorProps {
  form: FormView;
  open?: OpenQuestion | undefined;
  openText?: TextPart | undefined;
  /** True: lines for several new questions are open. */
  several?: boolean;
  /** The question or text that has the focus, and the arrow that it was moved with. */
  at?: { id: string | undefined; arrow: string | undefined };
  /** The language of the texts, if it is not the first. They are then only shown. */
  language?: string | undefined;
  /** The reason why the page shows nothing of what was asked for. */
  reason?: string;
}

interface Shown extends EditorProps {
  canEdit: boolean;
  /** True also for an archived form, which shows again what was refused. */
  mayEdit: boolean;
  text: PageText;
}

const nameOf = ({ label, type, fieldType }: Field): string =>
  label.trim() ? label : fieldType.nature === "none" ? typeLabel(type) : words.unnamed;

/** Id of the form that moves questions. Buttons of all cards belong to it. */
const moveId = "move-question";

const AddHere = ({
  form,
  after,
  label,
  type,
}: {
  form: FormView;
  after: string;
  label: string;
  type?: string;
}) => (
  <a
    class={type ? "add-here named" : "add-here add-between"}
    href={`${pathOfForm(form)}?${new URLSearchParams({ after, ...(type && { type }) })}`}
    aria-label={type ? undefined : `${words.addHere}: ${label}`}
  >
    {type ? label : words.addHere}
  </a>
);

interface CardProps extends Shown {
  field: Field;
  index: number;
  count: number;
}

const Arrows = ({ field, index, count, at }: CardProps) => {
  const isLast = index === count - 1;
  const arrow = (name: "up" | "down", to: number, isPossible: boolean) =>
    isPossible && (
      <Submit
        class="quiet small"
        form={moveId}
        name={name}
        value={`${to} ${field.id}`}
        aria-label={(name === "up" ? words.moveUp : words.moveDown)(nameOf(field))}
        autofocus={at?.id === field.id && (at.arrow === name || (name === "up" ? isLast : index === 0))}
        label={name === "up" ? "↑" : "↓"}
      />
    );
  return (
    <span class="arrows">
      {arrow("up", index - 1, index > 0)}
      {arrow("down", index + 1, !isLast)}
    </span>
  );
};

/** The languages of the draft, in which texts are marked that are not translated. */
const pageOf = ({ form: { settings }, text }: Pick<CardProps, "form" | "text">) =>
  settings.languages ? { text, languages: settings.languages } : { text };

/** A question as respondents see it; one that they do not see, by its label. */
const ShownField = ({ field, form, text }: Pick<CardProps, "field" | "form" | "text">) => {
  const isComputed = typeof field.definition.compute === "string";
  if (field.kind === "hidden" || isComputed)
    return (
      <div class="statement" dir="auto">
        <b>{nameOf(field)}</b>
        <p>{isComputed ? text.notCalculated : questionsText.field.hiddenHint}</p>
      </div>
    );
  const named = field.label.trim() ? field : { ...field, label: nameOf(field) };
  const mark = fieldMarks(pageOf({ form, text }), field);
  return (
    <FieldInput {...{ field: named, words: text, hints: hintsOf(field, text.hints), mark }} removeAction="" />
  );
};

const Notes = ({
  field,
  issues,
  notes,
}: {
  field: Field;
  issues: readonly FieldIssue[];
  notes: string[];
}) => (
  <>
    {notes.length > 0 && (
      <p class="condition-note" dir="auto">
        {notes.join(" · ")}
      </p>
    )}
    {issues.length > 0 && (
      <ul class="issues">
        {issues.map((issue) => (
          <li key={issue.message}>{issueSentence(issue, field.type)}</li>
        ))}
      </ul>
    )}
  </>
);

/** A closed card. The whole of it is the link that opens it; its controls are inert. */
const Card = (
  props: CardProps & {
    step: { number: number; count: number } | undefined;
    notes: string[];
    issues: readonly FieldIssue[];
  },
) => {
  const { form, field, at, canEdit, text, step, notes, issues } = props;
  const name = (
    <span class="unseen">
      <strong dir="auto">{nameOf(field)}</strong> {typeLabel(field.type)}
      {field.required && ` · ${words.required}`}
    </span>
  );
  const description = field.definition.description;
  return (
    <div class={step ? "card question step" : "card question"}>
      {canEdit ? (
        <a class="edit" href={fieldHref(form, field.id)} autofocus={at?.id === field.id && !at.arrow}>
          {name}
        </a>
      ) : (
        name
      )}
      {step ? (
        <>
          <h3 dir="auto" lang={text.lang}>
            <StepName {...step} opening={field} page={pageOf({ form, text })} />
          </h3>
          {typeof description === "string" && <p>{description}</p>}
        </>
      ) : (
        <div class="shown" inert lang={text.lang}>
          <ScopeProvider value="shown-">
            <ShownField {...{ field, form, text }} />
          </ScopeProvider>
        </div>
      )}
      <Notes field={field} issues={issues} notes={notes} />
      {canEdit && (
        <span class="kind" aria-hidden="true">
          <TypePicture type={field.type} /> {typeLabel(field.type)}
        </span>
      )}
      {canEdit && <Arrows {...props} />}
    </div>
  );
};

const Cards = (props: Shown & { issues: readonly FieldIssue[] }) => {
  const { form, open, canEdit, mayEdit, issues, text } = props;
  const fields = form.schema.fields.filter(isRecord).map(parseField);
  const byId = new Map(fields.map((field) => [field.id, field]));
  const fieldOf = (id: string) => byId.get(id);
  const divided = divide(fields);
  const empty = emptySteps(fields, divided);
  const steps = isInSteps(divided, form.settings.page ?? {}) ? divided : [];
  const stepOf = (field: Field) => {
    const number = steps.findIndex(({ opening }) => opening === field) + 1;
    return number > 0 ? { number, count: steps.length } : undefined;
  };
  return (
    <ol class="fields">
      {steps[0] && !steps[0].opening && (
        <li class="first-step" data-part="first step">
          <h3 lang={text.lang}>{text.steps.position(1, steps.length)}</h3>
          {canEdit && <AddHere form={form} after="" label={words.nameStep} type="page_break" />}
        </li>
      )}
      {fields.map((field, index) => {
        const isOpen = open?.id === field.id;
        return (
          <li key={field.id} data-part={`question ${field.id}`} data-id={field.id}>
            {isOpen && mayEdit ? (
              <Question form={form} open={open} />
            ) : (
              <Card
                {...{ ...props, field, index, step: stepOf(field), count: fields.length }}
                notes={[...(empty.has(field) ? [formText.emptyStep] : []), ...dependenciesOf(field, fieldOf)]}
                issues={issues.filter((issue) => issue.field === field.id)}
              />
            )}
            {open && open.id === undefined && open.after === field.id && <Question form={form} open={open} />}
            {canEdit && index < fields.length - 1 && (
              <AddHere form={form} after={field.id} label={nameOf(field)} />
            )}
          </li>
        );
      })}
    </ol>
  );
};

const AddAtEnd = ({ form }: { form: FormView }) => (
  <div class="actions add-end">
    <a class="button" href={`${pathOfForm(form)}?new`}>
      {words.add}
    </a>
    <a class="button" href={`${pathOfForm(form)}?several`}>
      {words.addSeveral}
    </a>
  </div>
);

const Questions = (props: Shown) => {
  const { form, open, several, canEdit, mayEdit } = props;
  const issues = issuesOf(form.schema);
  const isEmpty = form.schema.fields.length === 0;
  const hasRows = several || (isEmpty && !open);
  const isNewAt = (after: string | undefined) => open && open.id === undefined && open.after === after;
  return (
    <section aria-label={words.questions(form.schema.fields.length)} id="fields" data-parts>
      {issues
        .filter(({ field }) => field === undefined)
        .map((issue) => (
          <p key={issue.message} class="error">
            {issueSentence(issue, "")}
          </p>
        ))}
      {open && isNewAt("") && <Question form={form} open={open} />}
      {!isEmpty && <Cards {...props} issues={issues} />}
      {isEmpty && !canEdit && <p class="empty">{words.noneForViewer}</p>}
      {open && isNewAt(undefined) && <Question form={form} open={open} />}
      {(canEdit ? hasRows : mayEdit && several) && <SeveralQuestions form={form} />}
      {canEdit && !hasRows && !isNewAt(undefined) && <AddAtEnd form={form} />}
    </section>
  );
};

const widths = ["desktop", "phone"] as const;

/** Choice of a width, which the style sheet follows, and the link to the draft as its page. */
const Tools = ({ form, language: shown }: EditorProps) => (
  <div class="tools actions">
    <fieldset class="widths">
      <legend class="unseen">{words.width}</legend>
      {widths.map((name, index) => (
        <label key={name}>
          <input type="radio" name="width" value={name} checked={index === 0} /> {words.widths[name]}
        </label>
      ))}
    </fieldset>
    <a href={`${pathOfForm(form)}/preview${shown ? `?${new URLSearchParams({ lang: shown })}` : ""}`}>
      {words.tryIt}
    </a>
  </div>
);

/** Texts that take the place of the form. */
const otherTexts = ["thankYou", "closedText", "fullText", "offlineText"] as const;

/** The languages of the form, in one of which the page shows its texts. */
const Languages = ({ form, language: shown }: EditorProps) => {
  const { languages = [] } = form.settings;
  if (languages.length < 2) return null;
  return (
    <nav class="subtabs" aria-label={formText.form.languages}>
      <ul>
        {languages.map((tag, index) => (
          <li key={tag}>
            <a
              href={`${pathOfForm(form)}${index === 0 ? "" : `?${new URLSearchParams({ lang: tag })}`}`}
              aria-current={(shown ?? languages[0]) === tag ? "page" : undefined}
            >
              {languageName(tag)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

/** The draft in the chosen language. Its texts are changed on the page that translates them. */
const Editor = (props: EditorProps) => {
  const { form, language: shown } = props;
  return (
    <>
      <Languages {...props} />
      {shown !== undefined && (
        <p class="hint">
          {words.translated} <a href={translateHref(form, shown)}>{words.translate}</a>
        </p>
      )}
      <Build {...props} form={shown === undefined ? form : draftInLanguage(form, shown)} />
    </>
  );
};

const Build = (props: EditorProps) => {
  const { form, openText, at, reason, language: shown } = props;
  const { page = {}, availability, languages } = form.settings;
  const mayEdit = useMay("form.patched", form.workspaceId);
  const canEdit = mayEdit && form.status !== "archived" && shown === undefined;
  const text = textOfPage(page, availability?.timeZone, shown ?? languages?.[0]);
  const { look } = lookOf(page);
  const direction = text.dir === "rtl" ? text.dir : undefined;
  const card = { form, text, canEdit, mayEdit, open: openText, at: at?.id };
  const { saving, saved, failed, offline, ended } = words.script;
  return (
    <div
      class="build"
      data-path={pathOfForm(form)}
      {...{ "data-saving": saving, "data-saved": saved, "data-failed": failed }}
      {...{ "data-offline": offline, "data-ended": ended }}
    >
      {reason && <Notice kind="error">{reason}</Notice>}
      <link rel="stylesheet" href={buildStyleAsset.path} />
      {look && <link rel="stylesheet" href={look.path} />}
      <Tools {...props} />
      {canEdit && form.schema.fields.length > 0 && <p class="hint">{words.howTo}</p>}
      {canEdit && (
        <PostForm action={`${pathOfForm(form)}/field/move`} id={moveId}>
          <Seen form={form} />
        </PostForm>
      )}
      <div class="sheet" dir={direction}>
        <Cover settings={page} />
        <Logo settings={page} />
        <TextCard {...card} part="title" />
        <Questions {...props} canEdit={canEdit} mayEdit={mayEdit} text={text} />
        {form.schema.fields.length > 0 && <TextCard {...card} part="submitLabel" />}
      </div>
      <section aria-labelledby="other-texts" class="other-texts">
        <h2 id="other-texts">{words.otherTexts}</h2>
        {otherTexts.map((part) => (
          <div class="sheet" dir={direction} key={part}>
            <TextCard {...card} part={part} />
          </div>
        ))}
      </section>
      {canEdit &&
        [buildScriptAsset, rowsScriptAsset].map(({ path }) => <script key={path} type="module" src={path} />)}
    </div>
  );
};

export const editorPage = (props: EditorProps): ConsolePage =>
  formPage(props.form, "edit", formText.form.edit, <Editor {...props} />);
