/**
 * A post with files. Each is stored as it arrives, before the form is validated; then its description is the
 * control's text, which survives errors and steps. The key of the page identifies the owner.
 */
import { controlName, fileIn } from "../../fields/control-values.ts";
import type { FieldIssue } from "../../fields/field-type.ts";
import { limits } from "../../limits.ts";
import { declaresAgent } from "../../platform/auth/declared-agent.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import type { SubmitterCredentials, SubmitterRequest } from "../../platform/auth/submitter.ts";
import { toByteaText } from "../../platform/database/db.ts";
import { formParts } from "../../platform/files/multipart.ts";
import { bodyChunks } from "../../platform/files/receive.ts";
import { knownBody, requireSize, unreadBody } from "../../platform/http/body.ts";
import { admitIp } from "../../platform/http/rate-limits.ts";
import { Problem } from "../../problem.ts";
import { type FileOwner, requireFiles, type UploadResult, upload } from "../../resources/files/upload.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { invitationIn, linkHash } from "./links.ts";
import { makePageKey, pageKeyOf } from "./page-key.ts";
import type { Asked, HeldLink, PublishedPage } from "./page-request.ts";
import { readFormPage, requireAddress } from "./read.ts";

/**
 * Returns the credentials of a page, whose session is created later.
 * @param key absent: no uploads
 * @param invitation the token of the invitation that the page was opened by
 * @param link that the page was opened by
 */
export const pageCredentials = (
  key?: string | null,
  invitation?: string,
  link?: HeldLink,
): SubmitterCredentials => ({
  access_key_hash: undefined,
  credential: "page",
  credential_hash: key ? toByteaText(sha256(key)) : undefined,
  key_id: undefined,
  nonce: undefined,
  nonce_expires_at: undefined,
  draft_hash: link?.use === "r" ? linkHash(link.token) : undefined,
  ...(invitation !== undefined && {
    invitation_hash: linkHash(invitation),
    // No other text is made of the page's key like this, so that a claim shows no submission.
    claim_hash: toByteaText(sha256(`claim ${key ?? makePageKey()}`)),
  }),
});

/**
 * Reads a post and stores its files. The values describe the stored files; the other files have issues.
 * @param open reads the page; default: that of the published version, which must be open
 * @returns a body without ids of files, so that the same form has the same body when it is sent again
 * @throws {Problem} as readFormPage, pageKeyOf and upload; `declared_agent_refused`; `bad_request` for a body
 * that is not a form; `payload_too_large`
 */
export async function readUploads(
  given: Asked,
  open: (asked: Asked) => Promise<{ shown: PublishedPage; change?: FileOwner }> = async (asked) => ({
    shown: await readFormPage(asked, {
      ...{ counted: true, mustBeOpen: true, mayBeUsed: true },
      // Its values, which come later, name the invitation of a draft. The upload requires it.
      isSent: asked.link?.use === "r",
    }),
  }),
) {
  const { deps, request } = given;
  const { MAX_BODY_BYTES, FILES_MAX_BYTES, FILES_MAX_PER_SUBMISSION, FILES_MAX_PER_IP_PER_HOUR } =
    deps.config;
  // One file more than fits: its field says so.
  const maxBytes = MAX_BODY_BYTES + FILES_MAX_PER_SUBMISSION + FILES_MAX_BYTES;
  requireSize(request, maxBytes);
  const chunks = bodyChunks(requireFiles(deps), request, FILES_MAX_PER_IP_PER_HOUR);
  const address = await requireAddress(given);
  const asked = { ...given, address };
  const { shown, change } = await open(asked);
  const { form, settings } = shown;
  if (settings.agents === "refuse" && declaresAgent(request)) throw new Problem("declared_agent_refused");
  const fieldIds = new Map(form.fileFields.map((field) => [controlName(field), field]));
  const values = new URLSearchParams();
  const issues: FieldIssue[] = [];
  let submitter: SubmitterRequest | undefined;
  for await (const part of formParts(request, chunks, { maxBytes, maxTextBytes: MAX_BODY_BYTES })) {
    const { name } = part;
    if (!part.chunks) {
      if (name === ownNames.key && submitter)
        throw new Problem("bad_request", `${ownNames.key} must come before the files.`);
      values.append(name, part.text);
      continue;
    }
    const first = part.filename === "" ? await part.chunks.next() : undefined;
    // Nothing was chosen. Bytes without a name are a file nevertheless.
    if (first?.done) continue;
    const field = fieldIds.get(name);
    if (field === undefined) {
      issues.push({ code: "unknown_field", field: name, message: "The form has no such field." });
      continue;
    }
    if (values.getAll(name).length >= limits.file.maxPerField) {
      issues.push(tooMany(field));
      continue;
    }
    if (!values.has(ownNames.key)) values.append(ownNames.key, makePageKey());
    const credentials = pageCredentials(pageKeyOf(values), invitationIn(asked, values));
    const ipKey = admitIp(request, "upload");
    submitter = { request, body: unreadBody, ...address, credentials, credentialTeam: address.team, ipKey };
    const incoming = {
      fieldId: field,
      nameOf: () => part.filename,
      size: undefined,
      chunks: first ? following(first.value, part.chunks) : part.chunks,
    };
    const stored = await upload(deps, submitter, incoming, change).catch((error) =>
      withoutRoom(error, field),
    );
    if (stored.file) values.append(name, JSON.stringify(stored.file));
    else issues.push(stored.issue);
    // The script has sent the values before the files, and removes nothing: the rest need not arrive. A
    // browser mixes values and files.
    if (stored.issue?.constraint === "storage" && values.get(ownNames.remove) === "") break;
  }
  const known = [...values].map(([name, text]) => [name, fieldIds.has(name) ? withoutId(text) : text]);
  const body = new TextEncoder().encode(new URLSearchParams(known).toString());
  // Percent-encoded, it has up to three times the bytes that were counted.
  if (body.length > MAX_BODY_BYTES)
    throw new Problem(
      "payload_too_large",
      `The form may have at most ${MAX_BODY_BYTES} bytes beside its files.`,
    );
  return { asked, shown, posted: { values, issues }, body: knownBody(body) };
}

async function* following(first: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield first;
  yield* rest;
}

const withoutId = (text: string) => text.replace(fileIn(text)?.id ?? "", "");

/** Returns an issue if the team has no storage left, so that the other values are kept. */
function withoutRoom(error: unknown, field: string): UploadResult {
  if (!(error instanceof Problem && error.code === "storage_full")) throw error;
  return { issue: { code: "max_bytes", field, message: error.message, constraint: "storage" } };
}

const tooMany = (field: string): FieldIssue => ({
  code: "max_items",
  field,
  message: `A field takes at most ${limits.file.maxPerField} files.`,
  constraint: "maxItems",
  expected: limits.file.maxPerField,
});
