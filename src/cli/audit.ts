/** `formd audit list`: edits of a submission, or actions. `formd audit archive`: moves months to a file. */
import { type FileHandle, open } from "node:fs/promises";
import type { Sql } from "../platform/database/db.ts";
import {
  countRows,
  detachPartition,
  dropPartition,
  type Partition,
  partitionLines,
  partitionsBefore,
} from "../platform/database/partitions.ts";
import { type AuditEvent, eventJson } from "../resources/audit/shapes.ts";
import type { SubmissionEdit } from "../resources/submissions/shapes.ts";
import { report, withDatabase } from "./database.ts";
import { type CliCommand, numberLike, requireUuid, type Settings } from "./options.ts";
import { asOnlyOne, requireDivided, requireMonth } from "./partition.ts";
import { showProgress } from "./progress.ts";

type EditRow = typeof SubmissionEdit.infer;
type Event = typeof AuditEvent.infer;
type Options = { form?: string; team?: string; limit: number };

const defaultLimit = 100;

const requireLimit = numberLike(/^[1-9]\d{0,5}$/, "an integer from 1 to 999999");

export function auditCommand(root: CliCommand, settings: Settings): void {
  const command = root.command("audit").description("who did what, when");
  command
    .command("list")
    .description(
      "the edits of a submission; without one the actions of operators, API keys and commands, newest first",
    )
    .argument("[submission_id]", "the submission", requireUuid)
    .option("--form <id>", "only actions on this form", requireUuid)
    .option("--team <id>", "only actions in this team", requireUuid)
    .option("--limit <number>", "events at most", requireLimit, defaultLimit)
    .prints(async (submission: string | undefined, options: Options) => {
      if (submission) {
        const edits = await withDatabase(settings(), (sql) => editsOf(sql, submission));
        return [{ edits }, ...edits.map(editLine)];
      }
      const events = await withDatabase(settings(), (sql) => eventsOf(sql, options));
      return [{ events }, ...events.map(eventLine)];
    });
  command
    .command("archive")
    .description(
      "write the actions of the months before one to a new file, and delete them from the database",
    )
    .argument("<file>", "lines of JSON")
    .requiredOption("--before <month>", "a month such as 2026-11, the first that stays", requireMonth)
    .showsProgress()
    .prints(async (file: string, { before }: { before: string }) => {
      const events = await asOnlyOne(settings, (sql) => archive(sql, before, file));
      return [{ file, events }, `${events} actions archived in ${file}`];
    });
}

/**
 * Drops each month after it is written: an interrupted command loses nothing, and a new run continues.
 * @returns the number of actions
 */
async function archive(sql: Sql, month: string, path: string): Promise<number> {
  await requireDivided(sql);
  const partitions = await partitionsBefore(sql, month, "audit_events");
  if (partitions.length === 0) throw new Error(`no month of the audit ends before ${month}`);
  // Only the owner can read the file. An existing file is not overwritten.
  await using file = await open(path, "wx", 0o600);
  let events = 0;
  const steps = { done: 0, total: partitions.length };
  using _shown = showProgress("archive", "months", () => steps);
  for (const partition of partitions) {
    events += await archiveOne(sql, partition, file);
    steps.done++;
  }
  return events;
}

/** Archives a month. It is detached first, so that nothing is written to it after the file. */
async function archiveOne(sql: Sql, partition: Partition, file: FileHandle): Promise<number> {
  await detachPartition(sql, partition, report);
  let written = 0;
  for await (const lines of partitionLines(sql, partition)) {
    await file.appendFile(lines.map((line) => `${line}\n`).join(""));
    written += lines.length;
  }
  await file.sync();
  const total = await countRows(sql, partition);
  if (written !== total)
    throw new Error(
      `${written} actions of ${total} were written: ${partition.name} is detached: formd partition attach ${partition.name} undoes it`,
    );
  await dropPartition(sql, partition, report);
  return written;
}

const editsOf = (sql: Sql, submission: string) => sql<(Omit<EditRow, "createdAt"> & { createdAt: Date })[]>`
  select id, form_id, submission_id, field_id, old_value, new_value,
    json_build_object('type', actor_type, 'id', actor_id) as actor,
    case when actor_type = 'api_key' then actor_id end as api_key_id, split_part(request_id, ' ', 1) as request_id,
    nullif(split_part(request_id, ' ', 2), '') as client_request_id, created_at
  from formd.submission_edits where submission_id = ${submission} order by id desc`;

/** Reads the newest acts. Each index begins with the team, so that a form's is looked up. */
async function eventsOf(sql: Sql, { form, team, limit }: Options): Promise<Event[]> {
  const rows = await sql<{ event: Event }[]>`
    select ${eventJson(sql)}::json as event from formd.audit_events
    where (${form ?? null}::uuid is null or form_id = ${form ?? null}
        and team_id = (select f.team_id from formd.forms f where f.id = ${form ?? null}))
      and (${team ?? null}::uuid is null or team_id = ${team ?? null})
    order by id desc limit ${limit}`;
  return rows.map(({ event }) => event);
}

const by = ({ type, id }: { type: string; id: string | null }) =>
  `by ${[type, id].filter(Boolean).join(" ")}`;

type Edit = Awaited<ReturnType<typeof editsOf>>[number];

const editLine = ({ createdAt, fieldId, oldValue, newValue, actor }: Edit) =>
  `${createdAt.toISOString()}  ${fieldId}: ${JSON.stringify(oldValue)} → ${JSON.stringify(newValue)}  ${by(actor)}`;

const eventLine = ({ createdAt, kind, object, actor, details }: Event) =>
  `${createdAt}  ${kind}  ${object.id}  ${by(actor)}  ${JSON.stringify(details)}`;
