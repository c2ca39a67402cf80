// Signs and sends a submission. Needs a client of RFC 9421: npm install http-message-sig
import { createHash, createPrivateKey, randomBytes, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSignature } from "http-message-sig";

const { BASE = "", ACCESS_KEY = "", KEY_ID = "", KEY_FILE = "" } = process.env;
const privateKey = createPrivateKey(readFileSync(KEY_FILE));
const body = JSON.stringify({ data: { name: "Ada", email: "ada@example.org", topic: "sales" } });
const headers = new Headers({
  "content-type": "application/json",
  "content-digest": `sha-256=:${createHash("sha256").update(body).digest("base64")}:`,
  "x-form-access-key": ACCESS_KEY,
});
const request = new Request(`${BASE}/papi/v1/submitter/form/submissions`, { method: "POST", headers });
const { signature, signatureInput } = await createSignature(request, {
  components: ["@method", "@authority", "@path", "x-form-access-key", "content-digest"],
  parameters: {
    created: Math.floor(Date.now() / 1000),
    keyid: KEY_ID,
    alg: "ed25519",
    nonce: randomBytes(16).toString("base64url"),
  },
  signer: { algorithm: "ed25519", sign: (base) => sign(null, base, privateKey) },
});
headers.set("signature", signature);
headers.set("signature-input", signatureInput);
console.log(await (await fetch(request.url, { method: "POST", headers, body })).text());
