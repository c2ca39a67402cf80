/** `formd export`: files for analysis, each with what changed since the one before. */
import { open } from "node:fs/promises";
import type { Command } from "commander";
import { changesSince, nextSince } from "../resources/submissions/changes.ts";
import { teamOf, withDatabase } from "./database.ts";
import { jsonOption, print, requireMoment, requireUuid, type Settings } from "./options.ts";

export function exportCommand(root: Command, settings: Settings): void {
  root
    .command("export")
    .description("write a form's submissions to a new file, as JSON lines, and say where the next one begins")
    .argument("<form_id>", "the form", requireUuid)
    .argument("<file>", "must not exist")
    .option(
      "--since <time>",
      "only what was submitted, changed or deleted since then: what the run before printed",
      requireMoment,
    )
    .addOption(jsonOption)
    .action(
      async (id: string, file: string, { since = null, json }: { since?: Date | null; json?: boolean }) => {
        const next = nextSince(new Date()).toISOString();
        const counts = { submissions: 0, deleted: 0 };
        await withDatabase(settings(), async (sql) => {
          const team = await teamOf(sql, "form", id);
          const out = await open(file, "wx", 0o600);
          try {
            for await (const { lines, submissions, deleted } of changesSince(sql, team, id, since)) {
              await out.appendFile(lines);
              counts.submissions += submissions;
              counts.deleted += deleted;
            }
            await out.sync();
          } finally {
            await out.close();
          }
        });
        print(
          json,
          { file, ...counts, next },
          `${counts.submissions} submissions, ${counts.deleted} deletions in ${file}`,
          `the next file: --since ${next}`,
        );
      },
    );
}
