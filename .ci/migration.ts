/**
 * `bun run migration NAME`: writes db/migrations/<UTC time>_NAME.sql, to be filled in. Its first lines say
 * what it locks, which `formd migrate --plan` shows and the tests of migrations check.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The file of a new migration.
 *
 * @param name words in lower case, joined by underscores: `submissions_source`
 * @param existing the files that are there
 * @throws Error with one line when no migration can have the name
 */
export function newMigration(name: string, existing: string[], now: Date): { file: string; text: string } {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
    throw new Error(`"${name}" is no name: write words in lower case, such as submissions_source`);
  const digits = now.toISOString().replace(/\D/g, "").slice(0, 14);
  const newest =
    existing
      .map((file) => /^\d+/.exec(file)?.[0] ?? "")
      .sort()
      .at(-1) ?? "";
  // An older version than one that a database has would not be next in order there.
  if (digits <= newest)
    throw new Error(`the newest migration is of ${newest}, which is later than this clock (${digits})`);
  const text = `-- migrate:up
-- Locks: LOCK on TABLE, or: none.
-- One statement, which can run again. Beside the traffic (create index concurrently):
-- "migrate:up transaction:false".
`;
  return { file: `${digits}_${name}.sql`, text };
}

if (import.meta.main) {
  const directory = join(import.meta.dir, "../db/migrations");
  try {
    const { file, text } = newMigration(process.argv[2] ?? "", readdirSync(directory), new Date());
    writeFileSync(join(directory, file), text, { flag: "wx" });
    console.log(`wrote db/migrations/${file}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
