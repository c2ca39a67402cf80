/**
 * Whose request is it: the client's address, and the throttle bucket that stands for it.
 *
 * @module
 */
import ipaddr from "ipaddr.js";

/** Peer addresses on runtimes where Elysia does not know them (Deno); handed over by whoever accepts connections. */
export const peerIps = new WeakMap<Request, string>();

/** What Bun's server tells about a connection; Elysia passes it on. */
export interface Server {
  requestIP(request: Request): { address: string } | null;
}

/**
 * The client's address.
 *
 * With `hops` trusted proxies in front, that is the entry of X-Forwarded-For that the outermost of them added, counted from the
 * right; what stands further left, anyone may have written. Without, or with too few entries, it is the peer's.
 */
export function clientIp(request: Request, server: Server | null, hops: number): string {
  const peer = peerIps.get(request) ?? server?.requestIP(request)?.address ?? "unknown";
  if (hops === 0) return peer;
  const entries = (request.headers.get("x-forwarded-for") ?? "").split(",").map((entry) => entry.trim());
  const entry = entries.at(-hops) ?? "";
  return ipaddr.isValid(entry) ? entry : peer;
}

/**
 * What a throttle counts as one client: an IPv4 address (also when written as IPv6), or the /64 of an IPv6 address, since a
 * single subscriber has that many and could otherwise take a new one for every request.
 */
export function ipRateLimitKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString()}/64`;
}
