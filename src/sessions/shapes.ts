/** Shapes of the session routes, what they take and what they answer (specification, "Sessions"). @module */
import { type } from "arktype";
import { JsonObject, Timestamp } from "../http/shapes.ts";
import { limits } from "../limits.ts";

export const TokenRequest = JsonObject.and({ "clientSecret?": "string" });

export const AnonymousRequest = JsonObject.and({
  "captchaToken?": type.string.atMostLength(limits.anonymousSession.maxCaptchaTokenLength).or("null"),
});

export const SessionToken = type({ token: "string", expiresAt: Timestamp });
