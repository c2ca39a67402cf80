/** `formd api-key create | list | revoke`. @module */
import type { Command } from "commander";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../auth/secret.ts";
import { Problem } from "../problem.ts";
import { withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

interface ApiKeyRow {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

export function apiKeyCommand(root: Command, settings: Settings): void {
  const group = root.command("api-key").description("keys for the management and identity routes");
  group
    .command("create")
    .description("make a key; it is shown once")
    .requiredOption("--team <id>", "the team", requireUuid)
    .requiredOption("--scopes <scopes>", "comma-separated, such as forms:read,submissions:read")
    .option("--name <name>", "what it is for", "api key")
    .addOption(jsonOption)
    .action(
      async ({
        json,
        team,
        scopes,
        name,
      }: {
        json?: boolean;
        team: string;
        scopes: string;
        name: string;
      }) => {
        const id = uuidv7();
        const list = [
          ...new Set(
            scopes
              .split(",")
              .map((scope) => scope.trim())
              .filter(Boolean),
          ),
        ];
        const { secret, prefix, hash } = makeSecret("fdk", team);
        await withDatabase(
          settings(),
          (sql) =>
            sql`select from formd.api_key_create(${team}, ${id}, ${name}, ${list}, ${prefix}, ${hash})`,
        );
        print(json, { id, key: secret, scopes: list }, `API key     ${secret}   (shown once)`);
      },
    );
  group
    .command("list")
    .description("a team's keys, newest first")
    .requiredOption("--team <id>", "the team", requireUuid)
    .addOption(jsonOption)
    .action(async ({ json, team }: { json?: boolean; team: string }) => {
      const apiKeys = await withDatabase(
        settings(),
        (sql) => sql<ApiKeyRow[]>`
          select id, name, key_prefix as prefix, scopes, created_at, last_used_at, revoked_at
          from formd.api_keys where team_id = ${team} order by id desc`,
      );
      const line = (key: ApiKeyRow) =>
        `${key.id}  ${key.prefix}…  ${key.revokedAt ? "revoked" : "active "}  ${key.scopes.join(",")}  ${key.name}`;
      print(json, { apiKeys }, ...apiKeys.map(line));
    });
  group
    .command("revoke")
    .description("revoke a key: its next call is refused")
    .argument("<id>", "the key", requireUuid)
    .addOption(jsonOption)
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withDatabase(settings(), async (sql) => {
        const [key] = await sql<{ teamId: string }[]>`select team_id from formd.api_keys where id = ${id}`;
        if (!key) throw new Problem("not_found", "There is no such API key.");
        await sql`select formd.api_key_revoke(${key.teamId}, ${id})`;
      });
      print(json, { id, revoked: true }, `${id} is revoked`);
    });
}
