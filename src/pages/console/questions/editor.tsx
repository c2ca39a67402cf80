/** The questions of a draft in their order, each of which opens in its place; beside them a preview. */
import { type Field, isRecord, parseField } from "../../../fields/definition.ts";
import type { FieldIssue } from "../../../fields/field-type.ts";
import { Submit } from "../../ui/controls.tsx";
import { type FormView, fieldHref, formPage, pathOfForm, Seen } from "../form/form.tsx";
import { issueSentence, issuesOf, typeLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { type ConsolePage, PostForm, useMay } from "../frame/layout.tsx";
import type { FindField } from "./condition-rows.ts";
import { dependenciesOf } from "./condition-text.ts";
import { type OpenQuestion, Question } from "./question.tsx";
import { SeveralQuestions } from "./several.tsx";
import { TypePicture } from "./types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.editor;

interface EditorProps {
  form: FormView;
  open?: OpenQuestion | undefined;
  /** True: lines for several new questions are open. */
  several?: boolean;
  /** The question that has the focus, and the arrow that it was moved with. */
  at?: { id: string | undefined; arrow: string | undefined };
}

const mayEdit = (form: FormView): boolean =>
  useMay("form.patched", form.workspaceId) && form.status !== "archived";

const nameOf = ({ label }: Field): string => (label.trim() ? label : words.unnamed);

const AddHere = ({ form, after, label }: { form: FormView; after: string; label: string }) => (
  <a
    class="add-here"
    href={`${pathOfForm(form)}?${new URLSearchParams({ after })}`}
    aria-label={`${words.addHere}: ${label}`}
  >
    {words.addHere}
  </a>
);

interface RowProps {
  form: FormView;
  field: Field;
  index: number;
  last: boolean;
  at: EditorProps["at"];
  fieldOf: FindField;
}

const Arrows = ({ form, field, index, last, at }: RowProps) => {
  const { id } = field;
  const arrow = (name: "up" | "down", to: number, isPossible: boolean) =>
    isPossible && (
      <Submit
        class="quiet small"
        name={name}
        value={to}
        aria-label={(name === "up" ? words.moveUp : words.moveDown)(nameOf(field))}
        autofocus={at?.id === id && (at.arrow === name || (name === "up" ? last : index === 0))}
        label={name === "up" ? "↑" : "↓"}
      />
    );
  return (
    <PostForm action={`${pathOfForm(form)}/field/move`} class="actions">
      <Seen form={form} />
      <input type="hidden" name="id" value={id} />
      {arrow("up", index - 1, index > 0)}
      {arrow("down", index + 1, !last)}
    </PostForm>
  );
};

const Row = (props: RowProps & { canEdit: boolean; issues: readonly FieldIssue[] }) => {
  const { form, field, at, canEdit, issues, fieldOf } = props;
  const label = <strong dir="auto">{nameOf(field)}</strong>;
  return (
    <div class="question">
      <TypePicture type={field.type} />
      <div>
        {canEdit ? (
          <a href={fieldHref(form, field.id)} autofocus={at?.id === field.id && !at.arrow}>
            {label}
          </a>
        ) : (
          label
        )}
        <small>
          {typeLabel(field.type)}
          {field.required && ` · ${words.required}`}
          {dependenciesOf(field, fieldOf).map((each) => (
            <span key={each} dir="auto">
              {" "}
              · {each}
            </span>
          ))}
        </small>
        {issues.length > 0 && (
          <ul class="issues">
            {issues.map((issue) => (
              <li key={issue.message}>{issueSentence(issue, field.type)}</li>
            ))}
          </ul>
        )}
      </div>
      {canEdit && <Arrows {...props} />}
    </div>
  );
};

const FieldList = ({ form, open, at, issues }: EditorProps & { issues: readonly FieldIssue[] }) => {
  const canEdit = mayEdit(form);
  const fields = form.schema.fields.filter(isRecord).map(parseField);
  const byId = new Map(fields.map((field) => [field.id, field]));
  const fieldOf = (id: string) => byId.get(id);
  return (
    <ol class="rows fields">
      {fields.map((field, index) => {
        const own = issues.filter((issue) => issue.field === field.id);
        const isOpen = open !== undefined && (open.id ?? open.after) === field.id;
        const last = index === fields.length - 1;
        return (
          <li key={field.id}>
            <Row
              {...{ form, field, index, last, at, canEdit, fieldOf }}
              issues={open?.id === field.id ? [] : own}
            />
            {isOpen && <Question form={form} open={open} />}
            {canEdit && !last && <AddHere form={form} after={field.id} label={nameOf(field)} />}
          </li>
        );
      })}
    </ol>
  );
};

const AddAtEnd = ({ form }: { form: FormView }) => (
  <div class="actions">
    <a class="button" href={`${pathOfForm(form)}?new`}>
      {words.add}
    </a>
    <a class="button quiet" href={`${pathOfForm(form)}?several`}>
      {words.addSeveral}
    </a>
  </div>
);

const Questions = (props: EditorProps) => {
  const { form, open, several } = props;
  const issues = issuesOf(form.schema);
  const canEdit = mayEdit(form);
  const isEmpty = form.schema.fields.length === 0;
  const hasRows = several || (isEmpty && !open);
  const isNewAt = (after: string | undefined) => open && open.id === undefined && open.after === after;
  return (
    <section aria-labelledby="fields-heading">
      <div class="heading wide">
        <h2 id="fields-heading">{words.questions(form.schema.fields.length)}</h2>
        {!isEmpty && <a href={`${pathOfForm(form)}/preview`}>{words.preview}</a>}
      </div>
      {issues
        .filter(({ field }) => field === undefined)
        .map((issue) => (
          <p key={issue.message} class="error">
            {issueSentence(issue, "")}
          </p>
        ))}
      {canEdit && !isEmpty && <AddHere form={form} after="" label={words.addFirst} />}
      {open && isNewAt("") && <Question form={form} open={open} />}
      {!isEmpty && <FieldList {...props} issues={issues} />}
      {isEmpty && !canEdit && <p class="empty">{words.noneForViewer}</p>}
      {open && isNewAt(undefined) && <Question form={form} open={open} />}
      {canEdit && hasRows && <SeveralQuestions form={form} />}
      {canEdit && !hasRows && !isNewAt(undefined) && <AddAtEnd form={form} />}
    </section>
  );
};

const Editor = (props: EditorProps) => {
  const { form } = props;
  if (form.schema.fields.length === 0) return <Questions {...props} />;
  return (
    <div class="columns">
      <Questions {...props} />
      <iframe class="preview" src={`${pathOfForm(form)}/preview`} title={words.preview} loading="lazy" />
    </div>
  );
};

export const editorPage = (props: EditorProps): ConsolePage => ({
  ...formPage(props.form, "edit", formText.form.edit, <Editor {...props} />),
  policy: { "frame-src": "'self'" },
});
