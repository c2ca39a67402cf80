/** `formd operator create`: a new operator, or another role for a known one. */
import { type Command, Option } from "commander";
import { addOperator, type Role, roles } from "../operators/operators.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

interface CreateOptions {
  json?: boolean;
  email: string;
  workspace: string;
  role: Role;
  password?: string;
}

export function operatorCommand(root: Command, settings: Settings): void {
  root
    .command("operator")
    .description("persons who manage agents and grants")
    .command("create")
    .description("add an operator, or give a known one a role in another workspace")
    .requiredOption("--email <email>")
    .requiredOption("--workspace <id>", "the workspace", requireUuid)
    .addOption(new Option("--role <role>").choices(roles).makeOptionMandatory())
    .option("--password <password>", "the password (default: one is generated and shown)")
    .addOption(jsonOption)
    .action(async ({ json, ...options }: CreateOptions) => {
      const { id, email, password } = await withDatabase(settings(), (sql) => addOperator(sql, options));
      const created = { id, email, role: options.role, ...(password && { password }) };
      print(json, created, `${email} is ${options.role}   ${passwordNote(password)}`);
    });
}

/** `password` is undefined for a known operator, who keeps the previous one. */
export const passwordNote = (password: string | undefined): string =>
  password ? `password ${password}` : "(password unchanged)";
