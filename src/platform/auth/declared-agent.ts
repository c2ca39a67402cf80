/**
 * Programs that declare themselves on a page for people: Web Bot Auth
 * (draft-ietf-webbotauth-httpsig-protocol). A signature by a key of an origin's directory proves a
 * signature of that origin for this server. It does not cover the content, and can be repeated.
 */
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import { type InnerList, type Item, parseDictionary, parseItem } from "structured-headers";
import { limits } from "../../limits.ts";
import type { Deps } from "../deps.ts";
import { requestIdsOf } from "../http/request-context.ts";
import { type Networks, networksFor } from "../outgoing/guard.ts";
import { sendOutgoing } from "../outgoing/request.ts";
import { importKey, isWebBotAuth, signatureBase, verifyWithKey } from "./http-signature.ts";
import { isThumbprint, jwkOfPoint, spkiOfPoint } from "./public-key.ts";
import { signedMessageOf } from "./verify-signature.ts";

const { maxDirectories, maxDirectoryBytes, maxKeys, maxFetches, directoryMs, failureMs, timeoutSeconds } =
  limits.declaredAgent;
const directoryPath = "/.well-known/http-message-signatures-directory";

type Keys = Map<string, CryptoKey>;

/** Key directories by origin. A failure is cached too, for a shorter time. */
const directories = new LRUCache<string, Promise<Keys>>({ max: maxDirectories, ttl: directoryMs });
const fetches = pLimit(maxFetches);

/**
 * The verified origin of a request: "" if it declares a program that is not verified, undefined if it
 * declares none. Anyone can choose the origin, so its directory is fetched through the guard of outgoing
 * requests and cached, at most {@link maxFetches} at a time. Call it after the form has admitted the request.
 */
export async function declaredAgentOf(deps: Deps, request: Request): Promise<string | undefined> {
  const declared = declarationIn(request.headers);
  if (!declared) return undefined;
  const [label, input] = declared;
  try {
    const { origin, keyId, signature } = requireStated(request.headers, label, input);
    const base = signatureBase(signedMessageOf(deps.config, request, undefined), input);
    const key = (await keysOf(deps, origin)).get(keyId);
    if (base && key && (await verifyWithKey(key, { signature, base }))) return origin;
    throw new Error("The signature is not by a key of the origin.");
  } catch (error) {
    deps.log.info(
      { ...requestIdsOf(request), reason: (error as Error).message },
      "declared agent not verified",
    );
    return "";
  }
}

/** Checks whether a request declares a program, without verifying it. */
export const declaresAgent = ({ headers }: Request): boolean => declarationIn(headers) !== undefined;

/** The first member of Signature-Input with the tag of Web Bot Auth. */
function declarationIn(headers: Headers): [label: string, input: InnerList] | undefined {
  try {
    const members = parseDictionary(headers.get("signature-input") ?? "");
    for (const [label, member] of members)
      if (Array.isArray(member[0]) && isWebBotAuth(member[1])) return [label, member as InnerList];
  } catch {
    // An unreadable header declares nothing.
  }
  return undefined;
}

/** @throws {Error} if a part is missing, has the wrong type, or is not valid now. */
function requireStated(headers: Headers, label: string, input: InnerList) {
  const [components, parameters] = input;
  const { created, expires, keyid, alg = "ed25519" } = Object.fromEntries(parameters);
  const names = components.map(([name]) => name);
  if (!names.includes("@authority") || !names.includes("signature-agent"))
    throw new Error("@authority and signature-agent must be covered.");
  const now = Date.now() / 1000;
  const { maxSkewSeconds } = limits.signature;
  const isCurrent =
    Number.isInteger(created) &&
    Number.isInteger(expires) &&
    Number(created) <= now + maxSkewSeconds &&
    Number(expires) >= now - maxSkewSeconds &&
    Number(expires) - Number(created) <= limits.webBotAuth.maxLifetimeHours * 3600;
  if (!isCurrent || alg !== "ed25519" || typeof keyid !== "string" || !isThumbprint(keyid))
    throw new Error("created, expires, alg or keyid is not valid.");
  const [bytes] = (parseDictionary(headers.get("signature") ?? "").get(label) ?? []) as unknown[];
  if (!(bytes instanceof ArrayBuffer) || bytes.byteLength !== 64) throw new Error("There is no signature.");
  return {
    origin: originIn(headers.get("signature-agent") ?? "", components),
    keyId: keyid,
    signature: new Uint8Array(bytes),
  };
}

/** The origin in Signature-Agent: a string, or a dictionary with a covered member. @throws {Error} */
function originIn(header: string, components: readonly Item[]): string {
  const covered = components.find(([name]) => name === "signature-agent")?.[1].get("key");
  const [text] =
    typeof covered === "string" ? (parseDictionary(header).get(covered) ?? []) : parseItem(header);
  const url = new URL(String(text));
  const isOrigin = /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (!isOrigin || url.origin.length > limits.declaredAgent.maxOriginLength)
    throw new Error("signature-agent must have an origin of https, or of http.");
  return url.origin;
}

async function keysOf({ config }: Deps, origin: string): Promise<Keys> {
  const known = directories.get(origin);
  if (known) return await known;
  if (fetches.activeCount >= maxFetches) throw new Error("Other directories are being read.");
  const keys = fetches(readDirectory, origin, networksFor(config, "stranger"));
  directories.set(origin, keys);
  keys.catch(() => directories.set(origin, keys, { ttl: failureMs }));
  return await keys;
}

async function readDirectory(origin: string, networks: Networks): Promise<Keys> {
  const { status, body, isCut } = await sendOutgoing(new URL(directoryPath, origin), {
    method: "GET",
    headers: { accept: "application/http-message-signatures-directory+json, application/json" },
    networks,
    timeoutSeconds,
    maxBytes: maxDirectoryBytes,
  });
  if (status !== 200 || isCut) throw new Error(`The directory of ${origin} has the status ${status}.`);
  const { keys } = JSON.parse(body.toString()) as { keys: { x?: unknown }[] };
  const imported: Keys = new Map();
  for (const { x } of keys.slice(0, maxKeys)) {
    const point = Buffer.from(String(x), "base64url");
    const spki = spkiOfPoint(point);
    if (spki) imported.set(jwkOfPoint(point).kid, await importKey(spki));
  }
  return imported;
}
