import { describe, expect, test } from "bun:test";
import { sign as signBytes } from "node:crypto";
import { isSigned, type ParsedSignature, parseSignature } from "../../src/platform/auth/http-signature.ts";
import { signedMessageOf } from "../../src/platform/auth/verify-signature.ts";
import { sign, type Unsigned } from "../signing.ts";
import { clock, key, messageFrom, outcome, request, signedAt } from "./signature-fixture.ts";

describe("parameters", () => {
  const sixteen = "A".repeat(22);
  const cases: [parameters: Record<string, string | null>, expected: string][] = [
    ...["created", "keyid", "alg", "nonce"].map((name): [Record<string, null>, string] => [
      { [name]: null },
      "parameters",
    ]),
    [{ created: `"${clock}"` }, "parameters"],
    [{ created: `${clock}.5` }, "parameters"],
    [{ created: null, when: "7", "created-at": String(clock) }, "parameters"],
    [{ nonce: null, keyid: `"${key.id}"`, created: `@${clock}` }, "signature-input"],
    [{ keyid: "token" }, "parameters"],
    [{ alg: '"rsa-pss-sha512"' }, "parameters"],
    [{ alg: '"hmac-sha256"' }, "parameters"],
    [{ alg: '"Ed25519"' }, "parameters"],
    [{ alg: "ed25519" }, "parameters"],
    [{ expires: `"${clock}"` }, "parameters"],
    [{ expires: "?1" }, "parameters"],
    [{ nonce: `"${sixteen}"` }, "passes"],
    [{ nonce: `"${sixteen}=="` }, "passes"],
    [{ nonce: `"${sixteen}="` }, "parameters"],
    [{ nonce: `"${sixteen.slice(1)}"` }, "parameters"],
    [{ nonce: `"${sixteen}A"` }, "parameters"],
    [{ nonce: `"${sixteen.slice(1)}+"` }, "parameters"],
    [{ nonce: '""' }, "parameters"],
    [{ nonce: "7" }, "parameters"],
    [{ tag: '"app"', "x-more": "?1", other: "(1)" }, "signature-input"],
    [{ tag: '"app"', "x-more": "?0", bytes: ":AAAA:", decimal: "0.001", token: "*a/b:c" }, "passes"],
  ];
  test.each(cases)("%j: %s", async (parameters, expected) => {
    expect(await outcome(signedAt({ parameters }))).toBe(expected);
  });

  test("in any order", async () => {
    const none = { created: null, keyid: null, alg: null, nonce: null };
    const { input, signature } = sign(key, request, { parameters: none });
    const turned = `${input};tag="a";nonce="${sixteen}";alg="ed25519";keyid="${key.id}";created=${clock}`;
    const sent = (signature: string) => ({
      ...request,
      headers: { ...request.headers, "signature-input": `sig1=${turned}`, signature: `sig1=${signature}` },
    });
    const base = parseSignature(messageFrom(sent(signature)), clock).base ?? "";
    expect(base).toEndWith(`"@signature-params": ${turned}`);
    const right = signBytes(null, Buffer.from(base), key.privateKey).toString("base64");
    expect(await outcome(sent(`:${right}:`))).toBe("passes");
  });

  test("nonces that differ in unused bits only are the same 16 bytes", () => {
    const spellings = ["A", "B", "C", "P"].flatMap((last) =>
      ["", "=="].map((padding) => `"${"A".repeat(21)}${last}${padding}"`),
    );
    const bytes = spellings.map((nonce) => {
      const parsed = parseSignature(messageFrom(signedAt({ parameters: { nonce } })), clock);
      return Buffer.from((parsed as ParsedSignature).nonce).toString("hex");
    });
    expect(new Set(bytes)).toEqual(new Set(["00".repeat(16)]));
  });
});

