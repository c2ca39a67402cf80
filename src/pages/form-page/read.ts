/** What a form's page shows: the published version and the settings, in one call. */

import type { FullOptions } from "../../fields/option-limits.ts";
import { limits } from "../../limits.ts";
import { closedProblem } from "../../platform/auth/submitter.ts";
import type { Deps } from "../../platform/deps.ts";
import { admitIp, requireRateLimit, takeRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem, problemFromSql } from "../../problem.ts";
import { requireFiles } from "../../resources/files/upload.ts";
import { type FormAddress, parsePageId } from "../../resources/forms/page-address.ts";
import { findAlias, readPage } from "../../resources/forms/page-read.ts";
import { Alias } from "../../resources/forms/settings.ts";
import { type CompiledVersion, compiledVersion, publishedVersion } from "../../resources/submit/versions.ts";
import { type Captcha, requireCaptcha } from "./captcha.tsx";
import { isEmbedded, type PageRequest, type PageSettings } from "./page-request.ts";

export interface PublishedPage extends CompiledVersion {
  team: string;
  formId: string;
  name: string;
  description: string | null;
  settings: PageSettings;
  /** Absent: the form requires none. */
  captcha: Captcha | undefined;
  /** The options that are full; absent: none is. */
  full?: FullOptions | undefined;
  /** That of its opening times and of the time on the page after a submission. */
  timeZone?: string | undefined;
  /** Whether it accepts no submissions now. */
  isClosed?: boolean;
  /** Whether the page is a part of another one. */
  isEmbedded?: boolean;
  /** Above the page, in the words of the console: what is entered is not stored. */
  banner?: string;
}

/** The rate limit of a request's client IP: its key, and how many requests it allows in a minute. */
interface IpLimit {
  ipKey: string;
  maxRequests: number;
}

/**
 * The form of an id, or of an alias, which takes one more call per request.
 *
 * @param limit what a request for an alias of no form counts in, since no other call counts it; absent when
 * the request has been counted
 * @throws {Problem} `not_found`, `rate_limited`.
 */
export async function requireAddress(
  deps: Deps,
  pageRequest: PageRequest,
  text: string,
  limit?: IpLimit,
): Promise<FormAddress> {
  pageRequest.address ??= parsePageId(text) ?? (await requireAlias(deps, pageRequest.request, text, limit));
  return pageRequest.address;
}

async function requireAlias(
  { sql }: Deps,
  request: Request,
  text: string,
  limit: IpLimit | undefined,
): Promise<FormAddress> {
  if (!Alias.allows(text)) throw new Problem("not_found");
  const address = await findAlias(sql, text);
  if (address) return address;
  if (limit) {
    const { ipKey, maxRequests } = limit;
    const { allowed, ...rate } = await takeRateLimit(sql, ipKey, maxRequests);
    const outcome = allowed ? "not_found" : "rate_limited";
    requireRateLimit(request, outcome, { limitName: "ip", maxRequests, ...rate });
  }
  throw new Problem("not_found");
}

/**
 * The published form of an id or alias.
 *
 * @param counted whether the request has been counted in another rate limit; otherwise it counts in that of
 * pages
 * @throws {Problem} `rate_limited`, `not_found`, `gone`, `form_not_published`, `anonymous_not_allowed`; if it
 * must be open `form_closed`, `captcha_unavailable`.
 */
export async function readFormPage(
  deps: Deps,
  pageRequest: PageRequest,
  text: string,
  { counted, mustBeOpen }: { counted: boolean; mustBeOpen: boolean },
): Promise<PublishedPage> {
  const { request } = pageRequest;
  const maxRequests = limits.formPage.requestsPerMinute;
  const ipKey = counted ? null : admitIp(request, "form-page");
  const limit = ipKey === null ? undefined : { ipKey, maxRequests };
  const { team, form } = await requireAddress(deps, pageRequest, text, limit);
  const held = compiledVersion(form);
  const row = await readPage(deps.sql, { team, form }, held?.version, { ipKey, maxRequests });
  const { outcome, settings: all, name, description, formVersion, formSchema } = row;
  if (!counted) requireRateLimit(request, outcome, { limitName: "ip", maxRequests, ...row });
  const settings: PageSettings = all?.page ?? {};
  pageRequest.settings = settings;
  pageRequest.timeZone = all?.timeZone ?? undefined;
  pageRequest.language = settings.language;
  pageRequest.embedOrigins = settings.embedOrigins;
  if (outcome !== "allowed") throw problemFromSql(outcome);
  pageRequest.title = settings.title || name;
  if (all?.closed && mustBeOpen) throw closedProblem(all.closed);
  const published = publishedVersion(form, held, { formVersion, formSchema });
  if (published.form.fileFields.length > 0) requireFiles(deps);
  // Otherwise it is the page after a submission.
  const showsForm = mustBeOpen || counted;
  const captcha = all?.captcha?.enabled && showsForm ? requireCaptcha(deps) : undefined;
  const full = all?.full ?? undefined;
  const isClosed = Boolean(all?.closed);
  return {
    ...published,
    team,
    formId: form,
    name,
    description,
    settings,
    captcha,
    full,
    isClosed,
    timeZone: pageRequest.timeZone,
    isEmbedded: isEmbedded(pageRequest),
  };
}
