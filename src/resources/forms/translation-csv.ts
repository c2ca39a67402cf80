/** The texts of a form with their translations as CSV (RFC 4180), for translators, and its way back. Pure. */
import { canonicalTag } from "../../fields/languages.ts";
import { limits } from "../../limits.ts";
import { csvCell, csvLine, withGuards, withoutGuards } from "../submissions/csv.ts";
import { nameIn, readCsv, type UnreadCsv } from "../submissions/csv-table.ts";
import { type FormText, textsOfForm } from "./form-texts.ts";
import type { FormRow } from "./shapes.ts";
import { normalText, type Translation, translationFault } from "./translation-operations.ts";

type Draft = Pick<FormRow, "schema" | "settings"> & Partial<Pick<FormRow, "name" | "description">>;

const { maxRows, maxCells } = limits.translations;
const ownColumns = ["place", "default"] as const;

const hasOwnColumns = (names: readonly string[]): boolean => ownColumns.every((name) => names.includes(name));

/** The texts of a form, with a column for each of its other languages. */
export function writeTranslations(draft: Draft, separator: "," | ";"): string {
  const [, ...languages] = draft.settings.languages ?? [];
  const rows = textsOfForm(draft).map((text) => [
    ...[text.place, text.text],
    ...languages.map((language) => text.in(language)),
  ]);
  const lines = [[...ownColumns, ...languages], ...rows].map((cells) =>
    csvLine(
      cells.map((cell) => csvCell(cell, ".")),
      separator,
    ),
  );
  return `\ufeff${lines.join("")}`;
}

/** A reason why a row, a cell or a column was not applied. Rows count from 1, as a spreadsheet shows them. */
export type NotApplied =
  | { kind: "column" | "ownColumn" | "columnTwice"; name: string }
  | { kind: "place" | "placeTwice" | "changed" | "cells"; row: number; name: string }
  | { kind: "invalid"; row: number; text: FormText; language: string; fault: number | "wrong" };

export interface ReadTranslations {
  changes: Translation[];
  notApplied: NotApplied[];
}

const isSame = (cell: string, text: string): boolean =>
  [text, withGuards(text)].some((each) => normalText(each) === normalText(cell));

/**
 * Reads a CSV of translations. A cell that is empty, or as the form has it, changes nothing.
 * @returns what it changes, and what it cannot
 */
export function readTranslations(draft: Draft, bytes: Uint8Array): ReadTranslations | UnreadCsv {
  const table = readCsv(bytes, { maxRows, maxCells, isHead: hasOwnColumns });
  if (!Array.isArray(table)) return table;
  const [head = [], ...rows] = table;
  const notApplied: NotApplied[] = [];
  const columns = languageColumns(draft, head, notApplied);
  const at = Object.fromEntries(
    ownColumns.map((own) => [own, head.findIndex((cell) => nameIn(cell) === own)]),
  );
  const texts = new Map(
    textsOfForm(draft).flatMap((each) => [
      [withGuards(each.place), each],
      [each.place, each],
    ]),
  );
  const seen = new Set<FormText>();
  const changes = rows.flatMap((cells, index): Translation[] => {
    const row = index + 2;
    const name = cells[at.place ?? 0]?.trim() ?? "";
    const found = texts.get(name);
    const no = (kind: "place" | "placeTwice" | "changed" | "cells") => {
      notApplied.push({ kind, row, name });
      return [];
    };
    if (cells.every((cell) => cell.trim() === "")) return [];
    if (cells.slice(head.length).some((cell) => cell.trim() !== "")) return no("cells");
    if (!found) return no("place");
    if (seen.has(found)) return no("placeTwice");
    seen.add(found);
    if (!isSame(cells[at.default ?? 1] ?? "", found.text)) return no("changed");
    return columns.flatMap(([column, language]): Translation[] => {
      const cell = cells[column] ?? "";
      if (cell.trim() === "" || isSame(cell, found.in(language) ?? "")) return [];
      const translation = normalText(withoutGuards(cell));
      const fault = translationFault(found, translation);
      if (fault === undefined) return [{ text: found, language, translation }];
      notApplied.push({ kind: "invalid", row, text: found, language, fault });
      return [];
    });
  });
  return { changes, notApplied };
}

/** The columns of the form's other languages. Reports the other columns. */
function languageColumns({ settings: { languages = [] } }: Draft, head: string[], notApplied: NotApplied[]) {
  const byTag = new Map(languages.map((tag) => [canonicalTag(tag) ?? tag, tag]));
  const found = new Map<string, number>();
  for (const [column, cell] of head.entries()) {
    const name = cell.trim();
    if (name === "" || ownColumns.some((own) => own === nameIn(cell))) continue;
    const language = byTag.get(canonicalTag(name) ?? name);
    if (language === undefined) notApplied.push({ kind: "column", name });
    else if (language === languages[0]) notApplied.push({ kind: "ownColumn", name });
    else if (found.has(language)) notApplied.push({ kind: "columnTwice", name });
    else found.set(language, column);
  }
  return [...found].map(([language, column]) => [column, language] as const);
}
