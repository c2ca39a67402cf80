/** `formd report view`. */
import { type ReportColumn, reportViewOf } from "../resources/submissions/report-view.ts";
import { teamOf, withDatabase } from "./database.ts";
import { type CliCommand, requireUuid, type Settings } from "./options.ts";

export function reportCommand(root: CliCommand, settings: Settings): void {
  root
    .command("report")
    .description("reports on submissions in SQL")
    .command("view")
    .description("print the statements that make a view of a form's submissions, with one column per field")
    .argument("<form_id>", "the form", requireUuid)
    .action(async (id: string) => {
      const statements = await withDatabase(settings(), async (sql) => {
        const teamId = await teamOf(sql, "form", id);
        const [{ name }] = await sql<[{ name: string }]>`
          select name from formd.forms where team_id = ${teamId} and id = ${id}`;
        const columns = await sql<ReportColumn[]>`
          select id, title, field from formd.submission_columns(p_team => ${teamId}, p_form => ${id})`;
        return reportViewOf({ teamId, id, name }, columns);
      });
      console.log(statements);
    });
}
