/** Summary of a form's submissions, question by question: the page that prints. */
import { labelIn } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { valueText } from "../../../fields/entered.ts";
import type { Nature } from "../../../fields/field-type.ts";
import { type OptionLimit, optionLimitsOf } from "../../../fields/option-limits.ts";
import { numberText } from "../../../fields/spelling.ts";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import { fieldsToShow } from "../../../resources/submissions/former-options.ts";
import { readSummaryRows, type SummaryPart, type SummaryRow } from "../../../resources/submissions/read.ts";
import { LanguageQuery } from "../../../resources/submissions/shapes.ts";
import { labelOf } from "../../ui/fields/props.ts";
import { formatCount } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { filterQuery, onGet } from "../frame/handler.ts";
import { Facts } from "../frame/layout.tsx";
import { Empty, ListFilter } from "../frame/list-page.tsx";
import { shorten, valueWords } from "./columns.tsx";
import { filterNameOf, LanguageSelect, languageChoices, offeredBy } from "./filters.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.answers;

const AnswersQuery = LanguageQuery.onUndeclaredKey("delete");

interface FieldSummary {
  field: Field;
  /** The same, with the options of earlier versions that a submission has. */
  shown: Field;
  part: SummaryPart;
  rows: SummaryRow[];
}

interface Summary {
  form: FormView;
  /** Language of the submissions; undefined: any. */
  language: string | undefined;
  fields: FieldSummary[];
  all: number;
  isPart: boolean;
}

const parts: Record<Nature, SummaryPart | undefined> = {
  text: "text",
  number: "number",
  yesNo: "choice",
  choice: "choice",
  choices: "choice",
  parts: "text",
  files: "text",
  any: "text",
  none: undefined,
};

function partOf({ kind, fieldType }: Field): SummaryPart | undefined {
  if (kind === "hidden" || kind === "matrix") return undefined;
  if (kind === "rating") return "choice";
  return kind === "ranking" ? "text" : parts[fieldType.nature];
}

async function readSummary(deps: Deps, form: FormView, language?: string): Promise<Summary> {
  const asked = (await publishedFields(deps, form)).flatMap((field) => {
    const part = partOf(field);
    return part ? [{ field, part }] : [];
  });
  const fields = asked.map(({ field, part }) => ({ id: field.id, part }));
  const rows = await readSummaryRows(deps.sql, form, fields, language ?? null);
  const values = rows.flatMap(({ fieldId, value }) => (fieldId === null ? [] : [{ [fieldId]: value }]));
  const shown = await fieldsToShow(
    deps.sql,
    form,
    asked.map(({ field }) => field),
    values,
  );
  const ofField = Map.groupBy(rows, ({ fieldId }) => fieldId);
  const ofAll = ofField.get(null) ?? [];
  return {
    form,
    language,
    fields: asked.map((each, index) => ({
      ...each,
      shown: shown[index] ?? each.field,
      rows: ofField.get(each.field.id) ?? [],
    })),
    all: ofAll.find(({ part }) => part === "all")?.total ?? 0,
    isPart: ofAll.some(({ part }) => part === "older"),
  };
}

interface Bar {
  label: string;
  total: number;
  /** Filter of the list for this value. */
  query?: Record<string, string>;
  /** For an option with a limit: the submissions that hold it, incomplete and rejected ones included. */
  places?: string | undefined;
}

/** Ratings and other values are shown up to this number. */
const maxBars = 20;

/** Returns the values that a field offers, with their labels and the filters of the list. */
function offered(field: Field): (Omit<Bar, "total"> & { data: unknown })[] {
  const name = filterNameOf(field);
  if (field.kind !== "rating")
    return offeredBy(field).map(({ data, value, label }) => ({ data, label, query: { [name]: value } }));
  const [least, greatest] = [Number(field.constraints.minimum), Number(field.constraints.maximum)];
  return Array.from({ length: Math.min(greatest - least + 1, maxBars) || 0 }, (_, index) => {
    const label = String(least + index);
    return { data: least + index, label, query: { [`${name}.from`]: label, [`${name}.to`]: label } };
  });
}

function placesOf(value: unknown, limited: readonly OptionLimit[], rows: readonly SummaryRow[]) {
  const limit = limited.find((each) => each.value === value)?.limit;
  if (limit === undefined) return undefined;
  const taken = rows.find((row) => row.part === "taken" && row.value === value)?.total ?? 0;
  return words.places(formatCount(taken), formatCount(limit));
}

