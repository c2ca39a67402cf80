import { beforeAll, describe, expect, test } from "bun:test";
import { type Database, database } from "../setup.ts";
import { functionRules } from "./function-rules.ts";
import type { Rule } from "./schema-rule.ts";
import { tableRules } from "./table-rules.ts";

let db: Database;
beforeAll(async () => {
  db = await database();
});

/** The offenders after these statements, of which nothing stays. */
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
