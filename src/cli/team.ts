/** `formd team list`. */
import type { Command } from "commander";
import { listTeams } from "../teams/teams.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, type Settings } from "./options.ts";

export function teamCommand(root: Command, settings: Settings): void {
  root
    .command("team")
    .description("tenants; formd bootstrap creates one")
    .command("list")
    .description("every team, oldest first")
    .addOption(jsonOption)
    .action(async ({ json }: { json?: boolean }) => {
      const teams = await withDatabase(settings(), listTeams);
      print(json, { teams }, ...teams.map(({ id, name }) => `${id}  ${name}`));
    });
}
