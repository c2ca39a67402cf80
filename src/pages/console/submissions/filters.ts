/** Filters of the list of submissions, which deletes and exports have as well. */
import { type } from "arktype";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { DateTime, parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import type { SubmissionPage } from "../../../resources/submissions/read.ts";
import { type Filters, Provenance, SubmissionFileQuery } from "../../../resources/submissions/shapes.ts";
import { formatCount } from "../../ui/text.tsx";
import type { FormView } from "../form/form.tsx";
import { DaysFilter, ListQuery, timesOf } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { searchIn } from "./value-filters.tsx";

const SubmissionsFilter = DaysFilter.and({
  "state?": "'waiting' | 'accepted' | 'rejected' | 'incomplete'",
  "agentId?": Uuid,
  "respondentId?": Uuid,
  "provenance?": Provenance,
  "until?": DateTime,
  "q?": type.string.atMostLength(limits.submissionSearch.maxTextLength),
});

/** Without other names, since those of the API's filters may be among them. */
export const SubmissionsQuery = ListQuery.and(SubmissionsFilter)
  .and({ "order?": "'oldest'" })
  .onUndeclaredKey("delete");

const FilterQuery = SubmissionsFilter.onUndeclaredKey("delete");

const ChosenSubmissions = Uuid.array().atMostLength(limits.submission.maxDeletes);

export const ExportQuery = SubmissionsFilter.and(SubmissionFileQuery).onUndeclaredKey("delete");

/** The parameter by which the list names those that were chosen. */
export const chosenName = "submissions";

/** Those that were chosen; none: all that the filters leave. @throws {Problem} `bad_request`. */
export const chosenIn = (values: URLSearchParams): string[] =>
  assertShape(values.getAll(chosenName), ChosenSubmissions, "bad_request");

/** The states that people tell submissions apart by, as filters of the API. */
const states = {
  waiting: { review: "open" },
  accepted: { status: "completed" },
  rejected: { review: "rejected" },
  incomplete: { status: "partial" },
} as const;

/** The filters of the API, without the search. `until` is where an earlier one has ended. */
export const filtersOf = ({
  after,
  before,
  timeZone,
  until,
  state,
  q: _,
  ...others
}: typeof SubmissionsFilter.infer): Filters => ({
  ...timesOf({ ...(after && { after }), ...(before && { before }), ...(timeZone && { timeZone }) }),
  ...(until && { createdBefore: until }),
  ...(state && states[state]),
  ...others,
});

export const totalText = ({ total, isTotalExact = true }: SubmissionPage["pagination"]): string =>
  isTotalExact ? formatCount(total) : frameText.atLeast(formatCount(total));

/** What the query of the list leaves of the form's submissions. @throws {Problem} `bad_request`. */
export async function readFilters(
  deps: Deps,
  form: FormView,
  query: Record<string, string>,
): Promise<Filters> {
  const fields = await publishedFields(deps, form);
  return { ...filtersOf(parseQuery(query, FilterQuery)), ...searchIn(fields, query) };
}
