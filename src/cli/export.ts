/** `formd export`: files for analysis, each with the changes since the previous one. */
import { open } from "node:fs/promises";
import { Option } from "commander";
import { requireAttached } from "../platform/database/partitions.ts";
import type { Steps } from "../platform/log.ts";
import {
  type ChangesPart,
  changesSince,
  countChanges,
  readableUntil,
} from "../resources/submissions/changes.ts";
import { writeParquet } from "../resources/submissions/parquet.ts";
import { teamOf, withDatabase } from "./database.ts";
import { type CliCommand, requireMoment, requireUuid, type Settings } from "./options.ts";
import { showProgress } from "./progress.ts";

type Options = { since?: Date | null; format: "jsonl" | "parquet" };

export function exportCommand(root: CliCommand, settings: Settings): void {
  root
    .command("export")
    .description(
      "write a form's submissions to a new file, as JSON lines or Parquet, and print --since for the next run",
    )
    .argument("<form_id>", "the form", requireUuid)
    .argument("<file>", "must not exist")
    .option(
      "--since <time>",
      "only what was submitted, changed or deleted since then; each run prints the time for the next",
      requireMoment,
    )
    .showsProgress()
    .prints(async (id: string, file: string, { since = null, format }: Options) => {
      const counts = { submissions: 0, deleted: 0 };
      const steps = { done: 0, total: 0 };
      const next = await withDatabase(settings(), async (sql) => {
        const team = await teamOf(sql, "form", id);
        await requireAttached(sql);
        const until = await readableUntil(sql);
        await using out = await open(file, "wx", 0o600);
        steps.total = await countChanges(sql, team, id, since);
        using _shown = showProgress("export", "submissions", () => steps);
        const parts = counted(changesSince(sql, team, id, since, until), counts, steps);
        if (format === "parquet") await writeParquet(file, parts);
        else for await (const { lines } of parts) await out.appendFile(lines);
        await out.sync();
        await requireAttached(sql);
        return (since && since > until ? since : until).toISOString();
      });
      return [
        { file, ...counts, next },
        `${counts.submissions} submissions, ${counts.deleted} deletions in ${file}`,
        `the next file: --since ${next}`,
      ];
    })
    .addOption(new Option("--format <format>", "of the file").choices(["jsonl", "parquet"]).default("jsonl"));
}

/** Passes the parts on, and adds their counts. */
async function* counted(
  parts: AsyncIterable<ChangesPart>,
  counts: Pick<ChangesPart, "submissions" | "deleted">,
  steps: Steps,
): AsyncGenerator<ChangesPart, void> {
  for await (const part of parts) {
    steps.done += part.read;
    counts.submissions += part.submissions;
    counts.deleted += part.deleted;
    yield part;
  }
}
