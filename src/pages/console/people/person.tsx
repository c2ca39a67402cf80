/** A person's data: finds it, downloads it as a file, and erases it. */
import { limits } from "../../../limits.ts";
import { say } from "../../../messages.ts";
import { attachment } from "../../../platform/http/attachment.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import { encodeText, streamOf } from "../../../platform/http/stream.ts";
import { Problem } from "../../../problem.ts";
import { formsOfWorkspaces, type OwnForm } from "../../../resources/forms/form-view.ts";
import { exportPerson } from "../../../resources/persons/export.ts";
import * as persons from "../../../resources/persons/persons.ts";
import { readColumns } from "../../../resources/submissions/read.ts";
import { choicesOfNames, Select, Submit } from "../../ui/controls.tsx";
import { Table } from "../../ui/table.tsx";
import { pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { formOf, sent, textInput } from "../frame/form.tsx";
import { type FormPost, filterQuery, onGet, onPost, type PageContext } from "../frame/handler.ts";
import type { ConsolePage } from "../frame/layout.tsx";
import { ActionButton, mayEverywhere, PostForm, sectionPage, workspacesFor } from "../frame/layout.tsx";
import { Confirm, FormActions, LinkLine, Section } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { peopleText } from "./words.ts";

const words = peopleText.person;
const path = "/console/person";

/** Forms that the drop-down offers. */
const maxForms = 300;

/** Reads the forms of the operator's workspaces with these ids, or without ids the first ones, by name. */
const readForms = ({ deps: { sql }, session }: PageContext, ids: string[] | null = null) =>
  formsOfWorkspaces(sql, session, ids, maxForms);

interface Question {
  forms: OwnForm[];
  /** Fields of the chosen form. */
  fields: { id: string; title: string }[];
  values: Record<string, string>;
}

/** Columns have their ids behind their labels, for programs. */
const plainTitle = (id: string, title: string) =>
  title.endsWith(` (${id})`) ? title.slice(0, -id.length - 3) : title;

/** A person as a search names one. Its values are the hidden fields of the next step. */
type Asked = { respondent: string } | { form: string; field: string; value: string };

const valueForm = (fields: Question["fields"] = []) => {
  const choices = fields.map(({ id, title }) => ({ value: id, label: plainTitle(id, title) }));
  return formOf<Asked>({
    form: sent(Uuid),
    // Reads any question: the form may have had another one before.
    field: {
      ...textInput({ label: words.field, required: true }),
      draw: (name) => <Select name={name} label={words.field} choices={choices} />,
    },
    value: textInput({
      label: words.value,
      hint: words.valueHint,
      atMost: limits.submissionSearch.maxTextLength,
      isVerbatim: true,
      required: true,
    }),
  });
};

const respondentForm = () =>
  formOf<Asked>({
    respondent: textInput({
      label: frameText.respondentId,
      hint: words.respondentHint,
      shape: Uuid,
      wrong: frameText.entered.noId,
      required: true,
    }),
  });

const askedForm = ({ values }: FormPost) => (values.has("respondent") ? respondentForm() : valueForm());

const ByValue = ({ forms, fields, values }: Question) => (
  <Section class="panel" id="value" title={words.byValue} hint={words.byValueHint}>
    <form method="get" action={path} class="inline">
      <Select
        name="form"
        label={frameText.form}
        hint={forms.length === maxForms ? words.formHint(maxForms) : undefined}
        value={values.form}
        choices={choicesOfNames(forms)}
      />
      <Submit class="quiet" label={words.choose} />
    </form>
    {fields.length > 0 && (
      <PostForm
        action={path}
        form={valueForm(fields)}
        fields={{ form: values.form ?? "" }}
        initial={new URLSearchParams(values)}
        class="stacked"
      >
        <FormActions submit={words.find} />
      </PostForm>
    )}
  </Section>
);

async function questionPage(view: PageContext, values: Question["values"]): Promise<ConsolePage> {
  const { deps, session } = view;
  const forms = await readForms(view);
  const form = forms.find(({ id }) => id === values.form);
  const fields = form ? await readColumns(deps.sql, { teamId: session.team, id: form.id }) : [];
  const content = (
    <>
      <h1>{frameText.sections.person}</h1>
      <p class="quiet">{words.hint}</p>
      <ByValue forms={forms} fields={fields} values={values} />
      <Section class="panel" id="respondent" title={words.byRespondent}>
        <PostForm action={path} form={respondentForm()} initial={new URLSearchParams(values)} class="stacked">
          <FormActions submit={words.find} aria-label={`${words.find}: ${words.byRespondent}`} />
        </PostForm>
      </Section>
    </>
  );
  return sectionPage("person", content);
}

/** Reads an identity provider's names of the person, if the operator has a role in the whole team. */
const namesOf = async ({ deps: { sql }, session, data }: FormPost<Asked>): Promise<persons.Respondent[]> =>
  "respondent" in data && session.otherWorkspaces.length === 0
    ? await persons.readRespondent(sql, data.respondent, session.team)
    : [];

/** Reads the forms to search, if the operator may see them. @throws {Problem} `not_found` */
async function formsToSearch(view: FormPost<Asked>): Promise<OwnForm[]> {
  const { deps, session, data } = view;
  if ("respondent" in data) {
    const found = await persons.formsOfRespondent(deps.sql, data.respondent, session.team);
    return await readForms(
      view,
      Array.from(found, ({ formId }) => formId),
    );
  }
  const forms = await readForms(view, [data.form]);
  if (forms.length === 0) throw new Problem("not_found", say("form_missing"));
  return forms;
}

const idOf = ({ session }: PageContext, { id }: OwnForm) => ({ teamId: session.team, formId: id });

const mayDeleteIn = (session: Session, { workspaceId }: OwnForm): boolean =>
  workspacesFor(session, "submission.deleted").some(({ id }) => id === workspaceId);

/** Names of the person belong to the whole team, as in formd.respondent_erase. */
const mayEraseNames = (session: Session): boolean => mayEverywhere(session, "submission.deleted");

interface FoundRow {
  form: OwnForm;
  counts: persons.PersonCounts;
}

const FoundRows = ({ rows }: { rows: FoundRow[] }) => (
  <Table
    rows={rows}
    keyOf={({ form }) => form.id}
    columns={[
      {
        head: frameText.form,
        isHeader: true,
        dir: "auto",
        cell: ({ form }) => <a href={pathOfForm(form, "submissions")}>{form.name}</a>,
      },
      { head: words.submissions, class: "number", cell: ({ counts }) => counts.submissions },
      { head: words.invitations, class: "number", cell: ({ counts }) => counts.invitations },
      { head: words.files, class: "number", cell: ({ counts }) => counts.files },
      { head: words.held, class: "number", cell: ({ counts }) => counts.held },
    ]}
  />
);

async function foundPage(view: FormPost<Asked>): Promise<ConsolePage> {
  const { deps, session, actor, data: fields } = view;
  const rows: FoundRow[] = [];
  for (const form of await formsToSearch(view)) {
    const counts = await persons.countPerson(deps, actor, idOf(view, form), fields);
    if (counts.submissions + counts.held + counts.invitations > 0) rows.push({ form, counts });
  }
  const erasable = rows.filter(({ form }) => mayDeleteIn(session, form));
  const named = await namesOf(view);
  const found = (
    <>
      <p class="quiet">{words.foundHint}</p>
      {named.map(({ issuer, subject }) => (
        <p dir="auto">{words.named(issuer, subject)}</p>
      ))}
      {rows.length > 0 && <FoundRows rows={rows} />}
      <div class="actions">
        <ActionButton action={`${path}/export`} label={words.download} class="" fields={fields} />
        {(erasable.length > 0 || (named.length > 0 && mayEraseNames(session))) && (
          <Confirm
            label={words.erase}
            action={`${path}/erase`}
            hint={erasable.length < rows.length ? words.eraseSomeHint : words.eraseHint}
            confirm={words.eraseConfirm}
            fields={fields}
          />
        )}
      </div>
    </>
  );
  const content = (
    <>
      <h1>{words.foundTitle}</h1>
      <LinkLine href={path} label={words.back} />
      {rows.length + named.length === 0 ? <p>{words.none}</p> : found}
    </>
  );
  return { title: words.foundTitle, section: "person", content };
}

/** A person's data as lines of JSON. */
async function* linesOf(
  view: FormPost<Asked>,
  forms: readonly OwnForm[],
  named: readonly persons.Respondent[],
) {
  for (const each of named) yield encodeText(`${JSON.stringify({ kind: "respondent", ...each })}\n`);
  for (const form of forms)
    for await (const part of exportPerson(view.deps, view.actor, idOf(view, form), view.data))
      yield encodeText(part);
}

/** @returns true if nothing names the person any more */
async function eraseNames({ deps: { sql }, session, actor, data }: FormPost<Asked>): Promise<boolean> {
  if (!("respondent" in data)) return true;
  if ((await persons.readRespondent(sql, data.respondent, session.team)).length === 0) return true;
  return mayEraseNames(session) && (await persons.eraseRespondent(sql, actor, data.respondent, session.team));
}

const askedName = ({ values }: FormPost) => values.get("value") ?? values.get("respondent") ?? "";

const again = (view: FormPost) => questionPage(view, Object.fromEntries(view.values));

export const personPages = {
  page: onGet((view) => questionPage(view, filterQuery(view.query))),
  find: onPost({ act: "person.found", form: askedForm, retry: again }, (view) => foundPage(view)),
  export: onPost({ act: "person.exported", nameOf: askedName, form: askedForm }, async (view) => {
    const lines = linesOf(view, await formsToSearch(view), await namesOf(view));
    const headers = {
      "content-type": "application/jsonl; charset=utf-8",
      "content-disposition": attachment(`${words.fileName}.jsonl`),
    };
    return new Response(streamOf(view.deps.log, view.request, lines), { headers });
  }),
  erase: onPost({ act: "person.erased", nameOf: askedName, form: askedForm, retry: again }, async (view) => {
    const { deps, session, actor, data } = view;
    const forms = await formsToSearch(view);
    const erasable = forms.filter((form) => mayDeleteIn(session, form));
    if (forms.length > 0 && erasable.length === 0) throw new Problem("insufficient_workspace_role");
    const counts: persons.PersonCounts[] = [];
    for (const form of erasable) counts.push(await persons.erasePerson(deps, actor, idOf(view, form), data));
    const stays = (await eraseNames(view)) ? "" : ` ${words.namesStay}`;
    return { to: path, text: words.erased(persons.sumOfCounts(counts)) + stays };
  }),
} satisfies Handlers;
