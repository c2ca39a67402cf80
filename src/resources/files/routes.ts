/** Files: `POST /papi/v1/submitter/form/files`, and their download by owners. */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import {
  authorizationCodes,
  readStreamedRequest,
  sessionSecurity,
  signatureSecurity,
  submitApiKeySecurity,
} from "../../platform/auth/submitter.ts";
import type { Deps } from "../../platform/deps.ts";
import { bodyChunks } from "../../platform/files/receive.ts";
import { success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { operation } from "../../platform/http/operation.ts";
import { fieldErrors, uuidParam } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import { downloadFile } from "./download.ts";
import { maxUploadBody, withSentFile } from "./sent-file.ts";
import { Upload, UploadQuery } from "./shapes.ts";
import { requireFiles, upload } from "./upload.ts";

const uploadPath = "/papi/v1/submitter/form/files";
const downloadPath = "/papi/v1/management/forms/:form_id/submissions/:submission_id/files/:file_id";

export const fileRoutes = (deps: Deps) =>
  new Elysia({ name: uploadPath })
    .post(
      uploadPath,
      async ({ request, query }) => {
        const files = requireFiles(deps);
        const maxBytes = maxUploadBody(request, deps.config.FILES_MAX_BYTES);
        const chunks = bodyChunks(files, request, deps.config.FILES_MAX_PER_IP_PER_HOUR);
        const submitter = await readStreamedRequest(deps, request, "upload", maxBytes);
        const stored = await withSentFile(request, query, chunks, maxBytes, (file) =>
          upload(deps, submitter, file),
        );
        if (stored.issue)
          throw new Problem("validation_failed", {
            extras: { errors: fieldErrors(deps.config, [stored.issue]) },
          });
        return success({ ...stored.file, expiresAt: stored.expiresAt });
      },
      operation({
        id: "uploadFile",
        tag: "submitter",
        summary: "Upload a file",
        description: `The body is the file, or \`multipart/form-data\` with one part, which is the file and may come from a browser's \`FormData\` or \`curl -F\`. The content says what type a file is, not its content type; \`application/x-www-form-urlencoded\` is refused, since no file is sent that way. A field of the type \`file\` then takes its id. An upload that no submission names is deleted after ${limits.file.unclaimedHours} hours, of an anonymous session after ${limits.file.anonymousHours}. Agents need \`agent:submit\`. A signed request covers \`content-digest\`, which is compared with what arrives.`,
        security: [sessionSecurity, signatureSecurity, submitApiKeySecurity],
        query: {
          shape: UploadQuery,
          notes: {
            field: "The field that it is for.",
            name: "The name of the file. Default: that of the part, else `file`.",
          },
        },
        takesFile: true,
        headers: {
          "content-digest": {
            type: "string",
            description: "RFC 9530, `sha-256` of the body: what arrives is compared with it.",
          },
        },
        response: {
          description: "The upload.",
          data: Upload,
          example: { ...examples.file, expiresAt: examples.times.updatedAt },
        },
        codes: [
          ...authorizationCodes,
          "not_found",
          "form_closed",
          "storage_full",
          "validation_failed",
          "payload_too_large",
          "invalid_content_type",
        ],
        limits: [
          { scope: "ip", seconds: limits.rateLimit.windowMs / 1000, requests: limits.file.requestsPerMinute },
        ],
      }),
    )
    .get(
      downloadPath,
      ({ request, params, set }) =>
        downloadFile(deps, request, set, withApiKey(deps, request, "submissions:read"), () => ({
          form: uuidParam(params, "form_id"),
          submission: uuidParam(params, "submission_id"),
          id: uuidParam(params, "file_id"),
        })),
      operation({
        id: "downloadFile",
        tag: "management",
        summary: "Download a file of a submission",
        description:
          "As an attachment of no type, so that no browser shows it; `content-digest` is that of the stored value. The audit has each download. A file that is not scanned for malware yet is 409; of one that is infected nothing is left.",
        security: apiKeySecurity("submissions:read"),
        response: {
          description: "The bytes.",
          media: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
        },
        codes: [...ownerCodes, "not_found", "conflict", "gone"],
      }),
    );
