import { say } from "../../messages.ts";
import { Problem } from "../../problem.ts";
import { pathOf } from "./request-context.ts";

/** A request that people expect to exist, and that no route takes. */
export interface ExpectedRoute {
  method: string;
  /** Its first group is in the sentence. */
  pattern: RegExp;
  /** Makes a sentence about the way that exists. */
  instead: (group: string) => string;
}

/** Responds 404, or 405 with `Allow` if another method exists. */
export function methodCheck(
  routes: readonly { method: string; path: string }[],
  expected: readonly ExpectedRoute[],
) {
  const known = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`),
  }));
  return (request: Request): Problem => {
    const path = pathOf(request);
    const allowed = known
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const { method } = request;
    const instead = expected.flatMap((each) => {
      const [, group] = (each.method === method && each.pattern.exec(path)) || [];
      return group === undefined ? [] : [each.instead(group)];
    });
    if (allowed.length === 0)
      return new Problem("not_found", instead[0] === undefined ? say("route_missing") : instead[0]);
    const allow = [...new Set(allowed)].join(", ");
    return new Problem("method_not_allowed", {
      message: [...instead, `This route takes ${allow}, not ${method}.`].join(" "),
      headers: { allow },
    });
  };
}
