/** `formd operator create`: another person, or another role for a known one. @module */
import { type Command, Option } from "commander";
import { v7 as uuidv7 } from "uuid";
import { hashPassword, makePassword, makeSalt } from "../auth/password.ts";
import type { Sql } from "../db.ts";
import { Problem } from "../problem.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

interface Joining {
  team: string;
  workspace: string;
  email: string;
  role: string;
  password?: string | undefined;
}

/** @throws {Problem} `bad_request` for what is no e-mail address, or a password that is too short. */
export function validateCredentials({
  email,
  password,
}: {
  email: string;
  password?: string | undefined;
}): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 320)
    throw new Problem("bad_request", "--email must be an e-mail address.");
  if (password !== undefined && password.length < 8)
    throw new Problem("bad_request", "--password must have at least 8 characters.");
}

/**
 * Gives a person a role in a workspace. `password` is in the answer when it counts: for a person who was made now, not for one who keeps
 * the password of old.
 *
 * @throws {Problem} what {@link validateCredentials} does, `not_found` for the workspace.
 */
export async function addOperator(
  sql: Sql,
  { team, workspace, email, role, password = makePassword() }: Joining,
) {
  validateCredentials({ email, password });
  const salt = makeSalt();
  const hash = await hashPassword(password, salt);
  const [joined] = await sql<[{ id: string; created: boolean }]>`
    select * from formd.operator_join(${team}, ${workspace}, ${uuidv7()}, ${email}, ${salt}, ${hash}, ${role})`;
  return { id: joined.id, email: email.toLowerCase(), ...(joined.created && { password }) };
}

export function operatorCommand(root: Command, settings: Settings): void {
  root
    .command("operator")
    .description("people who manage agents and grants")
    .command("create")
    .description("add an operator, or give a known one a role in another workspace")
    .requiredOption("--email <email>")
    .requiredOption("--workspace <id>", "the workspace", requireUuid)
    .addOption(new Option("--role <role>").choices(["admin", "editor", "viewer"]).makeOptionMandatory())
    .option("--password <password>", "the password (default: one is made and shown)")
    .addOption(jsonOption)
    .action(
      async ({ json, email, workspace, role, password }: { json?: boolean } & Omit<Joining, "team">) => {
        const { id, password: shown } = await withDatabase(settings(), async (sql) => {
          const [found] = await sql<
            { teamId: string }[]
          >`select team_id from formd.workspaces where id = ${workspace}`;
          if (!found) throw new Problem("not_found", "There is no such workspace.");
          return await addOperator(sql, { team: found.teamId, workspace, email, role, password });
        });
        const made = { id, email: email.toLowerCase(), role, ...(shown && { password: shown }) };
        print(
          json,
          made,
          `${made.email} is ${role}${shown ? `   password ${shown}` : "   (password as before)"}`,
        );
      },
    );
}
