/** Publish, archive and restore: the decisions about a form that only a person makes. */
import type { Sql } from "../db.ts";
import { lint } from "../fields/lint.ts";
import { Problem } from "../problem.ts";
import type { FormRow } from "./routes.ts";

/** A form by its id alone: a person at a terminal works for every team. @throws {Problem} `not_found`. */
export async function formById(sql: Sql, id: string): Promise<FormRow> {
  const [form] = await sql<FormRow[]>`select * from formd.forms where id = ${id}`;
  if (!form) throw new Problem("not_found", "There is no such form.");
  return form;
}

/**
 * Publishes the present draft as the next version if every field definition in it is valid.
 *
 * @throws {Problem} `validation_failed` naming each invalid field and why; `conflict` when the form is archived or its draft has just changed.
 */
export async function publishForm(sql: Sql, id: string): Promise<FormRow> {
  const { teamId, schema, updatedAt } = await formById(sql, id);
  const issues = lint(schema);
  if (issues.length > 0) {
    const reasons = issues.map(
      ({ field, constraint, message }) =>
        `${[field ?? "form", constraint].filter(Boolean).join(".")}: ${message}`,
    );
    throw new Problem("validation_failed", `The form cannot be published: ${reasons.join("; ")}`);
  }
  const [form] = await sql<[FormRow]>`select * from formd.form_publish(${teamId}, ${id}, ${updatedAt})`;
  return form;
}

/** Stops submissions and patches until {@link restoreForm}. @throws {Problem} `not_found`. */
export const archiveForm = (sql: Sql, id: string): Promise<FormRow> => setArchived(sql, id, true);

/** Undoes {@link archiveForm}: published if the form ever was, else a draft. @throws {Problem} `not_found`. */
export const restoreForm = (sql: Sql, id: string): Promise<FormRow> => setArchived(sql, id, false);

async function setArchived(sql: Sql, id: string, archived: boolean): Promise<FormRow> {
  const { teamId } = await formById(sql, id);
  const [form] = await sql<[FormRow]>`select * from formd.form_archive(${teamId}, ${id}, ${archived})`;
  return form;
}
