/** Databases that are divided by month. */
import { connectOnce } from "../../src/platform/database/db.ts";
import { enablePartitions } from "../../src/platform/database/partitions.ts";

/** Divides a database as `formd partition enable` does. */
export async function divide(ownerUrl: string): Promise<void> {
  await using owner = connectOnce(ownerUrl);
  await enablePartitions(owner, () => {});
}

/**
 * Divides an empty database as if that had been done some months ago.
 * @param others tables with another number of months
 */
export async function divideSince(
  { ownerUrl }: { ownerUrl: string },
  monthsAgo: number,
  others: Record<string, number> = {},
): Promise<void> {
  await using owner = connectOnce(ownerUrl);
  for (const table of ["audit_events", "submission_edits", "submissions"]) {
    await owner.unsafe(`
      do $$ begin
        execute format('alter table formd.${table} add constraint ${table}_bound_check check (%I < %L)',
          formd.partition_key('${table}'), formd.uuid_floor(formd.partition_month(-(${others[table] ?? monthsAgo}))));
      end $$`);
    await owner`select formd.partition_swap(${table})`;
  }
  await owner`select formd.partition_make(24, 1000)`;
}
