/** The schema of this release: db/schema.sql, the dump of tables and rights, and the functions of sql/. */
import { createHash } from "node:crypto";
import { asset } from "../../assets.ts";
import { readNeeded } from "../migrations/needed.ts";

export type Kind = "table" | "type" | "column" | "attribute" | "constraint" | "index" | "function" | "right";

export interface Expected {
  kind: Kind;
  /** Name for people: `formd.forms.name`, `select on table formd.forms to formd_app`. */
  name: string;
  /** The table or type that contains it. If that is missing, its parts are missing too. */
  of: string;
  definition: string;
  /** Creates the object if it is missing. Empty for a function, which its file creates. */
  statement: string;
}

/** @throws {Error} if the dump has a statement that this cannot read */
export async function readExpected(): Promise<Expected[]> {
  const dump = String(await asset("db/schema.sql"));
  return [...relationsOf(dump), ...constraintsAndIndexesOf(dump), ...rightsOf(dump), ...(await functions())];
}

/** Members of a relation, one line each. A check with a CASE has several lines in the dump. */
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

/** Each column, attribute of a type, or check, without its comma. */
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
      const kind = isTable ? "column" : "attribute";
      const statement = `alter ${what.toLowerCase()} ${of} add ${kind} ${name} ${definition}`;
      if (constraint) yield constraintOf(of, constraint, check);
      else yield { kind, name: `${of}.${name}`, of, definition, statement };
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

/** Rights. All rights on a function are one. The dump has a function's arguments, which are left out. */
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

/** Attributes in the spelling of pg_proc: volatility, security, then the settings. */
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
