/**
 * Device cookies (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"): a browser that has signed
 * in to an account keeps a signed value that says so. It opens nothing; a sign-in with it has a rate limit
 * and a queue of its own, so that those who guess passwords from elsewhere cannot keep its person out.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { limits } from "../../limits.ts";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import type { MasterKey } from "../master-key.ts";
import { sha256 } from "./secret.ts";

/** Without a master key, a cookie counts in the process that has set it. */
const processKey = randomBytes(32);

const isHttps = ({ BASE_URL }: Config) => BASE_URL.startsWith("https:");
const cookieName = (config: Config) => (isHttps(config) ? "__Host-formd_device" : "formd_device");

/** Bound to the account: a browser proves nothing about the accounts of others. */
const macOf = (masterKey: MasterKey, email: string, id: string): string =>
  createHmac("sha256", masterKey.isPresent ? masterKey.derive("device-cookie", "") : processKey)
    .update(`${id} ${email.toLowerCase()}`)
    .digest("base64url");

/** The `Set-Cookie` for a browser that has signed in. */
export function deviceCookie(deps: Pick<Deps, "config" | "masterKey">, email: string): string {
  const id = randomBytes(16).toString("base64url");
  const secure = isHttps(deps.config) ? "; Secure" : "";
  const maxAge = limits.operator.deviceDays * 86_400;
  return `${cookieName(deps.config)}=${id}.${macOf(deps.masterKey, email, id)}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** The id of a browser that has signed in to this account before; undefined for any other. */
export function knownDevice(
  deps: Pick<Deps, "config" | "masterKey">,
  request: Request,
  email: string,
): string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${cookieName(deps.config)}=([\\w-]{22})\\.([\\w-]{43})(?:;|$)`);
  const [, id, mac] = pattern.exec(request.headers.get("cookie") ?? "") ?? [];
  if (!id || !mac) return undefined;
  const isOf = (key: MasterKey) => timingSafeEqual(sha256(mac), sha256(macOf(key, email, id)));
  return deps.masterKey.all.some(isOf) ? id : undefined;
}

const browsers: [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
];
const systems: [name: string, pattern: RegExp][] = [
  ["iPad", /\biPad\b/],
  ["iPhone", /\biPhone\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["Chrome OS", /\bCrOS\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

/** Browser and system by which a person knows a device; null where the User-Agent names neither. */
export function deviceName(request: Request): string | null {
  const agent = request.headers.get("user-agent")?.slice(0, 500) ?? "";
  const find = (names: typeof browsers) => names.find(([, pattern]) => pattern.test(agent))?.[0];
  return [find(browsers), find(systems)].filter(Boolean).join(", ") || null;
}
