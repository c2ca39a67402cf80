/** The audit: who did what, when. */
import { limits } from "../../../limits.ts";
import { toSql } from "../../../platform/auth/actor.ts";
import type { Sql } from "../../../platform/database/db.ts";
import { type Paged, parseQuery, toPage } from "../../../platform/http/shapes.ts";
import type { RecordedKind } from "../../../resources/audit/shapes.ts";
import { choicesOfTexts, Input, Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { filterQuery, onGet, type View } from "../frame/handler.ts";
import { DayInputs, type Listed, ListFilter, ListPage } from "../frame/list-page.tsx";
import { AuditFilter, timesOf } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { auditText } from "./words.ts";

const words = auditText.audit;
const path = "/console/audit";

const pageSize = 50;

interface AuditEvent {
  id: string;
  kind: string;
  formId: string | null;
  objectId: string;
  actorType: keyof typeof frameText.actors;
  actorId: string | null;
  actorName: string | null;
  formName: string | null;
  requestId: string | null;
  details: object;
  createdAt: Date;
}

interface Audit extends Listed<AuditEvent> {
  query: Record<string, string>;
}

/** What people call a kind of event; one that only a newer server knows has its code. */
const wordOf = (kind: string): string =>
  Object.hasOwn(words.kinds, kind) ? words.kinds[kind as RecordedKind] : kind;

const kindChoices = () =>
  choicesOfTexts(words.kinds).toSorted((one, other) => one.label.localeCompare(other.label, frameText.lang));

const Filters = ({ query }: Pick<Audit, "query">) => {
  const isFiltered = Object.keys(query).some((name) => !["page", "timeZone"].includes(name));
  return (
    <details class="panel" open={isFiltered}>
      <summary>{words.filter}</summary>
      <ListFilter
        action={path}
        query={query}
        submit={words.submit}
        reset={isFiltered && <a href={path}>{words.reset}</a>}
      >
        <Select name="kind" label={words.kind} none={words.anyKind} choices={kindChoices()} />
        <Input name="formId" label={words.formId} />
        <Input name="actorId" label={words.actorId} />
        <Input name="objectId" label={words.objectId} />
        <DayInputs />
      </ListFilter>
    </details>
  );
};

const columns = (): Column<AuditEvent>[] => [
  { head: words.at, cell: ({ createdAt }) => <Time at={createdAt} exact /> },
  {
    head: words.what,
    isHeader: true,
    dir: "auto",
    cell: ({ kind, objectId, formName }) => (
      <>
        <a href={`${path}?${new URLSearchParams({ objectId })}`}>{wordOf(kind)}</a>
        {formName && ` ${frameText.quoted(formName)}`}
      </>
    ),
  },
  {
    head: words.by,
    dir: "auto",
    cell: ({ actorName, actorType }) => actorName ?? frameText.actors[actorType],
  },
  {
    head: words.details,
    isNamed: true,
    cell: ({ kind, objectId, requestId, details }) => {
      const shown = { kind, object: objectId, request: requestId, ...details };
      return (
        <details>
          <summary>{words.details}</summary>
          <Command lines={JSON.stringify(shown, null, 2).split("\n")} />
        </details>
      );
    },
  },
];

const Content = (audit: Audit) => (
  <ListPage
    {...audit}
    title={frameText.auditTitle}
    intro={<Filters query={audit.query} />}
    path={path}
    none={words.none}
  >
    <Table columns={columns()} rows={audit.items} keyOf={({ id }) => id} />
  </ListPage>
);

/** By a query of its own: Citus would run the function on the machine of a table that it is joined with. */
async function readNames(
  sql: Sql,
  team: string,
  events: Pick<AuditEvent, "actorId" | "formId">[],
): Promise<Map<string | null, string>> {
  const ids = [...new Set(events.flatMap(({ actorId, formId }) => [actorId ?? [], formId ?? []].flat()))];
  const rows = await sql<{ id: string; name: string }[]>`
    select id, email as name from formd.operators where id = any (${ids}::uuid[])
    union all
    select id, name from formd.api_keys where team_id = ${team} and id = any (${ids}::uuid[])
    union all
    select id, name from formd.agents where team_id = ${team} and id = any (${ids}::uuid[])
    union all
    select id, name from formd.forms where team_id = ${team} and id = any (${ids}::uuid[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function readAudit({ deps: { sql }, session: { team }, actor }: View, query: Audit["query"]) {
  const { page, ...filter } = parseQuery(query, AuditFilter);
  const { createdAfter = null, createdBefore = null } = timesOf(filter);
  const rows = await sql<Paged<Omit<AuditEvent, "actorName" | "formName">>[]>`
    select e.*, e.total::float8 from formd.audit_list(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${filter.formId ?? null},
      p_kind => ${filter.kind ?? null}, p_actor_id => ${filter.actorId ?? null}, p_object => ${filter.objectId ?? null},
      p_after => ${createdAfter}, p_before => ${createdBefore},
      p_limit => ${pageSize}, p_offset => ${(page - 1) * pageSize}) e`;
  const names = await readNames(sql, team, rows);
  const named = rows.map((row) => ({
    ...row,
    actorName: names.get(row.actorId) ?? null,
    formName: names.get(row.formId) ?? null,
  }));
  return toPage(named, { page, limit: pageSize }, limits.page.maxCounted);
}

export const auditPages = {
  page: onGet(async (view) => {
    const query = filterQuery(view.query);
    const content = <Content {...(await readAudit(view, query))} query={query} />;
    return { title: frameText.auditTitle, section: "audit", content };
  }),
} satisfies Handlers;
