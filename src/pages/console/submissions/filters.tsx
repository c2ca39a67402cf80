/** Filters of the list of submissions, of deletions and of exports: by facts and by values. */
import { type } from "arktype";
import { valuesOf } from "../../../fields/constraints.ts";
import { choicesOf, controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import type { SubmissionPage } from "../../../resources/submissions/read.ts";
import { type Filters, Provenance } from "../../../resources/submissions/shapes.ts";
import { containing, searchForText } from "../../../resources/submissions/submission-search.ts";
import { type Choice, Input, Select, Submit } from "../../ui/controls.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { formatCount } from "../../ui/text.tsx";
import type { FormView } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import { HiddenFields } from "../frame/layout.tsx";
import { DaysFilter, TurnQuery, timesOf } from "../frame/list-page.tsx";
import { frameText } from "../frame/words.ts";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

export type Query = Readonly<Record<string, string>>;

/** Undeclared names are deleted, since filters of the API may be among them. */
export const SubmissionsQuery = TurnQuery.and(DaysFilter)
  .and({
    "state?": "'waiting' | 'accepted' | 'rejected' | 'incomplete'",
    "agentId?": Uuid,
    "respondentId?": Uuid,
    "provenance?": Provenance,
    "q?": type.string.atMostLength(limits.submissionSearch.maxTextLength),
    "order?": "'oldest'",
  })
  .onUndeclaredKey("delete");

const ChosenSubmissions = Uuid.array().atMostLength(limits.submission.maxDeletes);

/** Parameter with the ids of the chosen submissions. */
export const chosenName = "submissions";

/** Returns ids of chosen submissions. Empty: all that match the filters. @throws {Problem} `bad_request`. */
export const chosenIn = (values: URLSearchParams): string[] =>
  assertShape(values.getAll(chosenName), ChosenSubmissions, "bad_request");

/** More would be a page of filters. */
const maxFilters = 20;

interface ValueFilter {
  field: Field;
  name: string;
  /** Choices, and the value that each stands for. */
  choices?: (Choice & { data: unknown })[];
  range?: "number" | "date";
}

/** The name cannot be one of the page's own, whatever the field's id. */
export const filterNameOf = (field: Field) => `value.${controlName(field.id)}`;

/** Choices of a field that is a yes-or-no or has options, each with its value. */
export function offeredBy({ constraints, fieldType }: Field): (Choice & { data: unknown })[] {
  if (fieldType.nature === "yesNo")
    return (["yes", "no"] as const).map((word) => {
      const data = word === "yes";
      return { value: String(data), label: formText.fieldInput[word], data };
    });
  const values = valuesOf(constraints.options);
  return choicesOf(constraints.options).map((choice, index) => ({ ...choice, data: values[index] }));
}

function filterOf(field: Field): ValueFilter[] {
  const filter = { field, name: filterNameOf(field) };
  const { nature } = field.fieldType;
  if (nature === "yesNo" || nature === "choice" || (nature === "choices" && field.kind !== "ranking"))
    return [{ ...filter, choices: offeredBy(field) }];
  if (nature === "number") return [{ ...filter, range: "number" }];
  return field.kind === "date" ? [{ ...filter, range: "date" }] : [];
}

const valueFilters = (fields: readonly Field[]) => fields.flatMap(filterOf).slice(0, maxFilters);

/** Returns a bound of a range, if the text is one. */
function boundOf(text: string | undefined, range: ValueFilter["range"]): number | string | undefined {
  if (!text || !range) return undefined;
  if (range === "date") return text;
  return Number.isFinite(Number(text)) ? Number(text) : undefined;
}

/** Returns the search in the page's query, if it has one. */
export function searchIn(fields: readonly Field[], query: Query): Pick<Filters, "search"> {
  const filters = valueFilters(fields);
  const all = filters.flatMap(({ field, name, choices }) => {
    const chosen = choices?.find(({ value }) => value === query[name]);
    return chosen ? [containing(field.id, chosen.data)] : [];
  });
  const ranges = filters.flatMap(({ field: { id }, name, range }) => {
    const [from, to] = ["from", "to"].map((bound) => boundOf(query[`${name}.${bound}`], range));
    const has = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    return Object.keys(has).length ? [{ id, ...has }] : [];
  });
  const text = query.q?.trim();
  const search = {
    ...(text && searchForText(text, fields)),
    ...(all.length && { all }),
    ...(ranges.length && { ranges }),
  };
  return Object.keys(search).length ? { search } : {};
}

/** States of submissions for people, as filters of the API. */
const states = {
  waiting: { review: "open" },
  accepted: { status: "completed" },
  rejected: { review: "rejected" },
  incomplete: { status: "partial" },
} as const;

/** Filters of the API. @throws {Problem} `bad_request`. */
export function filtersIn(fields: readonly Field[], query: Query): Filters {
  const asked = parseQuery(query, SubmissionsQuery);
  const { state, agentId, respondentId, provenance } = asked;
  return {
    ...timesOf(asked),
    ...(state && states[state]),
    ...(agentId && { agentId }),
    ...(respondentId && { respondentId }),
    ...(provenance && { provenance }),
    ...searchIn(fields, query),
  };
}

export const readFilters = async (deps: Deps, form: FormView, query: Query): Promise<Filters> =>
  filtersIn(await publishedFields(deps, form), query);

export const totalText = ({ total, isTotalExact = true }: SubmissionPage["pagination"]): string =>
  isTotalExact ? formatCount(total) : frameText.atLeast(formatCount(total));

export const ValueFilters = ({ fields }: { fields: readonly Field[] }) => (
  <>
    {valueFilters(fields).map(({ field, name, choices, range }) =>
      choices ? (
        <Select key={name} name={name} label={labelOf(field)} none={words.any} choices={choices} />
      ) : (
        <fieldset key={name} class="control range">
          <legend dir="auto">{labelOf(field)}</legend>
          {(["from", "to"] as const).map((bound) => (
            <Input
              key={bound}
              name={`${name}.${bound}`}
              {...(range && { type: range })}
              step="any"
              label={words[bound]}
            />
          ))}
        </fieldset>
      ),
    )}
  </>
);

/** Control for a text that is searched for in the values. Other filters stay. */
export const SearchForm = ({ path, query }: { path: string; query: Query }) => {
  const { q, ...filters } = query;
  return (
    <search>
      <form method="get" action={path} class="search">
        <HiddenFields fields={filters} />
        <Input name="q" type="search" label={words.search} hint={words.searchHint} value={q} data-key="/" />
        <Submit class="quiet" label={words.searchSubmit} />
      </form>
    </search>
  );
};
