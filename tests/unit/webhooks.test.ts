/** Network access of webhooks, without a server: the addresses that they may reach, and the signatures. */
import { afterAll, describe, expect, test } from "bun:test";
import type { lookup } from "node:dns";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { MasterKey, parseMasterKey } from "../../src/platform/master-key.ts";
import { checkedLookup, requireReachable } from "../../src/platform/outgoing/guard.ts";
import { deliver } from "../../src/resources/webhooks/deliver.ts";
import { DeliverySigner, secretsOf, verifyDelivery } from "../../src/resources/webhooks/signature.ts";
import { requireDestination } from "../../src/resources/webhooks/webhooks.ts";

/** Spellings of private, local and special addresses that a URL can have. */
const privateHosts = [
  ..."127.0.0.1 127.1 127.255.255.254 0.0.0.0 0 2130706433 0x7f000001 0x7f.1 017700000001".split(" "),
  ..."0177.0.0.1 127.0.1 127.0.0.1. 10.0.0.1 10.1 0xa000001 172.16.0.1 172.31.255.255".split(" "),
  ..."192.168.0.1 192.168.257 169.254.169.254 0xa9fea9fe 2852039166 100.64.0.1 198.18.0.1".split(" "),
  ..."192.0.0.1 192.0.2.1 224.0.0.1 240.0.0.1 255.255.255.255 １２７.0.0.1 127。0。0。1".split(" "),
  ..."[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a00:1] [::127.0.0.1]".split(
    " ",
  ),
  ..."[fe80::1] [fc00::1] [fd12:3456::1] [fec0::1] [ff02::1] [64:ff9b::7f00:1] [2002:7f00:1::]".split(" "),
  ..."[2001:db8::1] [2001::7f00:1] [100::1] [64:ff9b:1::a00:1] [::ffff:0:127.0.0.1]".split(" "),
];

describe("addresses that are not public", () => {
  test(`there are ${privateHosts.length} spellings below`, () =>
    expect(privateHosts.length).toBeGreaterThan(40));

  test.each(privateHosts)("https://%s/ is refused when it is set, and when it is sent", async (host) => {
    expect(() => requireDestination(`https://${host}/`, [])).toThrow(
      expect.objectContaining({
        code: "invalid_body",
        message: expect.stringMatching(/^url: The address .* not public/),
      }),
    );
    expect(await deliver(`https://${host}:1/`, {}, "{}", [])).toEqual({
      error: expect.stringMatching(/^The address .* is not public\.$/),
    });
  });

  test.each(["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34"])(
    "%s is public",
    (address) => {
      requireReachable(address, "https:", []);
      expect(() => requireReachable(address, "http:", [])).toThrow("https only");
    },
  );

  test("a network that is allowed is reached, by http as well; another one is not", () => {
    requireReachable("10.1.2.3", "http:", ["10.1.0.0/16"]);
    requireReachable("::ffff:10.1.2.3", "https:", ["10.1.0.0/16"]);
    requireReachable("fd00::1", "http:", ["fd00::/8"]);
    expect(() => requireReachable("10.2.0.1", "http:", ["10.1.0.0/16", "fd00::/8"])).toThrow("not public");
  });
});

describe("the URL of a webhook", () => {
  test.each([
    ["ftp://example.org/", "an https URL"],
    ["http://example.org/", "an https URL, or http to an address in OUTGOING_ALLOWED_NETWORKS."],
    [
      "https://localhost:9000/",
      "url: The address localhost is not public, and not in OUTGOING_ALLOWED_NETWORKS.",
    ],
    ["https://LOCALHOST./", "The address localhost. is not public"],
    ["https://hook.dev.localhost/", "The address hook.dev.localhost is not public"],
    ["example.org", "an https URL"],
    ["https://user:password@example.org/", "a user or password"],
    ["https://example.org/#a", "a fragment"],
    [`https://example.org/${"ü".repeat(500)}`, "at most 2000 characters"],
  ])("%s is refused", (url, reason) => {
    expect(() => requireDestination(url, [])).toThrow(reason);
  });

  test("may have localhost where one of its addresses is allowed, also by http", () => {
    for (const networks of [["127.0.0.0/8"], ["::1/128"]])
      for (const url of ["http://localhost:9000/", "https://a.localhost/"])
        expect(requireDestination(url, networks)).toBe(url);
    expect(() => requireDestination("http://localhost/", ["10.0.0.0/8"])).toThrow("localhost is not public");
    expect(requireDestination("https://localhost.example.org/", [])).toBe("https://localhost.example.org/");
    expect(requireDestination("https://mylocalhost/", [])).toBe("https://mylocalhost/");
  });

  test("comes out as it is sent", () => {
    expect(requireDestination("HTTPS://Example.org", [])).toBe("https://example.org/");
    expect(requireDestination("http://example.org", ["10.0.0.0/8"])).toBe("http://example.org/");
  });
});

const servers: Server[] = [];
/** A server that counts its connections. */
async function countingServer(
  address = "127.0.0.1",
  port = 0,
  handle: Parameters<typeof createServer>[1] = (_, response) => void response.end("ok"),
) {
  const counts = { connections: 0 };
  const server = createServer(handle);
  server.on("connection", () => counts.connections++);
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  servers.push(server);
  return { counts, port: (server.address() as AddressInfo).port };
}
afterAll(() => {
  for (const server of servers) server.close();
});

const toAddress = (address: string) => ({ address, family: 4 });
/** A resolver that gives one list of addresses after another. */
const resolverOf = (...results: string[][]) =>
  ((_: string, __: object, callback: (error: null, addresses: object[]) => void) => {
    const addresses = ((results.length > 1 ? results.shift() : results[0]) ?? []).map(toAddress);
    callback(null, addresses);
  }) as unknown as typeof lookup;

