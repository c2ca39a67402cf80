/** Charts as SVG, made on the server. Colours come from the style sheet. */

interface SparklineProps {
  /** What it shows, for those who do not see it. */
  label: string;
  values: readonly number[];
}

const [width, height] = [120, 24];

/** One bar per value, without axes: for a cell of a table. */
export const Sparkline = ({ label, values }: SparklineProps) => {
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
