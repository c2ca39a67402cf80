/** Compares a database with this release's schema: `formd doctor`, `formd migrate --repair`. */
import { oneRow, type Sql } from "../db.ts";
import { type Expected, readExpected } from "./expected.ts";
import { type Found, readFound } from "./found.ts";

export interface CatalogDifference {
  /** "index formd.submissions_agent_idx is missing". */
  fault: string;
  /** Statement that removes the difference, run as the database's owner. */
  statement: string;
  /** This release's definition. Absent: the database has an additional object. */
  expected?: Expected;
  /** True if the database has a different object of that name. */
  isOther: boolean;
}

/**
 * Compares the schema with this release. Indexes that are not unique and unknown functions and tables
 * belong to the DBA. @throws the error of postgres.js if a query fails
 */
export async function compareCatalog(sql: Sql): Promise<CatalogDifference[]> {
  const expected = await readExpected();
  const relations = expected.filter(({ kind }) => kind === "table" || kind === "type");
  const tables = relations.map(({ name }) => name.slice("formd.".length));
  const [found, owner] = [await readFound(sql, tables), await ownerOf(sql)];
  const foundByKey = Map.groupBy(found, keyOf);
  const wholes = expected.filter(({ kind, name, of }) => name === of && kind !== "right");
  const absent = new Set(wholes.filter((each) => !foundByKey.has(keyOf(each))).map(({ name }) => name));
  const known = new Set(expected.map(keyOf));
  return [
    ...expected
      // Parts of a missing object are not listed.
      .filter((each) => !absent.has(each.of) || wholes.includes(each))
      .flatMap((each) => differencesOf(each, foundByKey.get(keyOf(each)) ?? [], owner)),
    ...found
      .filter((each) => each.matters && !known.has(keyOf(each)) && !isOwnersRight(each, expected))
      .map((each) => ({
        fault: `${each.kind} ${inDatabase(each.name, owner)} is not of this release`,
        statement: inDatabase(removalOf(each), owner),
        isOther: false,
      })),
  ];
}

const keyOf = ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`;

const ownerOf = async (sql: Sql) =>
  oneRow(
    await sql<{ owner: string }[]>`
      select quote_ident(pg_catalog.pg_get_userbyid(nspowner)) as owner from pg_catalog.pg_namespace where nspname = 'formd'`,
  ).owner;

/** Replaces the owner's name in the dump by the database's. */
const inDatabase = (text: string, owner: string) => text.replace(/\bformd_owner$/, owner);

/** Ignores parentheses and line breaks (releases differ), and the schema's name (a search_path omits it). */
const isSame = (one: string, other: string) => withoutParentheses(one) === withoutParentheses(other);
const withoutParentheses = (definition: string) =>
  definition.replaceAll(/[()]|\bformd\./g, "").replaceAll(/\s+/g, " ");

function differencesOf(expected: Expected, found: Found[], owner: string): CatalogDifference[] {
  const { kind, name } = expected;
  if (found.some(({ definition }) => isSame(definition, expected.definition))) return [];
  const isOther = found.length > 0;
  const fault = isOther ? `is ${kind === "function" ? "another one" : found[0]?.definition}` : "is missing";
  return [
    {
      fault: inDatabase(`${kind} ${name}`, owner).concat(" ", fault),
      statement: inDatabase(fixOf(expected, found[0]?.definition), owner),
      expected,
      isOther,
    },
  ];
}

/** @param other the definition that the database has instead */
function fixOf({ kind, name, of, statement, definition }: Expected, other: string | undefined): string {
  if (kind === "function") return "formd migrate --repair";
  if (kind === "table" || kind === "type") return "restore a backup: what it held is lost";
  if (other === undefined || kind === "right") return statement;
  const part = name.slice(of.length + 1);
  return {
    column: `alter table ${of} ${columnChanges(part, other, definition)}`,
    attribute: `alter type ${of} alter attribute ${part} type ${definition}`,
    constraint: `alter table ${of} drop constraint ${part}; ${statement}`,
    index: `drop index concurrently ${name}; ${statement}`,
  }[kind];
}

function columnChanges(column: string, from: string, to: string): string {
  const split = (text: string) => /^(.*?)(?: DEFAULT (.*?))?( NOT NULL)?$/.exec(text) ?? [];
  const [, type, value, isRequired] = split(to);
  const [, otherType, otherValue, otherIsRequired] = split(from);
  return [
    ...(type !== otherType ? [`type ${type}`] : []),
    ...(value !== otherValue ? [value === undefined ? "drop default" : `set default ${value}`] : []),
    ...(isRequired !== otherIsRequired ? [isRequired ? "set not null" : "drop not null"] : []),
  ]
    .map((change) => `alter column ${column} ${change}`)
    .join(", ");
}

/** Rights of the owner are compared only where the release revokes some. */
const isOwnersRight = ({ kind, name, of }: Found, expected: Expected[]) =>
  kind === "right" &&
  name.endsWith(" to formd_owner") &&
  !expected.some((each) => each.kind === "right" && each.of === of && each.name.endsWith(" to formd_owner"));

function removalOf({ kind, name, of }: Found): string {
  const part = name.slice(of.length + 1);
  const removals: Partial<Record<Found["kind"], string>> = {
    column: `alter table ${of} alter column ${part} drop not null`,
    constraint: `alter table ${of} drop constraint ${part}`,
    trigger: `drop trigger ${part} on ${of}`,
    "row security": `alter table ${of} disable row level security`,
    index: `drop index concurrently ${name}`,
  };
  return removals[kind] ?? `revoke ${name.replace(/ to (\S+)$/, " from $1")}`;
}
