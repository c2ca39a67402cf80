/** `formd bootstrap`: a team with its first workspace, operator and API key. */
import { cliActor } from "../platform/auth/actor.ts";
import { type Bootstrap, bootstrap } from "../resources/teams/bootstrap.ts";
import { withDatabase } from "./database.ts";
import { entriesNote, passwordNote } from "./operator.ts";
import { type CliCommand, type PasswordOptions, passwordOf, requireName, type Settings } from "./options.ts";

export function bootstrapCommand(root: CliCommand, settings: Settings): void {
  root
    .command("bootstrap")
    .description("create a team, its first workspace, its admin and an API key with every scope")
    .requiredOption("--email <email>", "the admin's e-mail")
    .takesPassword("the admin's", "default: one is generated and shown")
    .option("--team <name>", "the team's name", requireName, "My team")
    .option("--workspace <name>", "the workspace's name", requireName, "Main")
    .option(
      "--another-team",
      "make one more team for a known e-mail, which becomes its admin and keeps its password",
    )
    .prints(async (options: Bootstrap & PasswordOptions) => {
      const password = await passwordOf(options);
      const given = { ...options, ...(password !== undefined && { password }) };
      const created = await withDatabase(settings(), (sql) => bootstrap(sql, cliActor, given), {
        mayCreate: true,
      });
      return [
        created,
        `team        ${created.team.id}`,
        `workspace   ${created.workspace.id}`,
        `operator    ${created.operator.email}   ${passwordNote(created.operator.password, "(password unchanged, sessions ended)")}`,
        `API key     ${created.apiKey.key}   (shown once)`,
        ...entriesNote(created.entries),
      ];
    });
}
