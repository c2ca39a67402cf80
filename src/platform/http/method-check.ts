import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import { pathOf } from "./request-context.ts";

/** Responds 404, or 405 with `Allow` if another method exists. `/` is a page, no route of the API. */
export function methodCheck(routes: readonly { method: string; path: string }[]) {
  const known = routes
    .filter(({ path }) => path !== "/")
    .map(({ method, path }) => ({
      method,
      pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`),
    }));
  return (request: Request): Problem => {
    const path = pathOf(request);
    const allowed = known
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    return allowed.length === 0
      ? new Problem("not_found", say("route_missing"))
      : new Problem("method_not_allowed", { headers: { allow: [...new Set(allowed)].join(", ") } });
  };
}
