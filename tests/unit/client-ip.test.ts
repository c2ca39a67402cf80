import { describe, expect, test } from "bun:test";
import { clientIp, ipRateLimitKey, peers, siteRateLimitKey } from "../../src/platform/http/client-ip.ts";

const request = (forwarded?: string) =>
  new Request("http://localhost", {
    ...(forwarded !== undefined && { headers: { "x-forwarded-for": forwarded } }),
  });
const server = { requestIP: () => ({ address: "192.0.2.1" }) };

describe("clientIp", () => {
  test.each<[string, string | undefined, number, string]>([
    ["no proxy is trusted: the header is anyone's", "203.0.113.9", 0, "192.0.2.1"],
    ["one proxy: the entry that it added", "203.0.113.9", 1, "203.0.113.9"],
    ["one proxy: not what the client wrote before", "198.51.100.1, 203.0.113.9", 1, "203.0.113.9"],
    ["two proxies: that of the outer one", "198.51.100.1, 203.0.113.9, 10.0.0.1", 2, "203.0.113.9"],
    ["two proxies, one entry: the client went past the outer one", "203.0.113.9", 2, "192.0.2.1"],
    ["no header", undefined, 1, "192.0.2.1"],
    ["an empty header", "", 1, "192.0.2.1"],
    ["an entry that is no address", "203.0.113.9, unknown", 1, "192.0.2.1"],
    ["an entry with a port", "203.0.113.9:4711", 1, "203.0.113.9"],
    ["IPv6 in brackets", "[2001:db8::1]", 1, "2001:db8::1"],
    ["IPv6 in brackets with a port", "[2001:db8::1]:4711", 1, "2001:db8::1"],
    ["a port that is none", "203.0.113.9:x", 1, "192.0.2.1"],
    ["an empty last entry", "203.0.113.9,", 1, "192.0.2.1"],
    ["IPv6", "2001:db8::1", 1, "2001:db8::1"],
    ["white space around", " 203.0.113.9 ,\t10.0.0.1 ", 2, "203.0.113.9"],
  ])("%s", (_, forwarded, hops, address) => {
    expect(clientIp(request(forwarded), server, hops)).toBe(address);
  });

  test("an entry that is not an IP address is reported, a missing one is not", () => {
    const entries: string[] = [];
    for (const forwarded of ["203.0.113.9, unknown", "203.0.113.9:x", "203.0.113.9", "", undefined])
      clientIp(request(forwarded), server, 1, (entry) => entries.push(entry));
    expect(entries).toEqual(["unknown", "203.0.113.9:x"]);
  });

  test("where the runtime knows no peer, the one that was handed over counts", () => {
    const known = request();
    peers.set(known, { remoteAddr: { hostname: "192.0.2.2" } });
    expect(clientIp(known, null, 0)).toBe("192.0.2.2");
    expect(clientIp(request(), null, 0)).toBe("unknown");
    expect(clientIp(request(), { requestIP: () => null }, 0)).toBe("unknown");
  });
});

describe("ipRateLimitKey", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff::1", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["::1", "::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["unknown", "unknown"],
  ])("%s counts as %s", (address, bucket) => {
    expect(ipRateLimitKey(address)).toBe(bucket);
  });
});

test.each([
  ["192.0.2.1", undefined],
  ["::ffff:192.0.2.1", undefined],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:db8:1:ffff::1", "2001:db8:1::/48"],
  ["unknown", undefined],
])("the site of %s is %s", (ip, site) => {
  expect(siteRateLimitKey(ip)).toBe(site as string);
});
