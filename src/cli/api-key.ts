/** `formd api-key create | list | revoke`. */
import { cliActor } from "../platform/auth/actor.ts";
import { listOf } from "../platform/config.ts";
import { isMailOn } from "../platform/mail/smtp.ts";
import { type ApiKeyRow, createApiKey, listApiKeys, revokeApiKey } from "../resources/api-keys/api-keys.ts";
import { teamOf, withDatabase } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";
import { addRevokeCommand, expiresAtOption, keyLine, requireName, requireUuid } from "./options.ts";

type CreateOptions = { team: string; scopes: string[]; name: string; expiresAt?: Date };

const scopeList = (text: string): string[] => [...new Set(listOf(text))];

export function apiKeyCommand(root: CliCommand, settings: Settings): void {
  const group = root.command("api-key").description("keys for the management and identity routes");
  group
    .command("create")
    .description("create a key; it is shown once")
    .requiredOption("--team <id>", "the team", requireUuid)
    .requiredOption("--scopes <scopes>", "comma-separated, such as forms:read,submissions:read", scopeList)
    .option("--name <name>", "the key's purpose", requireName, "api key")
    .addOption(expiresAtOption)
    .prints(async ({ team, ...key }: CreateOptions) => {
      const config = settings();
      const isMailed = isMailOn(config);
      const created = await withDatabase(config, (sql) => createApiKey(sql, cliActor, team, key, isMailed));
      return [created, `API key     ${created.key}   (shown once)`];
    });
  group
    .command("list")
    .description("a team's keys, newest first")
    .requiredOption("--team <id>", "the team", requireUuid)
    .prints(async ({ team }: { team: string }) => {
      const { items: apiKeys } = await withDatabase(settings(), (sql) => listApiKeys(sql, team, null));
      const line = (key: ApiKeyRow) => `${keyLine(key)}  ${key.scopes.join(",")}  ${key.name}`;
      return [{ apiKeys }, ...apiKeys.map(line)];
    });
  addRevokeCommand(group, (id) =>
    withDatabase(settings(), async (sql) =>
      revokeApiKey(sql, cliActor, await teamOf(sql, "API key", id), id),
    ),
  );
}
