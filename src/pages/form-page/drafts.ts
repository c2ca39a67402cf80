/**
 * Drafts that respondents save to continue later. What was posted is sealed by a key that is derived from the
 * master key and the token of the link: neither of them alone opens it, nor does the database.
 */
import { fileIn } from "../../fields/control-values.ts";
import { limits } from "../../limits.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import { contextOf, rawQueryOf } from "../../platform/http/request-context.ts";
import { Uuid } from "../../platform/http/shapes.ts";
import { Problem, type ProblemCode } from "../../problem.ts";
import {
  type DraftRow,
  readBesideDraft,
  readPageWithDraft,
  storeDraft,
} from "../../resources/forms/page-drafts.ts";
import type { ReadPage } from "../../resources/forms/page-read.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { compiledVersion } from "../../resources/submit/versions.ts";
import { isTokenName } from "./captcha.tsx";
import { invitationIn, makeLinkToken } from "./links.ts";
import { pageKeyOf } from "./page-key.ts";
import type { Asked, HeldLink, PublishedPage } from "./page-request.ts";
import { countBegun } from "./reached.ts";
import { readFormPage, requireAddress } from "./read.ts";

/** Reason why a page was not saved, and the time of the draft that stands in its way. */
export interface Unsaved {
  reason: "conflict" | "refused" | "tooMuch";
  code: ProblemCode;
  savedAt?: string;
}

/** Address of the page after saving, or the reason why there is none. Neither: the page has a problem. */
export interface SaveResult {
  address?: string;
  unsaved?: Unsaved;
}

/** The query's own names; others are values of hidden fields. */
const queryNames = ["embed", "lang", "send"];
/** Names of a post that say what to do with it. */
const notKept: readonly string[] = [ownNames.save, ownNames.saved, ownNames.remove, ownNames.goTo];

/** Returns what a draft keeps of a post: the values of its address too, and the invitation's token. */
function contentOf({ request, link }: Asked, posted: URLSearchParams): URLSearchParams {
  const query = [...new URLSearchParams(rawQueryOf(request))].filter(([name]) => !queryNames.includes(name));
  const given = new Set(query.map(([name]) => name));
  const kept = [...posted].filter(
    ([name]) => !notKept.includes(name) && !isTokenName(name) && !given.has(name),
  );
  const content = new URLSearchParams([...kept, ...query]);
  if (link?.use === "i") content.set(ownNames.invitation, link.token);
  return content;
}

/** The time of the last save that a page shows; the beginning of time, if it shows none. */
const savedIn = (posted: URLSearchParams): Date => {
  const at = new Date(posted.get(ownNames.saved) ?? 0);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
};

const uploaderOf = (kind: "page" | "draft", secret: string): string =>
  `${kind}:${Buffer.from(sha256(secret)).toString("hex")}`;

/** Ids of the files that a post names. */
const filesIn = (posted: URLSearchParams): string[] =>
  [...posted.values()].map((text) => fileIn(text)?.id).filter((id) => Uuid.allows(id));

/**
 * Saves a post, by one call. A page of a draft saves that one again; once it has ended, a new one.
 * @param limit counts an alias that is unknown
 * @throws {Problem} `not_found`, `rate_limited` of an alias; `bad_request`; `unavailable` without a key
 */
export async function saveDraft(
  asked: Asked,
  posted: URLSearchParams,
  limit: { ipKey: string; maxRequests: number },
): Promise<SaveResult> {
  const { deps, request, link } = asked;
  const address = await requireAddress(asked, limit);
  const content = new TextEncoder().encode(contentOf(asked, posted).toString());
  const key = pageKeyOf(posted);
  const invitation = invitationIn(asked, posted);
  const uploaders = [
    ...(key === undefined ? [] : [uploaderOf("page", key)]),
    ...(link?.use === "r" ? [uploaderOf("draft", link.token)] : []),
  ];
  const save = async (token: string, expected: Date | null) => {
    const sealed = await deps.masterKey.encrypt("page-draft", token, content);
    if (sealed.length > limits.resume.maxSealedBytes) return { outcome: "too_large", updatedAt: null };
    return await storeDraft(deps.sql, address, {
      ...{ sealed, expected, uploaders, tokenHash: sha256(token), uploads: filesIn(posted) },
      invitationHash: invitation === undefined ? null : sha256(invitation),
      ipKey: `page-draft:ip:${contextOf(request).rateLimitKey}`,
    });
  };
  let token = link?.use === "r" ? link.token : undefined;
  let row = token === undefined ? undefined : await save(token, savedIn(posted));
  if (token === undefined || row?.outcome === "not_found") {
    token = makeLinkToken();
    row = await save(token, null);
  }
  // The version that this process holds: the page was not read.
  const version = row?.outcome === "saved" && compiledVersion(address.form)?.version;
  if (version) countBegun({ ...asked, page: { team: address.team, formId: address.form, version } }, posted);
  return resultOf(asked, token, row as Awaited<ReturnType<typeof storeDraft>>);
}

