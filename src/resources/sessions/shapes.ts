/** Shapes of the session routes: requests, responses and rows (specification, "Sessions"). */
import { type } from "arktype";
import { limits } from "../../limits.ts";
import type { Config } from "../../platform/config.ts";
import { documented } from "../../platform/http/documented.ts";
import { JsonObject, Timestamp } from "../../platform/http/shapes.ts";

export const TokenRequest = documented(JsonObject.and({ "clientSecret?": "string" }), {
  members: { clientSecret: "The agent's secret, unless it is in `x-agent-secret`." },
});

export const AnonymousRequest = documented(
  JsonObject.and({
    "captchaToken?": type.string.atMostLength(limits.anonymousSession.maxCaptchaTokenLength).or("null"),
  }),
  { members: { captchaToken: "The CAPTCHA widget's token; required when the form's settings say so." } },
);

/** A challenge as https://altcha.org/docs/v2/ defines it. */
export const AltchaChallenge = documented(
  type({
    parameters: {
      algorithm: "string",
      nonce: "string",
      salt: "string",
      cost: "number.integer",
      keyLength: "number.integer",
      keyPrefix: "string",
      expiresAt: "number.integer",
    },
    signature: "string",
  }),
  "Find the smallest counter whose key, derived by PBKDF2 from the nonce and the counter (32 bits, big-endian), begins with `keyPrefix`.",
);

export const SessionToken = documented(
  type({ token: "string", expiresAt: Timestamp }),
  "Send it as `x-respondent-token` until `expiresAt`.",
);

export interface SessionRow {
  outcome: string;
  expiresAt: Date;
  remaining: number;
  resetMs: number;
}

export const sessionLimit = ({ RATE_LIMIT_PAPI_AUTH_PER_MINUTE: maxRequests }: Config, row: SessionRow) => ({
  limitName: "ip",
  maxRequests,
  ...row,
});
