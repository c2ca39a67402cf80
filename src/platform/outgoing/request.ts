/** Sends one request, without redirects, over a separate connection to a checked address. */
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
  /** Bytes of the response body that are read. */
  maxBytes: number;
  /** Resolves names. Only tests replace it. */
  resolver?: typeof lookup | undefined;
}

export interface OutgoingResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** True if the body is longer than `maxBytes`. */
  isCut: boolean;
}

/** @throws {Error} if the address is forbidden, or there is no complete response in time. */
export function sendOutgoing(url: URL, outgoing: Outgoing): Promise<OutgoingResponse> {
  const { method, body, networks, timeoutSeconds, maxBytes, resolver } = outgoing;
  requireReachableHost(url, networks);
  const headers = { ...outgoing.headers, ...(body && { "content-length": String(body.length) }) };
  const { promise, resolve, reject } = Promise.withResolvers<OutgoingResponse>();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(
    url,
    // The receiver could close a kept-alive connection at the same moment, which would look like a failure.
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

/** Describes an error in a sentence. The runtimes' messages differ, the code does not. */
export function errorSentence(error: unknown, maxCharacters: number): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const sentence = code && !message.includes(code) ? `${message} (${code})` : message;
  return (sentence || "The request failed.").slice(0, maxCharacters).toWellFormed();
}
