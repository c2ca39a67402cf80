/**
 * Progress of long work, on stderr: one line that is drawn again on a terminal, else a line every 10 s.
 *
 * No library is used. cli-progress 3.12 (2023) and progress 2.0 (2019) need a total and measure by the wall
 * clock, and under cli-progress Ctrl-C does not end the process; ora and log-update bring 15 packages and
 * leave rate, share and time to the caller.
 */
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import { sizeText } from "../fields/types/file.ts";
import type { Steps } from "../platform/log.ts";

const terminalMs = 100;
const plainMs = 10_000;
const signals = ["SIGINT", "SIGTERM"] as const;

let isSilent = false;
/** True while the cursor is behind a progress line. */
let isDrawn = false;

/** Shows progress, or none: with `--json` and `--quiet`. */
export function silenceProgress(silent: boolean): void {
  isSilent = silent;
}

/** Removes the progress line from the terminal, for another line. The next tick draws it again. */
export function clearProgress(): void {
  if (isDrawn) process.stderr.write("\r\x1b[K");
  isDrawn = false;
}

/**
 * Shows the progress of some work until the scope ends. Work that is shorter than a tick shows nothing.
 * @param task a few words, such as `rows`
 * @param unit in the plural; `bytes` are shown as MB
 * @param steps called at each tick, so that counting costs nothing in between. A missing total is unknown
 */
export function showProgress(task: string, unit: string, steps: () => Steps): Disposable {
  if (isSilent) return { [Symbol.dispose]() {} };
  const startedAt = performance.now();
  const isTerminal = process.stderr.isTTY === true && process.env.TERM !== "dumb";
  let isShown = false;
  const draw = (isEnd: boolean) => {
    const line = progressLine(task, unit, steps(), (performance.now() - startedAt) / 1000, isEnd);
    // A line of the full width would wrap, and stay. Some terminals do not tell their width.
    const columns = process.stderr.columns || 80;
    if (isTerminal) process.stderr.write(`\r${line.slice(0, columns - 1)}\x1b[K`);
    else console.error(line); // A write to a closed pipe would end the work.
    isShown = true;
    isDrawn = isTerminal;
  };
  const timer = setInterval(() => draw(false), isTerminal ? terminalMs : plainMs);
  const end = () => {
    clearInterval(timer);
    for (const name of signals) process.off(name, interrupt);
    if (isShown) draw(true);
    if (isDrawn) process.stderr.write("\n");
    isDrawn = false;
  };
  const interrupt = (signal: NodeJS.Signals) => {
    end();
    process.kill(process.pid, signal);
  };
  for (const name of signals) process.on(name, interrupt);
  return { [Symbol.dispose]: end };
}

/** @param seconds since the start @param isEnd true: shows no time left */
export function progressLine(
  task: string,
  unit: string,
  { done, total: expected }: Steps,
  seconds: number,
  isEnd: boolean,
): string {
  const amount = (count: number) =>
    unit === "bytes" ? sizeText(Math.round(count)) : Math.round(count).toLocaleString("en");
  const total = expected === undefined ? undefined : Math.max(expected, done);
  const [rate, per] = done >= seconds ? [done / seconds, "s"] : [(60 * done) / seconds, "min"];
  const named = unit === "bytes" ? "" : ` ${unit}`;
  // Few steps differ too much for a rate.
  const isRated = done >= 10;
  const parts = [
    ...(total ? [`${Math.floor((100 * done) / total)} %`] : []),
    `${amount(done)}${total === undefined ? "" : ` of ${amount(total)}`}${named}`,
    ...(isRated ? [`${amount(rate)}/${per}`] : []),
    isRated && total !== undefined && total > done && !isEnd
      ? `${durationText(((total - done) * seconds) / done)} left`
      : durationText(seconds),
  ];
  return `${task}: ${parts.join(", ")}`;
}

/** Formats a duration by its two largest units. */
function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
