/**
 * What was entered on the other steps of a page: in hidden fields with a signature, so that nothing changes
 * it unseen.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { MasterKey } from "../../platform/master-key.ts";

/** What the names of values of other steps begin with. */
export const keptPrefix = "formd.kept.";
const signatureName = "formd.signature";

/** The name and the value of a hidden field. */
export type HiddenField = [name: string, value: string];

/**
 * As a browser sends the value of a hidden field, except for line ends (HTML, "Constructing the entry list",
 * and the tokenizer for U+0000).
 */
const normalized = (text: string) => text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");

/** Signs a text on a form's page. @throws {Problem} `unavailable` without a master key. */
export const signatureOf = (masterKey: MasterKey, form: string, text: string): string =>
  createHmac("sha256", masterKey.derive("form-page", form)).update(text).digest("base64url");

/** Whether the signature is the server's, by any of its master keys. */
export const isSignatureOf = (
  masterKey: MasterKey,
  form: string,
  text: string,
  signature: string,
): boolean => {
  const given = Buffer.from(signature);
  return masterKey.all.some((key) => {
    const expected = Buffer.from(signatureOf(key, form, text));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
};

const textOf = (kept: HiddenField[]): string => new URLSearchParams(kept).toString();

/** The hidden fields for values. @throws {Problem} as {@link signatureOf}. */
export function keptFields(
  masterKey: MasterKey,
  form: string,
  values: readonly HiddenField[],
): HiddenField[] {
  const kept = values.map(([name, value]): HiddenField => [keptPrefix + name, normalized(value)]);
  return [...kept, [signatureName, signatureOf(masterKey, form, textOf(kept))]];
}

/** Whether the kept values are those that {@link keptFields} has signed. */
export function isUnchanged(masterKey: MasterKey, form: string, sent: URLSearchParams): boolean {
  if (!masterKey.isPresent) return false;
  const kept = [...sent]
    .filter(([name]) => name.startsWith(keptPrefix))
    .map(([name, value]): HiddenField => [name, normalized(value)]);
  return isSignatureOf(masterKey, form, textOf(kept), sent.get(signatureName) ?? "");
}

/** Whether a post has values of other steps, or says that it has. */
export const hasKept = (sent: URLSearchParams): boolean =>
  sent.has(signatureName) || sent.keys().some((name) => name.startsWith(keptPrefix));

/** All values by the names of their fields, kept ones included. */
export const allValues = (sent: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    [...sent].map(
      ([name, value]): HiddenField => [
        name.startsWith(keptPrefix) ? name.slice(keptPrefix.length) : name,
        value,
      ],
    ),
  );
