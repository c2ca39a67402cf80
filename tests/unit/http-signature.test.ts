import { describe, expect, test } from "bun:test";
import type { ParsedSignature, SignedMessage } from "../../src/platform/auth/http-signature.ts";
import { importKey, parseSignature, verifyWithKey } from "../../src/platform/auth/http-signature.ts";
import {
  clock,
  messageFrom,
  outcome,
  outcomeOf,
  publicKey,
  request,
  signedAt,
  utf8,
} from "./signature-fixture.ts";

const required = ["@method", "@authority", "@path", "x-form-access-key", "content-digest"];

/** RFC 9421, appendix B.1.4. */
const testKey = await importKey(
  new Uint8Array(Buffer.from("MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=", "base64")),
);

describe("RFC 9421, appendix B.2.6", () => {
  // The label is not signed; the profile takes sig1 only, and wants more than the example has.
  const input =
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const signature =
    "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==";
  const example: SignedMessage = {
    method: "POST",
    authority: "example.com",
    path: "/foo",
    query: "?param=Value&Pet=dog",
    headers: new Headers({
      date: "Tue, 20 Apr 2021 02:07:55 GMT",
      "content-type": "application/json",
      "content-digest":
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
      "content-length": "18",
      "signature-input": `sig1=${input}`,
      signature: `sig1=:${signature}:`,
    }),
    bytes: utf8('{"hello": "world"}'),
  };
  const base = `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ${input}`;
  const proof = { keyId: "", nonce: new Uint8Array(), nonceExpiresAt: new Date() };

  test("its signature base comes out to the byte", () => {
    expect(parseSignature(example, 1_618_884_473)).toEqual({ step: "components", base });
  });

  test("its signature is by test-key-ed25519 over that base, and over no other", async () => {
    const bytes = new Uint8Array(Buffer.from(signature, "base64"));
    expect(await verifyWithKey(testKey, { ...proof, signature: bytes, base })).toBe(true);
    expect(await verifyWithKey(testKey, { ...proof, signature: bytes, base: `${base}\n` })).toBe(false);
    expect(await verifyWithKey(publicKey, { ...proof, signature: bytes, base })).toBe(false);
  });
});

