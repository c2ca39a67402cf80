/**
 * Calls of the API's own routes, within the process: a tool's call is authorized, validated, counted and logged by the route that it stands for.
 */
import { peerIps } from "../http/client-ip.ts";
import { contextOf } from "../http/request-context.ts";
import { grantedForms } from "../submit/request.ts";

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

/** @param outer the request of the MCP client, whose id and client IP count */
export async function callRest(fetch: Fetch, outer: Request, call: RestCall): Promise<RestResult> {
  const { requestId, clientIp } = contextOf(outer);
  const bytes = call.body === undefined ? undefined : new TextEncoder().encode(call.body);
  const request = new Request(originOf(outer) + call.path, {
    method: call.method,
    headers: {
      host: outer.headers.get("host") ?? "",
      "x-request-id": requestId,
      ...(bytes && { "content-type": "application/json", "content-length": String(bytes.byteLength) }),
      ...call.headers,
    },
    ...(bytes && { body: bytes }),
  });
  peerIps.set(request, clientIp);
  if (call.form !== undefined) grantedForms.set(request, call.form);
  const response = await fetch(request);
  const { caller } = contextOf(request);
  if (caller) contextOf(outer).caller = caller;
  const retryAfter = response.headers.get("retry-after");
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    ...(retryAfter !== null && { retryAfter: Number(retryAfter) }),
  };
}

const originOf = ({ url }: Request): string => /^\w+:\/\/[^/?#]*/.exec(url)?.[0] ?? "";
