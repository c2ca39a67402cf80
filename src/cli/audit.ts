/** `formd audit list`: the edits of a submission. */
import type { Command } from "commander";
import type { Row } from "../http/resource.ts";
import type { SubmissionEdit } from "../submissions/shapes.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

type EditRow = Row<typeof SubmissionEdit>;

export function auditCommand(root: Command, settings: Settings): void {
  root
    .command("audit")
    .description("the audit of edits")
    .command("list")
    .description("every edit of a submission, newest first")
    .argument("<submission_id>", "the submission", requireUuid)
    .addOption(jsonOption)
    .action(async (id: string, { json }: { json?: boolean }) => {
      const edits = await withDatabase(
        settings(),
        (sql) => sql<EditRow[]>`
          select id, form_id, submission_id, field_id, old_value, new_value,
            json_build_object('type', actor_type, 'id', coalesce(actor_id, api_key_id)) as actor,
            case when actor_type = 'api_key' then coalesce(actor_id, api_key_id) end as api_key_id, request_id, created_at
          from formd.submission_edits where submission_id = ${id} order by id desc`,
      );
      const line = (edit: EditRow) =>
        `${edit.createdAt.toISOString()}  ${edit.fieldId}: ${JSON.stringify(edit.oldValue)} → ${JSON.stringify(edit.newValue)}  by ${edit.actor.type} ${edit.actor.id}`;
      print(json, { edits }, ...edits.map(line));
    });
}
