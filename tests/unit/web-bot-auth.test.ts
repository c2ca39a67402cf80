import { describe, expect, test } from "bun:test";
import { createPublicKey, sign as signBytes } from "node:crypto";
import { calculateJwkThumbprint, exportJWK } from "jose";
import { type ParsedSignature, parseSignature } from "../../src/platform/auth/http-signature.ts";
import { jwkOf, spkiOf } from "../../src/platform/auth/public-key.ts";
import { newKey, type Recipe } from "../signing.ts";
import { clock, key, messageFrom, outcome, request, signedAt } from "./signature-fixture.ts";

const base64 = (bytes: number) => `"${Buffer.alloc(bytes, 0xfb).toString("base64")}"`;
const tagged = (changed: Recipe["parameters"] = {}, recipe: Recipe = {}) => {
  const own = { tag: '"web-bot-auth"', expires: String(clock + 300), nonce: base64(64), alg: null };
  return signedAt({ ...recipe, parameters: { ...own, ...changed } });
};

describe('tag="web-bot-auth"', () => {
  const cases: [parameters: Record<string, string | null>, expected: string][] = [
    [{}, "passes"],
    [{ alg: '"ed25519"' }, "passes"],
    [{ alg: '"rsa-pss-sha512"' }, "parameters"],
    [{ expires: null }, "parameters"],
    [{ expires: String(clock + 86_400) }, "passes"],
    [{ expires: String(clock + 86_401) }, "parameters"],
    [{ expires: String(clock - 1) }, "parameters"],
    [{ created: String(clock - 200), expires: String(clock - 1) }, "created"],
    [{ created: String(clock - 301), expires: String(clock + 300) }, "created"],
    [{ nonce: null }, "parameters"],
    [{ nonce: base64(15) }, "parameters"],
    [{ nonce: base64(16) }, "passes"],
    [{ nonce: base64(65) }, "parameters"],
    [{ nonce: `"${Buffer.alloc(32, 0xfb).toString("base64url")}"` }, "passes"],
    [{ tag: "web-bot-auth" }, "parameters"],
    [{ tag: '"another"' }, "parameters"],
  ];
  test.each(cases)("%j: %s", async (parameters, expected) => {
    expect(await outcome(tagged(parameters))).toBe(expected);
  });

  test("takes a thumbprint as key id, which is not a key without the tag", async () => {
    const keyid = `"${jwkOf(spkiOf(key.pem)).kid}"`;
    expect(await outcome(tagged({ keyid }))).toBe("passes");
    expect(await outcome(signedAt({ parameters: { keyid } }))).toBe("key");
  });

  test("stores 16 bytes of the nonce's hash, the same for each spelling of its bytes", () => {
    const text = Buffer.alloc(64, 0xfb);
    const nonces = [text.toString("base64"), `${text.toString("base64url")}==`].map(
      (nonce) =>
        (parseSignature(messageFrom(tagged({ nonce: `"${nonce}"` })), clock) as ParsedSignature).nonce,
    );
    expect(nonces[0]).toHaveLength(16);
    expect(nonces[1]).toEqual(nonces[0]);
  });
});

describe("the signature-agent component", () => {
  const agent = 'sig1="https://agent.example";v=1, other=(a b)';
  /** Signs a base that names the component with its key, which our own signer of plain names cannot. */
  const signedWith = (identifier: string, value: string, tag = "web-bot-auth") => {
    const names = ["@method", "@authority", "@path", "x-form-access-key", "content-digest"];
    const input = `(${names.map((name) => `"${name}"`).join(" ")} ${identifier});created=${clock};expires=${clock + 300};keyid="${key.id}";alg="ed25519";nonce="${"A".repeat(22)}";tag="${tag}"`;
    const { method, authority, path, headers } = request;
    const derived = { "@method": method, "@authority": authority, "@path": path };
    const values: Record<string, string | undefined> = { ...derived, ...headers };
    const base = [
      ...names.map((name) => `"${name}": ${values[name]}`),
      `${identifier}: ${value}`,
      `"@signature-params": ${input}`,
    ].join("\n");
    const signature = signBytes(null, Buffer.from(base), key.privateKey).toString("base64");
    const signedBy = { "signature-input": `sig1=${input}`, signature: `sig1=:${signature}:` };
    return { ...request, headers: { ...headers, "signature-agent": agent, ...signedBy } };
  };

  const cases: [identifier: string, value: string, expected: string][] = [
    ['"signature-agent";key="sig1"', '"https://agent.example";v=1', "passes"],
    ['"signature-agent";key="other"', "(a b)", "passes"],
    ['"signature-agent"', agent, "passes"],
    ['"signature-agent";key="sig1"', agent, "verify"],
    ['"signature-agent";key="absent"', "", "components"],
    ['"signature-agent";key="sig1";sf', '"https://agent.example";v=1', "components"],
    ['"signature-agent";sf', agent, "components"],
    ['"content-type";key="sig1"', "application/json", "components"],
  ];
  test.each(cases)("%s over %s: %s", async (identifier, value, expected) => {
    expect(await outcome(signedWith(identifier, value))).toBe(expected);
  });

  test("has no parameter without the tag", async () => {
    const sent = signedWith('"signature-agent";key="sig1"', '"https://agent.example";v=1', "app");
    expect(await outcome(sent)).toBe("components");
  });

  test("is covered where the header is sent", async () => {
    const sent = tagged();
    const headers = { ...sent.headers, "signature-agent": agent };
    expect(await outcome({ ...sent, headers })).toBe("components");
  });
});

test("a key's thumbprint follows RFC 7638, and RFC 8037 has the example", async () => {
  const { pem } = newKey();
  const jwk = await exportJWK(createPublicKey(pem));
  expect(jwkOf(spkiOf(pem)).kid).toBe(await calculateJwkThumbprint(jwk));
  const prefix = Buffer.from("302a300506032b6570032100", "hex");
  const point = Buffer.from("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "base64url");
  expect(jwkOf(Buffer.concat([prefix, point])).kid).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
});
