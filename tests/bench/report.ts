/** Report of the benchmark: a table, the project's own performance bars, and a picture. */
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

export interface Bar {
  what: string;
  bar: string;
  reached: string;
  /** Empty: a floor, which only says how much is ours. */
  held: "held" | "missed" | "";
}

type Memory = { early: number; late: number };

/**
 * The bars, as ratios inside one run; those whose scenarios were not run are left out. `-`: a difference, in
 * milliseconds.
 */
export function bars(results: Result[], memory?: Memory, against?: string, startMs?: number): Bar[] {
  const found = (name: RegExp | string, connections: number) =>
    results.find(
      (result) =>
        result.connections === connections &&
        (typeof name === "string" ? result.name === name : name.test(result.name)),
    );
  const rate = (name: RegExp | string) => found(name, 64)?.perSecond.median;
  const server = (name: string) => found(name, 64)?.serverCpu;
  const postgres = (name: string, connections = 64) => found(name, connections)?.postgresCpu;
  const p50 = (name: string) => found(name, 1)?.p50;
  const p99 = (name: string) => found(name, 32)?.p99;
  const cpuOfBoth = (name: string) => {
    const [serverCpu, postgresCpu] = [server(name), postgres(name)];
    return serverCpu === undefined || postgresCpu === undefined ? undefined : serverCpu + postgresCpu;
  };
  const rates = (name: string) =>
    results.filter((result) => result.name === name).map(({ perSecond }) => perSecond.median);
  const insert = rates("bare insert").length ? Math.max(...rates("bare insert")) : undefined;
  const submit = rate("submit");
  const rows: [
    what: string,
    relation: "≥" | "≤" | "floor",
    bar: number,
    a: number | undefined,
    b: number | undefined,
    unit?: "ms",
  ][] = [
    ["submits/s, one team : bare durable insert at its best", "≥", 0.8, submit, insert],
    ["submits/s, many teams : one team", "≥", 0.85, rate(/^submit, \d+ teams/), submit],
    [
      "PostgreSQL CPU per submit, at 64 : per row of a bare 32-row insert",
      ...(["≤", 3, postgres("submit"), postgres("bare insert, 32 rows", 8)] as const),
    ],
    [
      "PostgreSQL CPU of a list of one : bare insert of one row",
      ...(["≤", 3, postgres("pgbench", 1), postgres("bare insert", 1)] as const),
    ],
    [
      "server CPU per submit : Elysia without a database",
      ...(["floor", 1, server("submit"), server("Elysia, no database")] as const),
    ],
    ["submit p50 − bare insert p50, at 1", "≤", 1, p50("submit"), p50("bare insert"), "ms"],
    ["submits/s : Fastify service", "≥", 4, submit, rate("Fastify service")],
    ["signed submits/s : with a token", "≥", 0.65, rate("submit, signed"), submit],
    ["server CPU per submit by MCP : by REST", "≤", 2.5, server("submit, MCP"), server("submit")],
    ["validations/s : submits/s", "≥", 1.3, rate("validate"), submit],
    ...["submit", "submit, MCP", "list submissions", "get form"].map((name): (typeof rows)[number] => [
      `${name}, CPU of both : ${against}`,
      "≤",
      1.02,
      cpuOfBoth(name),
      cpuOfBoth(`${name}, ${against}`),
    ]),
    ["submit p99 : pgbench's with the same function, at 32", "≤", 1, p99("submit"), p99("pgbench")],
    ["submits/s on Deno : on Bun", "≥", 0.75, rate("submit, on Deno"), submit],
    ["start of the server on a migrated database, to /readyz", "≤", 400, startMs, 0, "ms"],
    ["server memory after 1,000,000 submits : after 10,000", "≤", 1.2, memory?.late, memory?.early],
  ];
  return rows.flatMap(([what, relation, bar, a, b, unit]): Bar[] => {
    if (a === undefined || b === undefined) return [];
    const reached = unit ? a - b : a / b;
    const found = { what, reached: `${reached.toFixed(2)} ${unit ?? "×"}` };
    if (relation === "floor") return [{ ...found, bar: "none: a floor", held: "" }];
    const isHeld = relation === "≥" ? reached >= bar : reached <= bar;
    return [{ ...found, bar: `${relation} ${bar} ${unit ?? "×"}`, held: isHeld ? "held" : "missed" }];
  });
}

