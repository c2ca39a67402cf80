import { describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync } from "node:crypto";
import { importKey, verifyWithKey } from "../../src/platform/auth/http-signature.ts";
import { keyIdOf, spkiOf } from "../../src/platform/auth/public-key.ts";
import { Problem } from "../../src/problem.ts";
import { leastCpuMs } from "./fields/fixture.ts";

const prefix = "302a300506032b6570032100";
const pemOf = (der: string | Buffer, label = "PUBLIC KEY") => {
  const body = Buffer.from(der as string, typeof der === "string" ? "hex" : undefined).toString("base64");
  return `-----BEGIN ${label}-----\n${body.replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`;
};
const pemOfPoint = (point: string) => pemOf(prefix + point);
const generated = () =>
  generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
const refused = (pem: string) => {
  try {
    spkiOf(pem);
    return "taken";
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code;
  }
};

// RFC 8032, section 7.1: the public key of TEST 1.
const sound = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const good = pemOfPoint(sound);

/** 2^255 - 19 + n, little-endian, with the sign bit or without. */
const atLeastP = (n: number, sign: boolean) =>
  `${(0xed + n).toString(16)}${"ff".repeat(30)}${sign ? "ff" : "7f"}`;

describe("which points are taken", () => {
  test("keys of OpenSSL, and RFC 8032's", () => {
    expect(Buffer.from(spkiOf(good)).toString("hex")).toBe(prefix + sound);
    for (let i = 0; i < 200; i++) expect(refused(generated())).toBe("taken");
  });

  const eighth = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc";
  const other = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03";
  const smallOrder: [order: string, point: string][] = [
    ["1", `01${"00".repeat(31)}`],
    ["2", `ec${"ff".repeat(30)}7f`],
    ["4", "00".repeat(32)],
    ["4", `${"00".repeat(31)}80`],
    ["8", `${eighth}05`],
    ["8", `${eighth}85`],
    ["8", `${other}7a`],
    ["8", `${other}fa`],
    ["1, sign bit of a zero x", `01${"00".repeat(30)}80`],
    ["2, sign bit of a zero x", `ec${"ff".repeat(31)}`],
    ["1, y = p + 1", atLeastP(1, false)],
    ["1, y = p + 1 and sign bit", atLeastP(1, true)],
    ["4, y = p", atLeastP(0, false)],
    ["4, y = p and sign bit", atLeastP(0, true)],
  ];
  test.each(smallOrder)("not a point of order %s: %s", (_order, point) => {
    expect(refused(pemOfPoint(point))).toBe("bad_request");
  });

  test("the first of them is what the check is for: WebCrypto takes it, and one constant signature fits every message", async () => {
    const neutral = `01${"00".repeat(31)}`;
    const key = await importKey(new Uint8Array(Buffer.from(prefix + neutral, "hex")));
    const signature = new Uint8Array(Buffer.from(neutral + "00".repeat(32), "hex"));
    const examined = { keyId: "", nonce: new Uint8Array(), nonceExpiresAt: new Date(), signature };
    for (const base of ["one", "another"]) expect(await verifyWithKey(key, { ...examined, base })).toBe(true);
  });

  test("no y of p or more, whatever the sign", () => {
    for (let n = 0; n < 19; n++)
      for (const sign of [false, true]) expect(refused(pemOfPoint(atLeastP(n, sign)))).toBe("bad_request");
  });

  test("nothing that is not a point of the curve", () => {
    const isPoint = Array.from({ length: 16 }, (_, y) =>
      refused(pemOfPoint(`${(y + 2).toString(16).padStart(2, "0")}${"00".repeat(31)}`)),
    );
    // y = 2 has no x; y = 3 has one.
    expect(isPoint.slice(0, 2)).toEqual(["bad_request", "taken"]);
  });
});

