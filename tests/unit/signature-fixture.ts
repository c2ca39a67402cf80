/** A request, signed as the specification wants it, and what our verifier says of it. */

import {
  importKey,
  parseSignature,
  type SignedMessage,
  verifyWithKey,
} from "../../src/platform/auth/http-signature.ts";
import { spkiOf } from "../../src/platform/auth/public-key.ts";
import { digestOf, newKey, type Recipe, signed, type Unsigned } from "../signing.ts";

export const utf8 = (text: string) => new TextEncoder().encode(text);

export const key = newKey();
export const publicKey = await importKey(spkiOf(key.pem));
/** The time of the frozen clock, in seconds. */
export const clock = 1_800_000_000;

const body = '{"data":{}}';

export const request: Unsigned = {
  method: "POST",
  authority: "forms.example",
  path: "/papi/v1/submitter/form/submissions",
  query: "?partial=true",
  headers: {
    "x-form-access-key": "fdf_key",
    "content-type": "application/json",
    "content-digest": digestOf(body),
    "x-list": "one, two",
    "x-empty": "",
  },
  body,
};

export const messageFrom = ({ method, authority, path, query, headers, body }: Unsigned): SignedMessage => ({
  method,
  authority,
  path,
  query: query || "?",
  headers: new Headers(headers),
  bytes: utf8(body),
});

export const signedAt = (recipe: Recipe = {}, changed: Partial<Unsigned> = {}) =>
  signed(
    key,
    { ...request, ...changed },
    { ...recipe, parameters: { created: String(clock), ...recipe.parameters } },
  );

/** The step that it fails at, the cryptography included; "passes" if none. */
export async function outcomeOf(
  message: SignedMessage,
  now = clock,
  mayOmitAccessKey = false,
): Promise<string> {
  const examined = parseSignature(message, now, { accessKeyIsOptional: mayOmitAccessKey });
  return examined.step ?? ((await verifyWithKey(publicKey, examined)) ? "passes" : "verify");
}

export const outcome = (sent: Unsigned, now = clock) => outcomeOf(messageFrom(sent), now);
