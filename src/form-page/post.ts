/** A form post as a submission: its values become JSON by the types of the fields, and take the path of `POST /papi/v1/submitter/form/submissions`. */

import { requireWithinLimit, type SubmitterRequest } from "../auth/submitter.ts";
import type { Deps } from "../deps.ts";
import type { UnstorableFields } from "../fields/compile.ts";
import type { Field } from "../fields/definition.ts";
import { RequestBody, readBytes, requireSize } from "../http/body.ts";
import { parseFormText } from "../http/form-body.ts";
import { admitIp } from "../http/rate-limits.ts";
import { contextOf } from "../http/request-context.ts";
import { limits } from "../limits.ts";
import { indexed, namesOf, toValue } from "../pages/field-values.ts";
import { Problem, problemFromSql } from "../problem.ts";
import { verifyCaptcha } from "../sessions/captcha.ts";
import {
  malformedRequest,
  type ParsedRequest,
  type Store,
  type SubmitResult,
  submit,
} from "../submit/submit.ts";
import type { CompiledVersion } from "../submit/versions.ts";
import { isTokenName, tokenOf } from "./captcha.tsx";
import { allValues, hasKept, isUnchanged } from "./kept.ts";
import { ownNames } from "./own-names.ts";
import { requireAddress } from "./read.ts";
import type { Visit } from "./visit.ts";

const isOwnName = (name: string) => name.startsWith("formd.") || isTokenName(name);

/** The credentials of a page: its session is created with the submission. */
const pageCredentials = {
  access_key_hash: undefined,
  credential: "page",
  credential_hash: undefined,
  key_id: undefined,
  nonce: undefined,
  nonce_expires_at: undefined,
} as const;

/**
 * Submits what a page has sent. One call in the usual case, and one more after a CAPTCHA.
 *
 * @returns the response of the API
 * @throws {Problem} what the API throws; `conflict` when another version of the form is published than that of the page.
 */
export async function submitPage(deps: Deps, store: Store, visit: Visit, id: string) {
  const { request } = visit;
  const maxRequests = deps.config.RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE;
  const { ipKey, body } = await readPost(deps, visit, "submit");
  const address = await requireAddress(deps, visit, id, { ipKey, maxRequests });
  const submitter: SubmitterRequest = {
    request,
    body,
    ...address,
    credentials: pageCredentials,
    credentialTeam: address.team,
    ipKey,
  };
  const parse = (
    parsed: ParsedRequest,
    bytes: Uint8Array,
    published: CompiledVersion | undefined,
    admitted: boolean,
  ) => (parsed.problem ? parsed : parsePost(deps, visit, submitter, bytes, published, admitted));
  const first = await submit(deps, store, submitter, parameters, parse);
  requireWithinLimit(request, first.result);
  const { result, problem } =
    first.result.outcome === "captcha_required"
      ? await submitVerified(deps, store, visit, submitter, parse, first.result)
      : first;
  if (result.outcome === "malformed" && problem) throw problem;
  if (!result.response) throw problemFromSql(result.outcome);
  if (result.response.errors) throw new Problem("validation_failed", { extras: result.response });
  contextOf(request).submitted = result.response.status;
  return result.response;
}

/** Submits again, after the CAPTCHA: this call is admitted. @throws {Problem} as verifyCaptcha. */
async function submitVerified(
  deps: Deps,
  store: Store,
  visit: Visit,
  submitter: SubmitterRequest,
  parse: Parameters<typeof submit>[4],
  earlier: SubmitResult,
) {
  const { request } = visit;
  visit.posted ??= parseFormText(request, await submitter.body.read());
  await verifyCaptcha(deps, request, tokenOf(deps, visit.posted));
  const second = await submit(deps, store, submitter, parameters, parse, earlier);
  requireWithinLimit(request, second.result);
  return second;
}

const parameters: ParsedRequest = { partial: false, idempotencyKey: undefined };

