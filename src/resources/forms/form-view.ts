import { type Field, parseFields } from "../../fields/definition.ts";
import { say } from "../../messages.ts";
import type { Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { type List, readRows } from "../../platform/http/list.ts";
import { columnNames } from "../../platform/http/resource.ts";
import { Problem } from "../../problem.ts";
import { Form, type FormKey, type FormRow } from "./shapes.ts";

export type FormView = FormRow & {
  publishedSettings: FormRow["settings"] | null;
  settingsInForce: FormRow["settings"];
  /** Submissions pending review, at most {@link maxWaiting}. */
  waiting: number;
  /** Schema of the current version; null: never published. */
  publishedSchema: FormRow["schema"] | null;
  /** Submissions of any status. */
  total: number;
};

type Reader = Record<"team" | "operator", string>;

/** Maximum number of pending submissions that is counted, here and in formd.console_form_list. */
export const maxWaiting = 1000;

/** Path of a page's picture. It is large, and shown of the draft's settings alone. */
const logoPath = "{page,theme,logo}";

/** @throws {Problem} `not_found`, also if the operator has no role in the form's workspace. */
export async function requireForm(sql: Sql, { team, operator }: Reader, id: string): Promise<FormView> {
  const columns = columnNames(Form).map((name) => `f.${name}`);
  const [form] = await sql<FormView[]>`
    select ${sql(columns)}, f.published_settings #- ${logoPath}::text[] as published_settings,
      f.settings_in_force #- ${logoPath}::text[] as settings_in_force, (
      select count(*)::integer from (
        select from formd.submissions s
        where s.team_id = f.team_id and s.form_id = f.id and s.status = 'pending' and s.review_decision is null
        order by s.id limit ${maxWaiting}) w) as waiting, (
      select v.schema from formd.form_versions v
      where v.team_id = f.team_id and v.form_id = f.id and v.version = f.current_version) as published_schema, (
      select coalesce(sum(c.total), 0)::double precision from formd.submission_counts c
      where c.team_id = f.team_id and c.form_id = f.id) as total
    from formd.forms f
    join formd.workspace_roles r
      on r.team_id = f.team_id and r.workspace_id = f.workspace_id and r.operator_id = ${operator}
    where f.team_id = ${team} and f.id = ${id}`;
  if (!form) throw new Problem("not_found", say("form_missing"));
  return form;
}

/** The operator's first form in the team; undefined: the operator has none. */
export async function firstForm(sql: Sql, { team, operator }: Reader) {
  const [form] = await sql<Pick<FormView, "teamId" | "id" | "status" | "settingsInForce">[]>`
    select f.team_id, f.id, f.status, f.settings_in_force from formd.forms f
    join formd.workspace_roles r
      on r.team_id = f.team_id and r.workspace_id = f.workspace_id and r.operator_id = ${operator}
    where f.team_id = ${team} order by f.id limit 1`;
  return form;
}

export interface FormEntry
  extends OwnForm,
    Pick<FormView, "status" | "settingsInForce" | "currentVersion" | "waiting"> {
  /** True: the draft differs from the current version. */
  hasChanges: boolean;
  lastAt: Date | null;
  /** Submissions of each of the last 30 days, oldest first. */
  days: number[];
  submissions: number;
}

/** A page of the forms in the operator's workspaces: the archived ones, or the others. */
export const listForms = (sql: Sql, { team, operator }: Reader, archived: boolean, page: List["page"]) =>
  readRows<FormEntry>(sql, {
    page,
    rows: ({ limit, offset }) => sql`
      formd.console_form_list(
        p_team => ${team}, p_operator => ${operator}, p_archived => ${archived},
        p_today => ${new Date().toISOString().slice(0, 10)}, p_limit => ${limit}, p_offset => ${offset})`,
  });

export type OwnForm = Pick<FormRow, "id" | "name" | "workspaceId">;

/** The forms of the workspaces with these ids, by name; without ids the first ones, at most `max`. */
export const formsOfWorkspaces = (
  sql: Sql,
  { team, workspaces }: { team: string; workspaces: readonly { id: string }[] },
  ids: string[] | null,
  max: number,
) => sql<OwnForm[]>`
  select id, name, workspace_id from formd.forms
  where team_id = ${team} and workspace_id in ${sql(workspaces.map(({ id }) => id))}
    and (${ids}::uuid[] is null or id = any (${ids}::uuid[]))
  order by name, id limit ${ids === null ? max : null}::bigint`;

const maxNewest = 200;

export const newestForms = (sql: Sql, team: string, workspace: string) => sql<{ id: string; name: string }[]>`
  select id, name from formd.forms
  where team_id = ${team} and workspace_id = ${workspace} and status <> 'archived' order by id desc limit ${maxNewest}`;

/** The schema of a published version; undefined: it does not exist. */
export async function schemaOfVersion(sql: Sql, { teamId, id }: FormKey, version: number) {
  const [row] = await sql<Pick<FormRow, "schema">[]>`
    select schema from formd.form_versions
    where team_id = ${teamId} and form_id = ${id} and version = ${version}`;
  return row?.schema;
}

/** The fields of the published version, or else of the draft. */
export async function publishedFields(
  { sql }: Deps,
  form: FormKey & Pick<FormView, "schema" | "currentVersion" | "publishedSchema">,
  version = form.currentVersion,
): Promise<Field[]> {
  const isCurrent = version === form.currentVersion;
  const published = isCurrent ? form.publishedSchema : await schemaOfVersion(sql, form, version);
  return parseFields(published ?? form.schema);
}

export interface CountRow {
  kind: "status" | "provenance" | "agent" | "error";
  name: string;
  label: string | null;
  code: string;
  versions: number[];
  /** Totals by day, in days since 1970-01-01. */
  days: Record<string, number>;
}

/** @param firstDay in days since 1970-01-01 */
export const readCounts = (sql: Sql, { teamId, id }: FormKey, firstDay: number) => sql<CountRow[]>`
  select * from formd.console_form_counts(p_team => ${teamId}, p_form => ${id}, p_first_day => ${firstDay})`;
