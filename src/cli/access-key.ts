/** `formd access-key create | list | revoke`. @module */
import type { Command } from "commander";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../auth/secret.ts";
import type { Sql } from "../db.ts";
import { Problem } from "../problem.ts";
import { withDatabase } from "./database.ts";
import { formById } from "./form.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

interface AccessKeyRow {
  id: string;
  prefix: string;
  createdAt: Date;
  revokedAt: Date | null;
}

/** A new access key for a form. @throws {Problem} `not_found`. */
export async function createAccessKey(sql: Sql, team: string, form: string) {
  const id = uuidv7();
  const { secret, prefix, hash } = makeSecret("fdf", team, form);
  await sql`select formd.access_key_create(${team}, ${form}, ${id}, ${prefix}, ${hash})`;
  return { id, key: secret, formId: form };
}

export function accessKeyCommand(root: Command, settings: Settings): void {
  const group = root
    .command("access-key")
    .description("keys by which submitters name a form; a form may have several");
  group
    .command("create")
    .description("make a key; it is shown once")
    .argument("<form_id>", "the form", requireUuid)
    .addOption(jsonOption)
    .action(async (form: string, { json }: { json?: boolean }) => {
      const made = await withDatabase(settings(), async (sql) =>
        createAccessKey(sql, (await formById(sql, form)).teamId, form),
      );
      print(json, made, `access key  ${made.key}   (shown once)`);
    });
  group
    .command("list")
    .description("a form's keys, newest first")
    .argument("<form_id>", "the form", requireUuid)
    .addOption(jsonOption)
    .action(async (form: string, { json }: { json?: boolean }) => {
      const accessKeys = await withDatabase(settings(), async (sql) => {
        const { teamId } = await formById(sql, form);
        return await sql<AccessKeyRow[]>`
          select id, key_prefix as prefix, created_at, revoked_at
          from formd.form_access_keys where team_id = ${teamId} and form_id = ${form} order by id desc`;
      });
      const line = (key: AccessKeyRow) =>
        `${key.id}  ${key.prefix}…  ${key.revokedAt ? "revoked" : "active"}`;
      print(json, { accessKeys }, ...accessKeys.map(line));
    });
  group
    .command("revoke")
    .description("revoke a key: the next call with it is refused")
    .argument("<id>", "the key", requireUuid)
    .addOption(jsonOption)
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withDatabase(settings(), async (sql) => {
        const [key] = await sql<
          { teamId: string; formId: string }[]
        >`select team_id, form_id from formd.form_access_keys where id = ${id}`;
        if (!key) throw new Problem("not_found", "There is no such access key.");
        await sql`select formd.access_key_revoke(${key.teamId}, ${key.formId}, ${id})`;
      });
      print(json, { id, revoked: true }, `${id} is revoked`);
    });
}
