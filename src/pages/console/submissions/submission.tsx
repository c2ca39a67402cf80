/** One submission: its values, facts and history; edit and delete. */
import { type } from "arktype";
import { useContext } from "preact/hooks";
import { controlName, otherPart, toText } from "../../../fields/control-values.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import { toValue } from "../../../fields/entered.ts";
import type { FieldIssue } from "../../../fields/field-type.ts";
import { namesOf, toControls } from "../../../fields/presentation.ts";
import { type FileValue, sizeText } from "../../../fields/types/file.ts";
import { toSql } from "../../../platform/auth/actor.ts";
import { binary } from "../../../platform/files/store.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { toProblem } from "../../../problem.ts";
import { downloadFile } from "../../../resources/files/download.ts";
import { applyEdits, type Patch } from "../../../resources/submissions/edits.ts";
import { deleteSubmissionQuery } from "../../../resources/submissions/erase.ts";
import { requireSubmission } from "../../../resources/submissions/read.ts";
import { toSubmission } from "../../../resources/submissions/shapes.ts";
import { referenceOf } from "../../../resources/submit/reference.ts";
import { messagesOf } from "../../form-page/errors.ts";
import { textForLanguage } from "../../form-page/text/text.ts";
import { EnteredContext, Input, idOf, Notice, TextArea, useError, useScope } from "../../ui/controls.tsx";
import { FieldInput, targetOf } from "../../ui/field-input.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { language } from "../../ui/language.ts";
import { Command, Time } from "../../ui/text.tsx";
import { findForm, formPage, hrefOfSubmission, pathOfForm } from "../form/form.tsx";
import { HoldControls, submissionIn } from "../form/holds.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { FormProblem, formOf, sent } from "../frame/form.tsx";
import { onGet, onPost, type PageContext, stream } from "../frame/handler.ts";
import {
  type ConsolePage,
  Facts,
  isRefusedFor,
  PostForm,
  requireMay,
  seenBy,
  useMay,
  useRefused,
} from "../frame/layout.tsx";
import { Confirm, FormActions, LinkLine, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { Decision } from "./decision.tsx";
import { headField, SubmissionStatus, shorten, shownIn } from "./submissions.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

/** @throws {Problem} `bad_request`, `not_found`. */
export async function readSubmission(view: PageContext) {
  const form = await findForm(view);
  const row = await requireSubmission(view.deps.sql, form, submissionIn(view));
  const { schema, history, signature, holds, scans, ...submission } = row;
  return { form, submission, schema, fields: parseFields(schema), history, signature, holds, scans };
}
type SubmissionView = Awaited<ReturnType<typeof readSubmission>>;

const Value = ({ shown }: { shown: string }) => (
  <dd dir="auto">{shown || <span class="quiet">{words.noValue}</span>}</dd>
);

/** Media types that browsers show and never run. */
const isPicture = /^image\/(?:png|jpeg|gif|webp|avif)$/;

type ValuesProps = Pick<SubmissionView, "form" | "submission" | "fields"> & {
  scans?: SubmissionView["scans"] | undefined;
};

/** Links that download files. A picture is shown when someone asks for it. The audit has both. */
const Files = ({ form, submission: { id }, files, scans }: ValuesProps & { files: readonly FileValue[] }) => (
  <dd class="files">
    <ul>
      {files.map((file) => {
        const name = <bdi>{file.name}</bdi>;
        const scan = scans?.[file.id];
        const href = `${hrefOfSubmission(form, id)}/files/${file.id}`;
        return (
          <li key={file.id}>
            {scan ? name : <a href={href}>{name}</a>}{" "}
            <span class="quiet">({sizeText(file.size, language())})</span>{" "}
            {scan && <strong>{words.scans[scan]}</strong>}
            {!scan && isPicture.test(file.type) && (
              <details>
                <summary>{words.showPicture}</summary>
                <img src={href} alt={file.name} loading="lazy" />
              </details>
            )}
          </li>
        );
      })}
    </ul>
  </dd>
);

export const SubmissionValues = (props: ValuesProps) => {
  const fields = props.fields.filter(({ fieldType }) => fieldType.nature !== "none");
  const { data } = props.submission;
  const unknown = Object.keys(data).filter((id) => !props.fields.some((field) => field.id === id));
  return (
    <dl class="facts values panel">
      {fields.map((field) => {
        const files = field.fieldType.nature === "files" && Object.hasOwn(data, field.id) && data[field.id];
        return (
          <>
            <dt dir="auto">{labelOf(field)}</dt>
            {Array.isArray(files) ? (
              <Files {...props} files={files} />
            ) : (
              <Value shown={shownIn(data, field)} />
            )}
          </>
        );
      })}
      {unknown.map((id) => (
        <>
          <dt dir="auto">{`${id} (${words.unknown})`}</dt>
          <Value shown={toText(data[id])} />
        </>
      ))}
    </dl>
  );
};

const Origin = ({ form, submission: row }: Pick<SubmissionView, "form" | "submission">) => {
  const ofRespondent = `${pathOfForm(form, "submissions")}?respondentId=${row.respondentId}`;
  const respondent = [<code>{row.respondentId}</code>, " ", <a href={ofRespondent}>{words.ofRespondent}</a>];
  return (
    <Facts
      items={[
        [words.reference, referenceOf(row.id)],
        [words.provenance, formText.submission.provenances[row.provenance]],
        [words.declaredAgent, row.declaredAgent && <span dir="auto">{row.declaredAgent}</span>],
        [submissionsText.review.reason, row.reviewReason && <span dir="auto">{row.reviewReason}</span>],
        [words.respondentLabel, row.respondentId && respondent],
        [words.received, <Time at={row.createdAt} exact />],
        [words.updated, <Time at={row.updatedAt} exact />],
      ]}
    />
  );
};

const ForPrograms = ({ submission: row, signature }: Pick<SubmissionView, "submission" | "signature">) => (
  <details>
    <summary>{frameText.forPrograms}</summary>
    <Facts
      items={[
        [words.id, <code>{row.id}</code>],
        [words.version, row.formVersion],
        [
          words.from,
          [`${formText.submission.submitters[row.submitterType]} `, <code>{row.submitterId}</code>],
        ],
        [words.signedBy, signature && <code>{signature.keyId}</code>],
        [words.signatureInput, signature && <code>{signature.input}</code>],
        [words.raw, <Command lines={JSON.stringify(toSubmission(row), null, 2).split("\n")} />],
      ]}
    />
  </details>
);

const History = ({ history, fields }: Pick<SubmissionView, "history" | "fields">) =>
  history.length === 0 ? null : (
    <Section title={words.history}>
      <ul class="rows">
        {history.map(({ id, fieldId, oldValue, newValue, createdAt }) => (
          <li key={id}>
            <span dir="auto">
              {words.historyEntry(
                labelOf(fields.find((field) => field.id === fieldId) ?? { id: fieldId, label: "" }),
                toText(oldValue) || words.nothing,
                toText(newValue) || words.nothing,
              )}
            </span>
            <Time at={createdAt} exact />
          </li>
        ))}
      </ul>
    </Section>
  );

const Actions = ({ form, submission, holds }: SubmissionView) => {
  const mayEdit = useMay("submission.edited", form.workspaceId);
  const mayDelete = useMay("submission.deleted", form.workspaceId);
  const href = hrefOfSubmission(form, submission.id);
  return (
    <div class="actions">
      {mayEdit && (
        <a class="button quiet" href={`${href}/edit`}>
          {words.edit}
        </a>
      )}
      {mayDelete && holds.length === 0 && (
        <Confirm
          label={words.remove}
          action={`${href}/delete`}
          hint={words.removeHint}
          confirm={words.removeConfirm}
        />
      )}
      <HoldControls form={form} submission={submission.id} hold={holds.find((hold) => hold.submissionId)} />
      {holds.some((hold) => hold.submissionId === null) && (
        <Notice kind="info">{formText.holds.form.held}</Notice>
      )}
    </div>
  );
};

/** The first short text that it has, often a name. */
const titleOf = ({ submission, fields }: SubmissionView): string => {
  const head = headField(fields);
  return (head && shorten(shownIn(submission.data, head))) || words.title;
};

const Submission = (view: SubmissionView) => (
  <>
    <LinkLine href={pathOfForm(view.form, "submissions")} label={words.back} />
    <div class="heading">
      <h2 dir="auto">{titleOf(view)}</h2>
      <SubmissionStatus {...view.submission} />
    </div>
    <SubmissionValues {...view} />
    <Decision {...view} />
    <Actions {...view} />
    <Section title={words.facts}>
      <Origin {...view} />
    </Section>
    <History {...view} />
    <ForPrograms {...view} />
  </>
);

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

/**
 * Texts that a browser sends of a field, without the differences that it makes itself: a control of several
 * lines sends CR LF for each line break, one of a line drops them; chosen options come in the order of the
 * page; a box that is not checked sends nothing. The page has one control for a choice that is not among the
 * options.
 */
function sentOf(field: Field, values: URLSearchParams): string {
  const isOfLines = field.kind === "textarea" || isHidden(field);
  const [lineBreak, sentBreak] = isOfLines ? ([/\r\n?/g, "\n"] as const) : ([/[\r\n]/g, ""] as const);
  const isSent = (text: string) => text !== "" && !(field.kind === "consent" && text === "false");
  const sent = namesOf(field).map((name) => {
    const texts = values.getAll(name).filter(isSent);
    const own = name === controlName(field.id, otherPart) ? texts.slice(0, 1) : texts;
    const lines = own.map((text) => text.replace(lineBreak, sentBreak));
    return field.kind === "ranking" ? lines : lines.toSorted();
  });
  return JSON.stringify(sent);
}

/**
 * Fields that the operator changed. A value sent back as it was shown is not an edit, even if its text is
 * less exact (1e-7, CR LF). Hidden fields that a form omits stay as they are.
 */
const editsOf = ({ fields, submission: { data } }: SubmissionView, values: URLSearchParams) => {
  const shown = toControls(fields, data);
  return fields
    .filter((field) => field.fieldType.nature !== "none" && sentOf(field, shown) !== sentOf(field, values))
    .filter((field) => !isHidden(field) || values.has(controlName(field.id)))
    .flatMap((field) => {
      const before = Object.hasOwn(data, field.id) ? data[field.id] : null;
      const value = toValue(isHidden(field) ? typedAs(field, before) : field, values) ?? null;
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
  (fields: readonly Field[]) =>
  (error: unknown): never => {
    const { code, extras } = toProblem(error);
    const issues = (extras.errors ?? []) as readonly FieldIssue[];
    const found = messagesOf(textForLanguage(language()), fields, issues);
    const ofFields = found.flatMap(({ field, text }) => (field ? [[controlName(field), text]] : []));
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
        initial={refused?.values ?? toControls(fields, submission.data)}
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

export const submissionPages = {
  page: onGet(async (view) => {
    const found = await readSubmission(view);
    return formPage(found.form, "submissions", titleOf(found), <Submission {...found} />);
  }),
  file: stream(async (view, headers) => {
    const { deps, request, params, queries } = view;
    const form = await findForm(view);
    const parse = () => ({
      form: form.id,
      submission: submissionIn(view),
      id: uuidParam(params as { file_id: string }, "file_id"),
    });
    return await downloadFile(deps, request, { headers }, queries, parse, (type) =>
      isPicture.test(type) ? type : binary,
    );
  }),
  editPage: onGet(editPage),
  saveEdit: onPost(
    { load: readToEdit, form: ({ found }) => editForm(found), retry: editPage },
    async ({ deps, queries, data: { [seenName]: expectedUpdatedAt, edited } }) => {
      const { form, submission, schema, fields, edits } = edited;
      const patch = { expectedUpdatedAt, edits, unstorable: new Map() };
      await applyEdits(deps, queries, schema, submission, patch).catch(inPageWords(fields));
      return { to: hrefOfSubmission(form, submission.id), text: frameText.saved };
    },
  ),
  remove: onPost({ isRisky: true }, async (view) => {
    const { sql } = view.deps;
    const form = await findForm(view);
    const by = { team: form.teamId, actor: toSql(sql, view.actor) };
    await deleteSubmissionQuery(sql, by, form.id, submissionIn(view));
    return { to: pathOfForm(form, "submissions"), text: words.removed };
  }),
} satisfies Handlers;
