/** Uploads: each is admitted with its row, streamed, then recorded. The sweep finds what a crash leaves. */
import { v7 as uuidv7 } from "uuid";
import type { CompiledForm, FieldIssue } from "../../fields/compile.ts";
import { nearest } from "../../fields/nearest.ts";
import { acceptsType, type FileValue, sizeText } from "../../fields/types/file.ts";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import {
  credentialsArgument,
  noteKeys,
  problemFor,
  requireWithinLimit,
  type SubmitterRequest,
  type SubmitterResult,
} from "../../platform/auth/submitter.ts";
import type { Config } from "../../platform/config.ts";
import { rowOf } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Files } from "../../platform/files/files.ts";
import { type Received, receive, TooManyBytes } from "../../platform/files/receive.ts";
import { binary, storageKey } from "../../platform/files/store.ts";
import { Problem } from "../../problem.ts";
import { compiledVersion, publishedVersion } from "../submit/versions.ts";
import { scanFile } from "./scan.ts";

/** Longest wait of an upload for a silent scanner. The sweep waits longer. */
const maxScanSilenceMs = 10_000;

export interface IncomingFile {
  fieldId: string;
  /** Returns the name, or a plain one while it has not arrived: it may come with the first bytes. */
  nameOf: () => string;
  /** Bytes, if the client declares them. */
  size: number | undefined;
  chunks: AsyncIterable<Uint8Array>;
  /** Checks the bytes against the digest that the client declared. @throws {Problem} if they differ */
  requireDigest?: (sha256: Uint8Array) => void;
}

/** A submission that its respondent adds the file to, and the form of its version. */
export interface FileOwner {
  submission: string;
  form: CompiledForm;
}

export type UploadResult =
  | { file: FileValue; expiresAt: Date; issue?: never }
  | { issue: FieldIssue; file?: never };

/** The last part of the sent name, without characters that change how it is displayed. */
function cleanName(sent: string): string {
  const name = sent
    .toWellFormed()
    .replace(/^.*[/\\]/s, "")
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "")
    .trim();
  const points = [...name];
  if (points.length <= limits.file.maxNameLength) return name || "file";
  // The end has the extension.
  return [...points.slice(0, limits.file.maxNameLength - 20), ...points.slice(-20)].join("");
}

/** A quarter of a team's room; one submission has room in it. */
const maxUnclaimedBytes = ({ FILES_MAX_PER_TEAM, FILES_MAX_PER_SUBMISSION }: Config): number =>
  Math.max(Math.floor(FILES_MAX_PER_TEAM * limits.file.unclaimedShare), FILES_MAX_PER_SUBMISSION);

/** Factor from one reservation to the next, so that few calls are made, and little is reserved in advance. */
const reservationGrowth = 4;

/** Chunks, with room for them before they are stored. Bytes that do not arrive take no room. */
async function* reserving(
  chunks: AsyncIterable<Uint8Array>,
  { first, most, reserve }: { first: number; most: number; reserve: (bytes: number) => Promise<void> },
): AsyncGenerator<Uint8Array, void> {
  let arrived = 0;
  let reserved = first;
  for await (const chunk of chunks) {
    arrived += chunk.byteLength;
    if (arrived > reserved) {
      reserved = Math.max(arrived, Math.min(reservationGrowth * reserved, most));
      await reserve(reserved);
    }
    yield chunk;
  }
}

/** Returns the file storage of this server. @throws {Problem} `not_found` if it stores none. */
export function requireFiles({ files }: Deps): Files {
  if (!files) throw new Problem("not_found", say("files_off"));
  return files;
}

/**
 * Stores a file that a field of the published form may take, for {@link claim}.
 * @param owner absent: no submission yet
 * @throws {Problem} `storage_full`, `payload_too_large`, `unavailable`; before reading, for a refused caller
 */
