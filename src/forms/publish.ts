/** Publishing, archiving and restoring a form, which only a person does. */
import type { Sql } from "../db.ts";
import { lint } from "../fields/lint.ts";
import { Problem } from "../problem.ts";
import type { FormRow } from "./shapes.ts";

/** Reasons that one message lists. */
const maxReasons = 50;

/** A form by its id alone: a command works on every team. @throws {Problem} `not_found`. */
export async function formById(sql: Sql, id: string): Promise<FormRow> {
  const [form] = await sql<FormRow[]>`select * from formd.forms where id = ${id}`;
  if (!form) throw new Problem("not_found", "There is no such form.");
  return form;
}

/**
 * Publishes the draft as the next version if all of its field definitions are valid.
 *
 * @throws {Problem} `validation_failed` naming each invalid field and why; `conflict` when the form is archived or its draft was changed
 *   in the meantime.
 */
export async function publishForm(sql: Sql, id: string): Promise<FormRow> {
  const { teamId, schema, updatedAt } = await formById(sql, id);
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
    select * from formd.form_publish(p_team => ${teamId}, p_form => ${id}, p_updated_at => ${updatedAt})`;
  return form;
}

/** Archives a form: it takes no submissions and no patches until {@link restoreForm}. @throws {Problem} `not_found`. */
export const archiveForm = (sql: Sql, id: string): Promise<FormRow> => setArchived(sql, id, true);

/** Undoes {@link archiveForm}: the form is published if it ever was, else a draft. @throws {Problem} `not_found`. */
export const restoreForm = (sql: Sql, id: string): Promise<FormRow> => setArchived(sql, id, false);

async function setArchived(sql: Sql, id: string, archived: boolean): Promise<FormRow> {
  const { teamId } = await formById(sql, id);
  const [form] = await sql<[FormRow]>`
    select * from formd.form_set_archived(p_team => ${teamId}, p_form => ${id}, p_archived => ${archived})`;
  return form;
}
