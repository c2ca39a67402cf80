/** The list of forms: `/console`. */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { toSql } from "../auth/actor.ts";
import { jsonb } from "../db.ts";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { type Paged, parseQuery, toPage } from "../http/shapes.ts";
import { Sparkline } from "../pages/chart.tsx";
import { Input, Notice, Select } from "../pages/controls.tsx";
import { Command, formatCount, Pages, Time } from "../pages/text.tsx";
import { act, show, type View } from "./handler.ts";
import { type Page, PostForm, refusedPage, useSession, useWorkspacesFor, workspacesFor } from "./layout.tsx";
import type { Session } from "./session.ts";
import { FormsQuery, NewFormRequest } from "./shapes.ts";
import { home } from "./sign-in.tsx";
import { text } from "./text.ts";

const words = text.formList;

/** A form in the list. */
export interface FormEntry {
  id: string;
  workspaceId: string;
  name: string;
  status: "draft" | "published" | "archived";
  currentVersion: number;
  /** Whether the draft differs from the current version. */
  hasChanges: boolean;
  updatedAt: Date;
  /** Submissions of each of the last 30 days, oldest first. */
  days: number[];
  waiting: number;
  submissions: number;
}

interface FormList {
  items: FormEntry[];
  pagination: { page: number; limit: number; total: number };
  archived: boolean;
}

/** What waits for review is counted up to this number, here and in formd.console_form_list. */
export const maxWaiting = 1000;
export const formatWaiting = (count: number) => `${formatCount(count)}${count < maxWaiting ? "" : "+"}`;

/** Forms on a page of the list. */
const pageSize = 25;

async function readForms({ sql }: Deps, { session, query }: View): Promise<FormList> {
  const { page, archived } = parseQuery(query, FormsQuery);
  const rows = await sql<Paged<FormEntry>[]>`
    select * from formd.console_form_list(
      p_team => ${session.team}, p_operator => ${session.operator}, p_archived => ${archived},
      p_today => ${new Date().toISOString().slice(0, 10)}, p_limit => ${pageSize}, p_offset => ${(page - 1) * pageSize})`;
  return { ...toPage(rows, { page, limit: pageSize }), archived };
}

export const Status = ({ status, currentVersion }: Pick<FormEntry, "status" | "currentVersion">) => (
  <span class={`badge ${status}`}>
    {text.statuses[status]}
    {currentVersion > 0 && ` ${words.version(currentVersion)}`}
  </span>
);

const FormRow = ({ form }: { form: FormEntry }) => {
  const recent = form.days.reduce((sum, day) => sum + day, 0);
  const workspace = useSession().workspaces.find(({ id }) => id === form.workspaceId);
  return (
    <tr>
      <th scope="row">
        <a href={`/console/forms/${form.id}`} dir="auto">
          {form.name}
        </a>
        <small dir="auto">{workspace?.name}</small>
      </th>
      <td data-label={words.status}>
        <Status {...form} />
        {form.hasChanges && <small>{words.hasChanges}</small>}
      </td>
      <td class="recent" data-label={words.recent(form.days.length)}>
        <Sparkline label={words.recentOf(recent, form.days.length)} values={form.days} />{" "}
        {formatCount(recent)}
      </td>
      <td data-label={words.waiting} class="number">
        {form.waiting > 0 ? <strong>{formatWaiting(form.waiting)}</strong> : "0"}
      </td>
      <td data-label={words.changed}>
        <Time at={form.updatedAt} />
      </td>
    </tr>
  );
};

const FormTable = ({ items }: Pick<FormList, "items">) => (
  <table class="stack">
    <thead>
      <tr>
        <th scope="col">{words.name}</th>
        <th scope="col">{words.status}</th>
        <th scope="col">{words.recent(items[0]?.days.length ?? 0)}</th>
        <th scope="col" class="number">
          {words.waiting}
        </th>
        <th scope="col">{words.changed}</th>
      </tr>
    </thead>
    <tbody>
      {items.map((form) => (
        <FormRow key={form.id} form={form} />
      ))}
    </tbody>
  </table>
);

