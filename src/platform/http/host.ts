/** The host that a request names. */

import { Problem } from "../../problem.ts";
import { type Config, isAuthority } from "../config.ts";
import { contextOf, pathOf } from "./request-context.ts";

/** Lower case, without BASE_URL's default port (RFC 9110, section 4.2.3): a proxy may end TLS. */
const normalize = (host: string, { BASE_URL }: Pick<Config, "BASE_URL">): string =>
  host.toLowerCase().replace(BASE_URL.startsWith("https:") ? /:443$/ : /:80$/, "");

/** The host and port that a request names. X-Forwarded-Host is never read, since any client may send it. */
export const hostOf = (request: Request, config: Pick<Config, "BASE_URL">): string =>
  normalize(request.headers.get("host") ?? "", config);

/** A name has 253 characters, a port 6. */
const maxShownHostLength = 260;

/** Routes that allow any host, since probes call them by IP address. */
const open = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Checks for a host of this server: BASE_URL's, ALLOWED_HOSTS, or any loopback name if BASE_URL has one.
 * This stops DNS rebinding, and keeps unusual hosts from Elysia's router.
 */
export function hostCheck(config: Config): (request: Request) => boolean {
  const base = new URL(config.BASE_URL).host;
  const known = new Set([base, ...config.ALLOWED_HOSTS.map((host) => normalize(host, config))]);
  const isLocal = isLoopback(base);
  const { port } = new URL(config.BASE_URL);
  // The usual names. Others are parsed first, which costs a microsecond.
  if (isLocal)
    for (const name of ["localhost", "127.0.0.1", "[::1]"]) known.add(port ? `${name}:${port}` : name);
  return (request) => {
    const host = hostOf(request, config);
    // An absolute-form target takes precedence (RFC 9112, section 3.2.2). Deno shows its host, Bun does not.
    const target = normalize(/^\w+:\/\/([^/?#]*)/.exec(request.url)?.[1] ?? "", config);
    if (!isAuthority(host)) return false;
    const isKnown = known.has(host) || (isLocal && isLoopback(host));
    if (isKnown && (target === host || parsed(target) === parsed(host))) return true;
    return open.has(pathOf(request));
  };
}

/** The 400 for a foreign host. It names both, for the administrator of a proxy that drops Host. */
export function foreignHost(request: Request, { BASE_URL }: Config): Problem {
  const host = (request.headers.get("host") ?? "").slice(0, maxShownHostLength);
  contextOf(request).cause = { host };
  return new Problem(
    "bad_request",
    `The Host ${JSON.stringify(host)} is not one of this server's, such as ${new URL(BASE_URL).host}. Let the proxy pass Host on, or set BASE_URL or ALLOWED_HOSTS.`,
  );
}

/** Normalizes as `request.url` does: without port 80, an IP address in its shortest form. */
const parsed = (host: string): string | undefined => URL.parse(`http://${host}`)?.host;

/** Checks for a name or an address of this machine, with or without a port. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(URL.parse(`http://${host}`)?.hostname ?? "");
