/**
 * Logs: one JSON object a line on stdout, or a short line for people at a terminal. A line holds no header and no body, and whatever
 * still looks like a secret is cut to its kind before it leaves the process.
 *
 * @module
 */
import process from "node:process";
import { type Logger, pino } from "pino";

export type { Logger };

const secrets = /(fd[kasfo]_)[\w-]{20,}/g;
const passwords = /(\w+:\/\/[^\s:/@]+:)[^\s@]+@/g;

/** The text without secrets of ours and without passwords in addresses. */
export const redact = (text: string): string =>
  text.replace(secrets, "$1[redacted]").replace(passwords, "$1[redacted]@");

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
    ? pino(options, { write: (line: string) => process.stdout.write(forPeople(line)) })
    : pino(options);
}

function forPeople(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as { level: string; time: string; msg?: string };
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${[msg, ...details].filter(Boolean).join("  ")}\n`;
}
