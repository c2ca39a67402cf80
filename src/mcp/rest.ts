/**
 * Calls of the API's own routes, within the process: a tool's call is authorized, validated, counted and logged by the route that it stands for.
 */
import { contextOf, ownRequests } from "../http/request-context.ts";

export interface RestCall {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  /** JSON text. */
  body?: string;
  /** The form that a submitter route is about, by the grant of the caller and not by an access key. */
  form?: string;
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
  const { method, path, body = "", headers, form } = call;
  // The body is not a part of the request: reading it back would take 8 µs.
  const type = { "content-type": "application/json" };
  const request = new Request(originOf(client) + path, { method, headers: { ...type, ...headers } });
  ownRequests.set(request, { client, body: encoder.encode(body), form });
  const response = await fetch(request);
  const { caller } = contextOf(request);
  if (caller) contextOf(client).caller = caller;
  const retryAfter = response.headers.get("retry-after");
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    ...(retryAfter !== null && { retryAfter: Number(retryAfter) }),
  };
}

const originOf = ({ url }: Request): string => /^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? "";
