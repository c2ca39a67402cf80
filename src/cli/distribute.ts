/** `formd distribute`: distributes tables over the machines of a Citus cluster, by team. */
import { distribute } from "../platform/database/migrations/index.ts";
import { connectDatabase, report } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";

export function distributeCommand(root: CliCommand, settings: Settings): void {
  root
    .command("distribute")
    .description("spread the tables over the machines of a Citus cluster, by team; no server may be running")
    .prints(async () => {
      await using database = await connectDatabase(settings(), { asOwner: true, mayCreate: false });
      const { tables } = await distribute(database.ownerUrl, report);
      return [{ tables }, `${tables.length} tables distributed`];
    });
}
