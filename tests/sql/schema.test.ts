// stacks: one months
import { describe, expect, test } from "bun:test";
import { readPage } from "../pages.ts";
import { database } from "../setup.ts";
import { functionRules } from "./function-rules.ts";
import type { Rule } from "./schema-rule.ts";
import { tableRules } from "./table-rules.ts";

const db = await database();

/** The offenders after these statements, which are rolled back. */
async function offendersAfter(rule: Rule, statements: string): Promise<string[]> {
  let offenders: string[] = [];
  const undo = new Error("undo");
  await db.sql
    .begin(async (sql) => {
      await sql.unsafe(statements);
      offenders = await rule.offenders(sql);
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return offenders;
}

for (const [title, rules] of Object.entries({ tables: tableRules, functions: functionRules })) {
  describe(title, () => {
    for (const rule of rules) {
      test(rule.name, async () => {
        expect(await offendersAfter(rule, "")).toEqual([]);
      });
      for (const [statements, offender] of rule.broken) {
        const gist = statements.replace(/^.*\$\$(.*)\$\$$/s, "$1").replace(/\s+/g, " ");
        test(`… which "${gist}" would break`, async () => {
          expect(await offendersAfter(rule, statements)).toContain(offender);
        });
      }
    }
  });
}

test("the page for DBAs names the tables that have a key which the team does not lead", async () => {
  const page = readPage("docs/dba/tables-and-retention.md");
  const [, list = ""] = /unique index, except those of ([^;]+);/.exec(page) ?? [];
  const rows = await db.sql<{ name: string }[]>`
    select distinct c.relname as name from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'formd'::regnamespace and i.indisunique and i.indkey[0] is distinct from (
      select a.attnum from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id')`;
  expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(
    rows.map(({ name }) => name).sort(),
  );
});
