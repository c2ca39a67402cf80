/** `formd form publish | archive | restore`: what only a person decides about a form. */
import type { Command } from "commander";
import { cliActor } from "../auth/actor.ts";
import { archiveForm, publishForm, restoreForm } from "../forms/publish.ts";
import { teamOf, withDatabase } from "./database.ts";
import { jsonOption, print, requireUuid, type Settings } from "./options.ts";

export function formCommand(root: Command, settings: Settings): void {
  const group = root.command("form").description("publish, archive or restore a form");
  const command = (name: string, description: string, act: typeof publishForm) =>
    group
      .command(name)
      .description(description)
      .argument("<form_id>", "the form", requireUuid)
      .addOption(jsonOption)
      .action(async (id: string, { json }: { json?: boolean }) => {
        const { status, currentVersion } = await withDatabase(settings(), async (sql) =>
          act(sql, cliActor, await teamOf(sql, "form", id), id),
        );
        print(
          json,
          { form: { id, status, currentVersion } },
          `${id} is ${status}, version ${currentVersion}`,
        );
      });
  command("publish", "publish the draft as the next version", publishForm);
  command("archive", "accept no more submissions and patches", archiveForm);
  command("restore", "undo archive", restoreForm);
}
