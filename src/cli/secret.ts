/** `formd secret generate`. */
import type { Command } from "commander";
import { generateMasterKey } from "../master-key.ts";
import { jsonOption, print } from "./options.ts";

export function secretCommand(root: Command): void {
  root
    .command("secret")
    .description("the master key, from which the server derives all other keys")
    .command("generate")
    .description("print a new key for FORMD_SECRET_KEY")
    .addOption(jsonOption)
    .action(({ json }: { json?: boolean }) => {
      const key = generateMasterKey();
      print(json, { key }, key);
    });
}