describe("a name", () => {
  const networks = ["127.0.0.2/32"];

  test("that resolves to a private address is not connected to, even if it has a public address as well", async () => {
    const { counts, port } = await countingServer();
    for (const addresses of [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"]])
      expect(await deliver(`https://hooks.test:${port}/`, {}, "{}", [], resolverOf(addresses))).toEqual({
        error: expect.stringContaining("The address 127.0.0.1 is not public."),
      });
    expect(counts.connections).toBe(0);
  });

  test("that changes its address after the check is connected to at the address that was checked", async () => {
    const permitted = await countingServer("127.0.0.2");
    const other = await countingServer("127.0.0.1", permitted.port);
    const resolver = resolverOf(["127.0.0.2"], ["127.0.0.1"]);
    const url = `http://hooks.test:${permitted.port}/`;
    expect(await deliver(url, {}, "{}", networks, resolver)).toMatchObject({ status: 200 });
    expect(await deliver(url, {}, "{}", networks, resolver)).toMatchObject({
      error: expect.stringContaining("not public"),
    });
    expect([permitted.counts.connections, other.counts.connections]).toEqual([1, 0]);
  });

  test("without an address is an error", async () => {
    const call = Promise.withResolvers<unknown>();
    checkedLookup("https:", [], resolverOf([]))("none.test", {}, (error) => call.resolve(error));
    expect(await call.promise).toMatchObject({ message: "none.test has no address." });
  });
});

describe("a delivery", () => {
  const networks = ["127.0.0.0/8"];
  const serve = async (handle: Parameters<typeof createServer>[1]) =>
    `http://127.0.0.1:${(await countingServer("127.0.0.1", 0, handle)).port}/path?query`;

  test("does not follow a redirect", async () => {
    const { counts, port } = await countingServer();
    const url = await serve((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
    });
    expect(await deliver(url, {}, "{}", networks)).toEqual({
      status: 307,
      responseStart: "",
      error: "The response has the status 307: redirects are not followed.",
    });
    expect(counts.connections).toBe(0);
  });

  test("reads 64 KB of a response, keeps its first characters, and Retry-After in both forms", async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    let written = 0;
    const url = await serve((request, response) => {
      response.writeHead(503, { "retry-after": request.headers["x-form"] === "date" ? inAMinute : "120" });
      const write = () => {
        while (written++ < 1_000)
          if (!response.write("\0a".repeat(8_192))) return response.once("drain", write);
        return response.end();
      };
      write();
    });
    const { responseStart, ...rest } = await deliver(url, {}, "{}", networks);
    const error = "The response has the status 503.";
    expect(rest).toEqual({ status: 503, error, retryAfterSeconds: 120 });
    expect(responseStart).toBe("a".repeat(1_000));
    expect(written).toBeLessThan(1_000);
    const { retryAfterSeconds = 0 } = await deliver(url, { "x-form": "date" }, "{}", networks);
    expect(Math.abs(retryAfterSeconds - 60)).toBeLessThanOrEqual(1);
  });

  test("to a port where nothing listens is an error in a sentence", async () => {
    const failed = { error: expect.stringMatching(/\S/) };
    expect(await deliver("http://127.0.0.1:1/", {}, "{}", networks)).toEqual(failed);
  });
});

describe("signatures", () => {
  const masterKey = new MasterKey(parseMasterKey(Buffer.alloc(32, 7).toString("base64")));
  const id = { team: "t", webhook: "w", version: 1, key: masterKey.fingerprint };
  const [event, body] = ["0199aa00-0000-7000-8000-00000000000d", '{"type":"webhook.test"}'];
  const now = Math.floor(Date.now() / 1000);
  const headersOf = async (ids = [id]) => ({
    "webhook-id": event,
    "webhook-timestamp": String(now),
    "webhook-signature": await new DeliverySigner(masterKey).sign(ids, event, now, body),
  });

  test("v1a verifies with WebCrypto and the public key", async () => {
    const [, signature = ""] = /v1a,(\S+)/.exec((await headersOf())["webhook-signature"]) ?? [];
    const raw = Buffer.from((await secretsOf(masterKey, id)).publicKey.replace("whpk_", ""), "base64");
    const key = await crypto.subtle.importKey("raw", raw, "Ed25519", true, ["verify"]);
    const content = Buffer.from(`${event}.${now}.${body}`);
    expect(await crypto.subtle.verify("Ed25519", key, Buffer.from(signature, "base64"), content)).toBe(true);
  });

  test("during a rotation verify with either secret, and with no other", async () => {
    const headers = await headersOf([{ ...id, version: 2 }, id]);
    for (const [version, fault] of [
      [1, undefined],
      [2, undefined],
      [3, "no v1 signature of webhook-signature is by this secret"],
    ] as const) {
      const { secret } = await secretsOf(masterKey, { ...id, version });
      expect(verifyDelivery(headers, Buffer.from(body), secret)).toBe(fault);
    }
  });

  test("are refused with another body, id or time, long after, and without headers", async () => {
    const [headers, { secret }] = [await headersOf(), await secretsOf(masterKey, id)];
    const verify = (changed: object, text = body, at = now) =>
      verifyDelivery({ ...headers, ...changed }, Buffer.from(text), secret, at);
    expect(verify({})).toBeUndefined();
    for (const fault of [
      verify({}, `${body} `),
      verify({ "webhook-id": "x" }),
      verify({ "webhook-timestamp": String(now + 1) }),
      verify({}, body, now + 301),
      verify({ "webhook-timestamp": "x" }),
      verify({ "webhook-signature": undefined }),
    ])
      expect(fault).toBeString();
  });
});
