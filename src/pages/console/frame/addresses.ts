/** Addresses of the console. */
import { connectionPath } from "../../../resources/operators/sign-in-connections.ts";

export const signInPath = "/console/sign-in";

export const forgotPath = "/console/forgot-password";

export const home = "/console";

/** The page after the set-up. */
export const welcomePath = "/console/welcome";

/** The name of the hidden field by which a form is shown again with its values, and nothing is done. */
export const resumeField = "formd.resume";

/** Link that begins the sign-in of a connection. */
export const connectionHref = (id: string, query: Record<string, string>): string =>
  `${connectionPath(id)}?${new URLSearchParams(query)}`;

/** Returns a path of the console. Anything else, such as another site's URL, becomes the first page. */
export const ownPath = (path: string | null | undefined): string =>
  path && /^\/console(?:[/?]|$)/.test(path) && !/[\\\s]/.test(path) ? path : home;

/** Returns the address of the page that a form was on. */
export const refererOf = (request: Request): string => {
  const url = URL.parse(request.headers.get("referer") ?? "");
  return ownPath(url && url.pathname + url.search);
};
