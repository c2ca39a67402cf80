/** Choices of a question as rows, and back. A row finds its stored choice by a key. Pure. */
import { distance } from "fastest-levenshtein";
import type { Scalar } from "../../../fields/constraints.ts";
import { isRecord } from "../../../fields/definition.ts";
import { linesIn } from "../frame/form.tsx";

export interface ChoiceRow {
  /** Key of the stored choice; empty: the choice is new. */
  was: string;
  label: string;
  places: string;
  /** The text that programs get. Empty: the label. */
  value: string;
}

const parts = ["was", "label", "places", "value"] as const;

/** Returns the labels of a text, one per line. */
export const choicesOfLines = (text: string): string[] => [...new Set(linesIn(text))];

/** The text of an input of one line, which has no line breaks. */
const clean = (text: string): string => text.replace(/[\r\n]/g, "").trim();

const print = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

const scalarIn = (entry: unknown): Scalar | undefined => {
  const [found] = (isRecord(entry) ? [entry.value, entry.id] : [entry]).filter((value) =>
    ["string", "number", "boolean"].includes(typeof value),
  );
  return found as Scalar | undefined;
};

/** The keys of stored choices: their values, numbered where one repeats another. */
function keysOf(entries: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const key = JSON.stringify(scalarIn(entry) ?? entry);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key} ${count}`;
  });
}

function rowOf(entry: unknown, was: string): ChoiceRow {
  const value = scalarIn(entry);
  const { label, limit } = isRecord(entry) ? entry : {};
  const known = typeof label === "string" && label.trim() !== "" ? label : value;
  return { was, label: print(known ?? entry), places: print(limit), value: print(value) };
}

/** Returns a row for each choice of a draft, which may be anything. */
export const rowsOfChoices = (entries: readonly unknown[]): ChoiceRow[] => {
  const keys = keysOf(entries);
  return entries.map((entry, index) => rowOf(entry, keys[index] ?? ""));
};

/** Returns the names and texts of the controls of rows. @param name of the rule */
export const shownChoices = (rows: readonly ChoiceRow[], name: string): [string, string][] =>
  rows.flatMap((row) => parts.map((part): [string, string] => [`${name}.${part}`, row[part]]));

/** Returns the rows that a form sends, in their order. */
export function sentChoices(values: URLSearchParams, name: string): ChoiceRow[] {
  const [was = [], labels = [], places = [], own = []] = parts.map((part) =>
    values.getAll(`${name}.${part}`),
  );
  return labels.map((label, index) => ({
    ...{ was: was[index] ?? "", label },
    ...{ places: places[index] ?? "", value: own[index] ?? "" },
  }));
}

export const isBlankRow = ({ label, places, value }: ChoiceRow): boolean =>
  `${label}${places}${value}`.trim() === "";

const digitsOf = (text: string) => text.replace(/\D+/g, " ").trim();

/** Checks whether a label is a correction or an extension of another one, not another choice. */
function isCorrection(from: string, to: string): boolean {
  if (digitsOf(from) !== digitsOf(to)) return false;
  const [short = "", long = ""] = [from, to].sort((a, b) => a.length - b.length);
  const isLonger = short.length >= 3 && long.startsWith(short) && /^\P{L}/u.test(long.slice(short.length));
  // The distance of long texts takes time.
  return isLonger || distance(from.slice(0, 200), to.slice(0, 200)) <= long.length / 4;
}

/** Checks whether a choice keeps its value under another label: a corrected one does, and one with a code. */
const keepsValue = (value: string, from: string, to: string): boolean =>
  from === to || isCorrection(from, to) || !(value === from || isCorrection(value, from));

const without = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

/** @param taken values of new choices, which no other one keeps */
function choiceOf(row: ChoiceRow, before: unknown, taken: ReadonlySet<string>, read: ReadPlaces): unknown {
  const old = rowOf(before, row.was);
  const [label, places, own] = [row.label, row.places, row.value].map(clean) as [string, string, string];
  const [isLabel, isPlaces, isOwn] = parts.slice(1).map((part) => clean(row[part]) === clean(old[part]));
  if (isLabel && isPlaces && isOwn) return before;
  const record = isRecord(before) ? before : {};
  const stored = scalarIn(before);
  const isKept = isOwn && own !== "" && !taken.has(own) && keepsValue(own, clean(old.label), label);
  const value = isKept && stored !== undefined ? stored : (!isOwn && own) || label;
  const hasId = scalarIn({ value: record.value }) === undefined && Object.hasOwn(record, "id");
  const choice = without({
    ...record,
    [hasId ? "id" : "value"]: value,
    label: isLabel && old.label !== old.value ? record.label : String(value) === label ? undefined : label,
    limit: isPlaces ? record.limit : places === "" ? undefined : read(places),
  });
  return typeof value === "string" && Object.keys(choice).length === 1 ? value : choice;
}

type ReadPlaces = (text: string) => unknown;

/**
 * Returns the choices of rows. What a row does not change stays, as do members that no row shows.
 * @param before the stored choices
 * @param read returns the number of a text, or the text
 */
export function choicesOfRows(
  rows: readonly ChoiceRow[],
  before: readonly unknown[],
  read: ReadPlaces,
): unknown[] {
  const keys = keysOf(before);
  const stored = new Map(before.map((entry, index) => [keys[index], entry]));
  const isNew = ({ was }: ChoiceRow) => !stored.has(was);
  const taken = new Set(rows.filter(isNew).map(({ label, value }) => clean(value) || clean(label)));
  return rows.flatMap((row) => {
    const own = stored.get(row.was);
    const choice = choiceOf(row, own, taken, read);
    const isGone = isNew(row) ? isBlankRow(row) : clean(row.label) === "" && choice !== own;
    return isGone ? [] : [choice];
  });
}

/** Returns rows after the press of a button at one of them. */
export function arrangedRows(rows: readonly ChoiceRow[], act: string, index: number): ChoiceRow[] {
  const to = { up: Math.max(index - 1, 0), down: index + 1 }[act] ?? index;
  const row = rows[index];
  if (!row) return [...rows];
  return rows.toSpliced(index, 1).toSpliced(to, 0, ...(act === "remove" ? [] : [row]));
}
