/** The list of erasures outside the database, without values: after a restore the data is deleted again. */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type } from "arktype";
import { type Actor, cliActor, toSql } from "../../platform/auth/actor.ts";
import type { Config } from "../../platform/config.ts";
import type { Sql } from "../../platform/database/db.ts";
import { requireAttached } from "../../platform/database/partitions.ts";
import { instantJson } from "../../platform/http/resource.ts";
import { DateTime, Uuid } from "../../platform/http/shapes.ts";
import type { Logger, Steps } from "../../platform/log.ts";
import { readableUntil } from "../submissions/changes.ts";
import { deleteEach } from "../submissions/erase.ts";
import { eraseInvitations } from "./invitations.ts";
import { eraseRespondent, type FormOfPerson, readRespondent } from "./persons.ts";

const SubmissionErasure = type({ teamId: Uuid, formId: Uuid, submissionId: Uuid, erasedAt: DateTime });
const PersonErasure = type({ teamId: Uuid, respondentId: Uuid, erasedAt: DateTime });
const InvitationErasure = type({ teamId: Uuid, formId: Uuid, invitationId: Uuid, erasedAt: DateTime });
const Erasure = type("string.json.parse").to(SubmissionErasure.or(PersonErasure).or(InvitationErasure));
type InvitationErasure = typeof InvitationErasure.infer;
type SubmissionErasure = typeof SubmissionErasure.infer;
type PersonErasure = typeof PersonErasure.infer;

const intervalMs = 300_000;
const blockBytes = 1_048_576;
const batchRows = 500;

/** The path of the file; undefined: no file is kept. @param dataDirectory of the embedded database */
export function erasuresFile(
  { ERASURES_FILE }: Pick<Config, "ERASURES_FILE">,
  dataDirectory: string | undefined,
): string | undefined {
  if (ERASURES_FILE === "none") return undefined;
  return ERASURES_FILE ?? (dataDirectory && join(dataDirectory, "erasures.jsonl"));
}

/**
 * Appends the erasures from the newest line on, up to where all can be read. A line may be there twice.
 * Without erasures no file is created: a server of another user could not write to it.
 * @returns the number of appended lines
 */
export async function exportErasures(sql: Sql, path: string): Promise<number> {
  const until = await readableUntil(sql);
  const { known, newest, isEnded } = await readTail(path, until);
  let [written, from, after]: [number, Date, string | null] = [0, new Date(newest), null];
  let file: FileHandle | undefined;
  const append = async (rows: { line: string; id: string }[]) => {
    const lines = rows.filter(({ id }) => !known.has(id)).map(({ line }) => `${line}\n`);
    if (lines.length === 0) return;
    // An unterminated last line was left by a killed server: it is terminated first.
    const start = file || isEnded ? "" : "\n";
    file ??= await open(path, "a", 0o600);
    await file.appendFile(start + lines.join(""));
    written += lines.length;
  };
  try {
    // All kinds are in one order of time: an interrupted run has written all that is older than the newest
    // line.
    for (let more = true; more; ) {
      const rows: { line: string; id: string; createdAt: Date }[] = await sql<
        { line: string; id: string; createdAt: Date }[]
      >`
        select e.line, e.id, e.created_at from (
          (select json_build_object('teamId', team_id, 'formId', form_id, 'submissionId', submission_id, 'erasedAt',
              ${sql.unsafe(instantJson("created_at"))})::text as line, submission_id as id, created_at
            from formd.submission_erasures
            where created_at >= ${from} and created_at < ${until} and (${after}::uuid is null or (created_at, submission_id) > (${from}, ${after}::uuid))
            order by created_at, submission_id limit ${batchRows})
          union all
          (select json_strip_nulls(json_build_object('teamId', a.team_id, 'formId', a.form_id,
              case a.kind when 'respondent.erased' then 'respondentId' else 'invitationId' end, a.object_id, 'erasedAt',
              ${sql.unsafe(instantJson("max(a.created_at)"))}))::text as line, a.object_id as id, max(a.created_at) as created_at
            from formd.teams t join formd.audit_events a on a.team_id = t.team_id
              and a.kind in ('respondent.erased', 'invitation.revoked')
            where a.created_at >= ${from} and a.created_at < ${until}
            group by a.team_id, a.kind, a.form_id, a.object_id
            having ${after}::uuid is null or (max(a.created_at), a.object_id) > (${from}, ${after}::uuid)
            order by max(a.created_at), a.object_id limit ${batchRows})) e
        order by e.created_at, e.id limit ${batchRows}`;
      await append(rows);
      const end = rows.at(-1);
      if (end) [from, after] = [end.createdAt, end.id];
      more = rows.length === batchRows;
    }
    await file?.sync();
    return written;
  } finally {
    await file?.close();
  }
}

/**
 * Reads the newest line and those of its instant. The lines are in the order of time; one after `until` is of
 * a clock that was ahead, and says nothing about what is there.
 */
