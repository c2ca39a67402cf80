/** One attempt: one POST. */
import type { lookup } from "node:dns";
import { limits } from "../../limits.ts";
import type { Networks } from "../../platform/outgoing/guard.ts";
import { errorSentence, type OutgoingResponse, sendOutgoing } from "../../platform/outgoing/request.ts";

interface Attempt {
  /** The HTTP status; undefined: no response. */
  status?: number;
  /** Undefined: it succeeded, with 2xx. */
  error?: string;
  /** First characters of a failed response, without U+0000 (PostgreSQL). A success may echo: it has none. */
  responseStart?: string;
  retryAfterSeconds?: number;
}

/** Limits on the stored text; see the checks of webhook_attempts. */
const maxKeptCharacters = 1_000;
const maxErrorCharacters = 500;

/** Sends a delivery. Never throws. @param resolver resolves names; only tests pass another one */
export async function deliver(
  destination: string,
  headers: Record<string, string>,
  body: string,
  networks: Networks,
  resolver?: typeof lookup,
): Promise<Attempt> {
  try {
    const response = await sendOutgoing(new URL(destination), {
      method: "POST",
      headers,
      body: Buffer.from(body),
      networks,
      timeoutSeconds: limits.webhook.timeoutSeconds,
      maxBytes: limits.webhook.maxResponseBytes,
      resolver,
    });
    return resultOf(response);
  } catch (error) {
    return { error: errorSentence(error, maxErrorCharacters) };
  }
}

/** Only the status counts: the rest of the body is not needed. */
function resultOf({ status, headers, body }: OutgoingResponse): Attempt {
  if (status >= 200 && status < 300) return { status };
  const responseStart = body.toString().replaceAll("\0", "").slice(0, maxKeptCharacters).toWellFormed();
  const isRedirect = status >= 300 && status < 400;
  const error = `The response has the status ${status}${isRedirect ? ": redirects are not followed" : ""}.`;
  return { status, error, responseStart, ...secondsOf(headers["retry-after"]) };
}

/** `Retry-After` is seconds or a date (RFC 9110, section 10.2.3). */
function secondsOf(retryAfter = ""): Pick<Attempt, "retryAfterSeconds"> {
  const seconds = /^\d{1,9}$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) || seconds < 0 ? {} : { retryAfterSeconds: Math.min(seconds, 999_999_999) };
}
