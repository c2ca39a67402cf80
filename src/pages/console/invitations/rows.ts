/** Reads a list of people to invite: lines with addresses, or a CSV with a first row of columns. */
import { type CompiledForm, compile } from "../../../fields/compile.ts";
import { controlName } from "../../../fields/control-values.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import { toValue } from "../../../fields/entered.ts";
import { isEmail } from "../../../fields/formats.ts";
import { canonicalTag } from "../../../fields/languages.ts";
import { momentAt } from "../../../fields/time-zones.ts";
import { type Option, valuesOf } from "../../../fields/values.ts";
import { limits } from "../../../limits.ts";
import { prefillIssue } from "../../../resources/invitations/create.ts";
import { withoutGuards } from "../../../resources/submissions/csv.ts";
import { nameIn, readCsv, type UnreadCsv } from "../../../resources/submissions/csv-table.ts";
import { textForLanguage } from "../../form-page/text/text.ts";
import { language } from "../../ui/language.ts";
import type { FormView } from "../form/form.tsx";
import { nameOfField } from "../form/issues.ts";
import { readValue } from "../frame/entered-value.tsx";
import { invitationsText } from "./words.ts";

const words = invitationsText.wrong;

/** Rows of a list, and cells of a row. One call of SQL makes the invitations of a list, or none. */
export const maxRows = 2_000;
const maxCells = 500;

/** A person to invite, as the API takes one. */
export interface Invited {
  email?: string;
  label?: string;
  language?: string;
  expiresAt?: string;
  values?: Record<string, unknown>;
}

export interface ReadList {
  invited: Invited[];
  /** Lines, or rows of a file, that cannot be read, from 1. */
  wrong: { row: number; sentence: string }[];
  /** Columns that no question has. */
  unused: string[];
}

/** Names of the columns, in English and German; the first one of a file that has one of them counts. */
const columnNames = {
  email: ["email", "e-mail", "e-mail address", "e-mail-adresse"],
  label: ["label", "name"],
  language: ["language", "sprache"],
  expires: ["expires", "gültig bis"],
} as const;
type OwnColumn = keyof typeof columnNames;

const columnOf = (names: readonly string[], own: OwnColumn): number =>
  columnNames[own].map((name) => names.indexOf(name)).find((index) => index >= 0) ?? -1;

/** `Ada <ada@example.org>`, or an address alone. */
const namedAddress = /^(?:"([^"]*)"|([^<>]*))\s*<\s*([^<>\s]+)\s*>$/;

function personIn(line: string): Invited {
  const [, quoted, plain, email] = namedAddress.exec(line) ?? [];
  const label = (quoted ?? plain)?.trim();
  return { email: email ?? line, ...(label && { label }) };
}

type Form = Pick<FormView, "schema" | "publishedSchema" | "settings">;

/** Fields whose value an invitation can begin with, by their ids and, for those that no id equals, labels. */
function questionsOf({ schema, publishedSchema }: Form): Map<string, Field> {
  const fields = parseFields(publishedSchema ?? schema).filter(
    ({ definition }) => definition.prefill === true,
  );
  return new Map([
    ...fields.map((field) => [nameIn(nameOfField(field)), field] as const),
    ...fields.map((field) => [nameIn(field.id), field] as const),
  ]);
}

/** Value of a cell. A choice has its value, or its text. Undefined: the text is none. */
function entryOf(field: Field, cell: string): unknown {
  const choices = (field.constraints.options ?? []) as readonly (string | Option)[];
  const chosen = choices.find((each) => typeof each !== "string" && each.label === cell);
  const [text = cell] = chosen ? valuesOf([chosen]) : [];
  const entered = new URLSearchParams({ [controlName(field.id)]: String(text) });
  return toValue(field, entered, textForLanguage(language()));
}

/** The end of a day, in the form's time zone, as it is entered and shown. Undefined: the text is no day. */
function endOf(text: string, { settings: { availability } }: Form): string | undefined {
  const day = readValue("date", text, "");
  return typeof day === "string" ? momentAt(day, "23:59", availability?.timeZone ?? "UTC") : undefined;
}

/** A sentence about what is wrong with a person, if something is. */
function wrongIn({ email, label = "", expiresAt }: Invited, now: Date): string | undefined {
  const { maxLabelLength, maxDays } = limits.invitation;
  if (email === undefined && label === "") return words.empty;
  if (email !== undefined && !isEmail(email)) return words.address(email.slice(0, maxLabelLength));
  if (label.length > maxLabelLength) return words.label(maxLabelLength);
  const ms = expiresAt === undefined ? 1 : Date.parse(expiresAt) - now.getTime();
  return ms > 0 && ms <= maxDays * 86_400_000 ? undefined : words.expires(maxDays);
}

