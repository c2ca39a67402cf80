/** Links of respondents: their tokens, the headers of their pages, and the texts where one does not open. */
import { randomBytes } from "node:crypto";
import { sha256 } from "../../platform/auth/secret.ts";
import { toByteaText } from "../../platform/database/db.ts";
import { pathOf } from "../../platform/http/request-context.ts";
import type { Problem } from "../../problem.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import type { Asked, Shown } from "./page-request.ts";
import type { Failure, PageText } from "./text/types.ts";

const tokenBytes = 16;

/** Returns a new token: 128 random bits in base64url. */
export const makeLinkToken = (): string => randomBytes(tokenBytes).toString("base64url");

/** The hash by which a token is stored, for a JSON argument of SQL. */
export const linkHash = (token: string): string => toByteaText(sha256(token));

/** The token of the invitation that a page was opened by, also from a draft. @param values of its post */
export const invitationIn = ({ link, invitation }: Asked, values?: URLSearchParams): string | undefined =>
  link?.use === "i"
    ? link.token
    : link?.use === "r"
      ? (invitation ?? values?.get(ownNames.invitation) ?? undefined)
      : undefined;

/** Reason why a change is refused, in `extras.change` of the problem. */
export type ChangeRefusal = "ended" | "off" | "reviewed" | "held";

/** Returns the text of the page of a refused link; undefined: it is that of every page. */
export function linkFailure(
  request: Request,
  { code, extras }: Problem,
  shown: Shown | undefined,
  text: PageText,
): Failure | undefined {
  if (code === "anonymous_not_allowed" && shown?.settings.access === "invited") return text.links.needed;
  const [, use] = /^\/f\/[^/]*\/([rci])\//.exec(pathOf(request)) ?? [];
  if (use === undefined) return undefined;
  if (extras.change !== undefined) return text.change[extras.change as ChangeRefusal];
  if (use !== "c" && code === "gone" && !shown?.isArchived) return text.links.used;
  return code === "not_found" && !shown?.isOffline ? text.links.unknown : undefined;
}
