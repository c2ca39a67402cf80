import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { Timestamp } from "../../platform/http/shapes.ts";
import { RetentionRule } from "../forms/settings.ts";
import { Hold } from "../holds/shapes.ts";

export const Retention = documented(
  type({
    rule: RetentionRule.or("null"),
    source: "'form' | 'team' | null",
    dueBy: Timestamp,
    due: "number.integer >= 0",
    held: "number.integer >= 0",
    holds: Hold.array(),
  }),
  {
    text: "What is deleted within a day, and what is held.",
    members: {
      rule: "In force; null: submissions stay until they are deleted.",
      source: "Whose rule it is.",
      dueBy: "A day from now.",
      due: `Submissions whose time is over by then, and that go; counted in the oldest ${limits.retention.maxCounted}.`,
      held: "Submissions whose time is over by then, and that stay since they are held.",
      holds: `At most ${limits.hold.maxListed}: that of the form, then those of submissions, the oldest first.`,
    },
  },
);
