/** The link of the first start: `/setup/<token>`, valid for half an hour, until an operator exists. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { makeSecret, nilUuid, sha256 } from "../../platform/auth/secret.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import { Problem } from "../../problem.ts";
import { type ChosenPassword, hashChosen, validateCredentials } from "./operators.ts";

/** Makes the token of a new link, which ends the previous one. @returns undefined if an operator exists */
export async function makeSetupToken(sql: Sql): Promise<string | undefined> {
  const { secret, hash } = makeSecret("fdu", nilUuid);
  const { isOpen } = await rowOf(sql<{ isOpen: boolean }[]>`
    select formd.setup_offer(
      p_token_hash => ${hash}, p_lifetime => ${`${limits.setup.linkMinutes} minutes`}) as is_open`);
  return isOpen ? secret : undefined;
}

/** @throws {Problem} `not_found` unless the token is the latest one, not expired, and not used. */
export async function requireSetupToken(sql: Sql, token: string): Promise<void> {
  const { isOpen } = await rowOf(sql<{ isOpen: boolean }[]>`
    select formd.setup_is_open(p_token_hash => ${sha256(token)}) as is_open`);
  if (!isOpen) throw new Problem("not_found", say("link_expired"));
}

/**
 * Makes the first operator, team and workspace.
 * @throws {Problem} `bad_request`, `unavailable`; `not_found` if an operator exists.
 */
export async function completeSetup(
  sql: Sql,
  requestId: string,
  token: string,
  { email, password, team, workspace }: ChosenPassword & Record<"team" | "workspace", string>,
): Promise<void> {
  await validateCredentials({ email });
  const { salt, hash } = await hashChosen({ email, password });
  await sql`
    select formd.setup_complete(
      p_team => ${uuidv7()}, p_token_hash => ${sha256(token)}, p_request_id => ${requestId}, p_name => ${team}, p_workspace => ${uuidv7()},
      p_workspace_name => ${workspace}, p_operator => ${uuidv7()}, p_email => ${email}, p_salt => ${salt}, p_hash => ${hash})`;
}

export interface Installation {
  /** True if an operator exists. */
  isSetUp: boolean;
  /** The name of the only team. Null: there are several. */
  name: string | null;
}

export const readInstallation = (sql: Sql): Promise<Installation> =>
  rowOf(sql<Installation[]>`select is_set_up, name from formd.installation_read()`);
