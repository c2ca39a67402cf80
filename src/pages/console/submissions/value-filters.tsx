/** Finds submissions by their values: a text in one of them, and a filter for each field of some types. */
import { valuesOf } from "../../../fields/constraints.ts";
import { choicesOf, controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import type { Filters } from "../../../resources/submissions/shapes.ts";
import {
  containing,
  type SubmissionSearch,
  searchForText,
} from "../../../resources/submissions/submission-search.ts";
import { type Choice, Input, Select, Submit } from "../../ui/controls.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { formText } from "../form/words.ts";
import { HiddenFields } from "../frame/layout.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

type Query = Readonly<Record<string, string>>;

/** More would be a page of filters. */
const maxFilters = 20;

interface Named {
  field: Field;
  name: string;
}
/** Choices, and the data that each stands for. */
interface ChoiceFilter extends Named {
  choices: (Choice & { contained: object[] })[];
}
interface RangeFilter extends Named {
  /** The type of its inputs. */
  range: "number" | "date";
}
type ValueFilter = ChoiceFilter | RangeFilter;

/** The name cannot be one of the page's own, whatever the field's id. */
export const filterNameOf = (field: Field) => `value.${controlName(field.id)}`;

/** What a yes-or-no or a choice offers, each with its value. */
export function offeredBy({ constraints, fieldType }: Field): (Choice & { data: unknown })[] {
  if (fieldType.nature === "yesNo")
    return (["yes", "no"] as const).map((word) => {
      const data = word === "yes";
      return { value: String(data), label: formText.fieldInput[word], data };
    });
  const values = valuesOf(constraints.options);
  return choicesOf(constraints.options).map((choice, index) => ({ ...choice, data: values[index] }));
}

function filterOf(field: Field): ValueFilter | undefined {
  const filter = { field, name: filterNameOf(field) };
  const { kind, id } = field;
  const { nature } = field.fieldType;
  if (nature === "yesNo" || nature === "choice" || (nature === "choices" && kind !== "ranking"))
    return {
      ...filter,
      choices: offeredBy(field).map((choice) => ({ ...choice, contained: containing(id, choice.data) })),
    };
  if (nature === "number") return { ...filter, range: "number" };
  return kind === "date" ? { ...filter, range: "date" } : undefined;
}

const filtersOf = (fields: readonly Field[]): ValueFilter[] =>
  fields.flatMap((field) => filterOf(field) ?? []).slice(0, maxFilters);

/** A bound of a range; a text that is no number is none. */
function boundOf(text: string | undefined, range: RangeFilter["range"]): number | string | undefined {
  if (!text) return undefined;
  if (range === "date") return text;
  return Number.isFinite(Number(text)) ? Number(text) : undefined;
}

/** What the query of the page searches for; undefined members: nothing. */
export function searchIn(fields: readonly Field[], query: Query): Pick<Filters, "search"> {
  const search: SubmissionSearch = query.q?.trim() ? searchForText(query.q.trim(), fields) : {};
  const filters = filtersOf(fields);
  const all = filters.flatMap((filter) => {
    const chosen = "choices" in filter && filter.choices.find(({ value }) => value === query[filter.name]);
    return chosen ? [chosen.contained] : [];
  });
  const ranges = filters.flatMap((filter) => {
    if (!("range" in filter)) return [];
    const { field, name, range } = filter;
    const from = boundOf(query[`${name}.from`], range);
    const to = boundOf(query[`${name}.to`], range);
    return from === undefined && to === undefined
      ? []
      : [{ id: field.id, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
  });
  if (all.length) search.all = all;
  if (ranges.length) search.ranges = ranges;
  return Object.keys(search).length ? { search } : {};
}

export const ValueFilters = ({ fields }: { fields: readonly Field[] }) => (
  <>
    {filtersOf(fields).map(({ field, name, ...filter }) =>
      "choices" in filter ? (
        <Select
          key={name}
          name={name}
          label={labelOf(field)}
          none={words.anyAnswer}
          choices={filter.choices}
        />
      ) : (
        <fieldset key={name} class="control range">
          <legend dir="auto">{labelOf(field)}</legend>
          {(["from", "to"] as const).map((bound) => (
            <Input
              key={bound}
              name={`${name}.${bound}`}
              type={filter.range}
              step="any"
              label={words[bound]}
            />
          ))}
        </fieldset>
      ),
    )}
  </>
);

/** A control for a text that is searched for in the values; what is filtered by stays. */
export const SearchForm = ({ path, query }: { path: string; query: Query }) => {
  const { q, page: _, until: __, ...filters } = query;
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
