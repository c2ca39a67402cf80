/** `formd migrate`: tables by dbmate, then the functions of sql/. */
import { Option } from "commander";
import { migrate, type Plan, planMigration, repair } from "../platform/database/migrations/index.ts";
import type { Steps } from "../platform/log.ts";
import { connectDatabase, report } from "./database.ts";
import { type CliCommand, jsonOption, printResult, type Settings } from "./options.ts";
import { showProgress } from "./progress.ts";

export function migrateCommand(root: CliCommand, settings: Settings): void {
  root
    .command("migrate")
    .description(
      "bring the database to what this build needs; safe to run twice and from two machines at once",
    )
    .option("--plan", "print the steps and their locks, and do nothing")
    .addOption(
      new Option(
        "--repair",
        "then create what is missing and holds no data: functions, rights, indexes, constraints",
      ).conflicts("plan"),
    )
    .addOption(jsonOption)
    .showsProgress()
    .action(async ({ json, plan, repair: repairs }: { json?: boolean; plan?: boolean; repair?: boolean }) => {
      await using database = await connectDatabase(settings(), { asOwner: true });
      if (repairs) return await repairDatabase(database.ownerUrl, json);
      if (plan) {
        const planned = await planMigration(database.sql);
        return printResult(json, planned, sentences(planned));
      }
      const { migrations, functions } = await withSteps((steps) => migrate(database.ownerUrl, report, steps));
      printResult(
        json,
        { migrations, functions },
        `${migrations.length} migrations applied, ${functions} functions present`,
      );
    });
}

/** Shows the migrations that `work` applies. */
async function withSteps<T>(work: (steps: Steps) => Promise<T>): Promise<T> {
  const steps: Steps = { done: 0 };
  using _shown = showProgress("migrate", "migrations", () => steps);
  return await work(steps);
}

/** @throws {Error} if a person must fix remaining differences */
async function repairDatabase(ownerUrl: string, json: boolean | undefined): Promise<void> {
  const { migrations, functions, repaired, left } = await withSteps((steps) =>
    repair(ownerUrl, report, steps),
  );
  const faults = left.map(({ fault, statement }) => ({ fault, statement }));
  printResult(
    json,
    { migrations, functions, repaired, left: faults },
    `${repaired.length} ${repaired.length === 1 ? "repair" : "repairs"}${left.length > 0 ? ", and left are:" : ": the database is what this release makes"}`,
    ...faults.map(({ fault, statement }) => `${fault}: ${statement}`),
  );
  if (left.length > 0) throw new Error(`${left.length} differences are left.`);
}

const sentences = ({ locks, functions }: Plan) =>
  [
    ...locks.map((each) => `apply ${each.migration} (locks: ${each.locks})`),
    functions > 0 ? `load the functions of ${functions} files` : "nothing to load",
  ].join("\n");
