/** `formd bootstrap`: a team with its first workspace, operator and API key. */
import type { Command } from "commander";
import { cliActor } from "../auth/actor.ts";
import { type Bootstrap, bootstrap } from "../teams/bootstrap.ts";
import { withDatabase } from "./database.ts";
import { passwordNote } from "./operator.ts";
import { jsonOption, print, requireName, type Settings } from "./options.ts";

export function bootstrapCommand(root: Command, settings: Settings): void {
  root
    .command("bootstrap")
    .description("create a team, its first workspace, its admin and an API key with every scope")
    .requiredOption("--email <email>", "the admin's e-mail")
    .option("--password <password>", "the admin's password (default: one is generated and shown)")
    .option("--team <name>", "the team's name", requireName, "My team")
    .option("--workspace <name>", "the workspace's name", requireName, "Main")
    .option(
      "--another-team",
      "make one more team for a known e-mail, which becomes its admin and keeps its password",
    )
    .addOption(jsonOption)
    .action(async ({ json, ...options }: Bootstrap & { json?: boolean }) => {
      const created = await withDatabase(settings(), (sql) => bootstrap(sql, cliActor, options), {
        mayCreate: true,
      });
      print(
        json,
        created,
        `team        ${created.team.id}`,
        `workspace   ${created.workspace.id}`,
        `operator    ${created.operator.email}   ${passwordNote(created.operator.password)}`,
        `API key     ${created.apiKey.key}   (shown once)`,
      );
    });
}
