/** Signed responses (RFC 9421, section 5): on `Accept-Signature`, and bound to the request. */
import type { BareItem, InnerList, Item, Parameters } from "structured-headers";
import { parseDictionary, serializeDictionary, serializeInnerList, serializeItem } from "structured-headers";
import type { Deps } from "../../platform/deps.ts";
import { jsonResponse } from "../../platform/http/envelope.ts";
import { hostOf } from "../../platform/http/host.ts";
import { contextOf, pathOf, requestIdsOf } from "../../platform/http/request-context.ts";
import { errorForLog } from "../../problem.ts";
import { keyFor } from "./keys.ts";
import { digestOf } from "./receipt.ts";

const ofRequest = (): Parameters => new Map<string, BareItem>([["req", true]]);

/** Components that are always covered: otherwise the response could be used for another request. */
const required: Item[] = [
  ["@status", new Map()],
  ["content-digest", new Map()],
  ["@method", ofRequest()],
  ["@authority", ofRequest()],
  ["@path", ofRequest()],
];

/**
 * Returns the response as JSON, signed by the key of the team's receipts if the request asks for components
 * that can be covered; otherwise unsigned, as section 5.1 allows. Never throws: the result is committed, and
 * an error would make the client send it again.
 */
export async function signedResponse(deps: Deps, request: Request, team: string, response: object) {
  const json = JSON.stringify(response);
  const { headers } = contextOf(request);
  if (deps.masterKey.isPresent)
    try {
      Object.assign(headers, await signatureHeaders(deps, request, team, json));
    } catch (error) {
      deps.log.warn({ ...requestIdsOf(request), err: errorForLog(error) }, "A response could not be signed.");
    }
  return jsonResponse(request, json);
}

/** The headers that sign the response; none if the request asks for components that cannot be covered. */
async function signatureHeaders(
  deps: Deps,
  request: Request,
  team: string,
  json: string,
): Promise<Record<string, string>> {
  const contentDigest = digestOf(Buffer.from(json));
  const values: Record<string, string | null> = {
    '"@status"': "200",
    '"content-digest"': contentDigest,
    '"content-type"': "application/json;charset=utf-8",
    '"@method";req': request.method,
    '"@authority";req': hostOf(request, deps.config),
    '"@path";req': pathOf(request),
    '"content-digest";req': request.headers.get("content-digest"),
    '"content-type";req': request.headers.get("content-type"),
  };
  const wanted = wantedSignature(request.headers.get("accept-signature") ?? "");
  const items = wanted && covered(wanted.list[0], values);
  if (!wanted || !items) return {};
  const { key, privateKey } = await keyFor(deps, team, new Date());
  const parameters = new Map<string, BareItem>([
    ["created", Math.floor(Date.now() / 1000)],
    ["keyid", key.name],
    ["alg", "ed25519"],
  ]);
  for (const name of ["nonce", "tag"]) {
    const value = wanted.list[1].get(name);
    if (typeof value === "string") parameters.set(name, value);
  }
  const input: InnerList = [items, parameters];
  const lines = items.map((item) => `${serializeItem(item)}: ${values[serializeItem(item)]}`);
  const base = [...lines, `"@signature-params": ${serializeInnerList(input)}`].join("\n");
  const signature = await crypto.subtle.sign("Ed25519", privateKey, Buffer.from(base));
  return {
    "content-digest": contentDigest,
    "signature-input": serializeDictionary(new Map([[wanted.label, input]])),
    signature: serializeDictionary(new Map([[wanted.label, [signature, new Map()]]])),
  };
}

function wantedSignature(header: string): { label: string; list: InnerList } | undefined {
  try {
    for (const [label, member] of parseDictionary(header))
      if (Array.isArray(member[0])) return { label, list: member as InnerList };
  } catch {
    // Not a dictionary: no request that can be understood.
  }
  return undefined;
}

/** The components to cover: the requested ones and the required ones; undefined if one has no value. */
function covered(asked: Item[], values: Record<string, string | null>): Item[] | undefined {
  const items = new Map([...required, ...asked].map((item) => [serializeItem(item), item]));
  return [...items.keys()].every((name) => Object.hasOwn(values, name) && values[name] !== null)
    ? [...items.values()]
    : undefined;
}
