/** Explains to the sender why a signed request is refused, which only the log says. */
import { limits } from "../../limits.ts";
import type { FailureStep, ParsedSignature, SignedMessage } from "./http-signature.ts";
import { importKey, parseSignature, verifyWithKey } from "./http-signature.ts";
import { jwkOf, keyIdOf, spkiOf } from "./public-key.ts";

/** Advice for each step that can fail. */
const advice: Record<FailureStep, string> = {
  "signature-input":
    "Signature-Input must be a dictionary (RFC 8941) with the member sig1, once, whose value is a list of components in parentheses.",
  signature:
    "Signature must be a dictionary with the member sig1, once: 64 bytes in base64 between colons, with S below the group's order.",
  components:
    "Covered must be @method, @authority, @path and x-form-access-key (lower case, no parameters, none twice), and every covered header must be in the request.",
  parameters: `Needed are created (whole seconds), keyid, alg="ed25519" and nonce (16 bytes in base64url: 22 characters). With tag="web-bot-auth": created, expires at most ${limits.webBotAuth.maxLifetimeHours} hours later, keyid and nonce (${limits.webBotAuth.minNonceBytes} to ${limits.webBotAuth.maxNonceBytes} bytes in base64).`,
  created: `created must be within ${limits.signature.maxSkewSeconds} seconds of the server's clock, and expires, if there, not past.`,
  "content-digest":
    "A request with a body must cover content-digest, and its sha-256 must be that of the body's exact bytes.",
  key: 'The key id is not the one of this public key: it is key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was registered, or with tag="web-bot-auth" the key\'s JWK thumbprint.',
  verify:
    "The signature is not by this key over the expected signature base; compare the base below with what was signed, byte for byte.",
};

export interface Explanation {
  /** The first step that fails. Undefined: every step passes. */
  step: FailureStep | undefined;
  advice: string;
  /** The expected signature base (RFC 9421, section 2.5), if the request determines it. */
  base: string | undefined;
}

/**
 * Finds the first step at which a server would refuse a request. Two checks need the server's database and
 * are left out: whether the key is registered, and whether the nonce is new.
 *
 * @param now the server's clock, in seconds since 1970
 * @param pem the public key that was registered; without it the signature is not verified
 * @throws {Problem} `bad_request` if the PEM is not an Ed25519 public key
 */
export async function explainSignature(
  message: SignedMessage,
  now: number,
  pem?: string,
): Promise<Explanation> {
  const isResponse = /\/challenges\/[^/]+\/responses$/.test(message.path);
  const parsed = parseSignature(message, now, { accessKeyIsOptional: isResponse });
  const step = parsed.step ?? (pem ? await keyStep(parsed, pem) : undefined);
  const passed = pem ? "Every step passes." : "Every step that needs no key passes.";
  return { step, advice: step ? advice[step] : passed, base: parsed.base };
}

/** Returns the step at which verification with a PEM's key fails, or undefined if the signature is valid. */
export async function keyStep(parsed: ParsedSignature, pem: string): Promise<FailureStep | undefined> {
  const spki = spkiOf(pem);
  // The id is a digest of the registered text. A copy may have lost or gained its last line break.
  const ids = [pem, pem.trimEnd(), `${pem.trimEnd()}\n`].map(keyIdOf);
  if (!ids.includes(parsed.keyId) && parsed.keyId !== jwkOf(spki).kid) return "key";
  return (await verifyWithKey(await importKey(spki), parsed)) ? undefined : "verify";
}
