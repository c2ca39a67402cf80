/** `formd migrate`: tables by dbmate, then the functions of sql/. */
import type { Command } from "commander";
import { migrate, type Plan, planMigration } from "../migrations/index.ts";
import { connectDatabase, report } from "./database.ts";
import { jsonOption, print, type Settings } from "./options.ts";

export function migrateCommand(root: Command, settings: Settings): void {
  root
    .command("migrate")
    .description(
      "bring the database to what this build needs; safe to run twice and from two machines at once",
    )
    .option("--plan", "print what would be done, and which locks it takes, and do nothing")
    .addOption(jsonOption)
    .action(async ({ json, plan }: { json?: boolean; plan?: boolean }) => {
      await using database = await connectDatabase(settings(), { asOwner: true });
      if (plan) {
        const planned = await planMigration(database.sql);
        return print(json, planned, sentences(planned));
      }
      const { migrations, functions } = await migrate(database.ownerUrl, report);
      print(
        json,
        { migrations, functions },
        `${migrations.length} migrations applied, ${functions} functions present`,
      );
    });
}

const sentences = ({ locks, functions }: Plan) =>
  [
    ...locks.map((each) => `apply ${each.migration} (locks: ${each.locks})`),
    functions > 0 ? `load the functions of ${functions} files` : "nothing to load",
  ].join("\n");
