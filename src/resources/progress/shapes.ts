import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { integerText } from "../../platform/http/shapes.ts";

export const ProgressQuery = type({
  days: integerText(1, limits.statistics.keptDays).default("30"),
});

const count = "number.integer >= 0";
const counts = { opened: count, begun: count, sent: count } as const;

export const Progress = documented(
  type({
    totals: { ...counts, medianSeconds: "number.integer >= 0 | null" },
    steps: type({ step: "number.integer >= 1", label: "string | null", reached: count }).array(),
    versions: type({ version: "number.integer >= 1", ...counts }).array(),
    days: type({ day: "string", ...counts }).array(),
  }),
  {
    text: "How far people get on the page of a form. `opened`: pages that were shown; `begun`: those from which something was sent or saved; `sent`: submissions that they stored.",
    members: {
      totals:
        "Of all versions. `medianSeconds`: from opening the page to the submission, estimated by powers of two; null: nothing was sent.",
      steps:
        "Of the published version, if it is in steps; the values to check come last. `reached`: visits in which the step was shown. `label`: that of the `page_break` that it begins with.",
      versions: "Those of which a page was opened or sent.",
      days: "Oldest first, UTC.",
    },
  },
);
