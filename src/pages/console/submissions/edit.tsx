/** A submission as a form: the controls of its fields, and the edits of a post. */
import { type } from "arktype";
import { useContext } from "preact/hooks";
import { controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { toValue } from "../../../fields/entered.ts";
import type { FieldIssue } from "../../../fields/field-type.ts";
import { toControls } from "../../../fields/presentation.ts";
import { sentTextOf } from "../../../fields/sent-text.ts";
import type { Spelling } from "../../../fields/spelling.ts";
import { writtenDays } from "../../../fields/written-days.ts";
import { toProblem } from "../../../problem.ts";
import { applyEdits, type Patch } from "../../../resources/submissions/edits.ts";
import { messagesOf } from "../../form-page/errors.ts";
import { textForLanguage } from "../../form-page/text/text.ts";
import { EnteredContext, Input, idOf, Notice, TextArea, useError, useScope } from "../../ui/controls.tsx";
import { FieldInput, targetOf } from "../../ui/field-input.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { language } from "../../ui/language.ts";
import { formPage, hrefOfSubmission } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { FormProblem, formOf, sent } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import {
  type ConsolePage,
  isRefusedFor,
  PostForm,
  requireMay,
  seenBy,
  useRefused,
} from "../frame/layout.tsx";
import { FormActions } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { readSubmission, SubmissionValues, type SubmissionView } from "./submission.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

const isHidden = ({ kind }: Field): boolean => kind === "hidden";

/** A field that respondents fill in. Where it has several controls, the link to it leads to all of them. */
const FieldControl = ({ field }: { field: Field }) => {
  const name = controlName(field.id);
  const [error, scope] = [useError(name), useScope()];
  const values = useContext(EnteredContext);
  const input = (
    <FieldInput
      field={field}
      words={formText.fieldInput}
      values={values}
      scope={scope}
      hints={field.fieldType.nature === "files" ? [words.uncheckedFiles] : []}
      error={error}
    />
  );
  if (!error || targetOf(field, values && { values }) === idOf(name)) return input;
  return (
    <div class="control" id={idOf(name, scope)} tabIndex={-1}>
      {input}
    </div>
  );
};

/** A value that respondents do not see. */
const HiddenValue = ({ field }: { field: Field }) => {
  const name = controlName(field.id);
  // An input of one line would drop the line breaks.
  const Control = /[\r\n]/.test(useContext(EnteredContext)?.get(name) ?? "") ? TextArea : Input;
  return <Control name={name} label={labelOf(field)} />;
};

const FieldInputs = ({ submission: { status }, fields }: SubmissionView) => {
  const hidden = fields.filter(isHidden);
  return (
    <>
      {fields
        .filter((field) => !isHidden(field))
        .map((field) => (
          <FieldControl key={field.id} field={status === "partial" ? { ...field, required: false } : field} />
        ))}
      {hidden.length > 0 && (
        <fieldset class="panel">
          <legend>{words.hiddenFields}</legend>
          <p class="hint">{words.hiddenFieldsHint}</p>
          {hidden.map((field) => (
            <HiddenValue key={field.id} field={field} />
          ))}
        </fieldset>
      )}
    </>
  );
};

/**
 * The value of a hidden field is a text, a number or a boolean. It keeps its type if the entered text can be
 * read as one.
 */
const typedAs = (field: Field, before: unknown): Field =>
  typeof before === "number" || typeof before === "boolean"
    ? { ...field, kind: typeof before as "number" | "boolean" }
    : field;

/** Spelling of the operator's language. Dates and times have their own offsets. */
const spellingOfReader = (): Spelling => ({ locale: formText.fieldInput.locale, written: writtenDays });

/**
 * Fields that the operator changed. A value sent back as it was shown is not an edit, even if its text is
 * less exact (1e-7, CR LF). Hidden fields that a form omits stay as they are.
 */
const editsOf = ({ fields, submission: { data } }: SubmissionView, values: URLSearchParams) => {
  const spelling = spellingOfReader();
  const shown = toControls(fields, data, spelling);
  return fields
    .filter(
      (field) => field.fieldType.nature !== "none" && sentTextOf(field, shown) !== sentTextOf(field, values),
    )
    .filter((field) => !isHidden(field) || values.has(controlName(field.id)))
    .flatMap((field) => {
      const before = Object.hasOwn(data, field.id) ? data[field.id] : null;
      const read = isHidden(field)
        ? toValue(typedAs(field, before), values)
        : toValue(field, values, spelling);
      const value = read ?? null;
      return JSON.stringify(before) === JSON.stringify(value) ? [] : [{ fieldId: field.id, value }];
    });
};

const seenName = "formd.updatedAt";

/** Form that edits a submission. One control has all fields: its value is the changes in the post. */
const editForm = (found: SubmissionView) =>
  formOf<{ [seenName]: string; edited: SubmissionView & Pick<Patch, "edits"> }>(
    {
      [seenName]: sent(type.string),
      edited: {
        draw: () => <FieldInputs {...found} />,
        read: (values) => ({ ...found, edits: editsOf(found, values) }),
      },
    },
    // Ids of fields may be those of the page.
    { scopedBy: seenName },
  );

/**
 * Throws errors of fields in the words of a form's page, in the language of the operator. Throws others as
 * they are.
 */
const inPageWords =
  (fields: readonly Field[], values: URLSearchParams) =>
  (error: unknown): never => {
    const { code, extras } = toProblem(error);
    const issues = (extras.errors ?? []) as readonly FieldIssue[];
    const found = messagesOf(textForLanguage(language()), fields, issues, { values });
    const ofFields = found.flatMap(({ field, summary }) => (field ? [[controlName(field.id), summary]] : []));
    throw ofFields.length > 0 ? new FormProblem(Object.fromEntries(ofFields), code) : error;
  };

const Edit = (found: SubmissionView) => {
  const { form, submission, fields } = found;
  const refused = useRefused();
  return (
    <>
      <h2>{words.editTitle}</h2>
      {isRefusedFor(refused, "submission_changed") && (
        <>
          <Notice kind="info">{words.conflict}</Notice>
          <SubmissionValues form={form} submission={submission} fields={fields} />
        </>
      )}
      <PostForm
        action={`${hrefOfSubmission(form, submission.id)}/edit`}
        form={editForm(found)}
        fields={{
          [seenName]: seenBy(refused, "submission_changed", seenName) ?? submission.updatedAt.toISOString(),
        }}
        initial={refused?.values ?? toControls(fields, submission.data, spellingOfReader())}
        class="stacked"
      >
        <FormActions submit={frameText.save} cancel={hrefOfSubmission(form, submission.id)} />
      </PostForm>
    </>
  );
};

/** @throws {Problem} `bad_request`, `not_found`, `insufficient_workspace_role`. */
async function readToEdit(view: PageContext): Promise<SubmissionView> {
  const found = await readSubmission(view);
  requireMay(view.session, "submission.edited", found.form.workspaceId);
  return found;
}

async function editPage(view: PageContext): Promise<ConsolePage> {
  const found = await readToEdit(view);
  return formPage(found.form, "submissions", words.editTitle, <Edit {...found} />);
}

export const submissionEditPages = {
  page: onGet(editPage),
  save: onPost(
    { act: "submission.edited", load: readToEdit, form: ({ found }) => editForm(found), retry: editPage },
    async ({ deps, queries, values, data: { [seenName]: expectedUpdatedAt, edited } }) => {
      const { form, submission, schema, fields, edits } = edited;
      const patch = { expectedUpdatedAt, edits, unstorable: new Map() };
      await applyEdits(deps, queries, schema, submission, patch).catch(inPageWords(fields, values));
      return { to: hrefOfSubmission(form, submission.id), text: frameText.saved };
    },
  ),
} satisfies Handlers;
