/** `formd form publish | archive | restore`: what a person decides about a form. @module */
import type { Command } from "commander";
import type { Sql } from "../db.ts";
import { lint } from "../fields/lint.ts";
import type { FormRow } from "../forms/routes.ts";
import { Problem } from "../problem.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

/** A form by its id alone: people at a terminal work for every team. @throws {Problem} `not_found`. */
export async function formById(sql: Sql, id: string): Promise<FormRow> {
  const [form] = await sql<FormRow[]>`select * from formd.forms where id = ${id}`;
  if (!form) throw new Problem("not_found", "There is no such form.");
  return form;
}

/**
 * Publishes the draft as it is now, if every definition in it is sound.
 *
 * @throws {Problem} `validation_failed` saying which field and why; `conflict` when the form is archived or its draft just changed.
 */
export async function publish(sql: Sql, id: string): Promise<FormRow> {
  const { teamId, schema, updatedAt } = await formById(sql, id);
  const faults = lint(schema);
  if (faults.length > 0) {
    const reasons = faults.map(
      ({ field, constraint, message }) =>
        `${[field ?? "form", constraint].filter(Boolean).join(".")}: ${message}`,
    );
    throw new Problem("validation_failed", `The form cannot be published: ${reasons.join("; ")}`);
  }
  const [form] = await sql<[FormRow]>`select * from formd.form_publish(${teamId}, ${id}, ${updatedAt})`;
  return form;
}

const archive = (archived: boolean) => async (sql: Sql, id: string) => {
  const { teamId } = await formById(sql, id);
  const [form] = await sql<[FormRow]>`select * from formd.form_archive(${teamId}, ${id}, ${archived})`;
  return form;
};

export function formCommand(root: Command, settings: Settings): void {
  const group = root.command("form").description("publishing, the human act");
  const act = (name: string, description: string, work: (sql: Sql, id: string) => Promise<FormRow>) =>
    group
      .command(name)
      .description(description)
      .argument("<form_id>", "the form", requireUuid)
      .addOption(jsonOption)
      .action(async (id: string, { json }: { json?: boolean }) => {
        const { status, currentVersion } = await withDatabase(settings(), (sql) => work(sql, id));
        print(
          json,
          { form: { id, status, currentVersion } },
          `${id} is ${status}, version ${currentVersion}`,
        );
      });
  act("publish", "publish the draft as the next version", publish);
  act("archive", "take no more submissions and no more patches", archive(true));
  act("restore", "undo archive", archive(false));
}
