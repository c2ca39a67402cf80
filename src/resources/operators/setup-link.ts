/** The link of the first start: `/setup/<token>`, good for half an hour, until there is an operator. */
import { limits } from "../../limits.ts";
import { makeSecret, nilUuid, sha256 } from "../../platform/auth/secret.ts";
import { oneRow, type Sql } from "../../platform/database/db.ts";

/**
 * The token of a new link, in place of that of the start before.
 * @returns undefined when there is an operator
 */
export async function makeSetupToken(sql: Sql): Promise<string | undefined> {
  const { secret, hash } = makeSecret("fdu", nilUuid);
  const { isOpen } = oneRow(
    await sql<{ isOpen: boolean }[]>`
      select formd.setup_offer(
        p_token_hash => ${hash}, p_lifetime => ${`${limits.setup.linkMinutes} minutes`}) as is_open`,
  );
  return isOpen ? secret : undefined;
}

/** Whether a token is that of the latest link, has not expired, and no operator was made with it. */
export async function isSetupToken(sql: Sql, token: string): Promise<boolean> {
  const { isOpen } = oneRow(
    await sql<{ isOpen: boolean }[]>`
      select formd.setup_is_open(p_token_hash => ${sha256(token)}) as is_open`,
  );
  return isOpen;
}
