import { type Field, parseFields, withLists } from "../../fields/definition.ts";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { nilUuid } from "../../platform/auth/secret.ts";
import type { Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { type List, readRows } from "../../platform/http/list.ts";
import { columnNames } from "../../platform/http/resource.ts";
import { Problem } from "../../problem.ts";
import type { ProgressSeries } from "../progress/progress.ts";
import { Form, type FormKey, type FormRow } from "./shapes.ts";

export type FormView = FormRow & {
  publishedSettings: FormRow["settings"] | null;
  settingsInForce: FormRow["settings"];
  /** Submissions pending review, at most {@link maxWaiting}. */
  waiting: number;
  /** Schema, name and description of the current version; null: never published. */
  publishedSchema: FormRow["schema"] | null;
  publishedName: string | null;
  publishedDescription: string | null;
  /** True: the draft differs from the current version. */
  hasChanges: boolean;
  /** Submissions of any status. */
  total: number;
  /** Submissions of the last {@link recentDays} days, of any status, at most {@link maxWaiting}. */
  recent: number;
  /** Submissions since the operator opened the list, at most `limits.followers.maxFresh`. */
  fresh: number;
  /** When the operator's news feed got its address; null: there is none. */
  feedMadeAt: Date | null;
  /** Counts of the form's page since the day that was asked for, in one; null: none, or not asked for. */
  progress: ProgressSeries[] | null;
};

export const recentDays = 7;
const dayMs = 86_400_000;

/** Returns the smallest id of a submission of the last days. As formd.uuid_floor. */
function firstRecentId(): string {
  const time = (Date.now() - recentDays * dayMs).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

type Reader = Record<"team" | "operator", string>;

/** Maximum number of pending or recent submissions that is counted, here and in formd.console_form_list. */
export const maxWaiting = 1000;

/**
 * Reads a form. Only its draft's settings have the pictures of the page, which are large.
 * @param progressSince first day of the counts of its page; absent: they are not read
 * @throws {Problem} `not_found`, also if the operator has no role in the form's workspace.
 */
export async function requireForm(
  sql: Sql,
  { team, operator }: Reader,
  id: string,
  progressSince?: number,
): Promise<FormView> {
  const columns = columnNames(Form).map((name) => `f.${name}`);
  const [form] = await sql<FormView[]>`
    select ${sql(columns)}, f.published_settings #- '{page,theme,logo}' #- '{page,theme,cover}' as published_settings,
      f.settings_in_force #- '{page,theme,logo}' #- '{page,theme,cover}' as settings_in_force, (
      select count(*)::integer from (
        select from formd.submissions s
        where s.team_id = f.team_id and s.form_id = f.id and s.status = 'pending' and s.review_decision is null
        order by s.id limit ${maxWaiting}) w) as waiting,
      v.schema as published_schema, v.name as published_name, v.description as published_description,
      v.version is not null and ((v.name, coalesce(v.draft_schema, v.schema)) <> (f.name, f.schema)
        or v.description is distinct from f.description
        or v.schema -> 'languages' is distinct from f.settings -> 'languages') as has_changes, (
      select coalesce(sum(c.total), 0)::double precision from formd.submission_counts c
      where c.team_id = f.team_id and c.form_id = f.id) as total, (
      select count(*)::integer from (
        select from formd.submissions s
        where s.team_id = f.team_id and s.form_id = f.id and s.id >= ${firstRecentId()}::uuid
        order by s.id limit ${maxWaiting}) n) as recent, (
      select count(*)::integer from (
        select s.created_at from formd.submissions s
        where s.team_id = f.team_id and s.form_id = f.id and s.id > coalesce(w.seen_id, ${nilUuid}::uuid)
        order by s.id desc limit ${limits.followers.maxFresh}) n where n.created_at > r.created_at) as fresh,
      w.feed_made_at, ${
        progressSince === undefined
          ? sql`null::jsonb`
          : sql`(
      select jsonb_agg(jsonb_build_object('version', 0, 'kind', g.kind, 'step', g.step,
        'days', jsonb_build_object('0', g.total)))
      from (
        select d.kind, d.step, sum(d.total) as total from formd.progress_days d
        where d.team_id = f.team_id and d.form_id = f.id and d.day >= ${progressSince}::integer and d.kind <> 'step'
        group by d.kind, d.step) g)`
      } as progress
    from formd.forms f
    left join formd.form_versions v
      on v.team_id = f.team_id and v.form_id = f.id and v.version = f.current_version
    join formd.workspace_roles r
      on r.team_id = f.team_id and r.workspace_id = f.workspace_id and r.operator_id = ${operator}
    left join formd.form_followers w
      on w.team_id = f.team_id and w.form_id = f.id and w.operator_id = ${operator}
    where f.team_id = ${team} and f.id = ${id}`;
  if (!form) throw new Problem("not_found", say("form_missing"));
  return form;
}

export interface FormEntry
  extends OwnForm,
    Pick<
      FormView,
      | "status"
      | "settingsInForce"
      | "settings"
      | "publishedSettings"
      | "currentVersion"
      | "waiting"
      | "fresh"
      | "hasChanges"
    > {
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

/** The schema of the version that a draft becomes: with the languages of its settings, lists written out. */
export function schemaToPublish({ schema, settings }: Pick<FormRow, "schema" | "settings">) {
  const written = withLists(schema);
  return settings.languages || "languages" in schema
    ? { ...written, languages: settings.languages }
    : written;
}

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
  kind: "status" | "provenance" | "agent" | "error" | "progress";
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
