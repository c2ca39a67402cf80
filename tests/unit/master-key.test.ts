import { afterAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/platform/config.ts";
import { readSecretKeys } from "../../src/platform/database/embedded/secret-key.ts";
import { generateMasterKey, type KeyUse, MasterKey, parseMasterKey } from "../../src/platform/master-key.ts";

const text = Buffer.alloc(32, 7).toString("base64");
const key = new MasterKey(parseMasterKey(text));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** HKDF-SHA-256 for 32 bytes and no salt, from RFC 5869, sections 2.2 and 2.3. */
function hkdf(input: Uint8Array, info: string): string {
  const pseudorandom = createHmac("sha256", Buffer.alloc(32)).update(input).digest();
  return createHmac("sha256", pseudorandom).update(`${info}\x01`).digest("hex");
}

describe("derived keys", () => {
  test("are HKDF-SHA-256 of the master key with use and id as info", () => {
    expect(hex(key.derive("receipt", "a"))).toBe(hkdf(Buffer.alloc(32, 7), "formd/1 receipt a"));
  });

  test("differ by use, by id and by master key", () => {
    const uses: KeyUse[] = [
      ...(["webhook-hmac", "webhook-ed25519", "receipt", "mcp-state", "form-page"] as const),
      "http-message-signatures",
    ];
    const other = new MasterKey(parseMasterKey(generateMasterKey()));
    const keys = [key, other].flatMap((each) =>
      uses.flatMap((use) => ["a", "b"].map((id) => hex(each.derive(use, id)))),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("sign, authenticate and encrypt with WebCrypto", async () => {
    const message = Buffer.from("message");
    const { privateKey, publicKey } = await key.signingKey("receipt", "a");
    const signature = await crypto.subtle.sign("Ed25519", privateKey, message);
    const raw = publicKey as BufferSource;
    const imported = await crypto.subtle.importKey("raw", raw, "Ed25519", true, ["verify"]);
    expect(await crypto.subtle.verify("Ed25519", imported, signature, message)).toBe(true);
    const mac = await crypto.subtle.sign("HMAC", await key.hmacKey("webhook-hmac", "a"), message);
    const expected = createHmac("sha256", key.derive("webhook-hmac", "a")).update(message).digest("hex");
    expect(hex(new Uint8Array(mac))).toBe(expected);
    const cipher = { name: "AES-GCM", iv: new Uint8Array(12) };
    const encrypted = await crypto.subtle.encrypt(cipher, await key.aesKey("mcp-state", "a"), message);
    const decrypted = await crypto.subtle.decrypt(cipher, await key.aesKey("mcp-state", "a"), encrypted);
    expect(Buffer.from(decrypted)).toEqual(message);
  });

  test("without a master key are the problem that names the variable", () => {
    const none = new MasterKey(undefined);
    expect(none.isPresent).toBe(false);
    const problem = { code: "unavailable", message: expect.stringContaining("FORMD_SECRET_KEY") };
    expect(() => none.derive("receipt", "a")).toThrow(expect.objectContaining(problem));
  });
});

describe("FORMD_SECRET_KEY", () => {
  test("is 32 bytes in base64", () => {
    const generated = generateMasterKey();
    const bytes = new Uint8Array(Buffer.from(generated, "base64"));
    expect(readConfig({ FORMD_SECRET_KEY: generated }).FORMD_SECRET_KEY).toEqual([bytes]);
    const { FORMD_SECRET_KEY } = readConfig({ FORMD_SECRET_KEY: `${generated},${text}` });
    expect(FORMD_SECRET_KEY).toEqual([bytes, new Uint8Array(32).fill(7)]);
  });

  test.each([
    ...["secret", text.slice(0, -1), `${text} `, `${text},`],
    ...[Buffer.alloc(31).toString("base64"), "_".repeat(43)],
  ])("%j is refused, and not repeated", (wrong) => {
    expect(() => readConfig({ FORMD_SECRET_KEY: wrong })).toThrow(
      "FORMD_SECRET_KEY cannot be used: it must be 32 bytes in base64, as formd secret generate prints them, or several, comma-separated.",
    );
  });
});

describe("secret.key in the data directory", () => {
  const directory = mkdtempSync(join(tmpdir(), "formd-test-"));
  const path = join(directory, "secret.key");
  afterAll(() => rmSync(directory, { recursive: true }));

  test("is made once, by whichever of several processes comes first, for its user only", async () => {
    const read = async () => hex((await readSecretKeys(directory, true))?.[0] as Uint8Array);
    const keys = await Promise.all(Array.from({ length: 20 }, read));
    expect([...new Set(keys)]).toEqual([await read()]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["secret.key"]);
  });

  test("that holds no key is an error that names it, and is not replaced", async () => {
    writeFileSync(path, "half");
    await expect(readSecretKeys(directory, true)).rejects.toThrow(`${path} does not hold 32 bytes in base64`);
  });
});
