/** The server's keys (draft-meunier-webbotauth-httpsig-directory). Each signs: the host proves possession. */
import { Elysia } from "elysia";
import { LRUCache } from "lru-cache";
import { type InnerList, serializeDictionary, serializeInnerList } from "structured-headers";
import { limits } from "../../limits.ts";
import { jwkOfPoint } from "../../platform/auth/public-key.ts";
import type { Deps } from "../../platform/deps.ts";
import { hostOf } from "../../platform/http/host.ts";
import { operation } from "../../platform/http/operation.ts";

const path = "/.well-known/http-message-signatures-directory";
const mediaType = "application/http-message-signatures-directory+json";
/** Version of the key pair: another version gives another pair. */
const keyVersion = "1";

/** A response costs a derivation and a signature per key, 2 ms: it is cached per host and time. */
const keptMs = 30_000;
/** A loopback server has a host for each port that a request may name. */
const maxHosts = 16;

const responder = ({ masterKey }: Deps) => {
  const kept = new LRUCache<string, { headers: Record<string, string>; body: string }>({
    max: maxHosts,
    ttl: keptMs,
  });
  return async (host: string) => {
    const known = kept.get(host);
    if (known) return known;
    const pairs = await Promise.all(
      masterKey.all.map(async (each) => {
        const { privateKey, publicKey } = await each.signingKey("http-message-signatures", keyVersion);
        return { privateKey, jwk: jwkOfPoint(publicKey) };
      }),
    );
    const made = {
      headers: { ...(await signatureHeaders(pairs, host)), "content-type": mediaType },
      body: JSON.stringify({ keys: pairs.map(({ jwk }) => ({ ...jwk, alg: "EdDSA", use: "sig" })) }),
    };
    kept.set(host, made);
    return made;
  };
};

export const keyDirectoryRoute = (deps: Deps) => {
  const respond = responder(deps);
  return new Elysia({ name: path }).get(
    path,
    async ({ request, set }) => {
      const { headers, body } = await respond(hostOf(request, deps.config));
      Object.assign(set.headers, headers);
      return body;
    },
    operation({
      id: "getKeyDirectory",
      tag: "protocol",
      summary: "Read the server's own public keys",
      description:
        "A signed JSON Web Key Set, the HTTP Message Signatures Directory of Web Bot Auth. Needs `FORMD_SECRET_KEY`.",
      security: [{}],
      response: {
        description: "The keys.",
        media: { [mediaType]: { schema: { type: "object", additionalProperties: {} } } },
      },
      codes: [],
    }),
  );
};

/** Signs the authority of the request that the response belongs to (RFC 9421, section 2.4). */
async function signatureHeaders(pairs: { privateKey: CryptoKey; jwk: { kid: string } }[], authority: string) {
  const created = Math.floor(Date.now() / 1000);
  const expires = created + limits.signature.maxSkewSeconds;
  const [signatures, inputs] = [new Map<string, ArrayBuffer>(), new Map<string, InnerList>()];
  for (const [index, { privateKey, jwk }] of pairs.entries()) {
    const input = inputOf(created, expires, jwk.kid);
    const base = `"@authority";req: ${authority}\n"@signature-params": ${serializeInnerList(input)}`;
    signatures.set(
      `binding${index}`,
      await crypto.subtle.sign("Ed25519", privateKey, new TextEncoder().encode(base)),
    );
    inputs.set(`binding${index}`, input);
  }
  return {
    signature: serializeDictionary(Object.fromEntries(signatures)),
    "signature-input": serializeDictionary(Object.fromEntries(inputs)),
  };
}

const inputOf = (created: number, expires: number, keyid: string): InnerList => [
  [["@authority", new Map([["req", true]])]],
  new Map<string, string | number>([
    ["created", created],
    ["expires", expires],
    ["keyid", keyid],
    ["alg", "ed25519"],
    ["tag", "http-message-signatures-directory"],
  ]),
];
