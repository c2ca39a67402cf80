import { describe, expect, test } from "bun:test";
import { sign as signBytes, verify } from "node:crypto";
import fc from "fast-check";
import { createSignatureSync, verifySignature } from "http-message-sig";
import { createSigner, httpbis } from "http-message-signatures";
import { parseSignature, verifyWithKey } from "../../src/platform/auth/http-signature.ts";
import { signedMessageOf } from "../../src/platform/auth/verify-signature.ts";
import { generatedCases } from "../generated.ts";
import { digestOf, nonce } from "../signing.ts";
import { clock, key, outcome, publicKey, request, utf8 } from "./signature-fixture.ts";

describe("against http-message-sig, on requests that fast-check makes and then spoils", () => {
  const token = fc.stringMatching(/^[a-z0-9._~-]{1,8}$/);
  const requests = fc.record({
    method: fc.constantFrom("POST", "GET", "PUT", "DELETE"),
    host: fc.stringMatching(/^[a-z][a-z0-9]{0,8}\.example(:[1-9]\d{1,3})?$/),
    path: fc
      .array(token, { maxLength: 3 })
      .map((parts) => `/${parts.filter((part) => !/^\.+$/.test(part)).join("/")}`),
    query: fc.option(fc.stringMatching(/^[a-z0-9=&%.-]{0,12}$/), { nil: undefined }),
    body: fc.string({ maxLength: 40 }),
    extra: fc.dictionary(fc.stringMatching(/^x-[a-z]{1,4}$/), fc.stringMatching(/^[!-~]( ?[!-~]){0,10}$/), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    withQuery: fc.boolean(),
    age: fc.integer({ min: -305, max: 305 }),
    lifetime: fc.option(fc.integer({ min: -5, max: 400 }), { nil: undefined }),
    seed: fc.infiniteStream(fc.nat()).map((stream) => stream.next().value ?? 0),
  });
  const spoilers = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ what: "nothing" as const, where: 0, with: "" }) },
    {
      weight: 9,
      arbitrary: fc.record({
        what: fc.constantFrom(
          ...["signature-input", "signature", "content-digest", "x-form-access-key"],
          ...["body", "path", "host", "method", "drop", "query", "bytes"],
        ),
        where: fc.nat(),
        with: fc.stringMatching(/^[ -~]$/),
      }),
    },
  );

  type Sent = { headers: Record<string, string> } & Record<
    "method" | "host" | "path" | "query" | "body",
    string
  >;

  const shuffled = <T>(items: T[], seed: number): T[] =>
    items
      .map((item, index) => ({ item, rank: (seed * (index + 7)) % 101 }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  const spliced = (text: string, where: number, character: string) => {
    const index = where % (text.length + 1);
    // Three ways to spoil a text: put in, replace, take out.
    const [put, rest] = [where % 3 === 2 ? "" : character, text.slice(index + (where % 3 === 0 ? 0 : 1))];
    return text.slice(0, index) + put + rest;
  };

  type Spoiler = { what: string; where: number; with: string };
  function spoil(sent: Sent, { what, where, with: character }: Spoiler): Sent {
    const headers = { ...sent.headers };
    if (what === "nothing") return sent;
    if (what === "drop") {
      const name = Object.keys(headers)[where % Object.keys(headers).length] ?? "";
      delete headers[name];
      return { ...sent, headers };
    }
    if (what === "bytes") {
      const bytes = Buffer.from(headers.signature?.slice(6, -1) ?? "", "base64");
      const index = where % 64;
      bytes[index] = (bytes[index] ?? 0) ^ (1 << (where % 8));
      return { ...sent, headers: { ...headers, signature: `sig1=:${bytes.toString("base64")}:` } };
    }
    if (what === "method") return { ...sent, method: ["POST", "GET", "PUT", "DELETE"][where % 4] ?? "" };
    if (what === "body") return { ...sent, body: spliced(sent.body, where, character) };
    const safe = /[a-z0-9]/i.test(character) ? character : "z";
    if (what === "path") return { ...sent, path: `/${spliced(sent.path.slice(1), where, safe)}` };
    if (what === "query") return { ...sent, query: `?${spliced(sent.query.slice(1), where, safe)}` };
    if (what === "host") return { ...sent, host: where % 2 ? sent.host.toUpperCase() : `z${sent.host}` };
    if (headers[what] !== undefined) headers[what] = spliced(headers[what], where, character).trim();
    return { ...sent, headers };
  }

  /**
   * The result of http-message-sig, with what the specification's profile wants beyond the RFC written out a
   * second time.
   */
  async function theirs({ method, host, path, query, headers, body }: Sent): Promise<boolean> {
    const fields = Object.entries({ ...headers, host }).map(([name, value]) => ({ name, value }));
    try {
      await verifySignature(
        { kind: "request", method, targetUri: `http://${host}${path}${query}`, fields },
        {
          label: "sig1",
          policy: {
            algorithms: ["ed25519"],
            requiredComponents: ["@method", "@authority", "@path", "x-form-access-key"],
            requiredParameters: ["created", "keyid", "alg", "nonce"],
            maxAge: 0,
            clockSkew: 300,
            now: clock,
            validate: ({ components, parameters }) => {
              const names = components.map(({ name }) => name);
              const known = ["@method", "@authority", "@path", "@query"];
              const digest = /(?:^|,\s*)sha-256=:([^:]*):/.exec(headers["content-digest"] ?? "")?.[1];
              return (
                components.every(
                  ({ name, parameters }) =>
                    Object.keys(parameters).length === 0 && (!name.startsWith("@") || known.includes(name)),
                ) &&
                (parameters.expires === undefined || parameters.expires >= clock) &&
                /^[A-Za-z0-9_-]{22}(==)?$/.test(parameters.nonce ?? "") &&
                (names.includes("content-digest") ? digest === digestOf(body).slice(9, -1) : body === "")
              );
            },
          },
          resolveVerifier: ({ parameters }) => {
            if (parameters.keyid !== key.id) throw new Error("unknown");
            return {
              algorithm: "ed25519",
              verify: (data, signature) => verify(null, data, key.pem, signature),
            };
          },
        },
      );
      return true;
    } catch {
      return false;
    }
  }

  async function ours({ method, host, path, query, headers, body }: Sent): Promise<boolean> {
    const sent = new Request(`http://${host}${path}${query}`, { method, headers: { ...headers, host } });
    const message = signedMessageOf({ BASE_URL: "http://forms.example" }, sent, utf8(body));
    const examined = parseSignature(message, clock);
    if (examined.step !== undefined || examined.keyId !== key.id) return false;
    return await verifyWithKey(publicKey, examined);
  }

  const cases = generatedCases(4_000);
  test(`the two agree on every one of ${cases}`, async () => {
    const seen = { passed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        requests,
        spoilers,
        async ({ extra, seed, withQuery, age, lifetime, query, ...rest }, how) => {
          const headers: Record<string, string> = {
            ...extra,
            "x-form-access-key": "fdf_key",
            ...(rest.body && { "content-digest": digestOf(rest.body) }),
          };
          const derived = ["@method", "@authority", "@path", ...(withQuery ? ["@query"] : [])];
          const names = [...derived, ...Object.keys(headers)];
          const sent: Sent = { ...rest, query: query === undefined ? "" : `?${query}`, headers };
          const created = clock - age;
          const { signature, signatureInput } = createSignatureSync(
            {
              kind: "request",
              method: sent.method,
              targetUri: `http://${sent.host}${sent.path}${sent.query}`,
              fields: Object.entries(headers).map(([name, value]) => ({ name, value })),
            },
            {
              components: shuffled(names, seed),
              parameters: {
                created,
                ...(lifetime !== undefined && { expires: created + lifetime }),
                keyid: key.id,
                alg: "ed25519",
                nonce: Buffer.from(String(seed).padEnd(16, ".").slice(0, 16)).toString("base64url"),
              },
              signer: {
                algorithm: "ed25519",
                sign: (data) => new Uint8Array(signBytes(null, data, key.privateKey)),
              },
            },
          );
          const signed = { ...headers, signature, "signature-input": signatureInput };
          const spoiled = spoil({ ...sent, headers: signed }, how);
          const [mine, reference] = [await ours(spoiled), await theirs(spoiled)];
          seen[mine ? "passed" : "refused"]++;
          expect({ spoiled, accepted: mine }).toEqual({ spoiled, accepted: reference });
        },
      ),
      { numRuns: cases },
    );
    // A test that refuses everything would agree too.
    expect(seen.passed).toBeGreaterThan(cases * 0.15);
    expect(seen.refused).toBeGreaterThan(cases * 0.15);
  });
});

test("http-message-signatures signs what is taken", async () => {
  const pem = key.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { method, authority, path, query, headers } = request;
  const message = await httpbis.signMessage(
    {
      key: createSigner(pem, "ed25519", key.id),
      name: "sig1",
      fields: ["content-digest", "x-form-access-key", "@path", "@authority", "@method"],
      params: ["created", "keyid", "alg", "nonce"],
      paramValues: { created: new Date(clock * 1000), nonce: nonce() },
    },
    { method, url: `http://${authority}${path}${query}`, headers },
  );
  const named = Object.entries(message.headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  expect(await outcome({ ...request, headers: Object.fromEntries(named) })).toBe("passes");
});
