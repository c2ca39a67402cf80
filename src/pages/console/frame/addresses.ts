/** Addresses of the console. */
import { connectionPath } from "../../../resources/operators/sign-in-connections.ts";

export const signInPath = "/console/sign-in";

export const forgotPath = "/console/forgot-password";

export const home = "/console";

/** The page after the set-up. */
export const welcomePath = "/console/welcome";

/** The name of the hidden field by which a form is shown again with its values, and nothing is done. */
export const resumeField = "formd.resume";

/**
 * Maximum length of an address that has texts of people. Proxies take a line of 8 KB, and servers 16 KB of
 * lines: the next request has the address in its `Referer` as well, and cookies.
 */
export const maxAddressLength = 6_000;

export const isShort = (address: string): boolean => address.length <= maxAddressLength;

/** An address of an own page that another address has. A query that is too long is omitted. */
const withNext = (address: string, { next, ...query }: Record<string, string> & { next: string }): string => {
  const of = (to: string) => `${address}?${new URLSearchParams({ ...query, next: to })}`;
  return [next, next.replace(/\?.*/s, "")].map(of).find(isShort) ?? of(home);
};

/** Sign-in page that leads to another page. */
export const signInHref = (next: string): string => withNext(signInPath, { next });

/** Link that begins the sign-in of a connection. */
export const connectionHref = (id: string, query: Record<string, string>): string =>
  query.next === undefined
    ? `${connectionPath(id)}?${new URLSearchParams(query)}`
    : withNext(connectionPath(id), { ...query, next: query.next });

/** Returns a path of the console. Anything else, such as another site's URL, becomes the first page. */
export const ownPath = (path: string | null | undefined): string =>
  path && /^\/console(?:[/?]|$)/.test(path) && !/[\\\s]/.test(path) ? path : home;

/** Returns the address of the page that a form was on. */
export const refererOf = (request: Request): string => {
  const url = URL.parse(request.headers.get("referer") ?? "");
  return ownPath(url && url.pathname + url.search);
};
