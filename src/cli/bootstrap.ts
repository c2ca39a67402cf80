/** `formd bootstrap`: a team with its first workspace, operator and API key. @module */
import type { Command } from "commander";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../auth/secret.ts";
import type { Sql } from "../db.ts";
import { withDatabase } from "./database.ts";
import { addOperator, validateCredentials } from "./operator.ts";
import { jsonOption, print, type Settings } from "./options.ts";

export const allScopes = [
  "forms:read",
  "forms:write",
  "submissions:read",
  "submissions:update",
  "submissions:delete",
  "submissions:write",
];

interface Options {
  email: string;
  password?: string;
  team: string;
  workspace: string;
}

/** A new team with a workspace, an admin and an API key with every scope. */
export async function bootstrap(
  sql: Sql,
  { email, password, team: teamName, workspace: workspaceName }: Options,
) {
  validateCredentials({ email, password }); // before anything is made: a team without a person would stay behind
  const [team, workspace, keyId] = [uuidv7(), uuidv7(), uuidv7()];
  await sql`select formd.team_create(${team}, ${teamName}, ${workspace}, ${workspaceName})`;
  const operator = await addOperator(sql, { team, workspace, email, role: "admin", password });
  const key = makeSecret("fdk", team);
  await sql`select from formd.api_key_create(${team}, ${keyId}, ${"bootstrap"}, ${allScopes}, ${key.prefix}, ${key.hash})`;
  return {
    team: { id: team },
    workspace: { id: workspace },
    operator,
    apiKey: { id: keyId, key: key.secret, scopes: allScopes },
  };
}

export function bootstrapCommand(root: Command, settings: Settings): void {
  root
    .command("bootstrap")
    .description(
      "make a team, its first workspace, its admin and an API key with every scope; run again for another team",
    )
    .requiredOption(
      "--email <email>",
      "the admin's e-mail; a known one gets the role here and keeps its password",
    )
    .option("--password <password>", "the admin's password (default: one is made and shown)")
    .option("--team <name>", "the team's name", "My team")
    .option("--workspace <name>", "the workspace's name", "Main")
    .addOption(jsonOption)
    .action(async ({ json, ...options }: Options & { json?: boolean }) => {
      const made = await withDatabase(settings(), (sql) => bootstrap(sql, options));
      print(
        json,
        made,
        `team        ${made.team.id}`,
        `workspace   ${made.workspace.id}`,
        `operator    ${made.operator.email}${made.operator.password ? `   password ${made.operator.password}` : "   (password as before)"}`,
        `API key     ${made.apiKey.key}   (shown once)`,
      );
    });
}
