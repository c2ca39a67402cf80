/** Numbers of how far people get on the page of a form, from its counts. Pure. */
import { type Field, parseFields } from "../../fields/definition.ts";
import { divide, isInSteps } from "../../fields/steps.ts";

/** Counts of a kind by day, in days since 1970-01-01. */
export interface ProgressSeries {
  version: number;
  kind: string;
  /** The number of a `step`, from 1; the power of two of the seconds of `sent_within`; else 0. */
  step: number;
  days: Record<string, number>;
}

const kinds = ["opened", "begun", "sent"] as const;
type Counts = Record<(typeof kinds)[number], number>;

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Sums the kinds of some series. @param totalOf what counts of a series */
const countsOf = (
  series: readonly ProgressSeries[],
  totalOf = ({ days }: ProgressSeries) => sum(Object.values(days)),
): Counts =>
  Object.fromEntries(
    kinds.map((name) => [name, sum(series.filter(({ kind }) => kind === name).map(totalOf))]),
  ) as Counts;

/**
 * The median of times in a histogram by powers of two, as if the times between two powers were spread evenly.
 * @param totals by power: the times below it, and not below the one before; undefined: there are none
 */
export function medianOf(totals: ReadonlyMap<number, number>): number | undefined {
  const half = sum(totals.values()) / 2;
  let below = 0;
  for (const [power, total] of [...totals].sort(([one], [other]) => one - other)) {
    if (total > 0 && below + total >= half) {
      const least = power === 0 ? 0 : 2 ** (power - 1);
      return least + ((half - below) / total) * (2 ** power - least);
    }
    below += total;
  }
  return undefined;
}

/** The numbers of a form's page as a whole. */
export function totalsOf(series: readonly ProgressSeries[]): Counts & { medianSeconds: number | null } {
  const times = new Map<number, number>();
  for (const { kind, step, days } of series)
    if (kind === "sent_within") times.set(step, (times.get(step) ?? 0) + sum(Object.values(days)));
  const median = medianOf(times);
  return { ...countsOf(series), medianSeconds: median === undefined ? null : Math.round(median) };
}

/** The published version, as far as its steps depend on it. */
export interface Divided {
  version: number;
  fields: readonly Field[];
  layout?: "single" | "steps" | undefined;
  hasCaptcha: boolean;
}

/** The steps of the published version; the values to check come last. Empty: the form is one page. */
export function reachedSteps(
  series: readonly ProgressSeries[],
  { version, fields, layout, hasCaptcha }: Divided,
) {
  const steps = divide(fields);
  if (hasCaptcha || !isInSteps(steps, { ...(layout && { layout }) })) return [];
  const own = series.filter((each) => each.version === version);
  const reached = (step: number) =>
    step === 1
      ? countsOf(own).opened
      : sum(
          own
            .filter((each) => each.kind === "step" && each.step === step)
            .flatMap(({ days }) => Object.values(days)),
        );
  return [...steps.map(({ opening }) => opening?.label || null), null].map((label, index) => ({
    step: index + 1,
    label,
    reached: reached(index + 1),
  }));
}

/** Row of formd.progress_read. */
export interface ProgressRow {
  series: { form_version: number; kind: string; step: number; days: Record<string, number> }[];
  version: number;
  schema: { fields: readonly unknown[] } | null;
  settings: { layout: "single" | "steps" | null; captcha: boolean | null };
}

const dayMs = 86_400_000;

/** The first of some days that end today, in days since 1970-01-01. */
export const firstOf = (days: number): number => Math.floor(Date.now() / dayMs) - days + 1;

/** @param first as {@link firstOf} */
export function progressOf(
  { series: rows, version, schema, settings }: ProgressRow,
  first: number,
  days: number,
) {
  const series = rows.map(({ form_version, ...row }) => ({ version: form_version, ...row }));
  const { layout, captcha } = settings;
  const fields = schema ? parseFields(schema) : [];
  return {
    totals: totalsOf(series),
    steps: reachedSteps(series, {
      version,
      fields,
      layout: layout ?? undefined,
      hasCaptcha: captcha === true,
    }),
    versions: [...Map.groupBy(series, (each) => each.version)].map(([version, own]) => ({
      version,
      ...countsOf(own),
    })),
    days: Array.from({ length: days }, (_, index) => ({
      day: new Date((first + index) * dayMs).toISOString().slice(0, 10),
      ...countsOf(series, ({ days: totals }) => totals[first + index] ?? 0),
    })),
  };
}
