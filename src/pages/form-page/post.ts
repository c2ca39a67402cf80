/** A form post as a submission. The page's key is its Idempotency-Key, for a second press of the button. */
import { limits } from "../../limits.ts";
import { declaredAgentOf, declaresAgent } from "../../platform/auth/declared-agent.ts";
import { requireWithinLimit, type SubmitterRequest } from "../../platform/auth/submitter.ts";
import { isMultipart } from "../../platform/files/multipart.ts";
import { type ReadableBody, RequestBody, readBytes, requireSize } from "../../platform/http/body.ts";
import { parseFormText } from "../../platform/http/form-body.ts";
import { admitIp } from "../../platform/http/rate-limits.ts";
import { fieldErrors } from "../../platform/http/shapes.ts";
import { Problem, problemFromSql } from "../../problem.ts";
import type { FormAddress } from "../../resources/forms/page-address.ts";
import { readPage } from "../../resources/forms/page-read.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { verifyCaptcha } from "../../resources/sessions/captcha.ts";
import { readPrefill, withClaim } from "../../resources/submit/invited.ts";
import type { Parse, ParsedRequest, SubmitBatch } from "../../resources/submit/submit.ts";
import { malformedRequest, requireReceipt, submit } from "../../resources/submit/submit.ts";
import { type CompiledVersion, compiledVersion } from "../../resources/submit/versions.ts";
import { doubtfulIn, readValues } from "./applicable.ts";
import { captchaToken, isTokenName } from "./captcha.tsx";
import { setFailurePage } from "./failure.tsx";
import { withInvitation, withQuery, withSpelling } from "./form-data.ts";
import { hasKept, isUnchanged } from "./hidden-fields.ts";
import { inLanguage, languageOfPage } from "./language.ts";
import { invitationIn } from "./links.ts";
import { isOutdated, pageKeyOf } from "./page-key.ts";
import { type Asked, type Posted, type PublishedPage, wantsJson } from "./page-request.ts";
import { countSent } from "./reached.ts";
import { requireAddress } from "./read.ts";
import { textForLanguage } from "./text/text.ts";
import { pageCredentials, readUploads } from "./uploads.ts";

/** Post that {@link submitPage} refused. Its page shows the entered values again. */
export interface RefusedPost {
  asked: Asked;
  posted: Posted;
  problem: Problem;
}

interface SentPost {
  form: string;
  /** The language of the page; undefined: the form has no languages. */
  lang: string | undefined;
  isInvited: boolean;
  stored: ReturnType<typeof requireReceipt>;
}

const parameters: ParsedRequest = { partial: false, idempotencyKey: undefined };

/**
 * Submits the post of a page, by one call, and one more after a CAPTCHA or for a program that declares
 * itself.
 * @returns the form and the response of the API, or the refused post
 * @throws {Problem} as the API, where no page shows the values; `conflict` when another version is published.
 */
