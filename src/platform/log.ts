/**
 * Logs: one JSON object per line on stdout, or a short line at a terminal, without body and headers (except
 * at debug level: the base of a refused signature). Text that looks like a secret is reduced to its kind.
 */
import process from "node:process";
import { type Logger, pino } from "pino";

export type { Logger };

/** Receives a line for each object that is created or started, for the person at the terminal. */
export type Report = (line: string) => void;

/** Steps of long work, counted while it runs. Without `total` their number is not known before the end. */
export interface Steps {
  done: number;
  total?: number | undefined;
}

const secrets = /(fd[kasfoirun]_|whsec_)[\w+/=-]{20,}/g;
/**
 * Does not match PASSWORD, with which messages show the form of a URL. Matches without a final `@` too, and
 * each run of letters from its start only: a search of 16 KB would otherwise be quadratic.
 */
const passwords = /(?<!\w)(\w+:\/\/[^\s:/@]*:)(?:PASSWORD@|[^\s@]+(@?))/g;

/** Removes formd's secrets, and passwords in URLs, from a text. */
export const redact = (text: string): string =>
  text
    .replace(secrets, "$1[redacted]")
    .replace(passwords, (found, start: string, end: string) => (end ? `${start}[redacted]${end}` : found));

/** Calls `print` at most once per span, for lines that any client or an outage can cause. */
export function atMostOncePer<A extends unknown[]>(
  spanMs: number,
  print: (...args: A) => void,
): (...args: A) => void {
  let next = 0;
  return (...args) => {
    if (performance.now() < next) return;
    next = performance.now() + spanMs;
    print(...args);
  };
}

/** The process's logger. */
export function createLog(level: string): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    hooks: { streamWrite: redact },
  };
  return process.stdout.isTTY
    ? pino(options, { write: (line: string) => process.stdout.write(terminalLine(line)) })
    : pino(options);
}

function terminalLine(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as { level: string; time: string; msg?: string };
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${[msg, ...details].filter(Boolean).join("  ")}\n`;
}
