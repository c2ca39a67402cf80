/**
 * Cross-site request forgery: a page of another site can make a browser send our cookie, but it can send
 * neither a JSON content type without a CORS preflight nor our Origin. A post of the console's forms passes
 * by an Origin or Sec-Fetch-Site of this server; of a browser that sends neither, by the token in it
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