async function readTail(path: string, until: Date) {
  const known = new Set<string>();
  let [newest, oldest, isEnded, rest] = [0, Number.POSITIVE_INFINITY, true, ""];
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  try {
    let end = (await file?.stat())?.size ?? 0;
    for (let isLast = true; file && end > 0 && oldest >= newest; isLast = false) {
      const start = Math.max(0, end - blockBytes);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      const text = buffer.toString("latin1", 0, bytesRead);
      if (isLast) isEnded = text.endsWith("\n");
      const [first = "", ...lines] = (text + rest).split("\n");
      rest = first;
      for (const line of start === 0 ? [first, ...lines] : lines) {
        const erasure = parseLine(line);
        if (!erasure) continue;
        known.add(idOf(erasure));
        const at = erasure.erasedAt.getTime();
        if (at < until.getTime()) newest = Math.max(newest, at);
        oldest = Math.min(oldest, at);
      }
      end = start;
    }
    return { known, newest, isEnded };
  } finally {
    await file?.close();
  }
}

const idOf = (erasure: typeof Erasure.infer): string =>
  "submissionId" in erasure
    ? erasure.submissionId
    : "invitationId" in erasure
      ? erasure.invitationId
      : erasure.respondentId;

/** Parses a line. Undefined: it is not an erasure, for example an incomplete line. */
function parseLine(line: string) {
  const erasure = Erasure(line);
  return erasure instanceof type.errors ? undefined : erasure;
}

/**
 * Repeats the erasures in the list, for example after a restore.
 * @param confirm false: only counts them
 * @param steps counts the bytes of the list
 * @returns the erasures in the list, its other lines, and the submissions, invitations and persons' names of
 * the list that are in the database; with `confirm` those that were erased
 * @throws {Problem} `conflict`: a month of submissions is detached, or was meanwhile
 */
export async function repeatErasures(sql: Sql, actor: Actor, path: string, confirm: boolean, steps: Steps) {
  await requireAttached(sql);
  const repeated = { listed: 0, unreadable: 0, submissions: 0, held: 0, invitations: 0, persons: 0 };
  const batch = new Map<string, SubmissionErasure>();
  const invitations = new Map<string, InvitationErasure>();
  const persons = new Map<string, PersonErasure>();
  const flush = async () => {
    for (const { form, ids } of await presentOf(sql, [...batch.values()], storedSubmissions)) {
      if (!confirm) repeated.submissions += ids.length;
      else {
        const { deleted, held } = await deleteEach(sql, actor, form, ids);
        repeated.submissions += deleted;
        repeated.held += held;
      }
    }
    batch.clear();
    for (const { form, ids } of await presentOf(sql, [...invitations.values()], namedInvitations)) {
      if (confirm) await eraseInvitations({ sql }, actor, form, ids);
      repeated.invitations += ids.length;
    }
    invitations.clear();
  };
  const file = await open(path, "r");
  try {
    steps.total = (await file.stat()).size;
    for await (const line of createInterface({ input: file.createReadStream() })) {
      steps.done += Buffer.byteLength(line) + 1;
      if (line === "") continue;
      const erasure = parseLine(line);
      if (!erasure) {
        repeated.unreadable++;
        continue;
      }
      repeated.listed++;
      if ("submissionId" in erasure) batch.set(erasure.submissionId, erasure);
      else if ("invitationId" in erasure) invitations.set(erasure.invitationId, erasure);
      else persons.set(erasure.respondentId, erasure);
      if (batch.size + invitations.size >= batchRows) await flush();
    }
    await flush();
    for (const { teamId, respondentId } of persons.values()) {
      const [person] = await readRespondent(sql, respondentId, teamId);
      // A held submission still names the person.
      if (person && (!confirm || (await eraseRespondent(sql, actor, respondentId, teamId))))
        repeated.persons++;
    }
    await requireAttached(sql);
  } finally {
    await file.close();
  }
  return repeated;
}

const storedSubmissions = (sql: Sql, { teamId, formId }: FormOfPerson, ids: readonly string[]) =>
  sql<{ id: string }[]>`
    select id from formd.submissions
    where team_id = ${teamId} and form_id = ${formId} and id = any (${ids})
    order by id`;

/** The invitations that are open, or have what names a person. */
const namedInvitations = (sql: Sql, { teamId, formId }: FormOfPerson, ids: readonly string[]) =>
  sql<{ id: string }[]>`
    select (item ->> 'invitationId')::uuid as id
    from formd.person_invitations_read(p_team => ${teamId}, p_actor => ${toSql(sql, cliActor)},
      p_form => ${formId}, p_ids => ${ids}::uuid[])
    where item ->> 'state' = 'open' or sealed_email is not null
      or coalesce(item ->> 'label', item ->> 'values', item ->> 'respondentId') is not null`;

/** The invitations of the erasures that the database has, by form. */
async function presentOf(
  sql: Sql,
  erasures: readonly (SubmissionErasure | InvitationErasure)[],
  read: typeof storedSubmissions,
) {
  const forms = Map.groupBy(erasures, ({ teamId, formId }) => `${teamId} ${formId}`);
  const present = [];
  for (const [key, ofForm] of forms) {
    const [teamId = "", formId = ""] = key.split(" ");
    const rows = await read(sql, { teamId, formId }, ofForm.map(idOf));
    if (rows.length > 0) present.push({ form: { teamId, formId }, ids: rows.map(({ id }) => id) });
  }
  return present;
}

/** Writes the file now and every five minutes. @returns a function that stops it */
export function startKeepingErasures(sql: Sql, path: string, log: Logger): () => void {
  const run = () =>
    exportErasures(sql, path).catch((error) =>
      log.warn({ file: path, reason: (error as Error).message }, "the file of erasures could not be written"),
    );
  void run();
  const timer = setInterval(run, intervalMs * (0.9 + Math.random() / 5));
  return () => clearInterval(timer);
}
