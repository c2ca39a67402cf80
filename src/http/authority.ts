/** The authority of a URL (host and port), as requests name it. */
import type { Config } from "../config.ts";

/** In lower case and without the scheme's default port (RFC 9110, section 4.2.3). The scheme is BASE_URL's: a proxy may terminate TLS. */
export const normalizeAuthority = (authority: string, { BASE_URL }: Pick<Config, "BASE_URL">): string =>
  authority.toLowerCase().replace(BASE_URL.startsWith("https:") ? /:443$/ : /:80$/, "");

/** The authority that a request names. X-Forwarded-Host is never read: anyone may send it. */
export const authorityOf = (request: Request, config: Pick<Config, "BASE_URL">): string =>
  normalizeAuthority(request.headers.get("host") ?? "", config);
