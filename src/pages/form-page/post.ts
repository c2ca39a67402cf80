/**
 * A form post as a submission: its values become JSON by the types of the fields, and take the path of `POST
 * /papi/v1/submitter/form/submissions`. The page has a key, which is its Idempotency-Key: when the button is
 * pressed twice, the second post gets the response of the first.
 */

import { limits } from "../../limits.ts";
import { declaredAgentOf, declaresAgent } from "../../platform/auth/declared-agent.ts";
import { requireWithinLimit, type SubmitterRequest } from "../../platform/auth/submitter.ts";
import type { Deps } from "../../platform/deps.ts";
import { isMultipart } from "../../platform/files/multipart.ts";
import { RequestBody, readBytes, requireSize } from "../../platform/http/body.ts";
import { parseFormText } from "../../platform/http/form-body.ts";
import { admitIp } from "../../platform/http/rate-limits.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { fieldErrors } from "../../platform/http/shapes.ts";
import { Problem, problemFromSql } from "../../problem.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { verifyCaptcha } from "../../resources/sessions/captcha.ts";
import {
  malformedRequest,
  type ParsedRequest,
  requireReceipt,
  type SubmitBatch,
  type SubmitResult,
  submit,
} from "../../resources/submit/submit.ts";
import type { CompiledVersion } from "../../resources/submit/versions.ts";
import { notAsked, withoutHidden } from "./applicable.ts";
import { captchaToken } from "./captcha.tsx";
import { toData } from "./form-data.ts";
import { allValues, hasKept, isUnchanged } from "./hidden-fields.ts";
import { type PageRequest, wantsJson } from "./page-request.ts";
import { requireAddress } from "./read.ts";
import { pageCredentials, pageKeyOf, readUploads } from "./uploads.ts";

/**
 * Submits what a page has sent. One call in the usual case, and one more after a CAPTCHA or for a program
 * that declares itself.
 *
 * @returns the response of the API
 * @throws {Problem} what the API throws; `conflict` when another version of the form is published than that
 * of the page.
 */
export async function submitPage(deps: Deps, submitBatch: SubmitBatch, pageRequest: PageRequest, id: string) {
  const { request } = pageRequest;
  const maxRequests = deps.config.RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE;
  const { ipKey, body } = await readPost(deps, pageRequest, "submit", id);
  requireStored(deps, pageRequest);
  const address = await requireAddress(deps, pageRequest, id, { ipKey, maxRequests });
  const isDeclared = declaresAgent(request);
  const submitter: SubmitterRequest = {
    request,
    body,
    ...address,
    credentials: pageCredentials(pageRequest.posted?.get(ownNames.key)),
    ...(isDeclared && { declaredAgent: "", proveAgent: () => declaredAgentOf(deps, request) }),
    credentialTeam: address.team,
    ipKey,
  };
  // What declares a program is stored by a second call: the first finds out whether the form is there and
  // open, before the server asks an origin that a stranger names.
  const parse = (
    parsed: ParsedRequest,
    bytes: Uint8Array,
    published: CompiledVersion | undefined,
    admitted: boolean,
  ) => {
    const known = isDeclared && !admitted ? undefined : published;
    return parsed.problem ? parsed : parsePost(deps, pageRequest, submitter, bytes, known, admitted);
  };
  const first = await submit(deps, submitBatch, submitter, parameters, parse);
  requireWithinLimit(request, first.result);
  const { result, problem } =
    first.result.outcome === "captcha_required"
      ? await submitVerified(deps, submitBatch, pageRequest, submitter, parse, first.result)
      : first;
  if (result.outcome === "malformed" && problem) throw problem;
  if (!result.response) throw problemFromSql(result.outcome);
  return requireReceipt(request, result.response);
}

/** @throws {Problem} `validation_failed` when a file of the post was not stored. */
function requireStored({ config }: Deps, { uploadIssues = [] }: PageRequest): void {
  if (uploadIssues.length > 0)
    throw new Problem("validation_failed", { extras: { errors: fieldErrors(config, [...uploadIssues]) } });
}

