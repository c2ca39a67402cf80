/** The draft of a form is replaced by a file: the file, the plan in words, and then the change. */
import { parseFields } from "../../../fields/definition.ts";
import { isRecord } from "../../../fields/values.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import { ineffectiveNames } from "../../../resources/forms/draft-checks.ts";
import { type FileContent, installationSettings, parseFormFile } from "../../../resources/forms/file.ts";
import { applyPlan } from "../../../resources/forms/file-apply.ts";
import { type FilePlan, filePlanOf } from "../../../resources/forms/file-plan.ts";
import { changesOf } from "../../../resources/forms/form-changes.ts";
import { settingChangesOf } from "../../../resources/forms/settings-changes.ts";
import { type FormView, findForm, formPage, pathOfForm, Seen } from "../form/form.tsx";
import { nameOfField, problemSentence, ruleLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, PostForm, requireMay } from "../frame/layout.tsx";
import { FormActions, LinkLine, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import {
  ContentField,
  contentControl,
  contentName,
  documentControl,
  maxDocumentPost,
  readDocument,
} from "./document.tsx";
import { ChangeList, settingSentenceOf } from "./publish.tsx";
import { formsText } from "./words.ts";

const words = formsText.replacing;

const sentForm = () => formOf({ document: documentControl(false) });
const contentForm = formOf({ [contentName]: contentControl });

const replacePathOf = (form: FormView) => `${pathOfForm(form)}/replace`;

const Choose = ({ form }: { form: FormView }) => (
  <>
    <p>{words.intro}</p>
    <PostForm action={replacePathOf(form)} form={sentForm()} class="panel stacked" hasFile>
      <FormActions submit={words.plan} cancel={pathOfForm(form)} />
    </PostForm>
  </>
);

const pageOf = (form: FormView, content: ConsolePage["content"]) =>
  formPage(form, undefined, words.title, <Section title={words.title}>{content}</Section>);

const replacePage = async (view: PageContext) => {
  const form = await findForm(view);
  requireMay(view.session, "form.patched", form.workspaceId);
  return pageOf(
    form,
    form.status === "archived" ? <p>{formsText.publish.archived}</p> : <Choose form={form} />,
  );
};

/** Paths of the members of a merge patch, such as `page.title`. */
const pathsIn = (patch: unknown, inside = ""): string[] =>
  isRecord(patch) && Object.keys(patch).length > 0
    ? Object.entries(patch).flatMap(([name, member]) => pathsIn(member, inside ? `${inside}.${name}` : name))
    : [inside];

interface Planned {
  form: FormView;
  file: FileContent;
  plan: FilePlan;
}

/** The changes of name, description and settings, as sentences. */
function metaSentences({ form, file, plan }: Planned): string[] {
  const [meta] = plan.operations.filter((each) => each.op === "setMeta");
  if (!meta) return [];
  const changes = settingChangesOf(form.settings, file.settings, form.settings).filter(
    ({ name }) => !installationSettings.includes(name),
  );
  const told = new Set<string>(changes.map(({ name }) => name));
  const untold = pathsIn(meta.settings ?? {}).filter((path) => path !== "" && !told.has(path));
  const groups = new Set(untold.map((path) => path.split(".")[0] ?? ""));
  return [
    ...(meta.name === undefined ? [] : [formText.changes.formName(form.name, meta.name)]),
    ...(meta.description === undefined ? [] : [formText.changes.formDescription]),
    ...changes.map((change) => settingSentenceOf(change, { ...file, schema: form.schema })),
    ...[...groups].map((name) =>
      name === "page" || name === "examples" ? words.groups[name] : words.groups.other(name),
    ),
  ];
}

/** Changes of questions that {@link ChangeList} does not have, such as of translations. */
function otherSentences({ operations, fields }: FilePlan, told: ReadonlySet<string>): string[] {
  const named = new Map(parseFields({ fields }).map((field) => [field.id, field]));
  return operations.flatMap((each) => {
    const field = each.op === "updateField" ? named.get(each.fieldId) : undefined;
    if (each.op !== "updateField" || !field || told.has(field.id)) return [];
    const names = Object.keys(each.set).map((name) => ruleLabel(name, field.type) ?? name);
    return [words.other(nameOfField(field), formText.changes.text(names.join(", ")))];
  });
}

/** Values that stay, and names that have no effect. */
function warningSentences({ form, file, plan }: Planned): string[] {
  const labels = new Map([...parseFields(form.schema), ...parseFields(file.schema)].map((f) => [f.id, f]));
  const nameOf = (id = "") => {
    const field = labels.get(id);
    return field ? nameOfField(field) : id;
  };
  const kept = plan.warnings.filter(({ path }) => path.startsWith("operations["));
  const ineffective = ineffectiveNames(file).map((problem) => {
    const { field } = problem.note;
    const sentence = problemSentence(problem, labels.get(field ?? "")?.type ?? "");
    return field === undefined ? sentence : `${nameOf(field)}: ${sentence}`;
  });
  return [...kept.map(({ field }) => words.valuesStay(nameOf(field))), ...ineffective];
}

const Sentences = ({ of }: { of: string[] }) => (
  <ul>
    {of.map((sentence) => (
      <li key={sentence} dir="auto">
        {sentence}
      </li>
    ))}
  </ul>
);

const Plan = (planned: Planned) => {
  const { form, file, plan } = planned;
  if (plan.operations.length === 0)
    return (
      <>
        <p>{words.none}</p>
        <LinkLine href={pathOfForm(form)} label={frameText.cancel} />
      </>
    );
  const changes = changesOf(form.schema, plan);
  const others = [
    ...metaSentences(planned),
    ...otherSentences(plan, new Set(changes.map(({ field }) => field))),
  ];
  const warnings = warningSentences(planned);
  return (
    <>
      {others.length > 0 && <Sentences of={others} />}
      {changes.length > 0 && (
        <ChangeList
          changes={changes}
          form={{ schema: { fields: [...form.schema.fields, ...plan.fields] } }}
        />
      )}
      {warnings.length > 0 && (
        <>
          <h3>{words.warnings}</h3>
          <Sentences of={warnings} />
        </>
      )}
      <p class="quiet">{words.kept}</p>
      <PostForm action={`${replacePathOf(form)}/apply`} hasFile>
        <Seen form={form} />
        <ContentField {...file} />
        <FormActions submit={words.apply} cancel={replacePathOf(form)} />
      </PostForm>
    </>
  );
};

const planPage = (form: FormView, file: FileContent) =>
  pageOf(form, <Plan form={form} file={file} plan={filePlanOf(form, file)} />);

/** The plan for the form as it is now. */
async function planAgain(post: FormPost) {
  const content = contentControl.read(post.values, contentName);
  return planPage(await loadForm(post), content as FileContent);
}

async function loadForm(view: PageContext) {
  const form = await findForm(view);
  requireMay(view.session, "form.patched", form.workspaceId);
  if (form.status === "archived") throw new Problem("conflict", say("form_archived"));
  return form;
}

export const replacePages = {
  page: onGet(replacePage),
  plan: onPost(
    {
      ...{ act: "form.patched", load: loadForm, form: sentForm, retry: replacePage },
      ...{ hasFile: true, maxBytes: maxDocumentPost },
    },
    async ({ found: form, data: { document } }) =>
      planPage(form, await readDocument(document, parseFormFile)),
  ),
  apply: onPost(
    { act: "form.patched", load: loadForm, form: contentForm, retry: planAgain, hasFile: true },
    async ({ deps, actor, values, found: form, data: { content } }) => {
      if (values.get("updatedAt") !== form.updatedAt.toISOString())
        throw new Problem("conflict", say("form_changed"));
      await applyPlan(deps.sql, actor, form, filePlanOf(form, content), { updatedAt: form.updatedAt });
      return { text: words.done, to: pathOfForm(form) };
    },
  ),
} satisfies Handlers;
