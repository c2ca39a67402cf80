/** Filters of the list of submissions, of deletions and of exports: by facts and by values. */
import { type } from "arktype";
import { valuesOf } from "../../../fields/constraints.ts";
import { choicesOf, controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { languagesIn } from "../../../fields/translations.ts";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import type { SubmissionPage } from "../../../resources/submissions/read.ts";
import { type Filters, LanguageQuery, Provenance } from "../../../resources/submissions/shapes.ts";
import {
  containing,
  type SubmissionSearch,
  searchForText,
} from "../../../resources/submissions/submission-search.ts";
import { type Choice, Input, Select, Submit } from "../../ui/controls.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { languageName } from "../../ui/language.ts";
import { formatCount } from "../../ui/text.tsx";
import { parseNumber } from "../form/entered-number.ts";
import type { FormView } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import { DayInput, maxEnteredLength, type ValueKind, valueControl } from "../frame/entered-value.tsx";
import { type FormControl, formOf, readForm, Wrong } from "../frame/form.tsx";
import { HiddenFields } from "../frame/layout.tsx";
import { DaysFilter, dayControls, TurnQuery, timesOf, tryFilters } from "../frame/list-page.tsx";
import { frameText } from "../frame/words.ts";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

export type Query = Readonly<Record<string, string>>;

/** Undeclared names are deleted, since filters of the API may be among them. */
export const SubmissionsQuery = TurnQuery.and(DaysFilter)
  .and(LanguageQuery)
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
  range?: ValueKind;
}

const bounds = ["from", "to"] as const;

/** The name of a filter cannot be one of the page's own, whatever the field's id. */
const valuePrefix = "value.";
export const filterNameOf = (field: Field) => valuePrefix + controlName(field.id);

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
  if (nature === "number") return [{ ...filter, range: field.kind === "number" ? "number" : "integer" }];
  return field.kind === "date" ? [{ ...filter, range: "date" }] : [];
}

const valueFilters = (fields: readonly Field[]) => fields.flatMap(filterOf).slice(0, maxFilters);

/** The filters that a query can have, by their names. One that the page does not have is an error. */
function controlsOf(filters: readonly ValueFilter[], query: Query) {
  const known = filters.flatMap(({ field, name, choices, range }): [string, FormControl<unknown>][] => {
    const label = labelOf(field);
    if (!range) return [[name, choiceControl(label, choices ?? [])]];
    return bounds.map((bound) => {
      const own = `${label}: ${words[bound]}`;
      return [`${name}.${bound}`, valueControl(range, own, frameText.controls.wrong(own))];
    });
  });
  const wrong = (name: string) => ({ read: () => new Wrong(frameText.controls.wrong(name)) });
  const asked = Object.keys(query).filter((name) => name.startsWith(valuePrefix));
  return Object.fromEntries([...asked.map((name) => [name, wrong(name)] as const), ...known]);
}

const choiceControl = (
  label: string,
  choices: NonNullable<ValueFilter["choices"]>,
): FormControl<unknown> => ({
  read: (values, name) => {
    const text = values.get(name);
    const choice = choices.find(({ value }) => value === text);
    return text && !choice ? new Wrong(frameText.controls.choose(label)) : choice?.data;
  },
});

/** Values that contain a text as people see it: also a number as the language of the console writes it. */
function searchIn(text: string, fields: readonly Field[]): SubmissionSearch {
  const number = parseNumber(text);
  const { options = [], ...search } = searchForText(text, fields);
  const numbers = fields.filter(
    ({ fieldType }) => typeof number === "number" && fieldType.nature === "number",
  );
  return { ...search, options: [...options, ...numbers.flatMap(({ id }) => containing(id, number))] };
}

/** States of submissions for people, as filters of the API. */
const states = {
  waiting: { review: "open" },
  accepted: { status: "completed" },
  rejected: { review: "rejected" },
  incomplete: { status: "partial" },
} as const;

type Entered = { [Name in keyof ReturnType<typeof dayControls>]: string } & Record<string, unknown>;

/** Filters of the API. @throws {Problem} `bad_request`; {@link FormProblem} with the controls it is about. */
export function filtersIn(fields: readonly Field[], query: Query): Filters {
  const { state, q, agentId, respondentId, provenance, ...asked } = parseQuery(query, SubmissionsQuery);
  const filters = valueFilters(fields);
  const values = new URLSearchParams(query);
  const entered = readForm(formOf<Entered>({ ...controlsOf(filters, query), ...dayControls() }), values);
  const all = filters.flatMap(({ field: { id }, name, choices }) =>
    choices && entered[name] !== undefined ? [containing(id, entered[name])] : [],
  );
  const ranges = filters.flatMap(({ field: { id }, name, range }) => {
    const [from, to] = bounds.map((bound) => entered[`${name}.${bound}`] as number | string | undefined);
    const has = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    return range && Object.keys(has).length ? [{ id, ...has }] : [];
  });
  const text = q?.trim();
  const search = {
    ...(text && searchIn(text, fields)),
    ...(all.length && { all }),
    ...(ranges.length && { ranges }),
  };
  return {
    ...timesOf(entered),
    ...(state && states[state]),
    ...(agentId && { agentId }),
    ...(respondentId && { respondentId }),
    ...(provenance && { provenance }),
    ...(asked.language && { language: asked.language }),
    ...(Object.keys(search).length && { search }),
  };
}

/** Refuses what cannot be read: a list without one of its filters would have more. */
export async function readFilters(deps: Deps, form: FormView, query: Query): Promise<Filters> {
  const fields = await publishedFields(deps, form);
  const { found, errors } = tryFilters(() => filtersIn(fields, query));
  if (!found) throw new Problem("bad_request", Object.values(errors).join(" "));
  return found;
}

export const totalText = ({ total, isTotalExact = true }: SubmissionPage["pagination"]): string =>
  isTotalExact ? formatCount(total) : frameText.atLeast(formatCount(total));

/** The languages of the published version by name, and the one that submissions are filtered by. */
export const languageChoices = (form: Pick<FormView, "publishedSchema">, chosen?: string): Choice[] =>
  [...new Set([...languagesIn(form.publishedSchema ?? {}), ...(chosen ? [chosen] : [])])].map((tag) => ({
    value: tag,
    label: languageName(tag),
  }));

export const LanguageSelect = ({ choices }: { choices: readonly Choice[] }) =>
  choices.length > 0 && <Select name="language" label={words.language} none={words.any} choices={choices} />;

export const ValueFilters = ({ fields }: { fields: readonly Field[] }) => (
  <>
    {valueFilters(fields).map(({ field, name, choices, range }) =>
      choices ? (
        <Select key={name} name={name} label={labelOf(field)} none={words.any} choices={choices} />
      ) : (
        <fieldset key={name} class="control range">
          <legend dir="auto">{labelOf(field)}</legend>
          {bounds.map((bound) => {
            const control = { name: `${name}.${bound}`, label: words[bound] };
            return range === "date" ? (
              <DayInput key={bound} {...control} />
            ) : (
              <Input key={bound} {...control} inputmode="decimal" maxlength={maxEnteredLength} />
            );
          })}
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
        <Input
          {...{ name: "q", type: "search", label: words.search, hint: words.searchHint, value: q }}
          maxlength={limits.submissionSearch.maxTextLength}
          data-key="/"
        />
        <Submit class="quiet" label={words.searchSubmit} />
      </form>
    </search>
  );
};
