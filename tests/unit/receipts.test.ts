import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { MasterKey, parseMasterKey } from "../../src/platform/master-key.ts";
import { openNote, parseKey, signNote, writeKey } from "../../src/resources/receipts/note.ts";
import {
  type Accepted,
  commitmentTo,
  digestOf,
  readReceipt,
  writeReceipt,
} from "../../src/resources/receipts/receipt.ts";

const masterKey = new MasterKey(parseMasterKey(Buffer.alloc(32, 7).toString("base64")));
const accepted: Accepted = {
  submission: "0199aa00-0000-7000-8000-000000000004",
  form: "0199aa00-0000-7000-8000-000000000001",
  version: 3,
  schema: { fields: [{ type: "text", id: "a" }] },
  requestDigest: new Uint8Array(32),
  salt: new Uint8Array(16),
  data: { b: 1, a: "x" },
  submitterType: "agent",
  submitterId: "0199aa00-0000-7000-8000-000000000005",
  provenance: "agent_signed",
  respondentId: null,
  declaredAgent: null,
  keyId: "key_1",
  signatureInput: '("@method");created=1',
  signature: ":AAAA:",
  acceptedAt: new Date("2026-11-20T09:00:00.123Z"),
};
const { privateKey, publicKey } = await masterKey.signingKey("receipt", "t 1");
const key = { name: "https://forms.example.org/receipts/t", publicKey };
const note = await signNote(writeReceipt(accepted), key, privateKey);

describe("a receipt", () => {
  test("has its members in their order, and those of signed requests only when there are some", () => {
    const names = (text: string) => [...text.matchAll(/^[^:\n]+/gm)].join(" ");
    const all = "submission form version schema-digest request-digest data-commitment submitter provenance";
    const ofSigned = "key agent-signature-input agent-signature";
    expect(names(writeReceipt(accepted))).toBe(`${all} ${ofSigned} accepted`);
    const unsigned = { ...accepted, keyId: null, signatureInput: null, signature: null };
    expect(names(writeReceipt(unsigned))).toBe(`${all} accepted`);
    expect(readReceipt(writeReceipt(accepted))).toMatchObject({
      submitter: `agent ${accepted.submitterId}`,
      "agent-signature-input": accepted.signatureInput as string,
      accepted: "2026-11-20T09:00:00.123Z",
    });
  });

  test("digests the form of RFC 8785: sorted members, exact numbers", () => {
    const salt = Buffer.alloc(16, 1);
    const expected = createHash("sha256").update(salt).update('{"a":[1e+21,1e-7,0.1,0],"b":"é\\n"}');
    const commitment = commitmentTo({ b: "é\n", a: [1e21, 1e-7, 0.1, -0] }, salt);
    expect(commitment).toBe(`sha-256=:${expected.digest("base64")}:`);
  });
});

/** Copies of the bytes, each with one bit of one byte changed. */
function* changesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++)
    for (const bit of [1, 32, 128]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ bit;
      yield changed;
    }
}

describe("the data of a receipt", () => {
  test("is refused after a change of any one byte, of the body, of the data or of the salt", () => {
    const body = Buffer.from('{"data":{"a":"x","b":1}}');
    for (const changed of changesOf(body)) expect(digestOf(changed)).not.toBe(digestOf(body));
    // In the one form that RFC 8785 gives it: another spelling of the same data is the same data.
    const data = Buffer.from('{"a":"x","b":1}');
    const commitment = commitmentTo(accepted.data, accepted.salt);
    expect(commitmentTo(JSON.parse(data.toString()), accepted.salt)).toBe(commitment);
    for (const changed of changesOf(data)) {
      let other: unknown;
      try {
        other = JSON.parse(changed.toString());
      } catch {
        continue; // it is no JSON
      }
      expect(commitmentTo(other, accepted.salt)).not.toBe(commitment);
    }
    for (const salt of changesOf(accepted.salt))
      expect(commitmentTo(accepted.data, salt)).not.toBe(commitment);
  });
});

describe("a signed note", () => {
  test("opens with its key, whose text is taken in one spelling", async () => {
    expect(await openNote(note, key)).toBe(writeReceipt(accepted));
    expect(parseKey(writeKey(key))).toEqual(key);
    // The key of the specification's examples (c2sp.org/signed-note): PeterNeumann, from Go's sumdb/note.
    const text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    expect(writeKey(parseKey(text))).toBe(text);
    const example =
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
      "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    expect(await openNote(example, parseKey(text))).toStartWith("If you think");
  });

  test("is refused after a change of any one byte, of the note or of the key", async () => {
    for (const changed of changesOf(Buffer.from(note)))
      await expect(openNote(changed.toString(), key)).rejects.toThrow();
    for (const changed of changesOf(Buffer.from(writeKey(key)))) {
      const open = async () => await openNote(note, parseKey(changed.toString()));
      await expect(open()).rejects.toThrow();
    }
  });

  test("is refused with something before, between or after", async () => {
    const between = note.replace("\n\n", "\n\n\n");
    for (const changed of [` ${note}`, `${note}\n`, `${note} `, between, `${note}${note.split("\n\n")[1]}`])
      await expect(openNote(changed, key)).rejects.toThrow();
  });
});
