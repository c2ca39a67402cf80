/** Reads the submissions of a form for the pages that list them. */
import type { Deps } from "../../../platform/deps.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import type { SubmissionPage } from "../../../resources/submissions/read.ts";
import type { Filters } from "../../../resources/submissions/shapes.ts";
import { formatCount } from "../../ui/text.tsx";
import type { FormView } from "../form/form.tsx";
import { FilterQuery, filtersOf } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { searchIn } from "./value-filters.tsx";

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
