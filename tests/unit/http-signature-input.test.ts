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
    const parameters = {
      tag: '"a"',
      nonce: `"${sixteen}"`,
      alg: '"ed25519"',
      keyid: `"${key.id}"`,
      created: String(clock),
    };
    const { input, signature } = sign(key, request, {
      parameters: { created: null, keyid: null, alg: null, nonce: null },
    });
    expect(signature).toStartWith(":");
    const turned =
      input +
      Object.entries(parameters)
        .map(([name, value]) => `;${name}=${value}`)
        .join("");
    const base =
      parseSignature(
        messageFrom({
          ...request,
          headers: {
            ...request.headers,
            "signature-input": `sig1=${turned}`,
            signature: `sig1=${signature}`,
          },
        }),
        clock,
      ).base ?? "";
    expect(base).toEndWith(`"@signature-params": ${turned}`);
    const right = signBytes(null, Buffer.from(base), key.privateKey).toString("base64");
    const headers = { ...request.headers, "signature-input": `sig1=${turned}`, signature: `sig1=:${right}:` };
    expect(await outcome({ ...request, headers })).toBe("passes");
  });

  test("nonces that differ in unused bits only are the same 16 bytes", () => {
    const spellings = ["A", "B", "C", "P"].flatMap((last) =>
      ["", "=="].map((padding) => `"${"A".repeat(21)}${last}${padding}"`),
    );
    const bytes = spellings.map(
      (nonce) =>
        (parseSignature(messageFrom(signedAt({ parameters: { nonce } })), clock) as ParsedSignature).nonce,
    );
    expect(new Set(bytes.map((each) => Buffer.from(each).toString("hex")))).toEqual(
      new Set(["00".repeat(16)]),
    );
  });
});

describe("the two headers", () => {
  const right = signedAt();
  const { "signature-input": input = "", signature = "" } = right.headers;
  const withHeaders = (headers: Record<string, string | null>): Unsigned => ({
    ...right,
    headers: Object.fromEntries(
      Object.entries({ ...right.headers, ...headers }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      ),
    ),
  });
  const bytes = Buffer.from(signature.slice(6, -1), "base64");
  const written = (signature: Buffer) => `sig1=:${signature.toString("base64")}:`;
  /** S + L: the same point equation, so that a careless verifier takes it for a second signature. */
  const shifted = (() => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + order;
    return Buffer.concat([
      bytes.subarray(0, 32),
      Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse(),
    ]);
  })();
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
    [
      "another label only",
      { "signature-input": input.replace("sig1", "sig2"), signature: signature.replace("sig1", "sig2") },
      "signature-input",
    ],
    ["another label in one of them", { signature: signature.replace("sig1", "sig2") }, "signature"],
    [
      "another label beside it",
      { "signature-input": `sig=("@method"), ${input}, sig10=()`, signature: `x=1, ${signature}` },
      "passes",
    ],
    ["a broken other label", { "signature-input": `${input}, sig2=` }, "signature-input"],
    ["sig1 inside a string of another", { "signature-input": `x=();note=", sig1=1", ${input}` }, "passes"],
    ["an item for a list", { "signature-input": "sig1=1" }, "signature-input"],
    ["a list for bytes", { signature: `sig1=(${signature.slice(5)})` }, "signature"],
    ["a string for bytes", { signature: `sig1="${signature.slice(6, -1)}"` }, "signature"],
    ["base64url", { signature: `sig1=:${bytes.toString("base64url")}_:` }, "signature"],
    ["63 bytes", { signature: written(bytes.subarray(1)) }, "signature"],
    ["65 bytes", { signature: written(Buffer.concat([bytes, Buffer.alloc(1)])) }, "signature"],
    ["S + L", { signature: written(shifted) }, "signature"],
    [
      "S = L",
      {
        signature: written(
          Buffer.from(
            `${"00".repeat(32)}edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010`,
            "hex",
          ),
        ),
      },
      "signature",
    ],
    ["all zero", { signature: written(Buffer.alloc(64)) }, "verify"],
    ["a trailing comma", { "signature-input": `${input},` }, "signature-input"],
    ["no dictionary", { "signature-input": "(((" }, "signature-input"],
  ];
  test.each(cases)("%s: %s", async (_title, headers, expected) => {
    expect(await outcome(withHeaders(headers))).toBe(expected);
  });

  test("either of them, even empty, makes a request a signed one", () => {
    const about = (headers: Record<string, string>) => isSigned({ headers: new Headers(headers) });
    expect(
      [{}, { signature: "" }, { "signature-input": "" }, { "x-signature": "sig1" }].map((headers) =>
        about(headers as Record<string, string>),
      ),
    ).toEqual([false, true, true, false]);
  });
});

describe("what of a request is signed", () => {
  const get = (url: string, host: string, base = "http://forms.example") =>
    signedMessageOf({ BASE_URL: base }, new Request(url, { headers: { host } }), new Uint8Array());
  test("@authority is the Host in lower case, without the default port of BASE_URL's scheme", () => {
    const cases: [host: string, base: string, authority: string][] = [
      ["Forms.EXAMPLE", "http://forms.example", "forms.example"],
      ["forms.example:80", "http://forms.example", "forms.example"],
      ["forms.example:443", "http://forms.example", "forms.example:443"],
      ["forms.example:443", "https://forms.example", "forms.example"],
      ["forms.example:80", "https://forms.example", "forms.example:80"],
      ["[::1]:8080", "http://localhost:8080", "[::1]:8080"],
    ];
    for (const [host, base, authority] of cases)
      expect(get("http://other.example/a", host, base).authority).toBe(authority);
  });

  test("@path is not decoded, and @query keeps its mark", () => {
    expect(get("http://h/a%2Fb/%41?x=%20&y", "h")).toMatchObject({ path: "/a%2Fb/%41", query: "?x=%20&y" });
    expect(get("http://h", "h")).toMatchObject({ path: "/", query: "?" });
    expect(get("http://h/?", "h")).toMatchObject({ path: "/", query: "?" });
  });
});
