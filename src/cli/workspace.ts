/** `formd workspace create`. @module */
import type { Command } from "commander";
import { v7 as uuidv7 } from "uuid";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

export function workspaceCommand(root: Command, settings: Settings): void {
  root
    .command("workspace")
    .description("parts of a team, each with its own forms, agents and roles")
    .command("create")
    .description("add a workspace to a team")
    .requiredOption("--team <id>", "the team", requireUuid)
    .requiredOption("--name <name>")
    .addOption(jsonOption)
    .action(async ({ json, team, name }: { json?: boolean; team: string; name: string }) => {
      const id = uuidv7();
      await withDatabase(settings(), (sql) => sql`select formd.workspace_create(${team}, ${id}, ${name})`);
      print(json, { id, teamId: team, name }, `workspace   ${id}`);
    });
}
