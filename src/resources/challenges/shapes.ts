/** Shapes of the challenge routes (specification, "Challenge"). */
import { type } from "arktype";
import { documented } from "../../platform/http/documented.ts";
import { Timestamp, Uuid } from "../../platform/http/shapes.ts";

export const ChallengeIssueRequest = documented(type({}), { text: "Nothing to say: an empty object." });

export const ChallengeRespondRequest = documented(type({ answer: "unknown" }), {
  members: { answer: "Any JSON value that the field would accept." },
});

export const Challenge = documented(
  type({
    challengeId: Uuid,
    type: "'schema'",
    prompt: "string",
    fieldId: "string",
    expiresAt: Timestamp,
    maxAttempts: "number.integer",
  }),
  { members: { prompt: "The question, for a person or a model." } },
);

export const ChallengeResult = documented(
  type({
    passed: "boolean",
    "passExpiresAt?": Timestamp,
    "remainingAttempts?": "number.integer >= 0",
    "failedAt?": "true",
  }),
  {
    members: {
      passExpiresAt: "With `passed: true`: when the pass expires.",
      remainingAttempts: "With `passed: false`.",
      failedAt: "True when no attempts remain.",
    },
  },
);
