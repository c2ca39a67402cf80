/** Publishing, archiving and restoring a form. Only a person does this, at a terminal or in the console. */
import { parseFields } from "../../fields/definition.ts";
import { optionLimitsOf } from "../../fields/option-limits.ts";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { jsonb, rowOf, type Sql } from "../../platform/database/db.ts";
import { Problem } from "../../problem.ts";
import {
  checkDraft,
  checkSettings,
  type DraftProblem,
  exampleProblems,
  NotPublishable,
} from "./draft-checks.ts";
import { runExamples } from "./examples.ts";
import { schemaOfVersion, schemaToPublish } from "./form-view.ts";
import type { FormKey, FormRow } from "./shapes.ts";

async function findForm(sql: Sql, team: string, id: string): Promise<FormRow> {
  const [form] = await sql<FormRow[]>`select * from formd.forms where team_id = ${team} and id = ${id}`;
  if (!form) throw new Problem("not_found", say("form_missing"));
  return form;
}

/**
 * Publishes the draft as the next version if its field definitions are valid, and its examples pass. The
 * least role is publisher.
 * @param takesFiles true: the server stores files (`storesFiles` of its settings)
 * @param seenUpdatedAt `updatedAt` of the draft that the person saw; absent: the current draft
 * @param isOnline true: the first version puts the form's page online
 * @param hasKey true: the server has a master key (`hasMasterKey` of its settings)
 * @throws {Problem} `not_found`; `insufficient_workspace_role`; `validation_failed`, with the reason per
 * field; `conflict` when the form is archived or its draft was changed in the meantime.
 */
export async function publishForm(
  sql: Sql,
  actor: Actor,
  team: string,
  id: string,
  takesFiles = true,
  seenUpdatedAt?: Date,
  isOnline = false,
  hasKey = true,
): Promise<FormRow> {
  const draft = await findForm(sql, team, id);
  const { schema } = draft;
  const updatedAt = seenUpdatedAt ?? draft.updatedAt;
  requirePublishable(isOnline ? putOnline(draft) : draft, takesFiles, hasKey);
  const written = schemaToPublish(draft);
  return await rowOf(sql<FormRow[]>`
    select * from formd.form_publish(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_updated_at => ${updatedAt},
      p_limits => ${jsonb(sql, optionLimitsOf(parseFields(schema)))},
      p_schema => ${written === schema ? null : jsonb(sql, written)}, p_online => ${isOnline})`);
}

/** Returns a draft as its first publication changes it: its page is online. */
export const putOnline = <Draft extends Pick<FormRow, "settings" | "currentVersion">>(draft: Draft): Draft =>
  draft.currentVersion > 0
    ? draft
    : { ...draft, settings: { ...draft.settings, page: { ...draft.settings.page, enabled: true } } };

/**
 * Checks a draft as publishing does, then by its examples.
 * @param takesFiles true: the server stores files
 * @param hasKey true: the server has a master key
 * @throws {NotPublishable}
 */
export function requirePublishable(
  draft: Pick<FormRow, "schema" | "settings">,
  takesFiles: boolean,
  hasKey = true,
): void {
  requireNone(checkDraft(draft, takesFiles, hasKey));
  requireNone(exampleProblems(draft));
}

/** @throws {NotPublishable} */
function requireNone(problems: readonly DraftProblem[]): void {
  if (problems.length > 0) throw new NotPublishable(problems);
}

/** {@link testDraft} of a stored draft. @throws {Problem} `not_found` */
export const testForm = async (sql: Sql, team: string, id: string, takesFiles: boolean, hasKey = true) =>
  testDraft(await findForm(sql, team, id), takesFiles, hasKey);

/**
 * Checks a draft as publishing does, and runs its examples.
 * @param takesFiles true: the server stores files
 * @param hasKey true: the server has a master key
 */
export function testDraft(draft: Pick<FormRow, "schema" | "settings">, takesFiles: boolean, hasKey = true) {
  const { total, differences } = runExamples(draft);
  return {
    draft,
    total,
    differences: differences.map(({ name, message }) => ({ name, message })),
    problems: checkDraft(draft, takesFiles, hasKey),
  };
}

