/**
 * Device cookies (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). A browser that has signed
 * in to an account keeps a signed value that proves it, and gives no access. Sign-ins with it have their own
 * rate limit and queue: password guessing from elsewhere cannot lock the account's owner out. Its id has the
 * time of that sign-in by the database's clock: SQL does not know a browser from before the current password.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import type { Deps } from "../deps.ts";
import { cookieHeader, cookieOf } from "../http/cookie.ts";
import type { MasterKey } from "../master-key.ts";
import { sha256 } from "./secret.ts";

/** Without a master key, a cookie is valid in the process that has set it. */
const processKey = randomBytes(32);

/** Bound to the account: the cookie is not valid for other accounts. */
const macOf = (masterKey: MasterKey, email: string, id: string): string =>
  createHmac("sha256", masterKey.isPresent ? masterKey.derive("device-cookie", "") : processKey)
    .update(`${id} ${email.toLowerCase()}`)
    .digest("base64url");

/** The `Set-Cookie` for a browser that has signed in. @param at by the database's clock */
export function deviceCookie(deps: Pick<Deps, "config" | "masterKey">, email: string, at: Date): string {
  const id = uuidv7({ msecs: at.getTime() });
  const value = `${id}.${macOf(deps.masterKey, email, id)}`;
  return cookieHeader(deps.config, "device", value, limits.operator.deviceDays * 86_400);
}

/** The id of a browser that has signed in to this account before; undefined for any other. */
export function knownDevice(deps: Pick<Deps, "config" | "masterKey">, request: Request, email: string) {
  const value = cookieOf(deps.config, request, "device", "[\\da-f-]{36}\\.[\\w-]{43}(?=;|$)");
  const [id, mac] = value.split(".");
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

/** Name of the browser and operating system, for people; null if the User-Agent names neither. */
export function deviceName(request: Request): string | null {
  const agent = request.headers.get("user-agent")?.slice(0, 500) ?? "";
  const find = (names: typeof browsers) => names.find(([, pattern]) => pattern.test(agent))?.[0];
  return [find(browsers), find(systems)].filter(Boolean).join(", ") || null;
}
