/** Publishing, archiving and restoring a form, which only a person does: at a terminal or in the console. */
import { type Actor, toSql } from "../auth/actor.ts";
import type { Sql } from "../db.ts";
import { lint } from "../fields/lint.ts";
import { Problem } from "../problem.ts";
import type { FormRow } from "./shapes.ts";

/** Reasons that one message lists. */
const maxReasons = 50;

/** A form. @throws {Problem} `not_found`. */
async function findForm(sql: Sql, team: string, id: string): Promise<FormRow> {
  const [form] = await sql<FormRow[]>`select * from formd.forms where team_id = ${team} and id = ${id}`;
  if (!form) throw new Problem("not_found", "There is no such form.");
  return form;
}

/**
 * Publishes the draft as the next version if all of its field definitions are valid.
 *
 * @throws {Problem} `not_found`; `insufficient_workspace_role`; `validation_failed` naming each invalid field and why; `conflict` when the
 *   form is archived or its draft was changed in the meantime.
 */
export async function publishForm(sql: Sql, actor: Actor, team: string, id: string): Promise<FormRow> {
  const { schema, updatedAt } = await findForm(sql, team, id);
  const issues = lint(schema);
  if (issues.length > 0) {
    const reasons = issues.map(
      ({ field, constraint, message }) =>
        `${[field ?? "form", constraint].filter(Boolean).join(".")}: ${message}`,
    );
    const more = reasons.length > maxReasons ? ` And ${reasons.length - maxReasons} more.` : "";
    throw new Problem(
      "validation_failed",
      `The form cannot be published: ${reasons.slice(0, maxReasons).join(" ")}${more}`,
    );
  }
  const [form] = await sql<[FormRow]>`
    select * from formd.form_publish(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_updated_at => ${updatedAt})`;
  return form;
}

/**
 * Archives a form: it takes no submissions and no patches until {@link restoreForm}. Idempotent.
 *
 * @throws {Problem} `not_found`, `insufficient_workspace_role`.
 */
export const archiveForm = (sql: Sql, actor: Actor, team: string, id: string): Promise<FormRow> =>
  setArchived(sql, actor, team, id, true);

/**
 * Undoes {@link archiveForm}: the form is published if it ever was, else a draft. Idempotent.
 *
 * @throws {Problem} `not_found`, `insufficient_workspace_role`.
 */
export const restoreForm = (sql: Sql, actor: Actor, team: string, id: string): Promise<FormRow> =>
  setArchived(sql, actor, team, id, false);

async function setArchived(sql: Sql, actor: Actor, team: string, id: string, archived: boolean) {
  const [form] = await sql<[FormRow]>`
    select * from formd.form_set_archived(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_archived => ${archived})`;
  return form;
}
