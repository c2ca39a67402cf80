/** `formd partition`: partitions by month for the tables that grow without bound. */
import { InvalidArgumentError } from "commander";
import type { Sql } from "../platform/database/db.ts";
import { withMigrationLock } from "../platform/database/migrations/index.ts";
import {
  attachPartition,
  dropMonths,
  enablePartitions,
  listPartitions,
  type Partition,
  planPartitions,
} from "../platform/database/partitions.ts";
import type { Steps } from "../platform/log.ts";
import { openMigratedDatabase, report, withDatabase } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";
import { showProgress } from "./progress.ts";

/** Parses a month that has begun, such as `2026-11`. */
export function requireMonth(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError("It must be a month such as 2026-11.");
  if (text > new Date().toISOString().slice(0, 7))
    throw new InvalidArgumentError("It must not be later than this month.");
  return text;
}

/** Runs `work` on the database as the owner, while no migration runs. */
export async function asOnlyOne<T>(settings: Settings, work: (sql: Sql) => Promise<T>): Promise<T> {
  await using database = await openMigratedDatabase(settings(), { asOwner: true, mayCreate: false });
  return await withMigrationLock(database.ownerUrl, report, work);
}

/** @throws Error if the tables are not divided */
export async function requireDivided(sql: Sql): Promise<void> {
  if ((await listPartitions(sql)).length === 0)
    throw new Error("the tables are not divided: run formd partition enable");
}

export function partitionCommand(root: CliCommand, settings: Settings): void {
  const command = root.command("partition").description("submissions, their edits and the audit, by month");
  command
    .command("enable")
    .description("divide the tables of a running installation; safe to run again")
    .option("--plan", "print the steps, and do nothing")
    .showsProgress()
    .prints(async ({ plan }: { plan?: boolean }) => {
      if (plan) {
        const steps = await withDatabase(settings(), planPartitions);
        return [{ steps }, ...(steps.length > 0 ? steps : ["nothing to do"])];
      }
      const steps: Steps = { done: 0 };
      using _shown = showProgress("enable", "steps", () => steps);
      const enabled = await asOnlyOne(settings, (sql) => enablePartitions(sql, report, steps));
      return [{ enabled }, `${enabled.length} tables divided`];
    });
  command
    .command("list")
    .description("the partitions, with their months and sizes")
    .prints(async () => {
      const partitions = await withDatabase(settings(), listPartitions);
      return [{ partitions }, ...partitions.map(lineOf)];
    });
  command
    .command("drop")
    .description("delete the submissions, with their edits, of the months before one; there is no way back")
    .requiredOption("--before <month>", "a month such as 2026-11, the first that stays", requireMonth)
    .showsProgress()
    .prints(async ({ before }: { before: string }) => {
      const partitions = await asOnlyOne(settings, async (sql) => {
        await requireDivided(sql);
        const steps: Steps = { done: 0 };
        using _shown = showProgress("drop", "partitions", () => steps);
        return await dropMonths(sql, before, report, steps);
      });
      return [{ partitions }, `${partitions.length} partitions dropped`];
    });
  command
    .command("attach")
    .description("make a month that an interrupted drop or archive has detached a part of its table again")
    .argument("<name>", "as partition list has it")
    .prints(async (name: string) => {
      const partitions = await asOnlyOne(settings, (sql) => attach(sql, name));
      return [{ partitions }, ...partitions.map(lineOf)];
    });
}

/** @returns the partition as it is then @throws Error with one line: there is none */
async function attach(sql: Sql, name: string): Promise<Partition[]> {
  const named = async () => (await listPartitions(sql)).filter((partition) => partition.name === name);
  const [partition] = await named();
  if (!partition) throw new Error(`${name} is no partition: formd partition list has their names`);
  await attachPartition(sql, partition, report);
  return await named();
}

const lineOf = ({ name, state, from, before, estimatedRows, bytes }: Partition) =>
  `${name}  ${from ?? "…"} to before ${before ?? "…"}  ${state}  about ${estimatedRows} rows, ${Math.ceil(bytes / 1024 ** 2)} MiB`;