describe("which PEM is taken", () => {
  const body = good.split("\n")[1] ?? "";
  const lines = (...text: string[]) => text.join("\n");
  const [begin, end] = ["-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----"];
  const x25519 = generateKeyPairSync("x25519").publicKey.export({ type: "spki", format: "pem" }).toString();
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const { privateKey } = generateKeyPairSync("ed25519");
  const privatePrefix = "302e020100300506032b657004220420";
  const base64url = Buffer.from(prefix + sound, "hex")
    .toString("base64url")
    .replace(/A$/, "_");
  const stray = body.replace(/.=$/, (last) => (last === "o=" ? "p=" : "o="));
  const cases: [title: string, pem: string, expected: "taken" | "bad_request"][] = [
    ["lines ended by CRLF", good.replaceAll("\n", "\r\n"), "taken"],
    ["no line end after it", good.trimEnd(), "taken"],
    ["white space around it", `\n \t${good}\n\n`, "taken"],
    ["all in one line", good.replaceAll("\n", ""), "taken"],
    ["the base64 in lines of another length", lines(begin, body.slice(0, 20), body.slice(20), end), "taken"],
    ["the private key", privateKey.export({ type: "pkcs8", format: "pem" }).toString(), "bad_request"],
    ["the private key under a public label", pemOf(`${privatePrefix}${"11".repeat(32)}`), "bad_request"],
    ["a public key under a private label", pemOf(prefix + sound, "PRIVATE KEY"), "bad_request"],
    ["a certificate's label", pemOf(prefix + sound, "CERTIFICATE"), "bad_request"],
    ["X25519", x25519, "bad_request"],
    ["RSA", rsa.publicKey.export({ type: "spki", format: "pem" }).toString(), "bad_request"],
    ["two blocks", good + generated(), "bad_request"],
    ["the same block twice", good + good, "bad_request"],
    ["a block and a private key", good + pemOf("00", "PRIVATE KEY"), "bad_request"],
    ["text after it", `${good}trailing`, "bad_request"],
    ["text before it", `leading\n${good}`, "bad_request"],
    ["no end", lines(begin, body), "bad_request"],
    ["no begin", lines(body, end), "bad_request"],
    ["nothing in it", lines(begin, end), "bad_request"],
    ["a header in it", lines(begin, "Comment: x", "", body, end), "bad_request"],
    ["base64 with bytes after the key", pemOf(`${prefix}${sound}00`), "bad_request"],
    ["a byte too few", pemOf((prefix + sound).slice(0, -2)), "bad_request"],
    ["an algorithm with parameters", pemOf(`302c300706032b65700500032100${sound}`), "bad_request"],
    ["base64url", lines(begin, base64url, end), "bad_request"],
    ["base64 without its padding", lines(begin, body.replace(/=+$/, ""), end), "bad_request"],
    ["base64 with stray bits", lines(begin, stray, end), "bad_request"],
    ["a dash too many", good.replace("-----END", "------END"), "bad_request"],
    ["the bare base64", body, "bad_request"],
    ["nothing", "", "bad_request"],
  ];
  test.each(cases)("%s", (_title, pem, expected) => {
    expect(refused(pem)).toBe(expected);
  });

  test("a text made to keep a matcher busy is refused at once", () => {
    const texts = [" ", "\n", "A", "=", "A ", "\n="].map(
      (filler) => begin + filler.repeat(100_000) + end.slice(0, -1),
    );
    const ms = leastCpuMs(500, () => {
      for (const text of texts) expect(refused(text)).toBe("bad_request");
    });
    expect(ms).toBeLessThan(500);
  });
});

describe("what a key is called", () => {
  test("key_ and 16 hex characters of the SHA-256 of the text as it was sent", () => {
    expect(keyIdOf(good)).toBe(`key_${createHash("sha256").update(good, "utf8").digest("hex").slice(0, 16)}`);
    // The RFC 9421 example key (appendix B.1.4) as printed there, worked out with sha256sum.
    const example = "MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=";
    expect(keyIdOf(pemOf(Buffer.from(example, "base64")))).toBe("key_22ce02aa18eb1ee5");
  });

  test("another text of the same key is another id", () => {
    expect(new Set([good, good.trimEnd(), good.replaceAll("\n", "\r\n")].map(keyIdOf)).size).toBe(3);
  });
});
