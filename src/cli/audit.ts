/** `formd audit list`: the edits of a submission, or the acts on a form, on a team, or on all. */
import { type Command, InvalidArgumentError } from "commander";
import { type AuditEvent, eventJson } from "../audit/shapes.ts";
import type { Sql } from "../db.ts";
import type { SubmissionEdit } from "../submissions/shapes.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

type EditRow = typeof SubmissionEdit.infer;
type Event = typeof AuditEvent.infer;
type Options = { json?: boolean; form?: string; team?: string; limit: number };

const defaultLimit = 100;

function requireLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be an integer from 1 to 999999.");
  return Number(text);
}

export function auditCommand(root: Command, settings: Settings): void {
  root
    .command("audit")
    .description("who did what, when")
    .command("list")
    .description(
      "the edits of a submission; without one the acts of operators, API keys and commands, newest first",
    )
    .argument("[submission_id]", "the submission", requireUuid)
    .option("--form <id>", "only acts on this form", requireUuid)
    .option("--team <id>", "only acts in this team", requireUuid)
    .option("--limit <number>", "events at most", requireLimit, defaultLimit)
    .addOption(jsonOption)
    .action(async (submission: string | undefined, { json, ...options }: Options) => {
      if (submission) {
        const edits = await withDatabase(settings(), (sql) => editsOf(sql, submission));
        return print(json, { edits }, ...edits.map(editLine));
      }
      const events = await withDatabase(settings(), (sql) => eventsOf(sql, options));
      print(json, { events }, ...events.map(eventLine));
    });
}

const editsOf = (sql: Sql, submission: string) => sql<(Omit<EditRow, "createdAt"> & { createdAt: Date })[]>`
  select id, form_id, submission_id, field_id, old_value, new_value,
    json_build_object('type', actor_type, 'id', coalesce(actor_id, api_key_id)) as actor,
    case when actor_type = 'api_key' then coalesce(actor_id, api_key_id) end as api_key_id, request_id, created_at
  from formd.submission_edits where submission_id = ${submission} order by id desc`;

async function eventsOf(sql: Sql, { form, team, limit }: Omit<Options, "json">): Promise<Event[]> {
  const rows = await sql<{ event: Event }[]>`
    select ${eventJson(sql)}::json as event from formd.audit_events
    where (${form ?? null}::uuid is null or form_id = ${form ?? null})
      and (${team ?? null}::uuid is null or team_id = ${team ?? null})
    order by id desc limit ${limit}`;
  return rows.map(({ event }) => event);
}

const by = ({ type, id }: { type: string; id: string | null }) =>
  `by ${[type, id].filter(Boolean).join(" ")}`;

const editLine = ({
  createdAt,
  fieldId,
  oldValue,
  newValue,
  actor,
}: Awaited<ReturnType<typeof editsOf>>[number]) =>
  `${createdAt.toISOString()}  ${fieldId}: ${JSON.stringify(oldValue)} → ${JSON.stringify(newValue)}  ${by(actor)}`;

const eventLine = ({ createdAt, kind, object, actor, details }: Event) =>
  `${createdAt}  ${kind}  ${object.id}  ${by(actor)}  ${JSON.stringify(details)}`;