/** Submits again, after the CAPTCHA: this call is admitted. @throws {Problem} as verifyCaptcha. */
async function submitVerified(
  deps: Deps,
  submitBatch: SubmitBatch,
  pageRequest: PageRequest,
  submitter: SubmitterRequest,
  parse: Parameters<typeof submit>[4],
  earlier: SubmitResult,
) {
  const { request } = pageRequest;
  pageRequest.posted ??= parseFormText(request, await submitter.body.read());
  await verifyCaptcha(deps, request, captchaToken(deps, pageRequest.posted));
  const second = await submit(deps, submitBatch, submitter, parameters, parse, earlier);
  requireWithinLimit(request, second.result);
  return second;
}

const parameters: ParsedRequest = { partial: false, idempotencyKey: undefined };

/**
 * The body, read unless it is large, and the key of the rate limit `name`, before anything is counted. The
 * files of one that has some are stored.
 *
 * @throws {Problem} `rate_limited`, `payload_too_large`; as {@link readUploads}.
 */
export async function readPost(deps: Deps, pageRequest: PageRequest, name: string, id: string) {
  const { request } = pageRequest;
  const { MAX_BODY_BYTES } = deps.config;
  const ipKey = await admitPost(pageRequest, name);
  if (isMultipart(request)) return { ipKey, body: await readUploads(deps, pageRequest, id) };
  requireSize(request, MAX_BODY_BYTES);
  const body = new RequestBody(request, MAX_BODY_BYTES);
  await body.readSmall();
  if (body.bytes && body.bytes.length <= limits.formPage.maxKeptBytes) keep(pageRequest, body.bytes);
  return { ipKey, body };
}

/**
 * The key of the rate limit. Of a request over the limit, a small body is read nevertheless, so that its page
 * can keep the values.
 */
async function admitPost(pageRequest: PageRequest, name: string): Promise<string> {
  const { request } = pageRequest;
  const { maxRefusedBytes } = limits.formPage;
  try {
    return admitIp(request, name);
  } catch (error) {
    const length = Number(request.headers.get("content-length") ?? Number.NaN);
    if (length <= maxRefusedBytes && contextOf(request).errorPage)
      keep(pageRequest, await readBytes(request, maxRefusedBytes));
    throw error;
  }
}

/** Keeps what was sent for a page that shows it again. */
function keep(pageRequest: PageRequest, bytes: Uint8Array): void {
  try {
    pageRequest.posted = parseFormText(pageRequest.request, bytes);
  } catch {
    // It is reported once the request has been counted.
  }
}

/** The submission, or as far as it is known before the published version is: the key. */
function parsePost(
  { masterKey }: Deps,
  pageRequest: PageRequest,
  { form }: SubmitterRequest,
  bytes: Uint8Array,
  published: CompiledVersion | undefined,
  isCurrent: boolean,
): ParsedRequest {
  try {
    pageRequest.posted ??= parseFormText(pageRequest.request, bytes);
    const values = pageRequest.posted;
    const idempotencyKey = pageKeyOf(values);
    const version = values.get(ownNames.version);
    const parsed: ParsedRequest = { partial: false, idempotencyKey };
    if (!published) return parsed;
    if (version !== null && version !== String(published.version)) {
      // What this process holds may be the older one of the two.
      if (!isCurrent) return parsed;
      const current = { version: published.version };
      return { ...parsed, problem: new Problem("conflict", { extras: { current } }) };
    }
    if (hasKept(values) && !isUnchanged(masterKey, form, values)) {
      const message = "Kept values of other steps are not those that the page had.";
      return { ...parsed, problem: new Problem("bad_request", { message }) };
    }
    const { data, unstorable } = toData(published.form.fields, allValues(values));
    const logic = withoutHidden(published.form, data, unstorable);
    // A page in steps has shown every question before the values to check.
    if (logic && !hasKept(values) && !wantsJson(pageRequest.request)) {
      const unasked = notAsked(published.form, logic, values);
      if (unasked.size > 0 && values.has(ownNames.version)) {
        pageRequest.notAsked = unasked;
        return { ...parsed, problem: new Problem("validation_failed", { extras: { errors: [] } }) };
      }
    }
    return { ...parsed, submission: { data, unstorable, metadata: null, respondentId: undefined } };
  } catch (error) {
    if (error instanceof Problem) return malformedRequest(error);
    throw error;
  }
}
