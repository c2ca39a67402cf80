/** `formd secret generate | rotate`. */
import { rotateMasterKey } from "../platform/database/master-keys.ts";
import { generateMasterKey, MasterKey } from "../platform/master-key.ts";
import { resealSecrets } from "../resources/operators/sign-in-connections.ts";
import { masterKeysOf, openMasterKey, openMigratedDatabase } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";

export function secretCommand(root: CliCommand, settings: Settings): void {
  const group = root
    .command("secret")
    .description("the master key, from which the server derives all other keys");
  group
    .command("generate")
    .description("print a new key for FORMD_SECRET_KEY")
    .prints(() => {
      const key = generateMasterKey();
      return [{ key }, key];
    });
  group
    .command("rotate")
    .description("move what is sealed or derived to the first of several master keys; servers may run")
    .prints(async () => {
      const config = settings();
      await using database = await openMigratedDatabase(config, { asOwner: true, mayCreate: false });
      const masterKey = await openMasterKey(config, database);
      const { keys } = await masterKeysOf(config, database.directory);
      const [first, previous] = keys;
      if (!first) throw new Error("there is no master key: set FORMD_SECRET_KEY");
      if (!previous)
        throw new Error("There is one key: nothing to rotate. Set FORMD_SECRET_KEY=NEW,OLD first.");
      const keysMoved = await rotateMasterKey(database.sql, masterKey, first);
      const moved = keysMoved + (await resealSecrets(database.sql, await openMasterKey(config, database)));
      return [
        { moved },
        `${moved} moved: ${new MasterKey(first).fingerprint} is enough from now on, once each server has restarted with it`,
      ];
    });
}