/** The rows of a Markdown table. */
const markdown = (rows: (string | number)[][]) => rows.map((cells) => `| ${cells.join(" | ")} |`);

/** Requests per second by connections; at 64 also latencies, and CPU of server and PostgreSQL. */
function rateTable(results: Result[]): string[] {
  const ofSubmit = results.filter(({ name }) => name === "submit");
  const counts = ofSubmit.map(({ connections }) => connections);
  const names = [...new Set(results.map(({ name }) => name))].filter(
    (name) => name !== "bare insert, 32 rows",
  );
  const rows = names.map((name) => {
    const of = (connections: number) =>
      results.find((result) => result.name === name && result.connections === connections);
    const rates = counts.map((count) => of(count)?.perSecond.median);
    const usual = of(64);
    const cpu = [usual?.serverCpu, usual?.postgresCpu].map((value) => rounded(value) || "").filter(String);
    return [
      name,
      ...rates.map((rate) => (rate === undefined ? "" : Math.round(rate).toLocaleString("en"))),
      usual ? `${rounded(usual.p50, 1)} / ${rounded(usual.p99)}` : "",
      cpu.join(" + "),
    ];
  });
  const head = ["connections", ...counts, "p50 / p99", "CPU"];
  return markdown([head, head.map(() => "---"), ...rows]);
}

/** Circumstances of a run. */
export interface Run {
  machine: string;
  /** ISO 8601. */
  date: string;
  command: string;
}

/** The part of docs/bench.md about a run: figures and bars. */
export function pagePart(results: Result[], found: Bar[], { machine, date, command }: Run): string {
  const bars = found.map(({ what, bar, reached, held }) => [what, bar, reached, held]);
  return [
    `Figures of ${date}, on ${machine}, with load tool and database on the same machine, by`,
    "",
    `    ${command}`,
    "",
    ...rateTable(results),
    "",
    ...markdown([["goal", "bar", "reached", "verdict"], ["---", "---", "---", "---"], ...bars]),
  ].join("\n");
}

const begin = "<!-- Written by bun run bench --write: -->\n";
const end = "\n<!-- End of what it writes. -->";

/** The page with another {@link pagePart}. */
export function withPart(page: string, part: string): string {
  const [head, rest] = page.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined)
    throw new Error("docs/bench.md has no place for the figures.");
  return `${head}${begin}\n${part}\n${end}${tail}`;
}

const colours: Record<string, string> = {
  submit: "#0b7285",
  "submit, signed": "#7048e8",
  "submit, on Deno": "#1c7ed6",
  pgbench: "#868e96",
  "Fastify service": "#e8590c",
};
/** The same on a dark page: each colour of the picture, and the one that replaces it. */
const darkColours: Record<string, string> = {
  "#fff": "#121513",
  "#212529": "#e4e9e6",
  "#495057": "#a3ada8",
  "#dee2e6": "#313835",
  "#0b7285": "#5cc3d6",
  "#7048e8": "#ab94ff",
  "#1c7ed6": "#74b9ff",
  "#868e96": "#b3bbc2",
  "#e8590c": "#ff9a5c",
};
const darkStyle = Object.entries(darkColours)
  .map(([light, dark]) => `[fill="${light}"]{fill:${dark}}[stroke="${light}"]{stroke:${dark}}`)
  .join("");
const headline = "Submits per second, by connections (median, lowest to highest)";

/** Submits per second over connections, a line each, beside pgbench and the Fastify service. */
export function picture(results: Result[], machine: string): string {
  const shown = ["submit", "submit, signed", "submit, on Deno", "pgbench", "Fastify service"];
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
<style>@media (prefers-color-scheme:dark){${darkStyle}}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="24" font-size="15" fill="#212529">${headline}</text>
${[...grid, ...axis, ...ends].join("\n")}
<text x="${left}" y="${height - 14}">${machine}, load tool and database on the same machine</text>
</svg>
`;
}
