/** The text of a receipt: submission, sender and time, without the data. Pure. */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

export interface Accepted {
  submission: string;
  form: string;
  version: number;
  schema: unknown;
  /** SHA-256 of the exact bytes of the request's body. */
  requestDigest: Uint8Array;
  /** Part of the commitment: without it no guess at the data can be tested. */
  salt: Uint8Array;
  /** Data at acceptance, before edits. */
  data: unknown;
  submitterType: string;
  submitterId: string;
  /** The person for whom an agent submitted, as asserted by an identity provider; null: none. */
  respondentId: string | null;
  provenance: string;
  /** The origin of a program that sent a page. */
  declaredAgent: string | null;
  keyId: string | null;
  signatureInput: string | null;
  signature: string | null;
  acceptedAt: Date;
}

/** SHA-256 in the format of `Content-Digest` (RFC 9530). */
const written = (digest: Uint8Array): string => `sha-256=:${Buffer.from(digest).toString("base64")}:`;

const sha256 = (...parts: (string | Uint8Array)[]): Uint8Array =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

/** Canonical JSON (RFC 8785). */
const canonical = (value: unknown): string => canonicalize(value) ?? "null";

/** The digest of a request's body, in the format of a receipt. */
export const digestOf = (body: Uint8Array): string => written(sha256(body));

/** The commitment to data, in the format of a receipt. */
export const commitmentTo = (data: unknown, salt: Uint8Array): string =>
  written(sha256(salt, canonical(data)));

const memberNames = [
  "submission",
  "form",
  "version",
  "schema-digest",
  "request-digest",
  "data-commitment",
  "submitter",
  "respondent",
  "provenance",
  "declared-agent",
  "key",
  "agent-signature-input",
  "agent-signature",
  "accepted",
] as const;

type MemberName = (typeof memberNames)[number];

/** The receipt without its signature. Members of signed requests are absent for others. */
export function writeReceipt(accepted: Accepted): string {
  const members: Record<MemberName, string | null> = {
    submission: accepted.submission,
    form: accepted.form,
    version: String(accepted.version),
    "schema-digest": written(sha256(canonical(accepted.schema))),
    "request-digest": written(accepted.requestDigest),
    "data-commitment": commitmentTo(accepted.data, accepted.salt),
    submitter: `${accepted.submitterType} ${accepted.submitterId}`,
    respondent: accepted.respondentId,
    provenance: accepted.provenance,
    "declared-agent": accepted.declaredAgent,
    key: accepted.keyId,
    "agent-signature-input": accepted.signatureInput,
    "agent-signature": accepted.signature,
    accepted: accepted.acceptedAt.toISOString(),
  };
  const lines = memberNames.flatMap((name) =>
    members[name] === null ? [] : [`${name}: ${members[name]}\n`],
  );
  return lines.join("");
}

/** The members of a receipt's text, which was verified. */
export const readReceipt = (text: string): Partial<Record<MemberName, string>> =>
  Object.fromEntries(
    text
      .trimEnd()
      .split("\n")
      .map((line) => {
        const [name = "", ...value] = line.split(": ");
        return [name, value.join(": ")];
      }),
  );
