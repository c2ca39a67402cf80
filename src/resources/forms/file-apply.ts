/** Reads the file of a form, and applies one to its draft. */
import type { Fragment } from "postgres";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { jsonb, queryText, rowOf, type Sql } from "../../platform/database/db.ts";
import { Problem } from "../../problem.ts";
import type { FileContent } from "./file.ts";
import { type FilePlan, filePlanOf } from "./file-plan.ts";
import type { FormApplyQuery, FormKey, FormRow } from "./shapes.ts";

/**
 * Query for the content of a draft, or of a version with the settings that were published last, as JSON. A
 * version that does not exist has no schema.
 */
export const contentQuery = (sql: Sql, { teamId, id }: FormKey, version?: number) => sql`
  select json_build_object('name', name, 'description', description, 'schema', schema, 'settings', settings)
  from (
    select f.name, f.description, f.schema, f.settings from formd.forms f
    where ${version === undefined} and f.team_id = ${teamId} and f.id = ${id}
    union all
    select v.name, v.description, coalesce(v.draft_schema, v.schema), coalesce(f.published_settings, '{}')
    from formd.forms f left join formd.form_versions v
      on v.team_id = f.team_id and v.form_id = f.id and v.version = ${version ?? null}
    where ${version !== undefined} and f.team_id = ${teamId} and f.id = ${id}) c`;

/** Parses the result of {@link contentQuery}. @throws {Problem} `not_found` */
export function parseContent(json: string | null, version?: number): FileContent {
  if (json === null) throw new Problem("not_found", say("form_missing"));
  const content: FileContent = JSON.parse(json);
  if (version !== undefined && content.schema === null)
    throw new Problem("not_found", say("version_missing", { version }));
  return content;
}

/** The content of a form. @throws {Problem} `not_found` */
export async function readContent(sql: Sql, key: FormKey, version?: number): Promise<FileContent> {
  return parseContent(await queryText(sql, contentQuery(sql, key, version)), version);
}

type PlannedDraft = FileContent & Pick<FormRow, "currentVersion"> & { updatedAt: string };

/** A request to apply a file to a form. */
export type SentFile = typeof FormApplyQuery.infer & { id: string; file: FileContent };

/** Query for the draft that a file is compared with, by request. {@link planFor} parses its result. */
export const toPlanQuery = (sql: Sql, { teamId, id }: FormKey, actor: Fragment) => sql`
  select json_build_object('teamId', f.team_id, 'actorId', (${actor}).id, 'draft', json_build_object(
    'name', f.name, 'description', f.description, 'schema', f.schema, 'settings', f.settings,
    'currentVersion', f.current_version, 'updatedAt', f.updated_at))
  from formd.forms f where f.team_id = ${teamId} and f.id = ${id}`;

/**
 * The plan of a file for the draft that was read. Applied, it requires that draft.
 * @throws {Problem} `not_found`; `conflict` if the draft is not the expected one
 */
export function planFor(json: string | null, sent: SentFile) {
  const { file, dryRun, expectedVersion, expectedUpdatedAt } = sent;
  if (json === null) throw new Problem("not_found", say("form_missing"));
  const { draft, ...by }: { teamId: string; actorId: string; draft: PlannedDraft } = JSON.parse(json);
  const updatedAt = new Date(draft.updatedAt);
  if (expectedUpdatedAt && expectedUpdatedAt.getTime() !== updatedAt.getTime()) {
    const current = { currentVersion: draft.currentVersion, updatedAt: updatedAt.toISOString() };
    throw new Problem("conflict", { ...say("form_changed"), extras: { current } });
  }
  return { ...by, plan: filePlanOf(draft, file), expected: { dryRun, expectedVersion, updatedAt } };
}

/** The draft of a form, and the plan of a file for it. @throws {Problem} `not_found` */
export async function planDraft(sql: Sql, { teamId, id }: FormKey, file: FileContent) {
  const [draft] = await sql<FormRow[]>`select * from formd.forms where team_id = ${teamId} and id = ${id}`;
  if (!draft) throw new Problem("not_found", say("form_missing"));
  return { draft, plan: filePlanOf(draft, file) };
}

interface Expected {
  dryRun?: boolean | undefined;
  expectedVersion?: number | undefined;
  /** Time of the draft that was planned for. */
  updatedAt: Date;
}

/** Applies a plan to the draft that it was made for. The result is the form, as a row source. */
export const appliedPlan = (
  sql: Sql,
  { team, actor }: { team: string; actor: Fragment },
  id: string,
  { operations, fields }: FilePlan,
  { dryRun = false, expectedVersion, updatedAt }: Expected,
) => sql`
  formd.form_apply(p_team => ${team}, p_actor => ${actor}, p_form => ${id},
    p_operations => ${jsonb(sql, operations)}, p_fields => ${jsonb(sql, fields)},
    p_expected_version => ${expectedVersion ?? null}, p_expected_updated_at => ${updatedAt},
    p_is_dry_run => ${dryRun})`;

/** Applies a plan for an actor. @returns the form. @throws {Problem} as form_apply. */
export const applyPlan = (
  sql: Sql,
  actor: Actor,
  { teamId: team, id }: FormKey,
  plan: FilePlan,
  expected: Expected,
): Promise<FormRow> =>
  rowOf(sql<FormRow[]>`
    select * from ${appliedPlan(sql, { team, actor: toSql(sql, actor) }, id, plan, expected)}`);

/** A plan as JSON, with the form that PostgreSQL has written. @param form null: of a dry run */
export function planJson({ operations, warnings }: FilePlan, form: string | null): string {
  const start = JSON.stringify({ operations, warnings }).slice(0, -1);
  return form === null ? `${start}}` : `${start},"form":${form}}`;
}