/** Returns values that the field offers in its order, then others by their number. */
function barsOf({ field, shown, rows: all }: Omit<FieldSummary, "part">): Bar[] {
  const known = offered(field);
  const limited = optionLimitsOf([field]);
  const rows = all.filter(({ part }) => part === "choice");
  const others = rows
    .filter((row) => !known.some(({ data }) => data === row.value))
    .sort((one, two) => two.total - one.total)
    .slice(0, maxBars);
  return [
    ...known.map(({ data, ...bar }) => ({
      ...bar,
      total: rows.find((row) => row.value === data)?.total ?? 0,
      places: placesOf(data, limited, all),
    })),
    ...others.map(({ value, total }) => ({ label: labelIn(shown.constraints.options, value), total })),
  ];
}

const percentOf = (part: number, whole: number) => (whole ? Math.round((100 * part) / whole) : 0);

type BarsProps = FieldSummary & Pick<Summary, "form" | "language"> & { given: number };

const Bars = ({ form, language, given, ...summary }: BarsProps) => (
  <table class="answers" aria-label={labelOf(summary.field)}>
    <tbody>
      {barsOf(summary).map(({ label, total, query, places }) => (
        <tr key={label}>
          <th scope="row" dir="auto">
            {query ? (
              <a
                href={`${pathOfForm(form, "submissions")}?${new URLSearchParams({ ...query, ...(language && { language }) })}`}
              >
                {shorten(label)}
              </a>
            ) : (
              shorten(label)
            )}
          </th>
          <td class="bar">
            <svg aria-hidden="true" width="100%" height="12">
              <rect width={`${percentOf(total, given)}%`} height="12" rx="2" />
            </svg>
          </td>
          <td class="number">
            {words.share(formatCount(total), percentOf(total, given))}
            {places !== undefined && (
              <>
                <br />
                <span class="quiet">{places}</span>
              </>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Numbers = ({ value }: { value: { least: number; median: number; greatest: number } }) => (
  <Facts
    items={(["least", "median", "greatest"] as const).map((name) => [
      words[name],
      numberText(value[name], formText.fieldInput.locale, "large"),
    ])}
  />
);

const Newest = ({ field, rows }: { field: Field; rows: readonly SummaryRow[] }) => (
  <ul class="newest">
    {rows.map(({ value, total }) => (
      <li key={total} dir="auto">
        {shorten(valueText(field, value, valueWords()).replaceAll("\n", ", "))}
      </li>
    ))}
  </ul>
);

const Question = ({ of: { form, language, all }, summed }: { of: Summary; summed: FieldSummary }) => {
  const { field, part, rows } = summed;
  const given = rows.find((row) => row.part === "given")?.total ?? 0;
  const values = rows.filter((row) => row.part === part);
  const hasTaken = rows.some((row) => row.part === "taken" && row.total > 0);
  return (
    <section class="panel">
      <h2 dir="auto">{labelOf(field)}</h2>
      {part === "choice" && (given > 0 || hasTaken) && <Bars {...summed} {...{ form, language, given }} />}
      {part === "number" && values[0] && <Numbers value={values[0].value as never} />}
      {given > 0 && part === "text" && <Newest field={summed.shown} rows={values} />}
      <p class="quiet">{words.given(formatCount(given), formatCount(all - given))}</p>
    </section>
  );
};

/** Returns the place of a question: choices and numbers, then longer texts, then names and addresses. */
const rankOf = ({ field, part }: FieldSummary): number =>
  part === "text" ? (field.kind === "textarea" ? 1 : 2) : 0;

const Answers = (summary: Summary) => {
  const { form, language, fields, all, isPart } = summary;
  const languages = languageChoices(form, language);
  // In words as well, since a printed page has no controls.
  const chosen = languages.find(({ value }) => value === language)?.label;
  const filter = languages.length > 0 && (
    <ListFilter action={pathOfForm(form, "answers")} query={{ ...(language && { language }) }}>
      <LanguageSelect choices={languages} />
    </ListFilter>
  );
  if (all === 0 && language)
    return (
      <>
        {filter}
        <Empty message={submissionsText.submissions.none} />
      </>
    );
  return all === 0 ? (
    <Empty
      picture="inbox"
      message={words.none}
      action={{ href: pathOfForm(form, "share"), label: formText.form.toShare }}
    />
  ) : (
    <>
      {filter}
      <p class="quiet">
        {chosen && `${submissionsText.submissions.language}: ${chosen}. `}
        {isPart
          ? words.ofNewest(formatCount(limits.submissionSummary.maxRows))
          : words.ofAll(formatCount(all))}
      </p>
      <div class="deck">
        {fields
          .toSorted((one, other) => rankOf(one) - rankOf(other))
          .map((each) => (
            <Question key={each.field.id} of={summary} summed={each} />
          ))}
      </div>
    </>
  );
};

export const answersPages = {
  page: onGet(async (view) => {
    const form = await findForm(view);
    const { language } = parseQuery(filterQuery(view.query), AnswersQuery);
    const summary = await readSummary(view.deps, form, language);
    return formPage(form, "answers", words.title, <Answers {...summary} />);
  }),
} satisfies Handlers;
