import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { Timestamp, Uuid } from "../../platform/http/shapes.ts";

export const HoldRequest = documented(
  type({ "+": "reject", reason: type.string.atLeastLength(1).atMostLength(limits.hold.maxReasonLength) }),
  {
    members: {
      reason: "Why it must stay, such as the number of a case. Kept for good, but not in the audit.",
    },
  },
);

export const Hold = documented(
  type({
    id: Uuid,
    formId: Uuid,
    submissionId: Uuid.or("null"),
    reason: "string",
    placedBy: Uuid.or("null"),
    placedAt: Timestamp,
  }),
  {
    text: "What may not be deleted, by a person or by a rule, until the hold is released.",
    members: {
      submissionId: "Null: all that the form has and will have.",
      placedBy: "The operator; null: a person at a terminal.",
    },
  },
);
