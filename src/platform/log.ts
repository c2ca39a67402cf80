/**
 * Logs: one JSON object per line on stdout, or a short line at a terminal. A line holds no header (except at
 * debug level: the base of a refused signature) and no body, and what still looks like a secret is reduced to
 * its kind before it leaves the process.
 */
import process from "node:process";
import { type Logger, pino } from "pino";

export type { Logger };

/** Gets a line for each thing that is created or started, for the person who started the command. */
export type Report = (line: string) => void;

const secrets = /(fd[kasfoiru]_|whsec_)[\w+/=-]{20,}/g;
/**
 * Not PASSWORD, by which a message shows what a URL looks like. What has no `@` at its end is matched too,
 * and each run of letters from its start only: a path can have 16 KB, and the search would begin anew at each
 * of its characters.
 */
const passwords = /(?<!\w)(\w+:\/\/[^\s:/@]+:)(?:PASSWORD@|[^\s@]+(@?))/g;

/** The text without formd's secrets and without passwords in URLs. */
export const redact = (text: string): string =>
  text
    .replace(secrets, "$1[redacted]")
    .replace(passwords, (found, start: string, end: string) => (end ? `${start}[redacted]${end}` : found));

/**
 * For a line that any client can bring about, or that every request of an outage would: calls `print` at most
 * once per span.
 */
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
