import type { PlacesLeft } from "../../fields/option-limits.ts";
import { limits } from "../../limits.ts";
import type { Closed } from "../../platform/auth/submitter.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import { aliasOf, type FormAddress } from "./page-address.ts";
import { Alias } from "./settings.ts";

/** A row of formd.form_page_read. The version is null unless the outcome is `allowed`. */
export interface PageRow {
  outcome: string;
  settings: {
    page: Record<string, unknown> | null;
    captcha: { enabled?: boolean } | null;
    closed: Closed | null;
    left: PlacesLeft | null;
    timeZone: string | null;
    /** Languages of the published version; null: the server holds it, or it has one, by `page.language`. */
    languages: string[] | null;
    /** The first language of the draft, in which the texts of the page are. */
    ownLanguage: string | null;
  } | null;
  /** Null: the form does not exist, or was never online. */
  name: string | null;
  description: string | null;
  formVersion: number | null;
  formSchema: { fields: unknown[] } | null;
  /** Null: the page was not opened by an invitation. */
  invitation: { prefill: Record<string, unknown>; language: string | null; isUsed: boolean } | null;
  remaining: number;
  resetMs: number;
}

/** The form of an alias; undefined: the alias is unknown. */
export async function findAlias(sql: Sql, alias: string): Promise<FormAddress | undefined> {
  const { teamId: team, formId: form } = await rowOf(sql<{ teamId: string | null; formId: string }[]>`
    select * from formd.form_alias_find(p_alias => ${alias})`);
  return team === null ? undefined : { team, form };
}

/** Suffixes that are tried for an alias that another form has. */
const maxAliasTries = 5;

/** Returns an alias made of a title that no other form's page has. Empty: none was found. */
export async function freeAlias(sql: Sql, title: string): Promise<string> {
  for (let number = 1; number <= maxAliasTries; number++) {
    const suffix = number > 1 ? `-${number}` : "";
    const alias = aliasOf(title, limits.formPage.maxAliasLength - suffix.length) + suffix;
    if (!Alias.allows(alias)) return "";
    if (!(await findAlias(sql, alias))) return alias;
  }
  return "";
}

export type ReadPage = (
  sql: Sql,
  address: FormAddress,
  heldVersion: number | undefined,
  limit: { ipKey: string | null; maxRequests: number },
  invitation?: Uint8Array | "sent",
) => Promise<PageRow>;

/**
 * Reads the published version of a form, unless the caller has it, and the settings of its page.
 * @param limit rate limit of the client IP, which counts the request; `ipKey` null: it was counted before
 * @param invitation hash of the invitation's token; "sent": the page after a submission, which needs none
 */
export const readPage: ReadPage = async (
  sql,
  { team, form },
  heldVersion,
  { ipKey, maxRequests },
  invitation,
) =>
  await rowOf(sql<PageRow[]>`
    select * from formd.form_page_read(p_team => ${team}, p_form => ${form}, p_version => ${heldVersion ?? null},
      p_ip_key => ${ipKey}, p_ip_limit => ${maxRequests},
      p_invitation_hash => ${invitation === "sent" ? null : (invitation ?? null)}, p_is_sent => ${invitation === "sent"})`);
