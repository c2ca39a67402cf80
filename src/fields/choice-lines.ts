/** Converts choices of a field to lines of text, and back. A corrected label keeps its value. Pure. */
import { distance } from "fastest-levenshtein";
import { isRecord } from "./definition.ts";

/** Checks whether a text is read as a label, without syntax. */
export const isPlain = (text: string): boolean =>
  !/^[\s{"]|\s$|[\n\r]|\s\|(?:\s|$)|^$/.test(text) && parseListName(text) === undefined;

const isLine = (text: unknown): text is string => typeof text === "string" && isPlain(text);
const limitPattern = /^\d{1,15}$/;

/** A choice as `value | label`, with its limit as `value | label | limit`, or as JSON. */
const exactLine = (entry: unknown): string => {
  if (isLine(entry)) return entry;
  if (isRecord(entry)) {
    const { value, label, limit, ...others } = entry;
    const end = limit === undefined ? [] : [String(limit)];
    if (isLine(value) && isLine(label) && Object.keys(others).length === 0)
      if (end.every((text) => limitPattern.test(text))) return [value, label, ...end].join(" | ");
  }
  return JSON.stringify(entry);
};

/** The label of a choice; undefined if it has no label of its own, or has a limit. */
const labelIn = (entry: unknown): string | undefined => {
  if (typeof entry === "string") return entry;
  if (!isRecord(entry) || Object.hasOwn(entry, "limit")) return undefined;
  return typeof entry.label === "string" ? entry.label : undefined;
};

/** A line per choice: its label, if no other choice has it. */
export function toLines(entries: readonly unknown[]): string[] {
  const counts = Map.groupBy(entries, labelIn);
  return entries.map((entry) => {
    const label = labelIn(entry);
    return label !== undefined && isPlain(label) && counts.get(label)?.length === 1
      ? label
      : exactLine(entry);
  });
}

/** Parses a line: `value | label`, JSON, or a label. */
export const parseLine = (line: string): unknown => {
  if (/^[{"]/.test(line)) {
    try {
      return JSON.parse(line);
    } catch {
      return line;
    }
  }
  const [, value, label] = /^(.*?)\s\|\s(.*)$/s.exec(line) ?? [];
  return value === undefined ? line : { value, label };
};

/** Parses `value | label | limit`. */
function parseLimited(line: string): object | undefined {
  const [value = "", label, limit, ...others] = line.split(/\s\|\s/);
  return limit !== undefined && others.length === 0 && limitPattern.test(limit) && !/^[{"]/.test(line)
    ? { value, label, limit: Number(limit) }
    : undefined;
}

/** The only line of a field that names a list. */
export const listLine = (name: string): string => `List: ${name}`;

/** Returns the name in the only line of a text; undefined: it has other lines. */
export const parseListName = (text: string): string | undefined => /^\s*list:\s*(\S+)\s*$/i.exec(text)?.[1];

const digitsOf = (text: string) => text.replace(/\D+/g, " ").trim();

/** Checks whether a label is a correction or an extension of another one, not another choice. */
function isCorrection(from: string, to: string): boolean {
  if (digitsOf(from) !== digitsOf(to)) return false;
  const [short = "", long = ""] = [from, to].sort((a, b) => a.length - b.length);
  const isLonger = short.length >= 3 && long.startsWith(short) && /^\P{L}/u.test(long.slice(short.length));
  return isLonger || distance(from, to) <= long.length / 4;
}

/** Parses lines into choices. An unchanged line gives the same choice. A corrected one keeps its value. */
export function toEntries(lines: readonly string[], before: readonly unknown[] = []): unknown[] {
  const left = toLines(before).map((line, index) => ({ line, entry: before[index] }));
  const take = (matches: (known: (typeof left)[number]) => boolean) => {
    const index = left.findIndex(matches);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const kept = lines.map((text) => take(({ line }) => line === text));
  return lines.map((line, index) => {
    const same = kept[index];
    if (same) return same.entry;
    const parsed = parseLimited(line) ?? parseLine(line);
    if (typeof parsed !== "string") return parsed;
    const old = take(({ entry }) => isCorrection(labelIn(entry) ?? "", parsed))?.entry;
    if (old === undefined) return parsed;
    return typeof old === "string" ? { value: old, label: parsed } : { ...(old as object), label: parsed };
  });
}

/** The lines of a text that are not blank. */
export const linesIn = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
