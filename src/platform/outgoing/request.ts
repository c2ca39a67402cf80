/** One request, without redirects, over a connection of its own to an address that was checked. */
import type { lookup } from "node:dns";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { checkedLookup, type Networks, requireReachableHost } from "./guard.ts";

interface Outgoing {
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array | undefined;
  networks: Networks;
  timeoutSeconds: number;
  /** How much of the body of the response is read. */
  maxBytes: number;
  /** Resolves names; another one in tests only. */
  resolver?: typeof lookup | undefined;
}

export interface OutgoingResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the body is longer than was read. */
  isCut: boolean;
}

/** @throws {Error} when the address is refused, or there is no complete response in time. */
export function sendOutgoing(url: URL, outgoing: Outgoing): Promise<OutgoingResponse> {
  const { method, body, networks, timeoutSeconds, maxBytes, resolver } = outgoing;
  requireReachableHost(url, networks);
  const headers = { ...outgoing.headers, ...(body && { "content-length": String(body.length) }) };
  const { promise, resolve, reject } = Promise.withResolvers<OutgoingResponse>();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(
    url,
    // A connection that was kept could be closed by the receiver at the same moment, which would look like a
    // failure.
    { method, headers, lookup: checkedLookup(url.protocol, networks, resolver), agent: false },
    (response) => void read(response, maxBytes).then(resolve, reject),
  );
  const timer = setTimeout(() => {
    const reason = new Error(`There was no complete response within ${timeoutSeconds} s.`);
    reject(reason);
    request.destroy(reason);
  }, timeoutSeconds * 1000);
  request.on("error", reject);
  request.end(body);
  return promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<OutgoingResponse> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  const { statusCode: status = 0, headers } = response;
  const body = Buffer.concat(chunks);
  return { status, headers, body: body.subarray(0, maxBytes), isCut: length > maxBytes };
}

/** An error in a sentence. The runtimes' messages differ; the code is the same. */
export function errorSentence(error: unknown, maxCharacters: number): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const sentence = code && !message.includes(code) ? `${message} (${code})` : message;
  return (sentence || "The request failed.").slice(0, maxCharacters).toWellFormed();
}
