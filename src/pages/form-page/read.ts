/** Reads the data of a form's page: the published version and the settings, in one call. */
import { fullOf } from "../../fields/option-limits.ts";
import { limits } from "../../limits.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import { closedProblem } from "../../platform/auth/submitter.ts";
import { admitIp, requireRateLimit, takeRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem, problemFromSql } from "../../problem.ts";
import { requireFiles } from "../../resources/files/upload.ts";
import { findAlias, type ReadPage, readPage } from "../../resources/forms/page-read.ts";
import { Alias } from "../../resources/forms/settings.ts";
import { compiledVersion, formInLanguage, publishedVersion } from "../../resources/submit/versions.ts";
import { requireCaptcha } from "./captcha.tsx";
import { setFailurePage } from "./failure.tsx";
import { inLanguage } from "./language.ts";
import { invitationIn } from "./links.ts";
import type { Asked, Posted, PublishedPage } from "./page-request.ts";
import { isEmbedded } from "./page-request.ts";

/** Length of the part of a token's hash that names the draft of an invitation in the browser. */
const draftNameLength = 16;

/** The rate limit of a request's client IP: its key, and how many requests it allows in a minute. */
interface IpLimit {
  ipKey: string;
  maxRequests: number;
}

/**
 * The form of an id, or of an alias, which takes one more call per request.
 * @param limit counts an unknown alias, which no other call counts; absent: the request was counted
 * @throws {Problem} `not_found`, `rate_limited`.
 */
export async function requireAddress({ deps: { sql }, request, address }: Asked, limit?: IpLimit) {
  if (typeof address !== "string") return address;
  if (!Alias.allows(address)) throw new Problem("not_found");
  const found = await findAlias(sql, address);
  if (found) return found;
  if (limit) {
    const { ipKey, maxRequests } = limit;
    const { allowed, ...rate } = await takeRateLimit(sql, ipKey, maxRequests);
    const outcome = allowed ? "not_found" : "rate_limited";
    requireRateLimit(request, outcome, { limitName: "ip", maxRequests, ...rate });
  }
  throw new Problem("not_found");
}

interface ReadPageOptions {
  /** True: another rate limit has counted the request; otherwise the limit of pages counts it. */
  counted: boolean;
  mustBeOpen: boolean;
  /** True: invited people see the page without their link, as the one after a submission. */
  isSent?: boolean;
  /** True: an invitation that was used is no problem yet, since the post may be one that is sent again. */
  mayBeUsed?: boolean;
}

/**
 * Reads the published form of an id or alias.
 * @param posted for the page of a problem
 * @param read reads the page, and something with it
 * @throws {Problem} `rate_limited`, `not_found`, `gone`, `anonymous_not_allowed`; if it must be open
 * `form_closed`, `captcha_unavailable`.
 */
export async function readFormPage(
  asked: Asked,
  { counted, mustBeOpen, isSent = false, mayBeUsed = false }: ReadPageOptions,
  posted?: Posted,
  read: ReadPage = readPage,
): Promise<PublishedPage> {
  const { deps, request, link } = asked;
  const maxRequests = limits.formPage.requestsPerMinute;
  const ipKey = counted ? null : admitIp(request, "form-page");
  const limit = ipKey === null ? undefined : { ipKey, maxRequests };
  const { team, form } = await requireAddress(asked, limit);
  const held = compiledVersion(form);
  const token = invitationIn(asked, posted?.values);
  const hash = token === undefined ? undefined : sha256(token);
  const invitation = isSent ? "sent" : hash;
  const row = await read(deps.sql, { team, form }, held?.version, { ipKey, maxRequests }, invitation);
  const { outcome, settings: all, name, description, formVersion, formSchema } = row;
  if (!counted) requireRateLimit(request, outcome, { limitName: "ip", maxRequests, ...row });
  const languages = all?.languages ?? (held?.version === formVersion ? held.languages : undefined);
  const shown = inLanguage(
    request,
    all?.page ?? {},
    {
      timeZone: all?.timeZone ?? undefined,
      languages,
      ownLanguage: all?.ownLanguage ?? undefined,
      invited: row.invitation?.language ?? undefined,
    },
    posted?.values,
  );
  const title = shown.settings.title || (name ?? "");
  // A form that was never online comes without its name.
  const state = { isOffline: outcome === "not_found", isArchived: outcome === "gone" };
  const known = name === null ? shown : { ...shown, title, ...state };
  setFailurePage(request, posted, known);
  if (outcome !== "allowed") throw problemFromSql(outcome);
  if (row.invitation?.isUsed && !mayBeUsed) throw new Problem("gone");
  if (all?.closed && mustBeOpen) throw closedProblem(all.closed);
  const published = publishedVersion(form, held, { formVersion, formSchema });
  if (published.form.fileFields.length > 0) requireFiles(deps);
  // Otherwise it is the page after a submission.
  const showsForm = mustBeOpen || counted;
  const captcha = all?.captcha?.enabled && showsForm ? requireCaptcha(deps) : undefined;
  const left = all?.left ?? undefined;
  const isClosed = Boolean(all?.closed);
  const isSavable = link?.use === "r" || (link?.use !== "c" && shown.settings.resume?.enabled === true);
  return {
    ...published,
    ...shown,
    form: formInLanguage(published, shown.text.lang),
    title,
    team,
    formId: form,
    name: name ?? "",
    description,
    address: deps.config.BASE_URL + asked.action,
    captcha,
    left,
    full: left && fullOf(left),
    isClosed,
    isSavable: isSavable && deps.masterKey.isPresent,
    link,
    isEmbedded: isEmbedded(request),
    ...(row.invitation && {
      invited: {
        prefill: row.invitation.prefill,
        draft: `${form}/${hash?.toHex().slice(0, draftNameLength)}`,
      },
    }),
  };
}
