/** `formd access-key create | list | revoke`. */
import { say } from "../messages.ts";
import { cliActor } from "../platform/auth/actor.ts";
import { Problem } from "../problem.ts";
import { createAccessKey, listAccessKeys, revokeAccessKey } from "../resources/forms/access-keys.ts";
import { teamOf, withDatabase } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";
import { addRevokeCommand, expiresAtOption, keyLine, requireUuid } from "./options.ts";

export function accessKeyCommand(root: CliCommand, settings: Settings): void {
  const group = root
    .command("access-key")
    .description("keys by which submitters name a form; a form may have several");
  group
    .command("create")
    .description("create a key; it is shown once")
    .argument("<form_id>", "the form", requireUuid)
    .addOption(expiresAtOption)
    .prints(async (form: string, { expiresAt }: { expiresAt?: Date }) => {
      const created = await withDatabase(settings(), async (sql) =>
        createAccessKey(sql, cliActor, await teamOf(sql, "form", form), form, expiresAt),
      );
      return [created, `access key  ${created.key}   (shown once)`];
    });
  group
    .command("list")
    .description("a form's keys, newest first")
    .argument("<form_id>", "the form", requireUuid)
    .prints(async (form: string) => {
      const { items: accessKeys } = await withDatabase(settings(), async (sql) =>
        listAccessKeys(sql, await teamOf(sql, "form", form), form),
      );
      return [{ accessKeys }, ...accessKeys.map(keyLine)];
    });
  addRevokeCommand(group, (id) =>
    withDatabase(settings(), async (sql) => {
      const [key] = await sql<{ teamId: string; formId: string }[]>`
        select team_id, form_id from formd.form_access_keys where id = ${id}`;
      if (!key) throw new Problem("not_found", say("access_key_missing"));
      await revokeAccessKey(sql, cliActor, key.teamId, key.formId, id);
    }),
  );
}
