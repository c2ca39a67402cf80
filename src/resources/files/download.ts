/** Downloads of files by owners. A file is never shown in the server's own origin. */
import type { FileValue } from "../../fields/types/file.ts";
import type { CallerQueries } from "../../platform/database/caller-queries.ts";
import type { Deps } from "../../platform/deps.ts";
import { binary, storageKey } from "../../platform/files/store.ts";
import { attachment } from "../../platform/http/attachment.ts";
import { type Parts, streamOf } from "../../platform/http/stream.ts";
import { unavailable } from "../../problem.ts";
import { requireFiles } from "./upload.ts";

type Owner<Caller extends { team: string }> = Pick<CallerQueries<Caller & { actor: unknown }>, "read">;

interface FileOfSubmission {
  form: string;
  submission: string;
  id: string;
}

/**
 * Opens a file, and records its download in the audit. @param parse parses the ids, once the caller is known
 * @throws {Problem} `not_found`; `unavailable` if the bytes cannot be read.
 */
export async function openFile<Caller extends { team: string }>(
  deps: Deps,
  owner: Owner<Caller>,
  parse: () => FileOfSubmission,
): Promise<FileValue & { bytes: Parts }> {
  const { sql } = deps;
  let key = "";
  const file = await owner.read<FileValue>(({ team, actor }) => {
    const { form, submission, id } = parse();
    key = storageKey(team, id);
    return sql`
      select f.* from formd.file_get(p_team => ${team}, p_actor => ${actor as never}, p_form => ${form},
        p_submission => ${submission}, p_id => ${id}) as f`;
  });
  const bytes = await requireFiles(deps)
    .store.read(key)
    .catch((cause: unknown) => {
      throw unavailable("The bytes of the file cannot be read.", 10, cause);
    });
  return { ...file, bytes };
}

/**
 * The bytes of a file, without scripts and in an opaque origin. @throws {Problem} as {@link openFile}
 * @param typeOf media type. `img` shows a picture only with its own type, even as an attachment
 */
export async function downloadFile<Caller extends { team: string }>(
  deps: Deps,
  request: Request,
  set: { headers: Record<string, unknown> },
  owner: Owner<Caller>,
  parse: () => FileOfSubmission,
  typeOf: (type: string) => string = () => binary,
): Promise<Response> {
  const { name, sha256, type, bytes } = await openFile(deps, owner, parse);
  Object.assign(set.headers, {
    "content-type": typeOf(type),
    "content-disposition": attachment(name),
    "content-security-policy": "sandbox; default-src 'none'",
    "content-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
    "cache-control": "private, no-store",
  });
  return new Response(streamOf(deps.log, request, bytes));
}
