/**
 * Cross-site request forgery: another site can make a browser send our cookie, but neither JSON without a
 * CORS preflight nor our Origin. A form post of the console needs this Origin or Sec-Fetch-Site, or else
 * the token (src/pages/console/frame/session.ts).
 */

import { Problem } from "../../problem.ts";
import type { Deps } from "../deps.ts";
import { isJson } from "../http/body.ts";
import { hostOf } from "../http/host.ts";
import { isRead } from "../http/request-context.ts";

/** @throws {Problem} `csrf_rejected` for a write by cookie that a page of another site could have caused. */
export function requireCsrfSafe(deps: Deps, request: Request): void {
  if (isRead(request)) return;
  if (!isJson(request)) throw new Problem("csrf_rejected");
  requireSameOrigin(deps, request);
}

/** The part of {@link requireCsrfSafe} that a form post must pass too. @throws {Problem} `csrf_rejected`. */
export function requireSameOrigin({ config }: Deps, request: Request): void {
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const base = new URL(config.BASE_URL);
  const own = `${base.protocol}//${hostOf(request, config)}`;
  if (origin !== base.origin && origin !== own) throw new Problem("csrf_rejected");
}
