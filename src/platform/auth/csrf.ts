/**
 * Cross-site request forgery: a page of another site can make a browser send our cookie, but it can send
 * neither a JSON content type without a CORS preflight nor our Origin. A form post of the console is accepted
 * if its Origin or Sec-Fetch-Site is this server's, or for a browser that sends neither, if it has the token
 * (src/pages/console/frame/session.ts).
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
