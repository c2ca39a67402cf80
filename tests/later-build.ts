/** A later build: this one with `tests/migrations/good`, as the real migrations begin with the baseline. */
import { appendFileSync, cpSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.ts";

export const goodMigrations = readdirSync(join(root, "tests/migrations/good")).toSorted();

/**
 * Copies this build into a directory, with later migrations.
 *
 * @param names of files in `tests/migrations/good`
 * @param functions SQL that its last file of functions has as well
 */
export function copyLater(folder: string, names: string[], functions = ""): void {
  for (const name of ["src", "sql", "db", "package.json", "tsconfig.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const name of names)
    cpSync(join(root, "tests/migrations/good", name), join(folder, "db/migrations", name));
  appendFileSync(join(folder, "sql/999_privileges.sql"), functions);
}

/** The migrations' modules of a later formd. */
export async function importLater(folder: string) {
  const of = (file: string) => join(folder, "src/platform/database/migrations", file);
  const index: typeof import("../src/platform/database/migrations/index.ts") = await import(of("index.ts"));
  const dbmate: typeof import("../src/platform/database/migrations/dbmate.ts") = await import(
    of("dbmate.ts")
  );
  const state: typeof import("../src/platform/database/migrations/state.ts") = await import(of("state.ts"));
  return { ...index, ...dbmate, ...state };
}
