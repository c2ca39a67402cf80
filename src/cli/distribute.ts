/** `formd distribute`: distributes tables over the machines of a Citus cluster, by team. */
import type { Command } from "commander";
import { distribute } from "../platform/database/migrations/index.ts";
import { connectDatabase, report } from "./database.ts";
import { jsonOption, printResult, type Settings } from "./options.ts";

export function distributeCommand(root: Command, settings: Settings): void {
  root
    .command("distribute")
    .description("spread the tables over the machines of a Citus cluster, by team; no server may be running")
    .addOption(jsonOption)
    .action(async ({ json }: { json?: boolean }) => {
      await using database = await connectDatabase(settings(), { asOwner: true, mayCreate: false });
      const { tables } = await distribute(database.ownerUrl, report);
      printResult(json, { tables }, `${tables.length} tables distributed`);
    });
}