describe("the two headers", () => {
  const right = signedAt();
  const { "signature-input": input = "", signature = "" } = right.headers;
  const withHeaders = (headers: Record<string, string | null>): Unsigned => {
    const kept = Object.entries({ ...right.headers, ...headers }).filter(([, value]) => value !== null);
    return { ...right, headers: Object.fromEntries(kept) as Record<string, string> };
  };
  const bytes = Buffer.from(signature.slice(6, -1), "base64");
  const written = (signature: Buffer) => `sig1=:${signature.toString("base64")}:`;
  /** S + L: the same point equation, so that a careless verifier takes it for a second signature. */
  const shifted = (() => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + order;
    const largeS = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse();
    return Buffer.concat([bytes.subarray(0, 32), largeS]);
  })();
  const ofL = `${"00".repeat(32)}edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010`;
  const another = {
    "signature-input": input.replace("sig1", "sig2"),
    signature: signature.replace("1", "2"),
  };
  const beside = { "signature-input": `sig=("@method"), ${input}, sig10=()`, signature: `x=1, ${signature}` };
  const cases: [title: string, headers: Record<string, string | null>, expected: string][] = [
    ["as signed", {}, "passes"],
    ["no Signature-Input", { "signature-input": null }, "signature-input"],
    ["no Signature", { signature: null }, "signature"],
    ["an empty Signature-Input", { "signature-input": "" }, "signature-input"],
    ["an empty Signature", { signature: "" }, "signature"],
    ["sig1 twice in Signature-Input", { "signature-input": `${input}, ${input}` }, "signature-input"],
    ["sig1 twice in Signature", { signature: `${signature}, ${signature}` }, "signature"],
    ["sig1 twice, once without a value", { "signature-input": `sig1, ${input}` }, "signature-input"],
    ["sig1 twice, with white space", { signature: `${signature}\t ,\tsig1=:AAAA:` }, "signature"],
    ["another label only", another, "signature-input"],
    ["another label in one of them", { signature: another.signature }, "signature"],
    ["another label beside it", beside, "passes"],
    ["a broken other label", { "signature-input": `${input}, sig2=` }, "signature-input"],
    ["sig1 inside a string of another", { "signature-input": `x=();note=", sig1=1", ${input}` }, "passes"],
    ["an item for a list", { "signature-input": "sig1=1" }, "signature-input"],
    ["a list for bytes", { signature: `sig1=(${signature.slice(5)})` }, "signature"],
    ["a string for bytes", { signature: `sig1="${signature.slice(6, -1)}"` }, "signature"],
    ["base64url", { signature: `sig1=:${bytes.toString("base64url")}_:` }, "signature"],
    ["63 bytes", { signature: written(bytes.subarray(1)) }, "signature"],
    ["65 bytes", { signature: written(Buffer.concat([bytes, Buffer.alloc(1)])) }, "signature"],
    ["S + L", { signature: written(shifted) }, "signature"],
    ["S = L", { signature: written(Buffer.from(ofL, "hex")) }, "signature"],
    ["all zero", { signature: written(Buffer.alloc(64)) }, "verify"],
    ["a trailing comma", { "signature-input": `${input},` }, "signature-input"],
    ["no dictionary", { "signature-input": "(((" }, "signature-input"],
  ];
  test.each(cases)("%s: %s", async (_title, headers, expected) => {
    expect(await outcome(withHeaders(headers))).toBe(expected);
  });

  test("either of them, even empty, makes a request a signed one", () => {
    const isSignedBy = (name: string) => isSigned({ headers: new Headers({ [name]: "" }) });
    expect(["accept", "signature", "signature-input", "x-signature"].map(isSignedBy)).toEqual([
      ...[false, true, true, false],
    ]);
  });
});

describe("what of a request is signed", () => {
  const get = (url: string, host: string, base = "http://forms.example") =>
    signedMessageOf({ BASE_URL: base }, new Request(url, { headers: { host } }), new Uint8Array());
  test.each([
    ["Forms.EXAMPLE", "http://forms.example", "forms.example"],
    ["forms.example:80", "http://forms.example", "forms.example"],
    ["forms.example:443", "http://forms.example", "forms.example:443"],
    ["forms.example:443", "https://forms.example", "forms.example"],
    ["forms.example:80", "https://forms.example", "forms.example:80"],
    ["[::1]:8080", "http://localhost:8080", "[::1]:8080"],
  ])("@authority of the Host %s at %s is %s", (host, base, authority) => {
    expect(get("http://other.example/a", host, base).authority).toBe(authority);
  });

  test("@path is not decoded, and @query keeps its mark", () => {
    expect(get("http://h/a%2Fb/%41?x=%20&y", "h")).toMatchObject({ path: "/a%2Fb/%41", query: "?x=%20&y" });
    expect(get("http://h", "h")).toMatchObject({ path: "/", query: "?" });
    expect(get("http://h/?", "h")).toMatchObject({ path: "/", query: "?" });
  });
});
