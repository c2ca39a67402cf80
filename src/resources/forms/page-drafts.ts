import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { FormAddress } from "./page-address.ts";
import type { PageRow, ReadPage } from "./page-read.ts";

interface SavedRow {
  outcome: string;
  /** The last save; null unless it was saved, or is in conflict. */
  updatedAt: Date | null;
}

interface NewDraft {
  tokenHash: Uint8Array;
  sealed: Uint8Array;
  /** The save that the page shows; null: a new draft. */
  expected: Date | null;
  /** Ids of files, and whose uploads they may be. */
  uploads: string[];
  uploaders: string[];
  ipKey: string;
  /** Hash of the token of the page's invitation. */
  invitationHash: Uint8Array | null;
}

export const storeDraft = async (sql: Sql, { team, form }: FormAddress, draft: NewDraft): Promise<SavedRow> =>
  await rowOf(sql<SavedRow[]>`
    select outcome, updated_at from formd.page_draft_save(p_team => ${team}, p_form => ${form},
      p_token_hash => ${draft.tokenHash}, p_expected => ${draft.expected}, p_sealed => ${draft.sealed},
      p_uploads => ${draft.uploads}::uuid[], p_uploaders => ${draft.uploaders}::text[], p_ip_key => ${draft.ipKey},
      p_invitation_hash => ${draft.invitationHash})`);

export interface DraftRow extends PageRow {
  /** Null: there is no such draft, or no more. */
  sealed: Uint8Array | null;
  updatedAt: Date;
  expiresAt: Date;
}

/** Reads a page as readPage, and the draft of a link. */
export const readPageWithDraft = async (
  tokenHash: Uint8Array,
  [sql, { team, form }, heldVersion, { ipKey, maxRequests }]: Parameters<ReadPage>,
): Promise<DraftRow> =>
  await rowOf(sql<DraftRow[]>`
    select * from formd.page_draft_open(p_team => ${team}, p_form => ${form}, p_version => ${heldVersion ?? null},
      p_ip_key => ${ipKey}, p_ip_limit => ${maxRequests}, p_token_hash => ${tokenHash})`);

/** Reads what the sealed values of a draft name: an invitation, and the schema of an earlier version. */
export const readBesideDraft = async (
  sql: Sql,
  { team, formId }: { team: string; formId: string },
  version: number,
  invitationHash: Uint8Array | null,
) =>
  await rowOf(sql<{ invited: PageRow["invitation"]; before: PageRow["formSchema"] }[]>`
    select * from formd.page_draft_beside(p_team => ${team}, p_form => ${formId},
      p_version => ${/^[1-9]\d{0,8}$/.test(String(version)) ? version : null}, p_invitation_hash => ${invitationHash})`);
