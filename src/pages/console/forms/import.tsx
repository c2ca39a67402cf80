/** A new form from another tool or a file: the file, the report, and then the form. */
import { parseFields } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import { createForm } from "../../../resources/forms/forms.ts";
import type { Imported, ReportItem } from "../../../resources/forms/import/draft.ts";
import { readForeign } from "../../../resources/forms/import/import-file.ts";
import { importSources } from "../../../resources/forms/import/sources.ts";
import { pathOfForm } from "../form/form.tsx";
import { nameOfField, typeLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, PostForm, requireMay } from "../frame/layout.tsx";
import { FormActions, Section } from "../frame/parts.tsx";
import {
  ContentField,
  contentControl,
  contentName,
  documentControl,
  maxDocumentPost,
  readDocument,
} from "./document.tsx";
import { fieldsOf, newFormPath, ownZone, type StartProps, startPage, workspaceControl } from "./new-form.tsx";
import { formsText } from "./words.ts";

const words = formsText.importing;
const importPath = `${newFormPath}/import`;

const titles = new Map([
  ["formd", "formd"],
  ...importSources.map(([name, { title }]) => [name, title] as const),
]);

const sentForm = (view: PageContext) =>
  formOf({ workspace: workspaceControl(view), document: documentControl(true) });

const Choose = ({ view, workspaces }: StartProps) => (
  <>
    <h1>{formsText.newForm.import}</h1>
    <p>{words.intro([...titles.values()].join(", "))}</p>
    <PostForm
      action={importPath}
      form={sentForm(view)}
      fields={fieldsOf(workspaces)}
      class="panel stacked"
      hasFile
    >
      <FormActions submit={words.read} cancel={newFormPath} />
    </PostForm>
  </>
);

const importPage = (view: PageContext) => startPage(view, formsText.newForm.import, Choose);

/** Items that are shown without being opened; items of a group that are shown at all. */
const maxOpen = 10;

/** The items of the report about one subject. The sentences are those of the API. */
const Group = ({ code, items }: { code: ReportItem["code"]; items: ReportItem[] }) => (
  <details class="panel" open={items.length <= maxOpen}>
    <summary>{words.group(words.codes[code], items.length)}</summary>
    <ul lang="en">
      {items.slice(0, limits.form.maxNotes).map(({ path, message }) => (
        <li key={`${path} ${message}`} dir="auto">
          {message}
        </li>
      ))}
      {items.length > limits.form.maxNotes && <li>{words.more(items.length - limits.form.maxNotes)}</li>}
    </ul>
  </details>
);

const Losses = ({ items, severity }: { items: ReportItem[]; severity: ReportItem["severity"] }) => {
  const own = Map.groupBy(
    items.filter((item) => item.severity === severity),
    ({ code }) => code,
  );
  return own.size === 0 ? null : (
    <Section title={words.lists[severity]}>
      {[...own].map(([code, each]) => (
        <Group key={code} code={code} items={each} />
      ))}
    </Section>
  );
};

const Questions = ({ schema }: Imported["file"]) => {
  const fields = parseFields(schema);
  if (fields.length === 0) return <p>{words.noQuestions}</p>;
  return (
    <details class="panel" open={fields.length <= maxOpen}>
      <summary>{words.group(words.questions, fields.length)}</summary>
      <ol>
        {fields.map((field) => (
          <li key={field.id}>
            <span dir="auto">{nameOfField(field)}</span>{" "}
            <span class="quiet">
              {[typeLabel(field.type), ...(field.required ? [formText.members.required] : [])].join(", ")}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
};

const severities = ["approximated", "left_out", "note"] as const;

/** What becomes of a form, before it is created. It comes with the post that creates it. */
const reportPage = ({ file, report }: Imported, workspace: string): ConsolePage => ({
  title: formsText.newForm.import,
  section: "forms",
  content: (
    <>
      <h1 dir="auto">{file.name}</h1>
      <p class="quiet">{words.from(titles.get(report.source) ?? report.source)}</p>
      <ul>
        {(["converted", "approximated", "leftOut"] as const).map(
          (name) => report[name] > 0 && <li key={name}>{words[name](report[name])}</li>,
        )}
      </ul>
      <PostForm action={`${importPath}/create`} fields={{ workspace, timeZone: "" }} hasFile>
        <ContentField {...file} />
        <FormActions submit={words.create} cancel={importPath} />
      </PostForm>
      {severities.map((severity) => (
        <Losses key={severity} items={report.items} severity={severity} />
      ))}
      <Questions {...file} />
    </>
  ),
});

export const importPages = {
  page: onGet(importPage),
  read: onPost(
    { act: "form.created", form: sentForm, retry: importPage, hasFile: true, maxBytes: maxDocumentPost },
    async ({ session, data: { workspace, document } }) => {
      requireMay(session, "form.created", workspace);
      return reportPage(await readDocument(document, readForeign), workspace);
    },
  ),
  create: onPost(
    {
      ...{ act: "form.created", retry: importPage, hasFile: true },
      form: (post) =>
        formOf({ workspace: workspaceControl(post), timeZone: ownZone, [contentName]: contentControl }),
    },
    async ({ deps, session, data: { workspace, timeZone, content }, actor }) => {
      const { availability } = content.settings;
      const id = await createForm(deps.sql, actor, {
        ...content,
        ...{ teamId: session.team, workspaceId: workspace },
        settings: {
          ...content.settings,
          ...(timeZone && { availability: { timeZone, ...availability } }),
        },
      });
      return { text: words.created, to: pathOfForm({ id }) };
    },
  ),
} satisfies Handlers;