const Empty = ({ archived }: { archived: boolean }) => {
  const mayCreate = useWorkspacesFor("form.created").length > 0;
  if (archived || !mayCreate)
    return <p class="empty">{archived ? words.noneArchived : words.noneForViewer}</p>;
  return (
    <div class="empty">
      <p>{words.none}</p>
      <Command
        lines={[
          "curl -X POST $BASE_URL/papi/v1/management/forms -H 'x-api-key: …' \\",
          "  -H 'content-type: application/json' -d '{\"name\":\"Contact\"}'",
        ]}
      />
    </div>
  );
};

const Forms = ({ items, pagination, archived }: FormList) => (
  <>
    <div class="heading">
      <h1>{archived ? words.archivedTitle : text.forms}</h1>
      {!archived && useWorkspacesFor("form.created").length > 0 && (
        <a class="button small" href="/console/new-form">
          {words.create}
        </a>
      )}
      <a href={archived ? home : `${home}?archived=true`}>
        {archived ? words.showActive : words.showArchived}
      </a>
    </div>
    {items.length > 0 ? <FormTable items={items} /> : <Empty archived={archived} />}
    <Pages
      {...pagination}
      words={text.pages}
      hrefOf={(page) =>
        `${home}?${new URLSearchParams({ page: String(page), ...(archived && { archived: "true" }) })}`
      }
    />
  </>
);

const NewForm = ({ values, message }: { values: URLSearchParams; message?: string | undefined }) => {
  const workspaces = useWorkspacesFor("form.created");
  return (
    <>
      <h1>{words.createTitle}</h1>
      {message && <Notice kind="error">{message}</Notice>}
      <PostForm action="/console/new-form" class="stacked">
        <Input
          name="name"
          label={words.createName}
          hint={words.createNameHint}
          value={values.get("name") ?? ""}
          required
        />
        {workspaces.length > 1 ? (
          <Select
            name="workspace"
            label={words.createWorkspace}
            value={values.get("workspace") ?? undefined}
            choices={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
          />
        ) : (
          <input type="hidden" name="workspace" value={workspaces[0]?.id} />
        )}
        <div class="actions">
          <button type="submit">{words.createSubmit}</button>
          <a href={home}>{text.cancel}</a>
        </div>
      </PostForm>
    </>
  );
};

const newFormPage = (session: Session, values: URLSearchParams, message?: string): Page =>
  workspacesFor(session, "form.created").length > 0
    ? { title: words.createTitle, section: "forms", content: <NewForm values={values} message={message} /> }
    : refusedPage("forms", words.editorsOnly);

const formsPage = (list: FormList): Page => ({
  title: text.forms,
  section: "forms",
  content: <Forms {...list} />,
});

export const forms = (deps: Deps) => {
  const { sql } = deps;
  return new Elysia({ name: home })
    .get(
      home,
      show(deps, async (view) => formsPage(await readForms(deps, view))),
    )
    .get(
      "/console/new-form",
      show(deps, async ({ session }) => newFormPage(session, new URLSearchParams())),
    )
    .post(
      "/console/new-form",
      act(
        deps,
        async ({ session, values, actor }) => {
          const { name, workspace } = assertShape(Object.fromEntries(values), NewFormRequest, "bad_request");
          const id = uuidv7();
          await sql`
            select from formd.form_create(
              p_team => ${session.team}, p_actor => ${toSql(sql, actor)}, p_id => ${id},
              p_workspace => ${workspace}, p_name => ${name}, p_description => null, p_schema => ${jsonb(sql, { fields: [] })})`;
          return `/console/forms/${id}`;
        },
        async ({ session, values, message }) => newFormPage(session, values, message),
      ),
    );
};