export async function submitPage(given: Asked, submitBatch: SubmitBatch): Promise<SentPost | RefusedPost> {
  const { deps, request } = given;
  const maxRequests = deps.config.RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE;
  const { asked: found, ipKey, body, shown, ...post } = await readPost(given, "submit");
  const address = await requireAddress(found, { ipKey, maxRequests });
  const asked = { ...found, address };
  let { posted } = post;
  const spelling = await spellingOf(asked, posted);
  const token = invitationIn(asked, posted?.values);
  const prefill = token === undefined ? undefined : await readPrefill(deps, address, token);
  const isDeclared = declaresAgent(request);
  const submitter: SubmitterRequest = {
    request,
    body,
    ...address,
    credentials: pageCredentials(posted?.values.get(ownNames.key), token, asked.link),
    ...(isDeclared && { declaredAgent: "", proveAgent: () => declaredAgentOf(deps, request) }),
    credentialTeam: address.team,
    ipKey,
  };
  const parse: Parse = (parsed, bytes, published, admitted) => {
    if (parsed.problem) return parsed;
    try {
      posted ??= keep(request, bytes, shown);
      // A declared agent is stored by a second call. The first one checks that the form exists and is open,
      // before the server sends a request to an origin that a stranger names.
      const known = isDeclared && !admitted ? undefined : published;
      const { fields = [] } = known?.form ?? {};
      const written = spelling ? withSpelling(fields, posted.values, spelling) : posted.values;
      const values = prefill ? written : withQuery(fields, written, request);
      return { ...parsePost(asked, values, known, admitted, prefill), content: contentOf(posted.values) };
    } catch (error) {
      if (error instanceof Problem) return malformedRequest(error);
      throw error;
    }
  };
  try {
    if (posted && posted.issues.length > 0)
      throw new Problem("validation_failed", { extras: { errors: fieldErrors(deps.config, posted.issues) } });
    let last = await submit(deps, submitBatch, submitter, parameters, parse);
    requireWithinLimit(request, last.result);
    if (last.result.outcome === "captcha_required") {
      posted ??= keep(request, await body.read(), shown);
      await verifyCaptcha(deps, request, captchaToken(deps, posted.values));
      last = await submit(deps, submitBatch, submitter, parameters, parse, last.result);
      requireWithinLimit(request, last.result);
    }
    if (last.result.outcome === "claim_required") {
      last = await withClaim(deps, submitter, (claiming) =>
        submit(deps, submitBatch, claiming, parameters, parse, last.result),
      );
      requireWithinLimit(request, last.result);
    }
    const { result, problem } = last;
    if (result.outcome === "malformed" && problem) throw problem;
    if (!result.response) throw problemFromSql(result.outcome);
    const { form } = address;
    const published = compiledVersion(form);
    const lang = languageOfPage(request, published?.languages, posted?.values);
    const stored = requireReceipt(request, result.response);
    // A repeated page has another outcome.
    if (result.outcome === "stored" && published && posted)
      countSent(asked, { ...address, version: published.version }, posted.values);
    return { form, lang, isInvited: token !== undefined, stored };
  } catch (problem) {
    const isShown = problem instanceof Problem && problem.status < 429 && !wantsJson(request);
    if (!isShown || !posted) throw problem;
    return { asked, posted, problem };
  }
}

/**
 * Reads how the form's page writes values, for a post that does not say it: a page of another site has sent
 * it, or it is not read yet. A program sends values as JSON writes them.
 */
async function spellingOf(
  { deps: { sql }, request, address }: Asked & { address: FormAddress },
  posted?: Posted,
) {
  if (wantsJson(request) || posted?.values.has(ownNames.language)) return undefined;
  const { settings } = await readPage(sql, address, undefined, { ipKey: null, maxRequests: 0 });
  const { page, timeZone, languages } = settings ?? {};
  return inLanguage(request, page ?? {}, {
    timeZone: timeZone ?? undefined,
    languages: languages ?? undefined,
    ownLanguage: undefined,
  }).text;
}

interface ReadPost {
  asked: Asked;
  ipKey: string;
  body: ReadableBody;
  /** Absent: the body is large and of no link, or is not a form. */
  posted?: Posted | undefined;
  /** Set for a post with files: the form is read before them. */
  shown?: PublishedPage;
}

/**
 * Reads the body, unless it is large, and makes the key of the rate limit `name`, before anything is counted.
 * Files in the body are stored.
 * @param uploads reads a body with files
 * @throws {Problem} `rate_limited`, `payload_too_large`; as {@link readUploads}.
 */
export async function readPost(asked: Asked, name: string, uploads = readUploads): Promise<ReadPost> {
  const { deps, request } = asked;
  const { MAX_BODY_BYTES } = deps.config;
  const ipKey = await admitPost(request, name);
  if (isMultipart(request)) {
    const read = await uploads(asked);
    setFailurePage(request, read.posted, read.shown);
    return { ipKey, ...read };
  }
  requireSize(request, MAX_BODY_BYTES);
  const body = new RequestBody(request, MAX_BODY_BYTES);
  // Its values name the invitation of a draft, and the key by which the page of an invitation is sent again.
  if (asked.link) await body.read();
  else await body.readSmall();
  const { bytes } = body;
  const isKept = bytes && (asked.link || bytes.length <= limits.formPage.maxKeptBytes);
  const posted = isKept ? tryKeep(request, bytes) : undefined;
  return { asked, ipKey, body, posted };
}

