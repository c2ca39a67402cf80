/** A new form from another tool or a file: the file, the report, and then the form. */
import { parseFields } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import { createForm } from "../../../resources/forms/forms.ts";
import type { Imported, ReportItem } from "../../../resources/forms/import/draft.ts";
import { importSources } from "../../../resources/forms/import/sources.ts";
import { pathOfForm } from "../form/form.tsx";
import { nameOfField, typeLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, PostForm, requireMay } from "../frame/layout.tsx";
import { FormActions, Section } from "../frame/parts.tsx";
import { ContentField, contentControl, documentControl, documentPost, readDocument } from "./document.tsx";
import { fieldsOf, newFormPath, ownZone, type StartProps, startPage, workspaceControl } from "./new-form.tsx";
import { formsText } from "./words.ts";

const words = formsText.importing;
const path = `${newFormPath}/import`;
const titles = new Map([
  ["formd", "formd"],
  ...importSources.map(([name, { title }]) => [name, title] as const),
]);

const documentForm = (view: PageContext) =>
  formOf({ workspace: workspaceControl(view), document: documentControl(words.fileHint) });

const contentForm = (view: PageContext) =>
  formOf({ workspace: workspaceControl(view), timeZone: ownZone, content: contentControl });

const Choose = ({ view, workspaces }: StartProps) => (
  <>
    <h1>{formsText.newForm.import}</h1>
    <p>{words.intro([...titles.values()].join(", "))}</p>
    <PostForm
      action={path}
      form={documentForm(view)}
      fields={fieldsOf(workspaces)}
      class="panel stacked"
      hasFile
    >
      <FormActions submit={words.read} cancel={newFormPath} />
    </PostForm>
  </>
);

const choosePage = (view: PageContext) => startPage(view, formsText.newForm.import, Choose);

/** Texts of a list that is open, and of one that is opened. */
const [maxOpen, maxListed] = [10, limits.form.maxFields];

/** @param lang of the texts, if it is not that of the page */
const Listed = ({ label, texts, lang }: { label: string; texts: string[]; lang?: string }) => (
  <details class="panel" open={texts.length <= maxOpen}>
    <summary>{words.group(label, texts.length)}</summary>
    <ul lang={lang}>
      {texts.slice(0, maxListed).map((text, index) => (
        <li key={index} dir="auto">
          {text}
        </li>
      ))}
      {texts.length > maxListed && <li>{words.more(texts.length - maxListed)}</li>}
    </ul>
  </details>
);

/** Items of a report by their subjects, in the words of the API. */
const Losses = ({ items, severity }: { items: ReportItem[]; severity: ReportItem["severity"] }) => {
  const own = items.filter((item) => item.severity === severity);
  return own.length === 0 ? null : (
    <Section title={words.lists[severity]}>
      {[...Map.groupBy(own, ({ code }) => code)].map(([code, of]) => (
        <Listed key={code} label={words.codes[code]} texts={of.map(({ message }) => message)} lang="en" />
      ))}
    </Section>
  );
};

const Report = ({ file, report, workspace }: Imported & { workspace: string }) => (
  <>
    <h1 dir="auto">{file.name}</h1>
    <p class="quiet">{words.from(titles.get(report.source) ?? report.source)}</p>
    <ul>
      {(["converted", "approximated", "leftOut"] as const).map(
        (name) => report[name] > 0 && <li key={name}>{words[name](report[name])}</li>,
      )}
    </ul>
    <PostForm action={`${path}/create`} fields={{ workspace }} hasFile>
      {ownZone.draw?.("timeZone")}
      <ContentField {...file} />
      <FormActions submit={words.create} cancel={path} />
    </PostForm>
    <Losses items={report.items} severity="approximated" />
    <Losses items={report.items} severity="left_out" />
    <Losses items={report.items} severity="note" />
    <Section title={words.draft}>
      <Listed
        label={words.questions}
        texts={parseFields(file.schema).map((field) =>
          [
            nameOfField(field),
            typeLabel(field.type),
            ...(field.required ? [formText.members.required] : []),
          ].join(" · "),
        )}
      />
    </Section>
  </>
);

const reportPage = (imported: Imported, workspace: string): ConsolePage => ({
  title: formsText.newForm.import,
  section: "forms",
  content: <Report {...imported} workspace={workspace} />,
});

export const importPages = {
  page: onGet(choosePage),
  read: onPost(
    { act: "form.created", form: documentForm, retry: choosePage, ...documentPost },
    async ({ session, data: { workspace, document } }) => {
      requireMay(session, "form.created", workspace);
      return reportPage(await readDocument(document), workspace);
    },
  ),
  create: onPost(
    { act: "form.created", form: contentForm, retry: choosePage, hasFile: true },
    async ({ deps, session, data: { workspace, timeZone, content }, actor }) => {
      const { settings } = content;
      const availability = timeZone ? { timeZone, ...settings.availability } : settings.availability;
      const id = await createForm(deps.sql, actor, {
        ...{ ...content, teamId: session.team, workspaceId: workspace },
        settings: { ...settings, ...(availability && { availability }) },
      });
      return { text: words.created, to: pathOfForm({ id }) };
    },
  ),
} satisfies Handlers;
