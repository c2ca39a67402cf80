/** Shapes of the challenge routes (specification, "Challenge"). */
import { type } from "arktype";
import { Timestamp, Uuid } from "../http/shapes.ts";

export const ChallengeRespondRequest = type({ answer: "unknown" });

export const Challenge = type({
  challengeId: Uuid,
  type: "'schema'",
  prompt: "string",
  fieldId: "string",
  expiresAt: Timestamp,
  maxAttempts: "number.integer",
});

export const ChallengeResult = type({
  passed: "boolean",
  "passExpiresAt?": Timestamp,
  "remainingAttempts?": "number.integer >= 0",
  "failedAt?": "true",
});
