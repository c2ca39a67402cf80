/** One submission: its values, facts, history and files, and its deletion. */
import { toText } from "../../../fields/control-values.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import { valueText } from "../../../fields/entered.ts";
import { canonicalTag } from "../../../fields/languages.ts";
import { languagesIn } from "../../../fields/translations.ts";
import { type FileValue, sizeText } from "../../../fields/types/file.ts";
import { toSql } from "../../../platform/auth/actor.ts";
import { binary } from "../../../platform/files/store.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { downloadFile } from "../../../resources/files/download.ts";
import { deleteSubmissionQuery } from "../../../resources/submissions/erase.ts";
import { requireSubmission } from "../../../resources/submissions/read.ts";
import { toSubmission } from "../../../resources/submissions/shapes.ts";
import { referenceOf } from "../../../resources/submit/reference.ts";
import { Notice } from "../../ui/controls.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { language, languageName } from "../../ui/language.ts";
import { Command, Time } from "../../ui/text.tsx";
import { findForm, formPage, hrefOfSubmission, pathOfForm } from "../form/form.tsx";
import { HoldControls, submissionIn } from "../form/holds.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost, type PageContext, stream } from "../frame/handler.ts";
import { Facts, useMay } from "../frame/layout.tsx";
import { Confirm, LinkLine, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { headField, SubmissionStatus, shorten, shownIn, valueWords } from "./columns.tsx";
import { Decision } from "./decision.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

/** @throws {Problem} `bad_request`, `not_found`. */
export async function readSubmission(view: PageContext) {
  const form = await findForm(view);
  const row = await requireSubmission(view.deps.sql, form, submissionIn(view));
  const { schema, history, signature, holds, scans, ...submission } = row;
  return { form, submission, schema, fields: parseFields(schema), history, signature, holds, scans };
}
export type SubmissionView = Awaited<ReturnType<typeof readSubmission>>;

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

/** The name of the language that a submission was filled in. An agent may send anything in its place. */
function languageOf({ schema, submission }: Pick<SubmissionView, "schema" | "submission">) {
  const tag = submission.metadata?.language;
  const isTag = typeof tag === "string" && canonicalTag(tag) !== undefined;
  return isTag && languagesIn(schema).length > 0 ? languageName(tag) : undefined;
}

const Origin = ({
  form,
  schema,
  submission: row,
}: Pick<SubmissionView, "form" | "schema" | "submission">) => {
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
        [words.language, languageOf({ schema, submission: row })],
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

const pastValue = (field: Field | undefined, value: unknown): string =>
  (field && value != null ? valueText(field, value, valueWords()) : toText(value)) || words.nothing;

const History = ({ history, fields }: Pick<SubmissionView, "history" | "fields">) =>
  history.length === 0 ? null : (
    <Section title={words.history}>
      <ul class="rows">
        {history.map(({ id, fieldId, oldValue, newValue, actor, createdAt }) => {
          const field = fields.find((each) => each.id === fieldId);
          return (
            <li key={id}>
              <span dir="auto">
                {words.historyEntry(
                  labelOf(field ?? { id: fieldId, label: "" }),
                  pastValue(field, oldValue),
                  pastValue(field, newValue),
                )}
              </span>
              <span class="aside">
                {actor.type === "respondent" && `${frameText.actors.respondent} · `}
                <Time at={createdAt} exact />
              </span>
            </li>
          );
        })}
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
  remove: onPost(
    { act: "submission.deleted", nameOf: async (view) => titleOf(await readSubmission(view)) },
    async (view) => {
      const { sql } = view.deps;
      const form = await findForm(view);
      const by = { team: form.teamId, actor: toSql(sql, view.actor) };
      await deleteSubmissionQuery(sql, by, form.id, submissionIn(view));
      return { to: pathOfForm(form, "submissions"), text: words.removed };
    },
  ),
} satisfies Handlers;
