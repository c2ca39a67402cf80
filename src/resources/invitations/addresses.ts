/** Addresses of invitations: sealed for the mails, and hashed to be found. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { Fragment } from "postgres";
import { type Sql, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import type { MasterKey } from "../../platform/master-key.ts";
import { pagePathOf } from "../forms/page-address.ts";

/** A form by its ids. */
export interface InvitingForm {
  teamId: string;
  formId: string;
}

/** The address, and the token of the link for reminders. */
interface Sealed {
  email: string;
  token: string;
}

/** Encrypts an address with the token, for a JSON argument of SQL. Throws as {@link MasterKey.derive}. */
export const sealAddress = async (key: MasterKey, formId: string, sealed: Sealed): Promise<string> =>
  toByteaText(await key.encrypt("invitation", formId, new Uint8Array(Buffer.from(JSON.stringify(sealed)))));

/** Decrypts the result of {@link sealAddress}. Undefined: by no key that this server has. */
export async function openAddress(keys: MasterKey, formId: string, bytes: Uint8Array) {
  const opened = keys.isPresent ? await keys.decryptByAny("invitation", formId, bytes) : undefined;
  return opened && (JSON.parse(Buffer.from(opened).toString()) as Sealed);
}

/**
 * Returns the hashes of an address in a form, by each master key, that of new invitations first. Those of two
 * forms cannot be compared. None: there is no key, and so no address.
 */
export const addressHashes = (keys: MasterKey, formId: string, email: string): string[] =>
  (keys.isPresent ? keys.all : []).map((key) =>
    toByteaText(
      createHmac("sha256", key.derive("invitation-address", formId)).update(email.toLowerCase()).digest(),
    ),
  );

/** The result of {@link addressHashes} as an argument of SQL. */
export const hashArray = (sql: Sql, hashes: string[] | null): Fragment =>
  hashes === null ? sql`null` : sql`array(select h::bytea from unnest(${hashes}::text[]) as h)`;

/** The link of an invitation. */
export const invitationLink = (
  { config }: Pick<Deps, "config">,
  { teamId: team, formId: form }: InvitingForm,
  token: string,
): string => `${config.BASE_URL}${pagePathOf({ team, form })}/i/${token}`;
