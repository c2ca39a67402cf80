/** The list of forms: `/console`. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { type Paged, parseQuery, toPage } from "../http/shapes.ts";
import { Sparkline } from "../pages/chart.tsx";
import { formatCount, Pages, Time } from "../pages/text.tsx";
import { show, type View } from "./handler.ts";
import { type Page, useSession } from "./layout.tsx";
import { FormsQuery } from "./shapes.ts";
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
        <span dir="auto">{form.name}</span>
        <small dir="auto">{workspace?.name}</small>
      </th>
      <td data-label={words.status}>
        <Status {...form} />
        {form.hasChanges && <small>{words.hasChanges}</small>}
      </td>
      <td data-label={words.recent(form.days.length)}>
        <Sparkline label={words.recentOf(recent, form.days.length)} values={form.days} />{" "}
        {formatCount(recent)}
      </td>
      <td data-label={words.waiting} class="number">
        {form.waiting > 0 ? <strong>{formatCount(form.waiting)}</strong> : "0"}
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

const Forms = ({ items, pagination, archived }: FormList) => (
  <>
    <div class="heading">
      <h1>{archived ? words.archivedTitle : text.forms}</h1>
      <a href={archived ? home : `${home}?archived=true`}>
        {archived ? words.showActive : words.showArchived}
      </a>
    </div>
    {items.length > 0 ? (
      <FormTable items={items} />
    ) : (
      <p class="empty">{archived ? words.noneArchived : words.none}</p>
    )}
    <Pages
      {...pagination}
      words={text.pages}
      hrefOf={(page) =>
        `${home}?${new URLSearchParams({ page: String(page), ...(archived && { archived: "true" }) })}`
      }
    />
  </>
);

const formsPage = (list: FormList): Page => ({
  title: text.forms,
  section: "forms",
  content: <Forms {...list} />,
});

export const forms = (deps: Deps) =>
  new Elysia({ name: home }).get(
    home,
    show(deps, async (view) => formsPage(await readForms(deps, view))),
  );