/** Returns the key of the rate limit. Over the limit a small body is read too, for the problem's page. */
async function admitPost(request: Request, name: string): Promise<string> {
  const { maxRefusedBytes } = limits.formPage;
  try {
    return admitIp(request, name);
  } catch (error) {
    const length = Number(request.headers.get("content-length") ?? Number.NaN);
    if (length <= maxRefusedBytes && !wantsJson(request))
      tryKeep(request, await readBytes(request, maxRefusedBytes));
    throw error;
  }
}

/** Parses the post, whose values the page of a later problem keeps. @throws {Problem} as parseFormText. */
export function keep(request: Request, bytes: Uint8Array, shown?: PublishedPage): Posted {
  const posted = { values: parseFormText(request, bytes), issues: [] };
  setFailurePage(request, posted, shown);
  return posted;
}

/** Returns undefined if the body is not a form, which is reported once the request has been counted. */
function tryKeep(request: Request, bytes: Uint8Array): Posted | undefined {
  try {
    return keep(request, bytes);
  } catch {
    return undefined;
  }
}

/** The content of a post for its key, unless it is the body: a page sent again may differ in the rest. */
function contentOf(values: URLSearchParams): Uint8Array | undefined {
  const content = [...values].filter(([name]) => !(isTokenName(name) || name === ownNames.reached));
  if (content.length === values.size) return undefined;
  return new TextEncoder().encode(new URLSearchParams(content).toString());
}

/** Parses the submission. Before the published version is known, this is only the key. */
function parsePost(
  { deps: { masterKey }, request, address }: Asked & { address: FormAddress },
  values: URLSearchParams,
  published: CompiledVersion | undefined,
  isCurrent: boolean,
  prefill: Readonly<Record<string, unknown>> | undefined,
): ParsedRequest {
  const idempotencyKey = pageKeyOf(values);
  const version = values.get(ownNames.version);
  const parsed: ParsedRequest = { partial: false, idempotencyKey };
  if (!published) return parsed;
  if (isOutdated(idempotencyKey) && !wantsJson(request))
    return { ...parsed, problem: new Problem("idempotency_key_reused") };
  if (version !== null && version !== String(published.version)) {
    // The version that this process holds may be the older one.
    if (!isCurrent) return parsed;
    const current = { version: published.version };
    return { ...parsed, problem: new Problem("conflict", { extras: { current } }) };
  }
  if (hasKept(values) && !isUnchanged(masterKey, address.form, values)) {
    const message = "Kept values of other steps are not those that the page had.";
    return { ...parsed, problem: new Problem("bad_request", { message }) };
  }
  const lang = languageOfPage(request, published.languages, values);
  const { fields } = published.form;
  const read = values.has(ownNames.language)
    ? withSpelling(fields, values, textForLanguage(lang), published.languages)
    : values;
  const whole = prefill ? withInvitation(fields, read, prefill) : read;
  const { data, unstorable, unasked } = readValues(published.form, whole);
  if (unasked.size > 0 && version !== null && !wantsJson(request))
    return { ...parsed, problem: new Problem("validation_failed", { extras: { errors: [] } }) };
  if (!wantsJson(request) && doubtfulIn(published.form, data, values).size > 0) {
    const { errors, unknown, missing } = published.form.validate(data, unstorable);
    // Other errors are shown with the question.
    if (errors.length + unknown.length + missing.length === 0)
      return { ...parsed, problem: new Problem("validation_failed", { extras: { errors: [] } }) };
  }
  const isShown = lang !== undefined && values.get(ownNames.language) === lang;
  const metadata = isShown ? { language: lang } : null;
  return { ...parsed, lang, submission: { data, unstorable, metadata, respondentId: undefined } };
}
