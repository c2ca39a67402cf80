/**
 * What this release makes of a database, read from what it is made of: db/schema.sql, the dump of the tables
 * and rights, and the functions of sql/.
 */
import { createHash } from "node:crypto";
import { asset } from "../../assets.ts";
import { readNeeded } from "../migrations/needed.ts";

export type Kind = "table" | "type" | "column" | "attribute" | "constraint" | "index" | "function" | "right";

export interface Expected {
  kind: Kind;
  /** As a person names it: `formd.forms.name`, `select on table formd.forms to formd_app`. */
  name: string;
  /** The table or type that it is a part of. Without it all its parts are missing too. */
  of: string;
  definition: string;
  /** Makes it where it is missing. A function has none: its file does. */
  statement: string;
}

/** @throws {Error} when the dump has a statement that says nothing to it */
export async function readExpected(): Promise<Expected[]> {
  const dump = String(await asset("db/schema.sql"));
  return [...relationsOf(dump), ...constraintsAndIndexesOf(dump), ...rightsOf(dump), ...(await functions())];
}

/** Members of a relation, each as one line: a check with a CASE has several, to where its brackets close. */
function membersOf(body: string): string[] {
  const members: string[] = [];
  let depth = 0;
  for (const line of body.split("\n")) {
    if (depth > 0) members.push(`${members.pop()} ${line.trim()}`);
    else members.push(line);
    for (const [bracket] of line.replaceAll(/'[^']*'/g, "").matchAll(/[()]/g))
      depth += bracket === "(" ? 1 : -1;
  }
  return members;
}

/** Each column, attribute of a type, or check, with a comma behind it unless it is the last. */
function* relationsOf(dump: string): Generator<Expected> {
  for (const [, what = "", relation = "", body = ""] of dump.matchAll(
    /^CREATE (?:UNLOGGED )?(TABLE|TYPE) formd\.(\w+) (?:AS )?\(\n([\s\S]*?)\n\)/gm,
  )) {
    const of = `formd.${relation}`;
    const isTable = what === "TABLE";
    yield { kind: isTable ? "table" : "type", name: of, of, definition: "", statement: "" };
    for (const line of membersOf(body)) {
      const [, constraint, check = ""] = /^\s+CONSTRAINT (\w+) (.*?),?$/.exec(line) ?? [];
      const [, name = "", definition = ""] = /^\s+(\w+) (.*?),?$/.exec(line) ?? [];
      if (constraint) yield constraintOf(of, constraint, check);
      else if (isTable)
        yield {
          kind: "column",
          name: `${of}.${name}`,
          of,
          definition,
          statement: `alter table ${of} add column ${name} ${definition}`,
        };
      else
        yield {
          kind: "attribute",
          name: `${of}.${name}`,
          of,
          definition,
          statement: `alter type ${of} add attribute ${name} ${definition}`,
        };
    }
  }
}

const constraintOf = (of: string, name: string, definition: string): Expected => ({
  kind: "constraint",
  name: `${of} ${name}`,
  of,
  definition,
  statement: `alter table ${of} add constraint ${name} ${definition}`,
});

function* constraintsAndIndexesOf(dump: string): Generator<Expected> {
  for (const [, table = "", name = "", definition = ""] of dump.matchAll(
    /^ALTER TABLE ONLY formd\.(\w+)\n\s+ADD CONSTRAINT (\w+) (.*);$/gm,
  ))
    yield constraintOf(`formd.${table}`, name, definition);
  for (const [, definition = "", unique = "", name = "", table = "", rest = ""] of dump.matchAll(
    /^(CREATE (UNIQUE )?INDEX (\w+) ON formd\.(\w+) (.*));$/gm,
  ))
    yield {
      kind: "index",
      name: `formd.${name}`,
      of: `formd.${table}`,
      definition,
      statement: `create ${unique.toLowerCase()}index concurrently ${name} on formd.${table} ${rest}`,
    };
}

/** On functions all rights are one; the dump writes arguments, which the name of a right does not need. */
function* rightsOf(dump: string): Generator<Expected> {
  for (const [, list = "", kind = "", object = "", role = ""] of dump.matchAll(
    /^GRANT (.+) ON (TABLE|FUNCTION|SCHEMA) (\w[\w.]*).* TO (\w+);$/gm,
  ))
    for (const [right] of (list === "ALL" ? "EXECUTE" : list).matchAll(/\w+(\(\w+\))?/g)) {
      const name = `${right.toLowerCase()} on ${kind.toLowerCase()} ${object} to ${role}`;
      yield { kind: "right", name, of: object, definition: "", statement: `grant ${name}` };
    }
}

async function functions(): Promise<Expected[]> {
  return (await readNeeded()).functions.flatMap(({ text }) =>
    [
      ...text.matchAll(
        /^create or replace function (formd\.\w+)\([\s\S]*?\nlanguage (\w+) ([^$]*)as (\$\$)([\s\S]*?)\$\$;/gm,
      ),
    ].map(([, name = "", language = "", attributes = "", , body = ""]) => ({
      kind: "function" as const,
      name,
      of: name,
      definition: [language, ...attributesOf(attributes), createHash("md5").update(body).digest("hex")].join(
        " ",
      ),
      statement: "",
    })),
  );
}

/** In the spelling of pg_proc: volatility, whose rights, then the settings. */
function attributesOf(text: string): string[] {
  const settings = [...text.matchAll(/\bset (\w+) = ((?:'[^']*'|[^\s,]+)(?:, *\w+)*)/g)].map(
    ([, name = "", value = ""]) => `${name.toLowerCase()}=${value.replaceAll(/[' ]/g, "")}`,
  );
  return [
    /\b(immutable|stable)\b/.exec(text)?.[0] ?? "volatile",
    text.includes("security definer") ? "definer" : "invoker",
    ...settings.sort(),
  ];
}
