/**
 * Functions and columns that servers of the last release use still exist: such servers run while a database
 * is upgraded.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { catalogOf, missing, releasedFile, snapshotOf } from "../../.ci/released.ts";
import { database } from "../setup.ts";

const db = await database();

/** Returns the losses for a server of today's snapshot after these statements, which are rolled back. */
async function missedAfter(statements: string): Promise<string[]> {
  let found: string[] = [];
  const undo = new Error("undo");
  await db.sql
    .begin(async (sql) => {
      const snapshot = snapshotOf("v0.0.1", await catalogOf(sql), []);
      await sql.unsafe(statements);
      found = missing(snapshot, await catalogOf(sql));
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return found;
}

test("servers of the last release find every function and column that they call", async () => {
  // There is no file before the first release.
  const snapshot = existsSync(releasedFile) ? readFileSync(releasedFile, "utf8") : "";
  expect(missing(snapshot, await catalogOf(db.sql))).toEqual([]);
});

const replaced = (args: string, result: string) =>
  `drop function formd.form_version_schema; create function formd.form_version_schema(${args}) returns ${result}
   language sql as 'select null::jsonb'; grant execute on function formd.form_version_schema to formd_app`;

test.each<[string, string, RegExp]>([
  ["a function is gone", "drop function formd.webhook_list", /^function webhook_list\(/],
  [
    "the server may no longer call it",
    "revoke execute on function formd.webhook_list from formd_app",
    /^function webhook_list\(/,
  ],
  [
    "a column is gone",
    "alter table formd.webhooks drop column failing_since_at",
    /^column webhooks\.failing/,
  ],
  [
    "a column has another type",
    "alter table formd.webhooks alter secret_version type bigint",
    /^column webhooks/,
  ],
  [
    "a column of a result is gone",
    "alter type formd.webhook_row drop attribute url cascade",
    /^function webhook_create\(/,
  ],
])("it is noticed that %s", async (_, statements, line) => {
  expect((await missedAfter(statements))[0]).toMatch(line);
});

test("an optional new argument is not a loss; a required one is", async () => {
  const [{ args, result }] = await db.sql<[{ args: string; result: string }]>`
    select pg_get_function_arguments(p.oid) as args, pg_get_function_result(p.oid) as result
    from pg_proc p where p.oid = 'formd.form_version_schema'::regproc`;
  expect(await missedAfter(replaced(`${args}, p_more text default null`, result))).toEqual([]);
  expect(await missedAfter(replaced(`${args}, p_more text`, result))).toHaveLength(1);
});

test("functions for servers of the previous release are not in the snapshot, so that the next may drop them", async () => {
  const catalog = await catalogOf(db.sql);
  expect(snapshotOf("v0.0.1", catalog, [])).toContain("\nfunction webhook_list(p_team uuid, ");
  expect(snapshotOf("v0.0.1", catalog, ["webhook_list"])).not.toContain("function webhook_list(");
});
