/**
 * The server's own public keys: `GET /.well-known/http-message-signatures-directory` (draft-meunier-webbotauth-httpsig-directory). Each key
 * signs the response, which proves that the server at this authority has it.
 */
import { Elysia } from "elysia";
import { type InnerList, serializeDictionary, serializeInnerList } from "structured-headers";
import { jwkOfPoint } from "../auth/public-key.ts";
import type { Deps } from "../deps.ts";
import { hostOf } from "../http/host.ts";
import { operation } from "../http/operation.ts";
import { limits } from "../limits.ts";

const path = "/.well-known/http-message-signatures-directory";
const mediaType = "application/http-message-signatures-directory+json";
/** Of the key pair: another one gives another pair. */
const keyVersion = "1";

export const directory = ({ config, masterKey }: Deps) =>
  new Elysia({ name: path }).get(
    path,
    async ({ request, set }) => {
      const { privateKey, publicKey } = await masterKey.signingKey("http-message-signatures", keyVersion);
      const jwk = jwkOfPoint(publicKey);
      Object.assign(set.headers, await signatureHeaders(privateKey, jwk.kid, hostOf(request, config)), {
        "content-type": mediaType,
      });
      return JSON.stringify({ keys: [{ ...jwk, alg: "EdDSA", use: "sig" }] });
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

/** Signs the authority of the request that the response belongs to (RFC 9421, section 2.4). */
async function signatureHeaders(privateKey: CryptoKey, keyid: string, authority: string) {
  const created = Math.floor(Date.now() / 1000);
  const expires = created + limits.signature.maxSkewSeconds;
  const input: InnerList = [
    [["@authority", new Map([["req", true]])]],
    new Map<string, string | number>([
      ["created", created],
      ["expires", expires],
      ["keyid", keyid],
      ["alg", "ed25519"],
      ["tag", "http-message-signatures-directory"],
    ]),
  ];
  const base = `"@authority";req: ${authority}\n"@signature-params": ${serializeInnerList(input)}`;
  const signature = await crypto.subtle.sign("Ed25519", privateKey, new TextEncoder().encode(base));
  return {
    signature: serializeDictionary({ binding0: signature }),
    "signature-input": serializeDictionary({ binding0: input }),
  };
}
