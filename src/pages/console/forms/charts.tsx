/** Charts of a form: submissions per day, and validation errors by field and code. */
import { type } from "arktype";
import type { FieldCode } from "../../../fields/codes.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { type CountRow, publishedFields, readCounts } from "../../../resources/forms/form-view.ts";
import type { ProgressSeries } from "../../../resources/progress/progress.ts";
import { provenances } from "../../../resources/submissions/shapes.ts";
import { Bars, type Series, Sparkline } from "../../ui/chart.tsx";
import { Table } from "../../ui/table.tsx";
import { formatCount, formatDay } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { filterQuery, onGet, type PageContext } from "../frame/handler.ts";
import { Empty } from "../frame/list-page.tsx";
import { Section } from "../frame/parts.tsx";
import { ProgressSection } from "./progress.tsx";
import { formsText } from "./words.ts";

const words = formsText.charts;

const periods = [30, 90];
const ChartsQuery = type({ days: type("'30' | '90'").pipe(Number).default("30") });
/** Fields that have a colour of their own. */
const maxFields = 5;
const dayMs = 86_400_000;

/** A row with a value for each day of the page. */
interface Counted extends Omit<CountRow, "days"> {
  values: number[];
}

interface Charts {
  form: FormView;
  /** Fields of the draft, and of the last version if an error is of a field that the draft lacks. */
  fields: Field[];
  /** ISO dates, oldest first. */
  days: string[];
  rows: Counted[];
  progress: ProgressSeries[];
}

