/** Reads the audit: for the routes and the console. */
import { limits } from "../../limits.ts";
import { type Actor, requestIdsIn } from "../../platform/auth/actor.ts";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { type Rows, readTurn, type Turn } from "../../platform/http/list.ts";

/** Absent or null: any. */
type AuditFilter = { [Name in "formId" | "kind" | "actorId" | "objectId"]?: string | null } & {
  [Name in "createdAfter" | "createdBefore"]?: Date;
};

/** The team, and the reader as an SQL expression. */
type AuditReader = Pick<SqlCaller, "team" | "actor">;

/** The rows of the events of a team that match the filter, newest first. */
export const auditRows =
  (sql: Sql, { team, actor }: AuditReader, filter: AuditFilter): Rows["rows"] =>
  ({ limit, offset, after, order }) =>
    sql`
    formd.audit_list(p_team => ${team}, p_actor => ${actor}, p_form => ${filter.formId ?? null},
      p_kind => ${filter.kind ?? null}, p_actor_id => ${filter.actorId ?? null}, p_object => ${filter.objectId ?? null},
      p_first_at => ${filter.createdAfter ?? null}, p_last_at => ${filter.createdBefore ?? null},
      p_limit => ${limit}, p_offset => ${offset}, p_after => ${after}, p_order => ${order})`;

/** An event with the names of its actor and form. */
export interface NamedEvent {
  id: string;
  kind: string;
  formId: string | null;
  objectId: string;
  actorType: Actor["type"];
  actorId: string | null;
  actorName: string | null;
  formName: string | null;
  requestId: string | null;
  clientRequestId: string | null;
  details: object;
  createdAt: Date;
}

/** A separate query reads the names: Citus would run the function on the node of a joined table. */
async function readNames(sql: Sql, team: string, events: Pick<NamedEvent, "actorId" | "formId">[]) {
  const ids = [...new Set(events.flatMap(({ actorId, formId }) => [actorId ?? [], formId ?? []].flat()))];
  const rows = await sql<{ id: string; name: string }[]>`
    select id, email as name from formd.operators where id = any (${ids}::uuid[])
    union all
    select id, name from formd.api_keys where team_id = ${team} and id = any (${ids}::uuid[])
    union all
    select id, name from formd.agents where team_id = ${team} and id = any (${ids}::uuid[])
    union all
    select id, name from formd.forms where team_id = ${team} and id = any (${ids}::uuid[])`;
  return new Map<string | null, string>(rows.map(({ id, name }) => [id, name]));
}

/** Reads a page of matching events, with the names. @throws {Problem} `insufficient_workspace_role`. */
export async function readEvents(
  deps: Pick<Deps, "sql" | "masterKey">,
  reader: AuditReader,
  filter: AuditFilter,
  of: { path: string; filters: object; limit: number },
  turn: Turn,
) {
  const { sql } = deps;
  const { maxCounted } = limits.page;
  const list = { ...of, team: reader.team, rows: auditRows(sql, reader, filter), maxCounted };
  const page = await readTurn<Omit<NamedEvent, "actorName" | "formName" | "clientRequestId">>(
    deps,
    list,
    turn,
  );
  const names = await readNames(sql, reader.team, page.items);
  const items = page.items.map((row) => ({
    ...row,
    ...requestIdsIn(row.requestId),
    actorName: names.get(row.actorId) ?? null,
    formName: names.get(row.formId) ?? null,
  }));
  return { ...page, items };
}
