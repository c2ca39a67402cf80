/** What the benchmark says in the end: a table, the bars that the project holds itself to, and a picture. */
import type { Figures } from "./load.ts";

/** One round: what the load tool saw, and CPU microseconds a request. */
export interface Round extends Figures {
  serverCpu: number | undefined;
  postgresCpu: number | undefined;
}

export interface Result {
  name: string;
  connections: number;
  perSecond: { median: number; min: number; max: number };
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** CPU microseconds a request. */
  serverCpu: number | undefined;
  postgresCpu: number | undefined;
  failed: number;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

export function resultOf(name: string, connections: number, rounds: Round[]): Result {
  const of = (key: "p50" | "p99") => median(rounds.map((round) => round[key]));
  const cpu = (key: "serverCpu" | "postgresCpu") => {
    const known = rounds.map((round) => round[key]).filter((value) => value !== undefined);
    return known.length ? median(known) : undefined;
  };
  const rates = rounds.map(({ perSecond }) => perSecond);
  return {
    name,
    connections,
    perSecond: { median: median(rates), min: Math.min(...rates), max: Math.max(...rates) },
    p50: of("p50"),
    p99: of("p99"),
    serverCpu: cpu("serverCpu"),
    postgresCpu: cpu("postgresCpu"),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}

const rounded = (value: number | undefined, digits = 0) =>
  value === undefined ? "" : Number(value.toFixed(digits));

export const tableOf = (results: Result[]) =>
  results.map(({ name, connections, perSecond, p50, p99, serverCpu, postgresCpu, failed }) => ({
    "": name,
    connections,
    "per second": rounded(perSecond.median),
    min: rounded(perSecond.min),
    max: rounded(perSecond.max),
    "p50 ms": rounded(p50, 2),
    "p99 ms": rounded(p99, 2),
    "server µs": rounded(serverCpu),
    "PostgreSQL µs": rounded(postgresCpu),
    failed,
  }));

interface Bar {
  what: string;
  bar: string;
  reached: string;
  held: boolean;
}

/** The bars, as ratios inside one run; those whose scenarios were not run are left out. */
export function bars(results: Result[], memory?: { early: number; late: number }): Bar[] {
  const rate = (name: RegExp | string, connections: number) => find(name, connections)?.perSecond.median;
  const find = (name: RegExp | string, connections: number) =>
    results.find(
      (result) =>
        result.connections === connections &&
        (typeof name === "string" ? result.name === name : name.test(result.name)),
    );
  const best = Math.max(...results.filter(({ name }) => name === "pgbench").map((r) => r.perSecond.median));
  const submit = rate("submit", 64);
  const over = (a: number | undefined, b: number | undefined) =>
    a === undefined || b === undefined || !Number.isFinite(b) ? undefined : a / b;
  const atLeast = (what: string, bar: number, ratio: number | undefined): (Bar | undefined)[] => [
    ratio === undefined
      ? undefined
      : { what, bar: `≥ ${bar} ×`, reached: `${ratio.toFixed(2)} ×`, held: ratio >= bar },
  ];
  const p50 = over(find("submit", 1)?.p50, 1);
  const p50Alone = find("pgbench", 1)?.p50;
  const p99 = over(find("submit", 32)?.p99, find("pgbench", 32)?.p99);
  return [
    ...atLeast("submits, 64 connections, one team : pgbench at its best", 1.5, over(submit, best)),
    ...atLeast(
      "submits, 64 connections, many teams : pgbench at its best",
      1,
      over(rate(/^submit, \d+ teams/, 64), best),
    ),
    p99 === undefined
      ? undefined
      : {
          what: "submit p99 : pgbench p99, at 32",
          bar: "≤ 1.5 ×",
          reached: `${p99.toFixed(2)} ×`,
          held: p99 <= 1.5,
        },
    p50 === undefined || p50Alone === undefined
      ? undefined
      : {
          what: "submit p50 − pgbench p50, at 1",
          bar: "≤ 0.4 ms",
          reached: `${(p50 - p50Alone).toFixed(2)} ms`,
          held: p50 - p50Alone <= 0.4,
        },
    ...atLeast("submits : Fastify by hand, 64 connections", 6, over(submit, rate("Fastify by hand", 64))),
    ...atLeast("signed submits : submits, 64 connections", 0.7, over(rate("submit, signed", 64), submit)),
    ...atLeast("validations : submits, 64 connections", 1.5, over(rate("validate", 64), submit)),
    ...atLeast(
      "submits at 1,000,000 rows : at 1,000, 64 connections",
      0.85,
      over(rate("submit, large", 64), rate("submit, small", 64)),
    ),
    ...atLeast("submits on Deno : on Bun, 64 connections", 0.7, over(rate("submit, on Deno", 64), submit)),
    memory && {
      what: "server memory after all submits : after 10,000",
      bar: "≤ 1.3 ×",
      reached: `${(memory.late / memory.early).toFixed(2)} ×`,
      held: memory.late / memory.early <= 1.3,
    },
  ].filter((bar) => bar !== undefined);
}

const colours: Record<string, string> = {
  submit: "#0b7285",
  "submit, signed": "#7048e8",
  "submit, on Deno": "#1c7ed6",
  pgbench: "#868e96",
  "Fastify by hand": "#e8590c",
};
const headline = "Submits per second, by connections (median, lowest to highest)";

/** Submits per second over connections, a line each, beside pgbench and the service by hand. */
export function picture(results: Result[], machine: string): string {
  const shown = ["submit", "submit, signed", "submit, on Deno", "pgbench", "Fastify by hand"];
  const lines = shown
    .map((name) => ({ name, points: results.filter((result) => result.name === name) }))
    .filter(({ points }) => points.length > 0);
  const connections = [...new Set(results.map((result) => result.connections))].sort((a, b) => a - b);
  const most = Math.max(...lines.flatMap(({ points }) => points.map(({ perSecond }) => perSecond.max)));
  const step = 10 ** Math.floor(Math.log10(most));
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
  const top = ticks.at(-1) ?? most;
  const [width, height, left, right, above, below] = [720, 360, 60, 150, 44, 60];
  const x = (value: number) =>
    Math.round(
      left + (connections.indexOf(value) / Math.max(connections.length - 1, 1)) * (width - left - right),
    );
  const y = (value: number) => Math.round(height - below - (value / top) * (height - above - below));
  const grid = ticks.map(
    (tick) =>
      `<line x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}" stroke="#dee2e6"/><text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${tick.toLocaleString("en")}</text>`,
  );
  const axis = connections.map(
    (value) => `<text x="${x(value)}" y="${height - below + 20}" text-anchor="middle">${value}</text>`,
  );
  // Labels stand beside the last point, and apart from each other.
  let lowest = Number.NEGATIVE_INFINITY;
  const ends = lines
    .map((line) => ({ ...line, last: line.points.at(-1) as Result }))
    .sort((a, b) => b.last.perSecond.median - a.last.perSecond.median)
    .map(({ name, points, last }) => {
      const colour = colours[name] ?? "#212529";
      lowest = Math.max(lowest + 16, y(last.perSecond.median) + 4);
      const path = points.map((p) => `${x(p.connections)},${y(p.perSecond.median)}`).join(" ");
      const spread = points.map(
        (p) =>
          `<line x1="${x(p.connections)}" x2="${x(p.connections)}" y1="${y(p.perSecond.min)}" y2="${y(p.perSecond.max)}" stroke="${colour}"/>`,
      );
      return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${spread.join("")}<text x="${width - right + 8}" y="${lowest}" fill="${colour}">${name}</text>`;
    });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#495057">
<title>${headline}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="24" font-size="15" fill="#212529">${headline}</text>
${[...grid, ...axis, ...ends].join("\n")}
<text x="${left}" y="${height - 14}">${machine}, load tool and database on the same machine</text>
</svg>
`;
}
