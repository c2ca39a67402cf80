/** Shapes of the session routes: requests, responses and rows (specification, "Sessions"). */
import { type } from "arktype";
import type { Config } from "../config.ts";
import { JsonObject, Timestamp } from "../http/shapes.ts";
import { limits } from "../limits.ts";

export const TokenRequest = JsonObject.and({ "clientSecret?": "string" });

export const AnonymousRequest = JsonObject.and({
  "captchaToken?": type.string.atMostLength(limits.anonymousSession.maxCaptchaTokenLength).or("null"),
});

export const SessionToken = type({ token: "string", expiresAt: Timestamp });

/** A row of formd.agent_session_create and formd.anonymous_session_create. */
export interface SessionRow {
  outcome: string;
  expiresAt: Date;
  remaining: number;
  resetMs: number;
}

/** The row with the rate limit that it is about. */
export const sessionLimit = ({ RATE_LIMIT_PAPI_AUTH_PER_MINUTE: maxRequests }: Config, row: SessionRow) => ({
  limitName: "ip",
  maxRequests,
  ...row,
});
