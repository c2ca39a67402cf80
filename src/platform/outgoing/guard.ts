/**
 * Restricts the destinations of requests that the server sends to what others name: people of a team the URLs
 * of webhooks and identity providers, strangers the origins of declared agents. Each could otherwise reach
 * internal services (server-side request forgery).
 */
import { lookup as resolve } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { say, type UrlMember } from "../../messages.ts";
import { Problem, type ProblemCode } from "../../problem.ts";
import type { Config } from "../config.ts";

/** Non-public networks in CIDR notation that outgoing requests may reach. */
export type Networks = readonly string[];

/** Settings with the networks by who names a destination. A stranger never gets those of an admin. */
const settings = {
  webhook: "OUTGOING_ALLOWED_NETWORKS",
  provider: "OUTGOING_ALLOWED_NETWORKS",
  stranger: "DECLARED_AGENT_NETWORKS",
} as const;

/** The networks that a request of this purpose may reach. Nothing else reads the settings. */
export const networksFor = (config: Config, purpose: keyof typeof settings): Networks =>
  config[settings[purpose]];

/** Thrown for a forbidden destination. */
class RefusedDestination extends Error {
  override name = "RefusedDestination";

  constructor(
    message: string,
    readonly key?: "address_not_public" | "address_https_only",
  ) {
    super(message);
  }
}

const isAllowed = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: Networks): boolean =>
  networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === address.kind() && address.match(base, bits);
  });

/** Checks for a public address. For IPv6: 2000::/3 (RFC 4291, section 2.4), without special ranges. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(ipaddr.IPv6.parse("2000::"), 3);
}

/**
 * Checks an address before a connection to it.
 * @param address an IP address; IPv4 in IPv6 (`::ffff:10.0.0.1`) counts as the IPv4 address
 * @throws {RefusedDestination}
 */
export function requireReachable(address: string, protocol: string, networks: Networks): void {
  const parsed = ipaddr.process(address);
  if (isAllowed(parsed, networks)) return;
  if (!isPublic(parsed))
    throw new RefusedDestination(`The address ${address} is not public.`, "address_not_public");
  if (protocol !== "https:")
    throw new RefusedDestination(
      `The address ${address} may be reached by https only.`,
      "address_https_only",
    );
}

const hostOfUrl = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** An IP address as host, in any spelling since the URL parser has normalized it, or those of localhost. */
function addressesOf(host: string): string[] {
  if (/(?:^|\.)localhost\.?$/.test(host)) return ["127.0.0.1", "::1"]; // RFC 6761, section 6.3
  return isIP(host) ? [host] : [];
}

/** Resolves a name for one connection, to checked addresses. One forbidden address forbids the name. */
export const checkedLookup =
  (protocol: string, networks: Networks, resolver: typeof resolve = resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (error, addresses) => {
      try {
        if (error) throw error;
        for (const { address } of addresses) requireReachable(address, protocol, networks);
        const [first] = addresses;
        if (!first) throw new RefusedDestination(`${hostname} has no address.`);
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      } catch (reason) {
        callback(reason as Error, "", 0);
      }
    });
  };

/** Checks a URL's host if it is an IP address or localhost. @throws {RefusedDestination} */
export function requireReachableHost(url: URL, networks: Networks): void {
  const addresses = addressesOf(hostOfUrl(url));
  if (addresses.some((address) => isAllowed(ipaddr.process(address), networks))) return;
  for (const address of addresses) requireReachable(address, url.protocol, networks);
}

/** Checks the host of a URL that was sent as `member`. @throws {Problem} `code` */
export function requireAllowedHost(url: URL, networks: Networks, member: UrlMember, code: ProblemCode): void {
  try {
    requireReachableHost(url, networks);
  } catch (error) {
    const { key } = error as RefusedDestination;
    throw key ? new Problem(code, say(key, { member, address: hostOfUrl(url) })) : error;
  }
}
