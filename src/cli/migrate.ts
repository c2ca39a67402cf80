/** `formd migrate`: tables by dbmate, then the functions of sql/. */
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
      await using database = await connectDatabase(settings());
      const { migrations, functions } = await migrate(database.ownerUrl, report);
      print(
        json,
        { migrations, functions },
        `${migrations.length} migrations applied, ${functions} functions present`,
      );
    });
}
