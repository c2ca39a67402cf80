/** Options, a PostgreSQL and servers that the benchmarks share, and the code that ends them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { embedded } from "../../src/platform/database/embedded/index.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";

export const say = (line: string) => console.error(line);

type Options = Record<string, string | number | boolean>;
type Given<T extends Options> = {
  [name in keyof T]: T[name] extends number ? number : T[name] extends boolean ? boolean : string;
};

/** The options of the command line, by name, each with its default. */
export function optionsOf<T extends Options>(defaults: T): Given<T> {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => {
      const type = typeof value === "boolean" ? ("boolean" as const) : ("string" as const);
      return [name, { type, default: typeof value === "boolean" ? value : String(value) }];
    }),
  );
  const { values } = parseArgs({ options });
  const typed = Object.entries(values).map(([name, value]) => [
    name,
    typeof defaults[name] === "number" ? Number(value) : value,
  ]);
  return Object.fromEntries(typed);
}

/** Functions that are called at the end, the last one first. */
const tidy: (() => unknown)[] = [];
export const onEnd = (work: () => unknown) => tidy.push(work);

/** Measures, and ends whatever was started. */
export async function measured(work: () => Promise<unknown>): Promise<never> {
  try {
    await work();
  } finally {
    for (const step of tidy.reverse()) await step();
  }
  process.exit(0);
}

/** @param kept a directory that stays */
export async function startPostgres(kept = "") {
  const folder = kept || mkdtempSync(join(tmpdir(), "formd-bench-"));
  mkdirSync(folder, { recursive: true });
  // PostgreSQL's user passes through it.
  chmodSync(folder, 0o711);
  if (!kept) onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await embedded(join(folder, "data"), say);
  onEnd(() => cluster.release());
  return { folder, cluster };
}

/** A connection that is closed at the end. */
export function open(url: string, poolSize = 1): Sql {
  const sql = connect(url, { poolSize, prepare: true });
  onEnd(() => sql.end({ timeout: 1 }));
  return sql;
}

/** A migrated PostgreSQL, and connections of the owner. */
export async function startMigrated(poolSize = 1) {
  const place = await startPostgres();
  await migrate(place.cluster.ownerUrl, () => {});
  return { ...place, sql: open(place.cluster.ownerUrl, poolSize) };
}

/** A port that nothing listens on. */
async function unusedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}

export interface Serving {
  url: string;
  process: ChildProcess;
  stop(): Promise<unknown>;
}

/** The settings of each measured server: each request has a client IP of its own. */
export const settingsOf = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  HOST: "127.0.0.1",
  TRUSTED_PROXY_HOPS: "1",
  LOG_LEVEL: "warn",
});

/** This formd. */
export const formd = [process.execPath, "src/main.ts", "serve"];

/** Starts a program that serves at PORT, and waits until it responds. */
export async function startServer(
  [program = "", ...rest]: string[],
  environment: Record<string, string>,
  cwd = process.cwd(),
): Promise<Serving> {
  const port = await unusedPort();
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, ...environment, PORT: port },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  onEnd(stop);
  const url = `http://127.0.0.1:${port}`;
  const responds = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status < 500,
      () => false,
    );
  while (!(await responds())) {
    if (child.exitCode !== null) throw new Error(`${program} has ended`);
    await Bun.sleep(10);
  }
  return { url, process: child, stop };
}

export const quantile = (numbers: number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;
export const medianOf = (numbers: number[]) => quantile(numbers, 0.5);
