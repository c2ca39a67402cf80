/** `formd bootstrap`: a team with its first workspace, operator and API key. */
import type { Command } from "commander";
import { cliActor } from "../platform/auth/actor.ts";
import { type Bootstrap, bootstrap } from "../resources/teams/bootstrap.ts";
import { withDatabase } from "./database.ts";
import { passwordNote } from "./operator.ts";
import {
  jsonOption,
  type PasswordOptions,
  passwordOf,
  passwordOptions,
  printResult,
  requireName,
  type Settings,
} from "./options.ts";

export function bootstrapCommand(root: Command, settings: Settings): void {
  const command = root
    .command("bootstrap")
    .description("create a team, its first workspace, its admin and an API key with every scope")
    .requiredOption("--email <email>", "the admin's e-mail");
  for (const option of passwordOptions("the admin's", "default: one is generated and shown"))
    command.addOption(option);
  command
    .option("--team <name>", "the team's name", requireName, "My team")
    .option("--workspace <name>", "the workspace's name", requireName, "Main")
    .option(
      "--another-team",
      "make one more team for a known e-mail, which becomes its admin and keeps its password",
    )
    .addOption(jsonOption)
    .action(async ({ json, ...options }: Bootstrap & PasswordOptions & { json?: boolean }) => {
      const password = await passwordOf(options);
      const given = { ...options, ...(password !== undefined && { password }) };
      const created = await withDatabase(settings(), (sql) => bootstrap(sql, cliActor, given), {
        mayCreate: true,
      });
      printResult(
        json,
        created,
        `team        ${created.team.id}`,
        `workspace   ${created.workspace.id}`,
        `operator    ${created.operator.email}   ${passwordNote(created.operator.password, "(password unchanged)")}`,
        `API key     ${created.apiKey.key}   (shown once)`,
      );
    });
}
