/** All data of a person as JSON lines, including the bytes of files. */
import { Buffer } from "node:buffer";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { queryText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { storageKey } from "../../platform/files/store.ts";
import { toProblem } from "../../problem.ts";
import { receiptQuery, signedReceipt } from "../receipts/read.ts";
import { exportInvitations } from "./invitations.ts";
import { type FormOfPerson, findIn, type Person } from "./persons.ts";

type Of = Pick<Deps, "sql" | "config" | "masterKey" | "files">;

/** Yields text. A line with a file has several parts. */
export async function* exportPerson(of: Of, actor: Actor, form: FormOfPerson, person: Person) {
  for await (const { ids } of findIn(of.sql, actor, form, person))
    for (const id of ids) yield* exportSubmission(of, actor, form, id);
  yield* exportInvitations(of, actor, form, person);
}

async function* exportSubmission(of: Of, actor: Actor, { teamId, formId }: FormOfPerson, id: string) {
  const { sql } = of;
  const ids = { teamId, formId, submissionId: id };
  const lines = await sql<{ kind: string; item: Record<string, unknown> }[]>`
    select kind, item from formd.person_read(p_team => ${teamId}, p_actor => ${toSql(sql, actor)},
      p_form => ${formId}, p_submission => ${id})`;
  for (const { kind, item } of lines) {
    const line = JSON.stringify({ kind, ...ids, ...item });
    if (kind === "file")
      yield* withContent(of, line, item.scan === "pending" ? undefined : storageKey(teamId, String(item.id)));
    else yield `${line}\n`;
  }
  const receipt = lines.length > 0 && (await receiptOf(of, teamId, formId, id));
  if (receipt) yield `${JSON.stringify({ kind: "receipt", ...ids, ...receipt })}\n`;
}

/** A line with the bytes of its file in base64; null if they cannot be read, or are not scanned yet. */
async function* withContent({ files }: Of, line: string, key: string | undefined) {
  const chunks = key === undefined ? undefined : await files?.store.read(key).catch(() => undefined);
  if (!chunks) {
    yield `${line.slice(0, -1)},"content":null}\n`;
    return;
  }
  yield `${line.slice(0, -1)},"content":"`;
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    // Three bytes are four characters: a part that ends elsewhere would be padded.
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.toString("base64", 0, whole);
    rest = bytes.subarray(whole);
  }
  yield `${rest.toString("base64")}"}\n`;
}

/** The receipt with the salt of its digest; undefined without a receipt or a master key. */
async function receiptOf(of: Of, team: string, form: string, submission: string) {
  try {
    const json = await queryText(of.sql, receiptQuery(of.sql, team, form, submission));
    const { note, salt } = await signedReceipt(of, json ?? "");
    return { receipt: note, salt: Buffer.from(salt).toString("base64url") };
  } catch (error) {
    if (/^(not_found|gone|unavailable)$/.test(toProblem(error).code)) return undefined;
    throw error;
  }
}
