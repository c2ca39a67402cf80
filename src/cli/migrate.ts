/** `formd migrate`: tables by dbmate, then the functions of sql/. @module */
import type { Command } from "commander";
import { migrate } from "../migrate.ts";
import { connectDatabase, report } from "./database.ts";
import { jsonOption, print, type Settings } from "./options.ts";

export function migrateCommand(root: Command, settings: Settings): void {
  root
    .command("migrate")
    .description(
      "bring the database to what this build needs; safe to run twice and from two machines at once",
    )
    .addOption(jsonOption)
    .action(async ({ json }: { json?: boolean }) => {
      const { ownerUrl, close } = await connectDatabase(settings());
      const { migrations, functions } = await migrate(ownerUrl, report).finally(close);
      print(
        json,
        { migrations, functions },
        `${migrations.length} migrations applied, ${functions} functions in place`,
      );
    });
}
