/** One attempt: one POST, without redirects, over a connection of its own to an address that was checked. */
import type { lookup } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { limits } from "../../limits.ts";
import { checkedLookup, type Networks, requireReachableHost } from "./destination.ts";

/** What an attempt found. */
export interface Attempt {
  /** The HTTP status; undefined: there was no response. */
  status?: number;
  /** Undefined: it succeeded, with 2xx. */
  error?: string;
  /**
   * The first characters of a failure's response, without those that PostgreSQL cannot store. A success has
   * none: receivers can send back what they were sent.
   */
  responseStart?: string;
  /** The value of `Retry-After`. */
  retryAfterSeconds?: number;
}

/** Limits on what is kept; see the checks of webhook_attempts. */
const maxKeptCharacters = 1_000;
const maxErrorCharacters = 500;

/**
 * Sends a delivery. Never throws.
 *
 * @param resolver resolves names; another one in tests only
 */
export async function deliver(
  destination: string,
  headers: Record<string, string>,
  body: string,
  networks: Networks,
  resolver?: typeof lookup,
): Promise<Attempt> {
  try {
    const response = await post(new URL(destination), headers, body, networks, resolver);
    return resultOf(response);
  } catch (error) {
    return { error: sentenceOf(error) };
  }
}

interface Received {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  networks: Networks,
  resolver?: typeof lookup,
): Promise<Received> {
  requireReachableHost(url, networks);
  const bytes = Buffer.from(body);
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(
    url,
    {
      method: "POST",
      headers: { ...headers, "content-length": String(bytes.length) },
      lookup: checkedLookup(url.protocol, networks, resolver),
      // A connection that was kept could be closed by the receiver at the same moment, which would look like
      // a failure.
      agent: false,
    },
    (response) => void read(response).then(resolve, reject),
  );
  const timer = setTimeout(() => {
    const reason = new Error(`There was no complete response within ${limits.webhook.timeoutSeconds} s.`);
    reject(reason);
    request.destroy(reason);
  }, limits.webhook.timeoutSeconds * 1000);
  request.on("error", reject);
  request.end(bytes);
  return promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}

/** Reads the response up to its limit. The status decides, so that the rest does not matter. */
async function read(response: IncomingMessage): Promise<Received> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limits.webhook.maxResponseBytes) break;
  }
  const { statusCode: status = 0, headers } = response;
  return { status, retryAfter: headers["retry-after"], text: Buffer.concat(chunks).toString() };
}

function resultOf({ status, retryAfter, text }: Received): Attempt {
  if (status >= 200 && status < 300) return { status };
  const responseStart = text.replaceAll("\0", "").slice(0, maxKeptCharacters).toWellFormed();
  const isRedirect = status >= 300 && status < 400;
  const error = `The response has the status ${status}${isRedirect ? ": redirects are not followed" : ""}.`;
  return { status, error, responseStart, ...secondsOf(retryAfter) };
}

/** `Retry-After` is seconds or a date (RFC 9110, section 10.2.3). */
function secondsOf(retryAfter = ""): Pick<Attempt, "retryAfterSeconds"> {
  const seconds = /^\d{1,9}$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) || seconds < 0 ? {} : { retryAfterSeconds: Math.min(seconds, 999_999_999) };
}

/** An error in a sentence. The runtimes' messages differ; the code is the same. */
function sentenceOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const sentence = code && !message.includes(code) ? `${message} (${code})` : message;
  return (sentence || "The request failed.").slice(0, maxErrorCharacters).toWellFormed();
}