function resultOf(
  { action, request }: Asked,
  token: string,
  { outcome, updatedAt }: Awaited<ReturnType<typeof storeDraft>>,
): SaveResult {
  switch (outcome) {
    case "saved": {
      const [, , form] = action.split("/");
      const query = new URLSearchParams(rawQueryOf(request));
      const kept = ["embed", "lang"].flatMap((name) => query.getAll(name).map((value) => [name, value]));
      const search = new URLSearchParams(kept).toString();
      return { address: `/f/${form}/r/${token}/saved${search && `?${search}`}` };
    }
    case "conflict":
      return { unsaved: { reason: "conflict", code: "conflict", savedAt: updatedAt?.toISOString() ?? "" } };
    case "too_large":
      return { unsaved: { reason: "tooMuch", code: "payload_too_large" } };
    case "resume_off":
      return { unsaved: { reason: "refused", code: "form_closed" } };
    case "rate_limited":
    case "too_many":
      return { unsaved: { reason: "refused", code: "rate_limited" } };
    default:
      return {};
  }
}

export interface Draft {
  /** Moment at which it ends. */
  expiresAt: Date;
  row: DraftRow;
  /** Its values. Undefined: another key has sealed it. */
  open: () => Promise<URLSearchParams | undefined>;
}

/**
 * Reads the page of a draft's link, in one call.
 * @throws {Problem} as {@link readFormPage}; `not_found` without the draft
 */
export async function readDraft(
  asked: Asked,
  link: HeldLink,
  mustBeOpen: boolean,
): Promise<{ page: PublishedPage; draft: Draft }> {
  let row: DraftRow | undefined;
  const read: ReadPage = async (...page) => {
    row = await readPageWithDraft(sha256(link.token), page);
    return row;
  };
  const page = await readFormPage(asked, { counted: false, mustBeOpen }, undefined, read);
  if (!row?.sealed) throw new Problem("not_found");
  const { sealed, updatedAt, expiresAt } = row;
  const open = async () => {
    const bytes = await asked.deps.masterKey.decryptByAny("page-draft", link.token, sealed);
    if (!bytes) return undefined;
    const values = new URLSearchParams(new TextDecoder().decode(bytes));
    values.set(ownNames.saved, updatedAt.toISOString());
    return values;
  };
  return { page, draft: { expiresAt, row, open } };
}

/**
 * Reads the page of a draft's link and opens its values. An invitation, or an earlier version of the form,
 * takes one more call.
 * @returns `before`: the schema of the earlier version
 */
export async function openDraft(asked: Asked, link: HeldLink) {
  const { page, draft } = await readDraft(asked, link, true);
  const values = await draft.open();
  if (!values) throw new Problem("not_found");
  const invitation = values.get(ownNames.invitation) ?? undefined;
  if (invitation === undefined && page.settings.access === "invited")
    throw new Problem("anonymous_not_allowed");
  const version = Number(values.get(ownNames.version));
  if (invitation === undefined && version === page.version) return { page, values };
  const hash = invitation === undefined ? null : sha256(invitation);
  const row = await readBesideDraft(asked.deps.sql, page, version, hash);
  const [invited, before] = [row.invited, row.before ?? undefined];
  if (hash === null) return { page, values, before };
  const read: ReadPage = async () => ({ ...draft.row, ...(invited ? { invitation: invited } : notFound) });
  const options = { counted: true, mustBeOpen: true };
  return { page: await readFormPage({ ...asked, invitation }, options, undefined, read), values, before };
}

const notFound = { outcome: "not_found", settings: null, name: null };