/**
 * Puts the settings of a published form into effect, without a new version of its fields. Idempotent.
 * @param seenUpdatedAt `updatedAt` of the settings that the person saw; absent: the current settings
 * @param hasKey true: the server has a master key
 * @throws {Problem} `not_found`; `insufficient_workspace_role`; `conflict` when the form is not published, or
 * was changed in the meantime; `validation_failed` if they do not fit the fields.
 */
export async function publishSettings(
  sql: Sql,
  actor: Actor,
  team: string,
  id: string,
  seenUpdatedAt?: Date,
  hasKey = true,
): Promise<FormRow> {
  const draft = await findForm(sql, team, id);
  const schema = await schemaOfVersion(sql, draft, draft.currentVersion);
  if (schema) requireNone(checkSettings({ settings: draft.settings, schema }, hasKey));
  const updatedAt = seenUpdatedAt ?? draft.updatedAt;
  return await rowOf(sql<FormRow[]>`
    select * from formd.form_settings_publish(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_updated_at => ${updatedAt})`);
}

/**
 * Closes a form at once: it takes no submissions until {@link openForm}. Idempotent.
 * @throws {Problem} `not_found`; `insufficient_workspace_role`; `conflict` when the form is archived.
 */
export const closeForm = (sql: Sql, actor: Actor, team: string, id: string) =>
  rowOf(sql<FormRow[]>`
    select * from formd.form_close(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${id})`);

/** Undoes {@link closeForm}, except an end that has passed. Idempotent. @throws as {@link closeForm} */
export const openForm = (sql: Sql, actor: Actor, team: string, id: string) =>
  rowOf(sql<FormRow[]>`
    select * from formd.form_open(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${id})`);

/**
 * Archives a form: it takes no submissions and no patches until {@link restoreForm}. Idempotent.
 * @throws {Problem} `not_found`, `insufficient_workspace_role`.
 */
export const archiveForm = (sql: Sql, actor: Actor, team: string, id: string) =>
  setArchived(sql, actor, team, id, true);

/** Undoes {@link archiveForm}: published if it ever was, else a draft. @throws as {@link archiveForm} */
export const restoreForm = (sql: Sql, actor: Actor, team: string, id: string) =>
  setArchived(sql, actor, team, id, false);

const setArchived = (sql: Sql, actor: Actor, team: string, id: string, archived: boolean) =>
  rowOf(sql<FormRow[]>`
    select * from formd.form_set_archived(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_archived => ${archived})`);

export interface Version {
  version: number;
  publishedAt: Date;
  /** Null: published at a terminal, or before the audit began. */
  publishedBy: string | null;
}

const maxVersions = 20;

/** The newest versions of a form, newest first. */
export const readVersions = (sql: Sql, { teamId, id }: FormKey) => sql<Version[]>`
  select v.version, v.published_at, (
    select o.email from formd.audit_events e
    join formd.operators o on o.id = e.actor_id and e.actor_type = 'operator'
    where e.team_id = ${teamId} and e.form_id = ${id} and e.kind = 'form.published'
      and e.details ->> 'version' = v.version::text limit 1) as published_by
  from (
    select w.version, w.published_at from formd.form_versions w
    where w.team_id = ${teamId} and w.form_id = ${id} order by w.version desc limit ${maxVersions}) v
  order by v.version desc`;

/** Numbers of those that submit to a form by credentials of their own. */
export const readSubmitters = (sql: Sql, { teamId, id }: FormKey) =>
  rowOf(sql<{ agents: number; accessKeys: number }[]>`
    select
      (select count(*)::integer from formd.grants g where g.team_id = ${teamId} and g.form_id = ${id}) as agents,
      (select count(*)::integer from formd.form_access_keys k
       where k.team_id = ${teamId} and k.form_id = ${id} and k.revoked_at is null
         and (k.expires_at is null or k.expires_at > now())) as access_keys`);
