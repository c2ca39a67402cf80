/** Links by which respondents change what they sent. They are derived from the master key: none is stored. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { FileValue } from "../../fields/types/file.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { uuidOf } from "../../platform/auth/secret.ts";
import { jsonb, queryText, rowOf, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { fieldErrors } from "../../platform/http/shapes.ts";
import type { MasterKey } from "../../platform/master-key.ts";
import { Problem, toProblem } from "../../problem.ts";
import { type NamedUpload, unclaimedIssues } from "../files/claim.ts";
import type { FormAddress } from "../forms/page-address.ts";
import type { PageRow } from "../forms/page-read.ts";
import { applyEdits, type Patch } from "./edits.ts";
import { type SubmissionRow, submissionJson } from "./shapes.ts";

const idBytes = 16;
const macBytes = 16;

const macOf = (masterKey: MasterKey, form: string, id: Uint8Array): Buffer =>
  createHmac("sha256", masterKey.derive("change-link", form)).update(id).digest().subarray(0, macBytes);

/** Returns the token of a submission's link. @throws {Problem} `unavailable` without a master key. */
export function changeToken(masterKey: MasterKey, form: string, submission: string): string {
  const id = Buffer.from(submission.replaceAll("-", ""), "hex");
  return Buffer.concat([id, macOf(masterKey, form, id)]).toString("base64url");
}

/** Returns the submission of a token that one of the server's master keys has made; undefined: none has. */
export function submissionOfToken(masterKey: MasterKey, form: string, token: string): string | undefined {
  const bytes = Buffer.from(token, "base64url");
  // Some bits of the last character are unused: another character would be a second token.
  const isWhole = bytes.length === idBytes + macBytes && bytes.toString("base64url") === token;
  if (!masterKey.isPresent || !isWhole) return undefined;
  const [id, mac] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes)];
  const isValid = masterKey.all.some((key) => timingSafeEqual(macOf(key, form, id), mac));
  return isValid ? uuidOf(id.toString("hex")) : undefined;
}

export interface ChangeLink {
  token: string;
  /** When it ends; null: it has no end. */
  endsAt: Date | null;
}

/** Returns the link of a submission; undefined: the respondent may not change it. */
export async function findChangeLink(
  { sql, masterKey }: { sql: Sql; masterKey: MasterKey },
  { team, form }: FormAddress,
  submission: string,
): Promise<ChangeLink | undefined> {
  if (!masterKey.isPresent) return undefined;
  const { outcome, endsAt } = await rowOf(sql<{ outcome: string; endsAt: Date | null }[]>`
    select outcome, ends_at from formd.change_link_state(
      p_team => ${team}, p_form => ${form}, p_submission => ${submission}, p_is_withdrawal => false)`);
  return outcome === "allowed" ? { token: changeToken(masterKey, form, submission), endsAt } : undefined;
}

/** A row of formd.change_link_open. The submission is null unless the outcome is `allowed`. */
export interface OpenedRow
  extends Pick<PageRow, "settings" | "name" | "description" | "remaining" | "resetMs">,
    Pick<SubmissionRow, "formVersion" | "data" | "status" | "updatedAt"> {
  outcome: string;
  /** The reason, where an outcome has several. */
  reason: string | null;
  formSchema: { fields: unknown[] };
}

/**
 * Reads the submission of a link with its version, and the settings of its page.
 * @param submission null: the token is none
 */
export const openChangeLink = async (
  sql: Sql,
  { team, form }: FormAddress,
  submission: string | null,
  { isWithdrawal, ipKey, maxRequests }: { isWithdrawal: boolean; ipKey: string; maxRequests: number },
): Promise<OpenedRow> =>
  await rowOf(sql<OpenedRow[]>`
    select * from formd.change_link_open(p_team => ${team}, p_form => ${form}, p_submission => ${submission},
      p_is_withdrawal => ${isWithdrawal}, p_ip_key => ${ipKey}, p_ip_limit => ${maxRequests})`);

/** A submission that its respondent changes. */
interface Changed {
  team: string;
  submission: Pick<SubmissionRow, "formId" | "id" | "status" | "data" | "updatedAt">;
  schema: { fields: unknown[] };
  /** SHA-256 of the page's key, by which it has uploaded files. */
  pageHash: Uint8Array;
}

/**
 * Applies a respondent's edits, and claims the files that they add.
 * @returns false: nothing differs from the stored values
 * @throws {Problem} as {@link applyEdits}; `validation_failed` for a file that is no longer there
 */
export async function applyChange(
  deps: Deps,
  requester: Actor,
  { team, submission, schema, pageHash }: Changed,
  patch: Omit<Patch, "uploads">,
  added: readonly NamedUpload[],
): Promise<boolean> {
  const { sql, config } = deps;
  const uploads =
    added.length > 0
      ? await sql<(FileValue & { fieldId: string })[]>`
          select id, field_id, name, size::float8, type, sha256 from formd.change_link_files(
            p_team => ${team}, p_form => ${submission.formId}, p_page_hash => ${pageHash},
            p_ids => ${added.map(({ id }) => id)})`
      : [];
  const caller = { team, actor: toSql(sql, requester), operator: sql`null` };
  try {
    const stored = await applyEdits(
      deps,
      { run: async (toQuery) => await queryText(sql, toQuery(caller)) },
      schema,
      submission,
      { ...patch, uploads: [...uploads] },
      (_, { actor }, { formId, id, updatedAt }, { edits, isComplete }) => sql`
        select ${submissionJson(sql)} from formd.change_link_apply(
          p_team => ${team}, p_actor => ${actor}, p_form => ${formId}, p_submission => ${id},
          p_expected_updated_at => ${updatedAt}, p_edits => ${jsonb(sql, edits)}, p_whole => ${isComplete},
          p_page_hash => ${pageHash}, p_files => ${jsonb(sql, added)})`,
    );
    return stored !== null;
  } catch (error) {
    if (toProblem(error).extras.uploads === undefined) throw error;
    throw new Problem("validation_failed", {
      extras: { errors: fieldErrors(config, unclaimedIssues(added)) },
    });
  }
}

/** Deletes a submission that its respondent takes back. One that is gone is not missed. */
export async function withdrawSubmission(
  sql: Sql,
  requester: Actor,
  { team, form }: FormAddress,
  submission: string,
): Promise<void> {
  try {
    await sql`
      select formd.change_link_withdraw(p_team => ${team}, p_actor => ${toSql(sql, requester)}, p_form => ${form},
        p_submission => ${submission})`;
  } catch (error) {
    if (toProblem(error).code !== "not_found") throw error;
  }
}
