import { type CompiledForm, compile, type FieldIssue } from "../../../src/fields/compile.ts";
import { fullOptionIssues, optionLimitsOf } from "../../../src/fields/option-limits.ts";

/** The codes of one value in a form with one field `f`. */
export function codes(definition: Record<string, unknown>, value: unknown): string[] {
  return issues(definition, value).map(({ code }) => code);
}

/** The issues of one value in a form with one field `f`, missing and unknown ones included. */
export function issues(definition: Record<string, unknown>, value: unknown): FieldIssue[] {
  const form = compile({ fields: [{ id: "f", label: "F", ...definition }] });
  const { errors, unknown, missing } = form.validate({ f: value });
  return [...errors, ...unknown, ...missing.map(form.requiredIssue), ...fullIssues(form, { f: value })];
}

/** The options that are full before the form has a submission: those with limit 0. */
export function fullIssues({ fields }: CompiledForm, data: Record<string, unknown>): FieldIssue[] {
  const closed = optionLimitsOf(fields).filter(({ limit }) => limit === 0);
  const full = Object.fromEntries(closed.map(({ fieldId, value }) => [fieldId, [value]]));
  return fullOptionIssues(fields, data, full);
}

/** The words of a text, for tables. */
export const words = (text: string) => text.split(" ");

/** A JSON text as the server reads it: `__proto__` is an own key. */
export const json = (text: string): Record<string, unknown> => JSON.parse(text);

/**
 * CPU time of this process in milliseconds: unlike the clock, it does not count the other work of the
 * machine.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Arithmetic and a map, as in most of what is measured. */
function knownWork(): number {
  let hash = 1;
  const seen = new Map<number, number>();
  for (let index = 0; index < 400_000; index++) {
    hash = (Math.imul(hash, 31) + index) | 0;
    if (index % 16 === 0) seen.set(hash & 4095, index);
  }
  return seen.size;
}

/** Milliseconds of {@link knownWork} where the limits were set. */
const knownMs = 0.65;
let slowness: number | undefined;

/** Measures this machine: 4 is four times slower than that one. */
function measureSlowness(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 50; run++) {
    const start = cpuMs();
    knownWork();
    least = Math.min(least, cpuMs() - start);
  }
  return Math.max(1, least / knownMs);
}

/**
 * Returns the least CPU time of `work`, in milliseconds of the machine where the limits were set: one that is
 * four times slower takes four times as long for what is as cheap. It runs again, at most 10 times, while the
 * least time is `most` or more. The first run compiles, garbage of other tests is collected now and then, and
 * programs that share a core's caches slow each other down. Work that is slow by itself is slow in each run.
 */
export function leastCpuMs(most: number, work: (run: number) => void): number {
  slowness ??= measureSlowness();
  let least = Number.POSITIVE_INFINITY;
  for (let run = 1; run <= 10 && least >= most; run++) {
    const start = cpuMs();
    work(run);
    least = Math.min(least, (cpuMs() - start) / slowness);
  }
  return least;
}