describe("RFC 9530, Content-Digest", () => {
  const sha256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=";
  const sha512 = "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==";
  const withoutEnd = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=";
  const json = '{"hello": "world"}\n';
  const cases: [title: string, digest: string | null, body: string, expected: string][] = [
    ["appendix B.1: sha-256", `sha-256=:${sha256}:`, json, "passes"],
    ["the same without the line end", `sha-256=:${withoutEnd}:`, json.trimEnd(), "passes"],
    ["one byte off", `sha-256=:${sha256}:`, json.trimEnd(), "content-digest"],
    ["sha-512 beside it", `sha-512=:${sha512}:, sha-256=:${sha256}:`, json, "passes"],
    ["a wrong sha-512 beside it", `sha-256=:${sha256}:, sha-512=:${sha256}:`, json, "passes"],
    ["an unknown algorithm beside it", `sha-256=:${sha256}:, crc=7`, json, "passes"],
    ["sha-512 alone", `sha-512=:${sha512}:`, json, "content-digest"],
    ["sha-256 with the bytes of sha-512", `sha-256=:${sha512}:`, json, "content-digest"],
    ["upper case", `SHA-256=:${sha256}:`, json, "content-digest"],
    ["a string", `sha-256="${sha256}"`, json, "content-digest"],
    ["no value", "sha-256", json, "content-digest"],
    ["a list", `sha-256=(:${sha256}:)`, json, "content-digest"],
    ["no dictionary", `${sha256}`, json, "content-digest"],
    ["empty", "", json, "content-digest"],
    ["the last of two counts, and is right", `sha-256=:AAAA:, sha-256=:${sha256}:`, json, "passes"],
    ["the last of two counts, and is wrong", `sha-256=:${sha256}:, sha-256=:AAAA:`, json, "content-digest"],
    ["not covered, with a body", null, json, "content-digest"],
    ["not covered, with none", null, "", "passes"],
    ["of an empty body", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", "", "passes"],
    ["of another body, with none", `sha-256=:${sha256}:`, "", "content-digest"],
  ];
  test.each(cases)("%s", async (_title, digest, body, expected) => {
    const components = digest === null ? required.slice(0, 4) : required;
    const headers = { "x-form-access-key": "k", "content-digest": digest ?? `sha-256=:${sha256}:` };
    expect(await outcome(signedAt({ components }, { headers, body }))).toBe(expected);
  });
});

describe("time", () => {
  const cases: [title: string, parameters: Record<string, string>, now: number, expected: string][] = [
    ["now", {}, clock, "passes"],
    ["300 s old", {}, clock + 300, "passes"],
    ["301 s old", {}, clock + 301, "created"],
    ["300 s ahead", {}, clock - 300, "passes"],
    ["301 s ahead", {}, clock - 301, "created"],
    ["at its expires", { expires: String(clock + 10) }, clock + 10, "passes"],
    ["a second past its expires", { expires: String(clock + 10) }, clock + 11, "created"],
    ["expires says more than 300 s", { expires: String(clock + 9999) }, clock + 301, "created"],
    ["expires before created", { expires: String(clock - 1) }, clock, "created"],
    ["created in milliseconds", { created: `${clock}000` }, clock, "created"],
    ["created 0", { created: "0" }, clock, "created"],
    ["created before 1970", { created: "-1" }, clock, "created"],
  ];
  test.each(cases)("%s", async (_title, parameters, now, expected) => {
    expect(await outcome(signedAt({ parameters }), now)).toBe(expected);
  });

  test("a nonce is kept until no clock can bring its request back", () => {
    const { nonceExpiresAt } = parseSignature(messageFrom(signedAt()), clock) as ParsedSignature;
    expect(nonceExpiresAt.getTime()).toBe((clock + 600) * 1000);
  });
});

describe("what must be covered, and how", () => {
  const cases: [title: string, components: string[], expected: string][] = [
    ["the required ones", required, "passes"],
    ["in another order", required.toReversed(), "passes"],
    ["more fields, and the query", [...required, "x-list", "content-type", "x-empty", "@query"], "passes"],
    ...required
      .slice(0, 4)
      .map((left): [string, string[], string] => [
        `without ${left}`,
        required.filter((name) => name !== left),
        "components",
      ]),
    ["one twice", [...required, "@method"], "components"],
    ["a field twice", [...required, "x-list", "x-list"], "components"],
    ["upper case", [...required, "X-List"], "components"],
    ["a field that is not sent", [...required, "x-absent"], "components"],
    ["a name that is no field's", [...required, "x list"], "components"],
    ["nothing", [], "components"],
    ..."@target-uri @scheme @request-target @query-param @status @signature-params @Method"
      .split(" ")
      .map((name): [string, string[], string] => [`with ${name}`, [...required, name], "components"]),
  ];
  test.each(cases)("%s", async (_title, components, expected) => {
    expect(await outcome(signedAt({ components }))).toBe(expected);
  });

  test.each(["sf", "bs", "req", "tr", 'key="a"', 'name="partial"', "x=1"])(
    "no component takes a parameter: ;%s",
    async (parameter) => {
      for (const name of ["@method", "x-list"]) {
        const sent = signedAt({ components: [...required, "x-list"] });
        const input = sent.headers["signature-input"]?.replace(`"${name}"`, `"${name}";${parameter}`) ?? "";
        expect(await outcome({ ...sent, headers: { ...sent.headers, "signature-input": input } })).toBe(
          "components",
        );
      }
    },
  );

  test("a covered field whose bytes are not ASCII", async () => {
    const headers = { ...request.headers, "x-list": "caf\xe9" };
    expect(await outcome(signedAt({ components: [...required, "x-list"] }, { headers }))).toBe("components");
    expect(await outcome(signedAt({}, { headers }))).toBe("passes");
  });

  test("an access key that is sent is covered even where it may be left out", async () => {
    const components = required.filter((name) => name !== "x-form-access-key");
    const { "x-form-access-key": _, ...headers } = request.headers;
    expect(await outcomeOf(messageFrom(signedAt({ components }, { headers })), clock, true)).toBe("passes");
    expect(await outcomeOf(messageFrom(signedAt({ components }, { headers })))).toBe("components");
    expect(await outcomeOf(messageFrom(signedAt({ components })), clock, true)).toBe("components");
  });
});
