/** `formd workspace create | list`. */
import { cliActor } from "../platform/auth/actor.ts";
import { createWorkspace, listWorkspaces } from "../resources/teams/teams.ts";
import { withDatabase } from "./database.ts";
import { type CliCommand, requireName, requireUuid, type Settings } from "./options.ts";

export function workspaceCommand(root: CliCommand, settings: Settings): void {
  const group = root
    .command("workspace")
    .description("parts of a team, each with its own forms, agents and roles");
  group
    .command("create")
    .description("add a workspace to a team")
    .requiredOption("--team <id>", "the team", requireUuid)
    .requiredOption("--name <name>", "the workspace's name", requireName)
    .prints(async ({ team, name }: { team: string; name: string }) => {
      const created = await withDatabase(settings(), (sql) => createWorkspace(sql, cliActor, team, name));
      return [created, `workspace   ${created.id}`];
    });
  group
    .command("list")
    .description("the workspaces of each team, oldest first")
    .option("--team <id>", "only in this team", requireUuid)
    .prints(async ({ team }: { team?: string }) => {
      const workspaces = await withDatabase(settings(), (sql) => listWorkspaces(sql, team ?? null));
      return [
        { workspaces },
        ...workspaces.map(({ id, teamId, name }) => `${id}  ${name}  (team ${teamId})`),
      ];
    });
}