/** Reads a row of a file. @param columns the questions of the columns that have one */
function personOf(
  cells: readonly string[],
  names: readonly string[],
  columns: readonly (readonly [number, Field])[],
  form: Form,
  compiled: CompiledForm,
): Invited | string {
  const textAt = (index: number) => withoutGuards(cells[index] ?? "").trim();
  const [email, label, tag, day] = (["email", "label", "language", "expires"] as const).map((own) =>
    textAt(columnOf(names, own)),
  );
  const languages = form.settings.languages ?? [];
  const chosen = languages.find((each) => canonicalTag(each) === canonicalTag(tag ?? ""));
  if (tag && !chosen) return words.language(tag);
  const expiresAt = day ? endOf(day, form) : undefined;
  if (day && !expiresAt) return words.day(day);
  const entered = columns.flatMap(([index, field]): [string, unknown][] => {
    const text = textAt(index);
    return text ? [[field.id, entryOf(field, text)]] : [];
  });
  const values = Object.fromEntries(entered);
  const unread =
    entered.find(([, value]) => value === undefined)?.[0] ??
    (entered.length > 0 ? prefillIssue(compiled, values)?.field : undefined);
  const wrong = columns.find(([, { id }]) => id === unread);
  if (wrong) return words.value(nameOfField(wrong[1]));
  return {
    ...(email && { email }),
    ...(label && { label }),
    ...(chosen && { language: chosen }),
    ...(expiresAt && { expiresAt }),
    ...(entered.length > 0 && { values }),
  };
}

/** Lists of addresses alone that a mail program wrote on one line. */
const severalAddresses = /^[^\s,;<>]+@[^\s,;<>]+(?:[\s,;]+[^\s,;<>]+@[^\s,;<>]+)+[\s,;]*$/;

const linesOf = (text: string) =>
  text.split(/\r\n?|\n/).flatMap((line, index) => {
    const people = severalAddresses.test(line.trim()) ? line.split(/[\s,;]+/) : [line.trim()];
    return people.filter(Boolean).map((person) => ({ row: index + 1, person: personIn(person) }));
  });

/** The people of a table, each with its row. */
function rowsOf([head = [], ...rows]: string[][], form: Form) {
  const names = head.map(nameIn);
  const own = new Set((Object.keys(columnNames) as OwnColumn[]).map((each) => columnOf(names, each)));
  const questions = questionsOf(form);
  const others = names.flatMap((name, index) => (own.has(index) || name === "" ? [] : [{ name, index }]));
  const columns = others.flatMap(({ name, index }) => {
    const field = questions.get(name);
    return field ? [[index, field] as const] : [];
  });
  const unused = others
    .filter(({ name }) => !questions.has(name))
    .map(({ index }) => head[index]?.trim() ?? "");
  const compiled = compile(form.publishedSchema ?? form.schema);
  const people = rows.flatMap((cells, index) =>
    cells.every((cell) => cell.trim() === "")
      ? []
      : [{ row: index + 2, person: personOf(cells, names, columns, form, compiled) }],
  );
  return { people, unused };
}

/** Reads a list: a CSV if its first row has a column for addresses or names, else lines. */
export function readList(bytes: Uint8Array, form: Form, now = new Date()): ReadList | UnreadCsv {
  const isHead = (names: readonly string[]) => columnOf(names, "email") >= 0 || columnOf(names, "label") >= 0;
  const table = readCsv(bytes, { maxRows, maxCells, isHead });
  const isTable = Array.isArray(table);
  // Lines such as `"Lovelace, Ada" <ada@example.org>` are no CSV either.
  if (!isTable && table.kind !== "noColumns" && table.kind !== "quotes") return table;
  const lines = isTable ? [] : linesOf(new TextDecoder().decode(bytes));
  if (!isTable && lines.length > 0 && !lines.some(({ person }) => person.email?.includes("@"))) return table;
  const { people, unused } = isTable ? rowsOf(table, form) : { people: lines, unused: [] };
  if (people.length > maxRows) return { kind: "rows" };
  const seen = new Map<string, number>();
  const read: ReadList = { invited: [], wrong: [], unused };
  for (const { row, person } of people) {
    const key = typeof person === "string" ? undefined : person.email?.toLowerCase();
    const first = key === undefined ? undefined : seen.get(key);
    const sentence =
      typeof person === "string" ? person : (wrongIn(person, now) ?? (first && words.twice(first)));
    if (sentence) read.wrong.push({ row, sentence });
    else read.invited.push(person as Invited);
    if (key !== undefined && first === undefined) seen.set(key, row);
  }
  return read;
}
