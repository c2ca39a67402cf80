/** The IP address of a request's client, and how rate limits count it. */
import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { contextOf } from "./request-context.ts";

/** A connection on Deno. The runtime looks the address up when it is read. */
export interface Peer {
  readonly remoteAddr: { hostname: string };
}

/** Peers on Deno, which Elysia does not know. main.ts sets them. */
export const peers = new WeakMap<Request, Peer>();

/** Bun's server, which Elysia passes on. */
export interface Server {
  requestIP(request: Request): { address: string } | null;
}

/**
 * The client IP. With `hops` trusted proxies in front it is the entry of X-Forwarded-For that the outermost
 * of them added, counted from the right: the client may have written the others. Without such an address it
 * is the peer's IP.
 *
 * @param onUnreadable is called with an entry that is no address: such clients share the proxy's rate limits
 */
export function clientIp(
  request: Request,
  server: Server | null,
  hops: number,
  onUnreadable: (entry: string) => void = () => {},
): string {
  // Calls the runtime, which a request through a proxy does not need.
  const peer = () =>
    peers.get(request)?.remoteAddr.hostname ?? server?.requestIP(request)?.address ?? "unknown";
  if (hops === 0) return peer();
  const entry = (request.headers.get("x-forwarded-for") ?? "").split(",").at(-hops)?.trim() ?? "";
  if (isIPv4(entry)) return entry;
  const ip = withoutPort(entry);
  if (ipaddr.isValid(ip)) return ip;
  if (entry) onUnreadable(entry);
  return peer();
}

/** Some proxies add the port, and then write IPv6 in brackets: `198.51.100.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;

/** A client's key in rate limits: IPv4 (also as IPv6), or the /64 of its IPv6: a subscriber has all of it. */
export const ipRateLimitKey = (ip: string): string =>
  isIPv4(ip) ? ip : (ipv6Network(ip, 64) ?? normalize(ip));

/** The /48 of an IPv6 address, since a subscriber may have a whole /48. Undefined for IPv4. */
export const siteRateLimitKey = (ip: string): string | undefined => ipv6Network(ip, 48);

/** Checks whether an IP address is a loopback address (127.0.0.0/8 or ::1, also when written as IPv6). */
const isLoopbackIp = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback";

/** Checks whether client and peer are on this machine. A proxy here must be in TRUSTED_PROXY_HOPS. */
export const isFromThisMachine = (request: Request, server: Server | null): boolean =>
  // The first IP may be a proxy's. The second can be forged if there is no proxy.
  isLoopbackIp(clientIp(request, server, 0)) && isLoopbackIp(contextOf(request).clientIp);

const normalize = (ip: string) => (ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip);

function ipv6Network(ip: string, bits: number): string | undefined {
  if (!ipaddr.isValid(ip)) return undefined;
  const parsed = ipaddr.process(ip);
  if (parsed instanceof ipaddr.IPv4) return undefined;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${bits}`).toString()}/${bits}`;
}
