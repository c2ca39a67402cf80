/** Charts as SVG, made on the server. Colours come from the style sheet. */
import { formatCount } from "./text.tsx";

const [width, height] = [120, 24];

/** One bar per value, without axes: for a cell of a table. */
export const Sparkline = ({ label, values }: { label: string; values: readonly number[] }) => {
  const most = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  const bars = values.map((value, index) => {
    const size = value === 0 ? 1 : Math.max(2, Math.round((value / most) * height));
    return `M${round(index * step)} ${height}v-${size}h${round(step - 1)}v${size}z`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img">
      <title>{label}</title>
      <path d={bars.join("")} />
    </svg>
  );
};

const round = (value: number) => Math.round(value * 10) / 10;

export interface Series {
  label: string;
  values: readonly number[];
}

interface BarsProps {
  id: string;
  title: string;
  description: string;
  /** ISO dates, oldest first. */
  days: readonly string[];
  /** Stacked from the bottom. At most 8, the number of colours. */
  series: readonly Series[];
  words: { table: string; day: string; sum: string };
}

/** The height of the drawing and the width of a day: the style sheet stretches both. */
const plotHeight = 100;
const dayWidth = 10;

/** One stacked bar per day, with the same numbers as a table. */
export const Bars = ({ id, title, description, days, series, words }: BarsProps) => {
  const sums = days.map((_, day) => sumOf(series.map(({ values }) => values[day] ?? 0)));
  const top = roundUp(Math.max(1, ...sums));
  return (
    <figure class="chart">
      <figcaption>
        <ul class="legend">
          {series.map(({ label }, index) => (
            <li key={label} class={`series-${index}`} dir="auto">
              {label}
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="plot">
        <div class="scale" aria-hidden="true">
          <span>{formatCount(top)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${days.length * dayWidth} ${plotHeight}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={`${id}-title ${id}-description`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-description`}>{description}</desc>
          <path
            class="grid"
            d={`M0 0H${days.length * dayWidth}M0 ${plotHeight / 2}H${days.length * dayWidth}`}
          />
          {series.map(({ label }, index) => (
            <path key={label} class={`series-${index}`} d={barsOf(series, index, top)} />
          ))}
        </svg>
        <div class="days" aria-hidden="true">
          <span>{days[0]}</span>
          <span>{days.at(-1)}</span>
        </div>
      </div>
      <details>
        <summary aria-label={`${words.table}: ${title}`}>{words.table}</summary>
        <Numbers days={days} series={series} sums={sums} words={words} />
      </details>
    </figure>
  );
};

const Numbers = ({
  days,
  series,
  sums,
  words,
}: Pick<BarsProps, "days" | "series" | "words"> & { sums: number[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <div class="scroll" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">{words.day}</th>
          {series.map(({ label }) => (
            <th scope="col" class="number" key={label} dir="auto">
              {label}
            </th>
          ))}
          <th scope="col" class="number">
            {words.sum}
          </th>
        </tr>
      </thead>
      <tbody>
        {days
          .map((day, index) => ({ day, index }))
          .filter(({ index }) => sums[index] !== 0)
          .reverse()
          .map(({ day, index }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {series.map(({ label, values }) => (
                <td class="number" key={label}>
                  {formatCount(values[index] ?? 0)}
                </td>
              ))}
              <td class="number">{formatCount(sums[index] ?? 0)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </div>
);

function barsOf(series: readonly Series[], index: number, top: number): string {
  const heightOf = (value: number) => (value / top) * plotHeight;
  return (series[index]?.values ?? [])
    .map((value, day) => {
      const below = sumOf(series.slice(0, index).map(({ values }) => values[day] ?? 0));
      const size = round(heightOf(value));
      if (size === 0) return "";
      const bottom = round(plotHeight - heightOf(below));
      return `M${day * dayWidth + 1} ${bottom}v-${size}h${dayWidth - 2}v${size}z`;
    })
    .join("");
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Rounds up to a power of ten times a small number. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8].find((factor) => factor * power >= value) ?? 10) * power;
}
