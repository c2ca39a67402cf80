/** `formd operator create | list | set-password | remove`. */
import { type Command, Option } from "commander";
import { cliActor } from "../auth/actor.ts";
import {
  addOperator,
  listOperators,
  type NewOperator,
  type OperatorEntry,
  removeOperator,
  setPassword,
} from "../operators/operators.ts";
import { roles } from "../operators/roles.ts";
import { teamOf, withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

export function operatorCommand(root: Command, settings: Settings): void {
  const group = root.command("operator").description("persons who sign in to the console");
  group
    .command("create")
    .description("add an operator, or give a known one a role in another workspace")
    .requiredOption("--email <email>")
    .requiredOption("--workspace <id>", "the workspace", requireUuid)
    .addOption(new Option("--role <role>").choices(roles).makeOptionMandatory())
    .option("--password <password>", "the password (default: one is generated and shown)")
    .addOption(jsonOption)
    .action(async ({ json, ...options }: NewOperator & { json?: boolean }) => {
      const { id, email, password } = await withDatabase(settings(), async (sql) =>
        addOperator(sql, cliActor, await teamOf(sql, "workspace", options.workspace), options),
      );
      const created = { id, email, role: options.role, ...(password && { password }) };
      print(json, created, `${email} is ${options.role}   ${passwordNote(password)}`);
    });
  group
    .command("list")
    .description("operators and their roles, by e-mail")
    .option("--team <id>", "only operators of this team", requireUuid)
    .addOption(jsonOption)
    .action(async ({ json, team }: { json?: boolean; team?: string }) => {
      const operators = await withDatabase(settings(), (sql) => listOperators(sql, team ?? null));
      const line = ({ id, email, roles }: OperatorEntry) =>
        `${id}  ${email}  ${roles.map(({ workspaceId, role }) => `${role} in ${workspaceId}`).join(", ")}`;
      print(json, { operators }, ...operators.map(line));
    });
  group
    .command("set-password")
    .description("replace an operator's password and end the operator's sessions")
    .requiredOption("--email <email>")
    .option("--password <password>", "the password (default: one is generated and shown)")
    .addOption(jsonOption)
    .action(
      async ({ json, email, password: given }: { json?: boolean; email: string; password?: string }) => {
        const { id, password } = await withDatabase(settings(), (sql) =>
          setPassword(sql, cliActor, email, given),
        );
        print(json, { id, ...(given === undefined && { password }) }, `${email}   ${passwordNote(password)}`);
      },
    );
  group
    .command("remove")
    .description("take an operator's roles away and end the operator's sessions")
    .requiredOption("--email <email>")
    .option("--workspace <id>", "only the role in this workspace", requireUuid)
    .addOption(jsonOption)
    .action(async ({ json, email, workspace }: { json?: boolean; email: string; workspace?: string }) => {
      const { id } = await withDatabase(settings(), (sql) =>
        removeOperator(sql, cliActor, email, workspace ?? null),
      );
      print(json, { id }, `${email} is removed${workspace ? ` from ${workspace}` : ""}`);
    });
}

/** `password` is undefined for a known operator, who keeps the previous one. */
export const passwordNote = (password: string | undefined): string =>
  password ? `password ${password}` : "(password unchanged)";
