/** The draft of a form is replaced by a file: the file, the plan in words, and then the change. */
import type { ComponentChildren } from "preact";
import { parseFields } from "../../../fields/definition.ts";
import { isRecord } from "../../../fields/values.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import { ineffectiveNames } from "../../../resources/forms/draft-checks.ts";
import { type FileContent, installationSettings } from "../../../resources/forms/file.ts";
import { applyPlan } from "../../../resources/forms/file-apply.ts";
import { type FilePlan, filePlanOf } from "../../../resources/forms/file-plan.ts";
import { changesOf, isCompared } from "../../../resources/forms/form-changes.ts";
import { settingChangesOf } from "../../../resources/forms/settings-changes.ts";
import { type FormView, findForm, formPage, pathOfForm, Seen } from "../form/form.tsx";
import { nameOfField, problemSentence, ruleLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, requireMay } from "../frame/layout.tsx";
import { FormActions, Section } from "../frame/parts.tsx";
import { ContentField, contentControl, documentControl, documentPost, readDocument } from "./document.tsx";
import { ChangeList, settingSentenceOf } from "./publish.tsx";
import { formsText } from "./words.ts";

const words = formsText.replacing;
const pathOf = (form: FormView) => `${pathOfForm(form)}/replace`;

/** @throws {Problem} `not_found`, `insufficient_workspace_role`, `conflict` for an archived form */
async function loadForm(view: PageContext): Promise<FormView> {
  const form = await findForm(view);
  requireMay(view.session, "form.patched", form.workspaceId);
  if (form.status === "archived") throw new Problem("conflict", say("form_archived"));
  return form;
}

const documentForm = () => formOf({ document: documentControl(words.fileHint) });
const contentForm = formOf({ content: contentControl });

const pageOf = (form: FormView, hint: string, content: ComponentChildren) =>
  formPage(
    form,
    undefined,
    words.title,
    <Section title={words.title} hint={hint}>
      {content}
    </Section>,
  );

const choosePage = async (view: PageContext) => {
  const form = await loadForm(view);
  return pageOf(
    form,
    words.intro,
    <PostForm action={pathOf(form)} form={documentForm()} class="panel stacked" hasFile>
      <FormActions submit={words.plan} cancel={pathOfForm(form)} />
    </PostForm>,
  );
};

interface Planned {
  form: FormView;
  file: FileContent;
  plan: FilePlan;
}

/** Names of the members of a merge patch, such as `page.title`. */
const namesIn = (patch: unknown, inside = ""): string[] =>
  isRecord(patch) && Object.keys(patch).length > 0
    ? Object.entries(patch).flatMap(([name, member]) => namesIn(member, `${inside}${inside && "."}${name}`))
    : [inside];

/** Settings in words. Those without words of their own are told together. */
function settingSentences({ form, file }: Planned, patch: unknown): string[] {
  const changes = settingChangesOf(form.settings, file.settings, form.settings).filter(
    ({ name }) => !installationSettings.includes(name),
  );
  const told = new Set<string>(changes.map(({ name }) => name));
  const others = namesIn(patch).filter((name) => name !== "" && !told.has(name));
  const [ofPage, ofRest] = [true, false].map((isOfPage) =>
    others.some((name) => name.startsWith("page.") === isOfPage),
  );
  return [
    ...changes.map((change) => settingSentenceOf(change, { ...file, schema: form.schema })),
    ...(ofPage ? [words.pageChanges] : []),
    ...(ofRest ? [words.settingsChange] : []),
  ];
}

const Sentences = ({ of }: { of: string[] }) =>
  of.length === 0 ? null : (
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
  const schema = { fields: [...plan.fields, ...form.schema.fields] };
  const fields = new Map(parseFields(schema).map((field) => [field.id, field]));
  const labelOf = (id = "") => {
    const field = fields.get(id);
    return field ? nameOfField(field) : id;
  };
  const changes = changesOf(form.schema, plan);
  const others = plan.operations.flatMap((each): string[] => {
    const field = each.op === "updateField" && fields.get(each.fieldId);
    if (field) {
      const names = Object.keys(each.set).filter((name) => !isCompared(name, field));
      const labels = names.map((name) => ruleLabel(name, field.type) ?? name);
      return names.length === 0
        ? []
        : [words.of(nameOfField(field), formText.changes.text(labels.join(", ")))];
    }
    if (each.op !== "setMeta") return [];
    return [
      ...(each.name === undefined ? [] : [formText.changes.formName(form.name, each.name)]),
      ...(each.description === undefined ? [] : [formText.changes.formDescription]),
      ...settingSentences(planned, each.settings),
    ];
  });
  const warnings = [
    ...plan.warnings
      .filter(({ path }) => path.startsWith("operations["))
      .map(({ field }) => words.valuesStay(labelOf(field))),
    ...ineffectiveNames(file).map((problem) => {
      const sentence = problemSentence(problem, "");
      return problem.issue ? words.of(labelOf(problem.issue.field), sentence) : sentence;
    }),
  ];
  return (
    <>
      <Sentences of={others} />
      {changes.length > 0 && <ChangeList changes={changes} form={{ schema }} />}
      {warnings.length > 0 && <h3>{words.warnings}</h3>}
      <Sentences of={warnings} />
      <p class="quiet">{words.kept}</p>
      <PostForm action={`${pathOf(form)}/apply`} hasFile>
        <Seen form={form} />
        <ContentField {...file} />
        <FormActions submit={words.apply} cancel={pathOf(form)} />
      </PostForm>
    </>
  );
};

function planPage(form: FormView, file: FileContent) {
  const plan = filePlanOf(form, file);
  return plan.operations.length === 0
    ? pageOf(form, words.none, null)
    : pageOf(form, words.planned, <Plan form={form} file={file} plan={plan} />);
}

/** The plan for the form as it is now. */
const planAgain = async (post: FormPost) =>
  planPage(await loadForm(post), contentControl.read(post.values, "content") as FileContent);

export const replacePages = {
  page: onGet(choosePage),
  plan: onPost(
    {
      ...{ act: "form.patched", load: loadForm, form: documentForm, retry: choosePage },
      ...documentPost,
    },
    async ({ found: form, data }) => planPage(form, (await readDocument(data.document, "formd")).file),
  ),
  apply: onPost(
    { act: "form.patched", load: loadForm, form: contentForm, retry: planAgain, hasFile: true },
    async ({ deps, actor, values, found: form, data: { content } }) => {
      if (values.get("updatedAt") !== form.updatedAt.toISOString())
        throw new Problem("conflict", say("form_changed"));
      await applyPlan(deps.sql, actor, form, filePlanOf(form, content), form);
      return { text: words.done, to: pathOfForm(form) };
    },
  ),
} satisfies Handlers;
