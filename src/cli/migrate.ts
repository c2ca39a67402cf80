/** `formd migrate`: tables by dbmate, then the functions of sql/. @module */
import type { Command } from "commander";
import { migrate } from "../migrate.ts";
import { reachDatabase, report } from "./database.ts";
import { answer, jsonOption, type Settings } from "./program.ts";

export function migrateCommand(root: Command, settings: Settings): void {
  root
    .command("migrate")
    .description(
      "bring the database to what this build needs; safe to run twice and from two machines at once",
    )
    .addOption(jsonOption)
    .action(async ({ json }: { json?: boolean }) => {
      const { ownerUrl, close } = await reachDatabase(settings());
      const { migrations, functions } = await migrate(ownerUrl, report).finally(close);
      answer(
        json,
        { migrations, functions },
        `${migrations.length} migrations applied, ${functions} functions in place`,
      );
    });
}
