/** Calls of the API's own routes in the process, which authorize, validate, count and log them. */
import { contextOf, type OwnRequest, ownRequests } from "../../platform/http/request-context.ts";

export interface RestCall {
  method: string;
  /** Path with the query. */
  path: string;
  headers: Record<string, string>;
  /** JSON text. */
  body?: string;
  /** The form for a submitter route, by the grant of the caller and not by an access key. */
  form?: string;
  withIds?: OwnRequest["withIds"];
}

export interface RestResult {
  status: number;
  /** An envelope: `data`, or `error` and `code`. */
  body: Record<string, unknown>;
  /** Seconds. */
  retryAfter?: number;
}

/** Handles a request as the server does. */
export type Fetch = (request: Request) => Response | Promise<Response>;

const encoder = new TextEncoder();

/** @param client the request of the MCP client */
export async function callRest(fetch: Fetch, client: Request, call: RestCall): Promise<RestResult> {
  const { method, path, body = "", headers, form, withIds } = call;
  // The body is passed beside the request: reading it back would take 8 µs.
  const type = { "content-type": "application/json" };
  const request = new Request(originOf(client) + path, { method, headers: { ...type, ...headers } });
  ownRequests.set(request, { client, body: encoder.encode(body), form, withIds });
  const response = await fetch(request);
  const { caller } = contextOf(request);
  if (caller) contextOf(client).caller = caller;
  const retryAfter = response.headers.get("retry-after");
  return {
    status: response.status,
    body: await bodyOf(response),
    ...(retryAfter !== null && { retryAfter: Number(retryAfter) }),
  };
}

/** Limit on a response that is not JSON: an export can have any length. */
const maxTextBytes = 262_144;

/** Reads an envelope. For a response that is not JSON, `data` has its text, or the beginning of it. */
async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  if (/^application\/json(?:;|$)/.test(response.headers.get("content-type") ?? ""))
    return (await response.json()) as Record<string, unknown>;
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // Ending the loop cancels the response.
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk.subarray(0, maxTextBytes - bytes), { stream: true });
    bytes += chunk.length;
    if (bytes > maxTextBytes) break;
  }
  return { data: { text, isWhole: bytes <= maxTextBytes } };
}

const originOf = ({ url }: Request): string => /^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? "";
