/** The audit: who did what, when. */
import { Elysia } from "elysia";
import type { Sql } from "../db.ts";
import type { Deps } from "../deps.ts";
import { type Paged, type paginationOf, parseQuery, toPage } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Input } from "../pages/controls.tsx";
import { Command, Pages, Time } from "../pages/text.tsx";
import { filterQuery, show } from "./handler.ts";
import { AuditFilter, timesOf } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.audit;
const path = "/console/audit";

/** Events on a page. */
const pageSize = 50;

interface AuditEvent {
  id: string;
  kind: string;
  formId: string | null;
  objectId: string;
  actorType: keyof typeof text.actors;
  actorId: string | null;
  actorName: string | null;
  requestId: string | null;
  details: object;
  createdAt: Date;
}

interface Audit {
  items: AuditEvent[];
  pagination: ReturnType<typeof paginationOf>;
  query: Record<string, string>;
}

const Filters = ({ query }: Pick<Audit, "query">) => {
  const isFiltered = Object.keys(query).some((name) => name !== "page");
  return (
    <details class="panel" open={isFiltered}>
      <summary>{words.filter}</summary>
      <form method="get" action={path} class="filters">
        <Input name="kind" label={words.kind} hint={words.kindHint} value={query.kind} />
        <Input name="formId" label={words.formId} value={query.formId} />
        <Input name="actorId" label={words.actorId} value={query.actorId} />
        <Input name="objectId" label={words.objectId} value={query.objectId} />
        <Input name="after" type="date" label={text.submissions.after} value={query.after} />
        <Input name="before" type="date" label={text.submissions.before} value={query.before} />
        <div class="actions">
          <button type="submit" class="quiet">
            {words.submit}
          </button>
          {isFiltered && <a href={path}>{words.reset}</a>}
        </div>
      </form>
    </details>
  );
};

const Events = ({ items }: Pick<Audit, "items">) => (
  <table class="stack">
    <thead>
      <tr>
        <th scope="col">{words.at}</th>
        <th scope="col">{words.what}</th>
        <th scope="col">{words.by}</th>
        <th scope="col">{words.details}</th>
      </tr>
    </thead>
    <tbody>
      {items.map((event) => (
        <tr key={event.id}>
          <td data-label={words.at}>
            <Time at={event.createdAt} />
          </td>
          <td data-label={words.what}>
            <a href={`${path}?${new URLSearchParams({ objectId: event.objectId })}`}>{event.kind}</a>
          </td>
          <td data-label={words.by} dir="auto">
            {event.actorName ?? text.actors[event.actorType]}
          </td>
          <td>
            <details>
              <summary>{words.details}</summary>
              <Command
                lines={JSON.stringify(
                  { object: event.objectId, request: event.requestId, ...event.details },
                  null,
                  2,
                ).split("\n")}
              />
            </details>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Content = ({ items, pagination, query }: Audit) => (
  <>
    <h1>{text.auditTitle}</h1>
    <Filters query={query} />
    {items.length === 0 ? <p class="empty">{words.none}</p> : <Events items={items} />}
    <Pages
      {...pagination}
      words={text.pages}
      hrefOf={(page) => `${path}?${new URLSearchParams({ ...query, page: String(page) })}`}
    />
  </>
);

/** By a query of its own: Citus would run the function on the machine of a table that it is joined with. */
async function actorNames(
  sql: Sql,
  team: string,
  events: Pick<AuditEvent, "actorId">[],
): Promise<Map<string | null, string>> {
  const ids = [...new Set(events.flatMap(({ actorId }) => actorId ?? []))];
  const rows = await sql<{ id: string; name: string }[]>`
    select id, email as name from formd.operators where id = any (${ids}::uuid[])
    union all
    select id, name from formd.api_keys where team_id = ${team} and id = any (${ids}::uuid[])
    union all
    select id, name from formd.agents where team_id = ${team} and id = any (${ids}::uuid[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export const auditPages = (deps: Deps) => {
  const { sql } = deps;
  return new Elysia({ name: path }).get(
    path,
    show(deps, async (view) => {
      const query = filterQuery(view.query);
      const {
        page,
        kind = null,
        formId = null,
        actorId = null,
        objectId = null,
        ...days
      } = parseQuery(query, AuditFilter);
      const { createdAfter = null, createdBefore = null } = timesOf(days);
      const rows = await sql<Paged<Omit<AuditEvent, "actorName">>[]>`
        select e.*, e.total::float8 from formd.audit_list(
          p_team => ${view.session.team}, p_operator => ${view.session.operator}, p_form => ${formId}, p_kind => ${kind},
          p_actor_id => ${actorId}, p_object => ${objectId}, p_after => ${createdAfter}, p_before => ${createdBefore},
          p_limit => ${pageSize}, p_offset => ${(page - 1) * pageSize}) e`;
      const names = await actorNames(sql, view.session.team, rows);
      const named = rows.map((row) => ({ ...row, actorName: names.get(row.actorId) ?? null }));
      const list = toPage(named, { page, limit: pageSize }, limits.page.maxCounted);
      const content = <Content {...list} query={query} />;
      return { title: text.auditTitle, section: "audit", content };
    }),
  );
};
