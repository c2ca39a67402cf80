/** Cookies of formd. */
import type { Config } from "../config.ts";

type CookieName = "session" | "device" | "sign_in";

const isHttps = ({ BASE_URL }: Config) => BASE_URL.startsWith("https:");

/** With https the prefix excludes cookies of subdomains and plain HTTP (RFC 6265bis, section 4.1.3). */
export const cookieName = (config: Config, name: CookieName) =>
  `${isHttps(config) ? "__Host-" : ""}formd_${name}`;

/** The `Set-Cookie` of a cookie. @param maxAge seconds; 0 deletes it */
export const cookieHeader = (
  config: Config,
  name: CookieName,
  value: string,
  maxAge: number,
  sameSite = "Strict",
) =>
  `${cookieName(config, name)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=${sameSite}${isHttps(config) ? "; Secure" : ""}`;

/** The value of a request's cookie; "" without one. @param pattern of the value */
export const cookieOf = (config: Config, request: Request, name: CookieName, pattern = "[\\w-]+"): string => {
  const found = new RegExp(`(?:^|;\\s*)${cookieName(config, name)}=(${pattern})`);
  return found.exec(request.headers.get("cookie") ?? "")?.[1] ?? "";
};
