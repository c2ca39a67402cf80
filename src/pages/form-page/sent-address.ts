/** The address of the page after a submission. For a short time it is a credential for the values. */
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { msOfId } from "../../platform/http/cursor.ts";
import { Uuid } from "../../platform/http/shapes.ts";
import type { MasterKey } from "../../platform/master-key.ts";
import { type ChangeLink, findChangeLink } from "../../resources/submissions/change-links.ts";
import { readData } from "../../resources/submissions/read.ts";
import { isSignatureOf, signatureOf } from "./hidden-fields.ts";
import type { PublishedPage } from "./page-request.ts";

/**
 * Returns the query of the address. Without a master key it has no signature.
 * @param lang the language of the page; undefined: the form has no languages
 */
export const sentQuery = (masterKey: MasterKey, form: string, submission: string, lang?: string): string =>
  new URLSearchParams({
    reference: submission,
    ...(masterKey.isPresent && { signature: signatureOf(masterKey, form, `sent ${submission}`) }),
    ...(lang !== undefined && { lang }),
  }).toString();

/** True if an address still shows the values. `now` is in milliseconds since 1970. */
export function showsValues(
  masterKey: MasterKey,
  form: string,
  submission: string,
  signature: string,
  now: number,
): boolean {
  if (!masterKey.isPresent || now > msOfId(submission) + limits.formPage.sentValuesMs) return false;
  return isSignatureOf(masterKey, form, `sent ${submission}`, signature);
}

export interface Sent {
  reference: string | undefined;
  /** Its values, as long as the address is a credential for them. */
  data: Record<string, unknown> | undefined;
  /** The link by which they can be changed, as long as the address is a credential for them. */
  change?: ChangeLink | undefined;
}

/** Reads the content. Data of another version are omitted: the page has the fields of the published one. */
export async function readSent(
  { masterKey, sql }: Deps,
  { team, formId, version, settings }: PublishedPage,
  { reference, signature = "" }: Record<string, string | undefined>,
): Promise<Sent> {
  if (!Uuid.allows(reference)) return { reference: undefined, data: undefined };
  if (!showsValues(masterKey, formId, reference, signature, Date.now()))
    return { reference, data: undefined };
  const change =
    settings.change?.until === undefined
      ? undefined
      : await findChangeLink({ sql, masterKey }, { team, form: formId }, reference);
  return { reference, data: await readData(sql, { teamId: team, id: formId }, version, reference), change };
}
