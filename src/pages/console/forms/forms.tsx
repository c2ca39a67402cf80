/** The list of forms: `/console`. */
import { type } from "arktype";
import { isTimeZone } from "../../../fields/time-zones.ts";
import { Name, parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { type FormEntry, listForms } from "../../../resources/forms/form-view.ts";
import { createForm } from "../../../resources/forms/forms.ts";
import { Sparkline } from "../../ui/chart.tsx";
import { choicesOfNames } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatCount, Time } from "../../ui/text.tsx";
import { formatWaiting, State } from "../form/form-state.tsx";
import { formText } from "../form/words.ts";
import { home } from "../frame/addresses.ts";
import type { Handlers } from "../frame/context.ts";
import { type FormControl, formOf, objectOf, sent, textInput } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { type ConsolePage, refusedPage, useSession, workspacesFor } from "../frame/layout.tsx";
import { Empty, type Listed, ListPage, ListQuery } from "../frame/list-page.tsx";
import { newItemPage } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.formList;

const pageSize = 25;
const Flag = type("'true' | 'false'").pipe((text) => text === "true");
const FormsQuery = ListQuery.and({ archived: Flag.default("false") });

const columnsOf = (workspaces: Session["workspaces"], days: number): Column<FormEntry>[] => [
  {
    head: words.name,
    isHeader: true,
    cell: ({ id, name, workspaceId }) => (
      <>
        <a href={`/console/forms/${id}`} dir="auto">
          {name}
        </a>
        <small dir="auto">{workspaces.find((workspace) => workspace.id === workspaceId)?.name}</small>
      </>
    ),
  },
  {
    head: words.status,
    cell: (form) => (
      <>
        <State form={{ ...form, total: form.submissions }} />
        {form.hasChanges && <small>{words.hasChanges}</small>}
      </>
    ),
  },
  {
    head: words.recent(days),
    class: "recent",
    cell: (form) => {
      const recent = form.days.reduce((sum, day) => sum + day, 0);
      return (
        <span>
          <Sparkline label={words.recentOf(recent, days)} values={form.days} /> {formatCount(recent)}
        </span>
      );
    },
  },
  {
    head: words.waiting,
    class: "number",
    cell: ({ waiting }) => (waiting > 0 ? <strong>{formatWaiting(waiting)}</strong> : "0"),
  },
  {
    head: formText.form.submissions,
    class: "number",
    cell: ({ submissions, lastAt, settingsInForce }) => (
      <>
        {formatCount(submissions)}
        {lastAt && (
          <small>
            <Time at={lastAt} zone={settingsInForce.availability?.timeZone} />
          </small>
        )}
      </>
    ),
  },
];

const toNewForm = () => ({ href: "/console/new-form", label: words.create });

const noneOf = (archived: boolean, mayCreate: boolean) => {
  if (archived) return words.noneArchived;
  if (!mayCreate) return words.noneForViewer;
  const lines = [
    "curl -X POST $BASE_URL/papi/v1/management/forms -H 'x-api-key: …' \\",
    "  -H 'content-type: application/json' -d '{\"name\":\"Contact\"}'",
  ];
  return <Empty message={words.none} action={toNewForm()} lines={lines} />;
};

const Forms = ({ archived, ...list }: Listed<FormEntry> & { archived: boolean }) => {
  const session = useSession();
  const mayCreate = workspacesFor(session, "form.created").length > 0;
  return (
    <ListPage
      {...list}
      title={archived ? words.archivedTitle : frameText.sections.forms}
      create={!archived && mayCreate && toNewForm()}
      links={
        <a href={archived ? home : `${home}?archived=true`}>
          {archived ? words.showActive : words.archivedTitle}
        </a>
      }
      path={home}
      query={archived ? { archived: "true" } : {}}
      none={noneOf(archived, mayCreate)}
    >
      <Table
        columns={columnsOf(session.workspaces, list.items[0]?.days.length ?? 0)}
        rows={list.items}
        keyOf={({ id }) => id}
      />
    </ListPage>
  );
};

/** The time zone of the person who makes the form. Null: a browser without scripts fills in none. */
const ownZone: FormControl<string | null> = {
  draw: (name) => <input type="hidden" name={name} value="" data-own-zone />,
  read: (values, name) => {
    const zone = values.get(name) ?? "";
    return isTimeZone(zone) ? zone : null;
  },
};

const newForm = ({ session }: PageContext) => {
  const workspaces = workspacesFor(session, "form.created");
  return formOf({
    name: textInput({ label: words.name, hint: words.createNameHint, required: true, shape: Name }),
    workspace:
      workspaces.length > 1
        ? objectOf(choicesOfNames(workspaces), { label: frameText.workspace })
        : sent(Uuid),
    timeZone: ownZone,
  });
};

const newFormPage = (view: PageContext): ConsolePage => {
  const [only, ...others] = workspacesFor(view.session, "form.created");
  if (!only) return refusedPage("forms", words.editorsOnly);
  return newItemPage("forms", {
    ...{ title: words.create, submit: words.createSubmit, cancel: home },
    action: "/console/new-form",
    form: newForm(view),
    ...(others.length === 0 && { fields: { workspace: only.id } }),
  });
};

export const formsPages = {
  list: onGet(async ({ deps: { sql }, session, query }) => {
    const { page, archived } = parseQuery(query, FormsQuery);
    const list = await listForms(sql, session, archived, { page, limit: pageSize });
    return {
      title: frameText.sections.forms,
      section: "forms",
      content: <Forms {...list} archived={archived} />,
    };
  }),
  newPage: onGet(newFormPage),
  create: onPost(
    { act: "form.created", form: newForm, retry: newFormPage },
    async ({ deps, session, data, actor }) => {
      const { name, workspace, timeZone } = data;
      const settings = timeZone ? { availability: { timeZone } } : undefined;
      const form = { teamId: session.team, workspaceId: workspace, name, ...(settings && { settings }) };
      const id = await createForm(deps.sql, actor, form);
      return `/console/forms/${id}`;
    },
  ),
} satisfies Handlers;