/**
 * The body, read unless it is large, and the key of the rate limit `name`, before anything is counted.
 *
 * @throws {Problem} `rate_limited`, `payload_too_large`.
 */
export async function readPost({ config: { MAX_BODY_BYTES } }: Deps, visit: Visit, name: string) {
  const { request } = visit;
  const ipKey = await admitPost(visit, name);
  requireSize(request, MAX_BODY_BYTES);
  const body = new RequestBody(request, MAX_BODY_BYTES);
  await body.readSmall();
  if (body.bytes && body.bytes.length <= limits.formPage.maxKeptBytes) keep(visit, body.bytes);
  return { ipKey, body };
}

/** The key of the rate limit. Of a request over the limit, a small body is read nevertheless, so that its page can keep the values. */
async function admitPost(visit: Visit, name: string): Promise<string> {
  const { request } = visit;
  const { maxRefusedBytes } = limits.formPage;
  try {
    return admitIp(request, name);
  } catch (error) {
    const length = Number(request.headers.get("content-length") ?? Number.NaN);
    if (length <= maxRefusedBytes && contextOf(request).errorPage)
      keep(visit, await readBytes(request, maxRefusedBytes));
    throw error;
  }
}

/** Keeps what was sent for a page that shows it again. */
function keep(visit: Visit, bytes: Uint8Array): void {
  try {
    visit.posted = parseFormText(visit.request, bytes);
  } catch {
    // It is reported once the request has been counted.
  }
}

/** The submission, or as far as it is known before the published version is: the key. */
function parsePost(
  { masterKey }: Deps,
  visit: Visit,
  { form }: SubmitterRequest,
  bytes: Uint8Array,
  published: CompiledVersion | undefined,
  isCurrent: boolean,
): ParsedRequest {
  try {
    visit.posted ??= parseFormText(visit.request, bytes);
    const values = visit.posted;
    const idempotencyKey = keyOf(values);
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
    return { ...parsed, submission: { data, unstorable, metadata: null, respondentId: undefined } };
  } catch (error) {
    if (error instanceof Problem) return malformedRequest(error);
    throw error;
  }
}

/** @throws {Problem} `bad_request`. */
function keyOf(values: URLSearchParams): string | undefined {
  const key = values.get(ownNames.key) ?? undefined;
  if (key !== undefined && !/^[\w-]{1,64}$/.test(key))
    throw new Problem(
      "bad_request",
      `${ownNames.key} must have 1 to ${limits.formPage.maxKeyLength} letters, digits or hyphens.`,
    );
  return key;
}

/** By the fields of a published version, which never change. */
const namesByForm = new WeakMap<
  readonly Field[],
  { ofField: readonly string[][]; all: ReadonlySet<string> }
>();

function namesOfForm(fields: readonly Field[]) {
  const known = namesByForm.get(fields);
  if (known) return known;
  const ofField = fields.map(namesOf);
  const names = { ofField, all: new Set(ofField.flat()) };
  namesByForm.set(fields, names);
  return names;
}

/** The values by field id. A name that belongs to no field is a key of its own, and fails as `unknown_field`. */
export function toData(fields: readonly Field[], sent: URLSearchParams) {
  const data: Record<string, unknown> = Object.create(null);
  const unstorable = new Map<string, "format">();
  const names = namesOfForm(fields);
  const values = indexed(sent);
  for (const [index, field] of fields.entries()) {
    const value = toValue(field, values);
    if (value !== undefined) data[field.id] = value;
    const isUnstorable = names.ofField[index]?.some((name) =>
      values.getAll(name).some((text) => text.includes("\0")),
    );
    if (isUnstorable) unstorable.set(field.id, "format");
  }
  for (const [name, value] of sent) if (!names.all.has(name) && !isOwnName(name)) data[name] ??= value;
  return { data, unstorable: unstorable as UnstorableFields };
}