export async function upload(
  deps: Deps,
  submitter: SubmitterRequest,
  incoming: IncomingFile,
  owner?: FileOwner,
): Promise<UploadResult> {
  const { sql, config } = deps;
  const files = requireFiles(deps);
  const { team, form, credentials, ipKey } = submitter;
  const { fieldId, size = config.FILES_MAX_BYTES } = incoming;
  const nameOf = () => cleanName(incoming.nameOf());
  await files.requireRoom(size);
  const id = uuidv7();
  const first = Math.min(size, limits.file.firstReservedBytes);
  const unclaimed = maxUnclaimedBytes(config);
  const held = compiledVersion(form);
  const begin = owner
    ? sql`formd.change_link_upload(p_submission => ${owner.submission}, p_page_hash => ${credentials.credential_hash ?? null}::text::bytea,`
    : sql`formd.file_begin(${credentialsArgument(deps, credentials)}, p_version => ${held?.version ?? null},`;
  const result = await rowOf(sql<SubmitterResult[]>`
    select * from ${begin} p_team => ${team}, p_form => ${form}, p_id => ${id},
      p_field => ${fieldId.toWellFormed().replaceAll("\0", "").slice(0, 500)}, p_name => ${nameOf()}, p_size => ${first},
      p_max_bytes => ${config.FILES_MAX_PER_TEAM}, p_max_unclaimed => ${unclaimed}, p_ip_key => ${ipKey || null}, p_ip_limit => ${limits.file.requestsPerMinute})`);
  const remove = async (isFinal = true) => {
    await files.store.remove(storageKey(team, id));
    if (isFinal) await sql`select formd.files_remove(p_team => ${team}, p_form => ${form}, p_ids => ${[id]})`;
  };
  try {
    noteKeys(deps, submitter, result);
    requireWithinLimit(submitter.request, result);
    if (result.outcome !== "admitted") throw await problemFor(deps, submitter, result.outcome);
    const reserve = async (bytes: number) => {
      const [{ isReserved }] = await sql<[{ isReserved: boolean }]>`
        select formd.file_reserve(p_team => ${team}, p_form => ${form}, p_id => ${id}, p_size => ${bytes},
          p_max_bytes => ${config.FILES_MAX_PER_TEAM}, p_max_unclaimed => ${unclaimed}) as is_reserved`;
      if (!isReserved) throw new Problem("storage_full");
    };
    const chunks = reserving(incoming.chunks, { first, most: size, reserve });
    const found = await receiveFor(
      files,
      owner?.form ?? publishedVersion(form, held, result).form,
      { ...incoming, nameOf, chunks },
      storageKey(team, id),
      config.FILES_MAX_BYTES,
    );
    if ("issue" in found) {
      await remove();
      return { issue: { field: fieldId, ...found.issue } };
    }
    const { received, type } = found;
    const name = nameOf();
    const [{ expiresAt }] = await sql<[{ expiresAt: Date | null }]>`
      select formd.file_finish(p_team => ${team}, p_form => ${form}, p_id => ${id}, p_name => ${name}, p_size => ${received.size},
        p_type => ${type}, p_sha256 => ${received.sha256},
        p_scan => ${files.scanner ? "pending" : "none"}) as expires_at`;
    if (expiresAt === null) throw new Problem("bad_request", "The file arrived too late.");
    // Without a scan the file waits for the sweep. Until then a submission may claim it, and nobody may
    // download it.
    const scan = await scanFile(deps, files, { teamId: team, formId: form, id }, maxScanSilenceMs);
    if (scan === "infected") return { issue: { field: fieldId, ...infected.issue } };
    const sha256 = Buffer.from(received.sha256).toString("hex");
    return { file: { id, name, size: received.size, type, sha256 }, expiresAt };
  } catch (error) {
    // A row exists only if the upload was admitted. The sweep removes the rest, including bytes that a failed
    // store may still accept. A body that gave way to others is also unavailable, without a cause.
    const isUnsure = error instanceof Problem && error.code === "unavailable" && error.cause !== undefined;
    if (result.outcome === "admitted") await remove(!isUnsure).catch(() => {});
    throw error;
  }
}

type Wrong = { issue: Omit<FieldIssue, "field"> };

const refused = (message: string, constraint: string, expected: unknown): Wrong => ({
  issue: { code: "type_not_accepted", message, constraint, expected },
});

const infected = refused("The file has malware in it.", "scan", "clean");

function notOfFiles(fieldId: string, { fileFields }: CompiledForm): Omit<FieldIssue, "field"> {
  const near = nearest(fieldId, fileFields) ?? fileFields[0];
  const message = `The form has no field of that id that takes files${near ? `: is ${near} meant?` : "."}`;
  return { code: "unknown_field", message, ...(near && { expected: near }) };
}

/** Receives a file. @returns its bytes and type, or the reason why the field does not accept it */
async function receiveFor(
  files: Files,
  form: CompiledForm,
  { fieldId, nameOf, size, chunks, requireDigest }: IncomingFile,
  key: string,
  maxBytes: number,
): Promise<{ received: Received; type: string } | Wrong> {
  const field = form.field(fieldId);
  if (field?.fieldType.nature !== "files") return { issue: notOfFiles(fieldId, form) };
  const { accept, maxBytes: ofField = maxBytes } = field.constraints;
  const most = Math.min(ofField, maxBytes);
  const tooLarge: Wrong = {
    issue: {
      code: "max_bytes",
      message: `A file may have at most ${sizeText(most)}.`,
      constraint: "maxBytes",
      expected: most,
    },
  };
  if (size !== undefined && size > most) return tooLarge;
  let received: Received;
  try {
    received = await receive(files, key, nameOf, chunks, most);
  } catch (error) {
    if (error instanceof TooManyBytes) return tooLarge;
    throw error;
  }
  requireDigest?.(received.sha256);
  if (received.size === 0) return refused("The file is empty.", "minBytes", 1);
  const { type } = received;
  if (type === undefined)
    return refused("The content of the file is not what its name says.", "name", accept);
  if (!acceptsType(accept, type))
    return refused(
      type === binary
        ? "This file is not of an accepted type."
        : `A file of the type ${type} is not accepted.`,
      "accept",
      accept,
    );
  return { received, type };
}
