/** Values of other steps, in hidden fields of the page. A signature reveals changes. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { MasterKey } from "../../platform/master-key.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";

/** Prefix of the names of values of other steps. */
export const keptPrefix = "formd.kept.";
const signatureName = "formd.signature";

export type HiddenField = [name: string, value: string];

/** Normalizes a value as a browser that sends a hidden field (HTML, "Constructing the entry list"). */
const normalized = (text: string) => text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");

/** Signs a text on a form's page. @throws {Problem} `unavailable` without a master key. */
export const signatureOf = (masterKey: MasterKey, form: string, text: string): string =>
  createHmac("sha256", masterKey.derive("form-page", form)).update(text).digest("base64url");

/** True if any of the server's master keys made the signature. */
export const isSignatureOf = (masterKey: MasterKey, form: string, text: string, signature: string) => {
  const given = Buffer.from(signature);
  return masterKey.all.some((key) => {
    const expected = Buffer.from(signatureOf(key, form, text));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
};

const textOf = (kept: HiddenField[]): string => new URLSearchParams(kept).toString();

/** Returns the values as hidden fields with a signature. @throws {Problem} as {@link signatureOf}. */
export function keptFields(
  masterKey: MasterKey,
  form: string,
  values: readonly HiddenField[],
): HiddenField[] {
  const kept = values.map(([name, value]): HiddenField => [keptPrefix + name, normalized(value)]);
  return [...kept, [signatureName, signatureOf(masterKey, form, textOf(kept))]];
}

/** True if {@link keptFields} signed the kept values. */
export function isUnchanged(masterKey: MasterKey, form: string, sent: URLSearchParams): boolean {
  if (!masterKey.isPresent) return false;
  const kept = [...sent]
    .filter(([name]) => name.startsWith(keptPrefix))
    .map(([name, value]): HiddenField => [name, normalized(value)]);
  return isSignatureOf(masterKey, form, textOf(kept), sent.get(signatureName) ?? "");
}

/** Fields of each page of a draft: when it was saved, and the invitation that it was opened by. */
export const carriedIn = (sent: URLSearchParams): HiddenField[] =>
  [ownNames.saved, ownNames.invitation].flatMap((name) => {
    const value = sent.get(name);
    return value === null ? [] : [[name, value] satisfies HiddenField];
  });

/** True if a post has values of other steps, or a signature. */
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