async function readCharts(view: PageContext): Promise<Charts> {
  const { deps } = view;
  const { days: count } = parseQuery(filterQuery(view.query), ChartsQuery);
  const form = await findForm(view);
  const lastDay = Math.floor(Date.now() / dayMs);
  const days = Array.from({ length: count }, (_, index) => lastDay - count + 1 + index);
  const counts = await readCounts(deps.sql, form, days[0] ?? lastDay);
  const { true: progress = [], false: rows = [] } = Object.groupBy(
    counts,
    ({ kind }) => `${kind === "progress"}`,
  );
  const fields = parseFields(form.schema);
  const isGone = ({ kind, name }: CountRow) => kind === "error" && !fields.some(({ id }) => id === name);
  return {
    form,
    fields: rows.some(isGone) ? [...(await publishedFields(deps, form)), ...fields] : fields,
    days: days.map((day) => formatDay(new Date(day * dayMs))),
    rows: rows.map(({ days: totals, ...row }) => ({
      ...row,
      values: days.map((day) => Math.max(0, totals[day] ?? 0)),
    })),
    progress: progress.map(({ name, code, versions: [version = 0], days }) => ({
      ...{ version, kind: name, step: Number(code), days },
    })),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const sumByDay = (days: readonly unknown[], series: readonly Pick<Series, "values">[]): number[] =>
  days.map((_, day) => sum(series.map(({ values }) => values[day] ?? 0)));

const filled = (series: Series[]) => series.filter(({ values }) => sum(values) > 0);

function byStatus(rows: Counted[]): Series[] {
  const { states } = formText.submission;
  const labels = { completed: states.accepted, pending: words.waiting, partial: states.incomplete };
  return filled(
    Object.entries(labels).map(([status, label]) => ({
      label,
      values: rows.find(({ kind, name }) => kind === "status" && name === status)?.values ?? [],
    })),
  );
}

const ofProvenances = ({ days, rows }: Charts, ...names: string[]): number[] =>
  sumByDay(
    days,
    rows.filter(({ kind, name }) => kind === "provenance" && names.includes(name)),
  );

function bySubmitter(charts: Charts): Series[] {
  const { submitters } = formText.submission;
  const agents = charts.rows
    .filter(({ kind }) => kind === "agent")
    .map(({ name, label, values }) => ({ label: label ?? name, values }));
  const known = sumByDay(charts.days, agents);
  const others = ofProvenances(charts, "agent", "agent_signed", "agent_for_person").map((total, day) =>
    Math.max(0, total - (known[day] ?? 0)),
  );
  return filled([
    ...agents,
    { label: words.otherAgents, values: others },
    { label: submitters.anonymous, values: ofProvenances(charts, "person", "declared_agent") },
    { label: submitters.api_key, values: ofProvenances(charts, "owner") },
  ]);
}

const byProvenance = (charts: Charts): Series[] =>
  filled(
    provenances.map((name) => ({
      label: formText.submission.provenances[name],
      values: ofProvenances(charts, name),
    })),
  );

/** Returns the labels of fields. A removed field has its id. */
const labelsOf = (fields: readonly Field[]) => {
  const labels = new Map(fields.map(({ id, label }) => [id, label]));
  return (id: string) => (id === "" ? words.unknownField : labels.get(id) || id);
};

function byField({ fields, rows, days }: Charts): Series[] {
  const labelOf = labelsOf(fields);
  const errors = rows.filter(({ kind }) => kind === "error");
  const all = [...Map.groupBy(errors, ({ name }) => name)]
    .map(([id, codes]) => ({ label: labelOf(id), values: sumByDay(days, codes) }))
    .sort((a, b) => sum(b.values) - sum(a.values));
  const others = { label: words.otherFields, values: sumByDay(days, all.slice(maxFields)) };
  return filled([...all.slice(0, maxFields), others]);
}

const Chart = ({ id, title, hint, days, series }: Pick<Charts, "days"> & ChartProps) => {
  const totals = sumByDay(days, series);
  const most = Math.max(...totals);
  const summary = words.summary(
    formatCount(sum(totals)),
    days.length,
    formatCount(most),
    days[totals.indexOf(most)] ?? "",
  );
  return (
    <Section class="panel" id={id} title={title}>
      {hint && <p class="quiet">{hint}</p>}
      {series.length === 0 ? (
        <p class="quiet">{words.none}</p>
      ) : (
        <>
          <p>{summary}</p>
          <Bars {...{ id, title, days, series, words }} description={summary} />
        </>
      )}
    </Section>
  );
};

interface ChartProps {
  id: string;
  title: string;
  hint?: string;
  series: Series[];
}

const ErrorTable = ({ fields, days, rows }: Charts) => {
  const labelOf = labelsOf(fields);
  const errors = rows.filter(({ kind }) => kind === "error");
  if (errors.length === 0) return null;
  return (
    <Section id="errors" title={words.errors}>
      <Table
        rows={errors}
        keyOf={({ name, code }) => `${name} ${code}`}
        columns={[
          { head: formText.members.label, isHeader: true, dir: "auto", cell: ({ name }) => labelOf(name) },
          {
            head: words.code,
            cell: ({ code }) => (
              <a href={`/developer/api/validation#${code}`}>
                {Object.hasOwn(words.codes, code) ? words.codes[code as FieldCode] : code}
              </a>
            ),
          },
          {
            head: words.course,
            cell: ({ values }) => (
              <Sparkline label={words.courseOf(formatCount(sum(values)), days.length)} values={values} />
            ),
          },
          { head: words.sum, class: "number", cell: ({ values }) => formatCount(sum(values)) },
          { head: words.versions, cell: ({ versions }) => versions.join(", ") },
        ]}
      />
    </Section>
  );
};

const Period = ({ form, days }: Charts) => (
  <nav class="actions" aria-label={words.period}>
    {periods.map((count) => (
      <a
        key={count}
        href={`${pathOfForm(form, "charts")}?days=${count}`}
        aria-current={count === days.length ? "page" : undefined}
      >
        {words.days(count)}
      </a>
    ))}
  </nav>
);

const chartsOf = (charts: Charts): ChartProps[] => [
  { id: "status", title: words.byStatus, hint: words.byStatusHint, series: byStatus(charts.rows) },
  { id: "submitter", title: words.bySubmitter, series: bySubmitter(charts) },
  {
    id: "provenance",
    title: words.byProvenance,
    hint: words.byProvenanceHint,
    series: byProvenance(charts),
  },
  { id: "field", title: words.byField, hint: words.byFieldHint, series: byField(charts) },
];

const Content = (charts: Charts) => {
  const { days, rows } = charts;
  return (
    <>
      <Period {...charts} />
      <ProgressSection form={charts.form} series={charts.progress} />
      {rows.length === 0 ? (
        <Empty
          picture="chart"
          message={words.noneYet}
          action={{ href: pathOfForm(charts.form, "share"), label: formText.form.toShare }}
        />
      ) : (
        <>
          <div class="panels">
            {chartsOf(charts).map((chart) => (
              <Chart key={chart.id} days={days} {...chart} />
            ))}
          </div>
          <ErrorTable {...charts} />
        </>
      )}
      <p class="quiet">{words.delay}</p>
    </>
  );
};

export const chartsPages = {
  page: onGet(async (view) => {
    const found = await readCharts(view);
    return formPage(found.form, "charts", formText.form.charts, <Content {...found} />);
  }),
} satisfies Handlers;
