/**
 * Group submission: submits (or dry runs) of one team that arrive while others are on their way share the next call, its one transaction and
 * its one commit. Nobody waits for company: when fewer than {@link maxInFlight} calls of the team are under way, what there is goes at once, be it
 * one. An answer leaves after its commit.
 *
 * What it is worth: a commit is a wait for the disk, and a round trip is work on both sides; shared by n, each costs an n-th.
 *
 * @module
 */
import { isDeadlock, isUnavailable } from "../db.ts";
import { Problem } from "../problem.ts";

/**
 * Calls of one team under way at once: while one waits for its commit, the next one executes. Three and four were measured, on two cores: smaller
 * groups, and no more of them a second.
 */
const maxInFlight = 2;
/** Items of one call at most. Longer calls commit later than they save. */
const maxBatchItems = 64;
/** Bytes of one call's payloads at most, a single larger one aside. */
const maxBatchBytes = 1_048_576;
/** Items of one team that may wait; beyond, the database is too slow for what arrives, and a quick no is better than a late yes. */
const maxQueued = 10_000;

interface QueuedItem<Item, Row> {
  item: Item;
  bytes: number;
  resolve(row: Row): void;
  reject(error: unknown): void;
}

interface TeamQueue<Item, Row> {
  queued: QueuedItem<Item, Row>[];
  inFlight: number;
}

/** What every item says: the throttle of the address that it came from. */
interface HasIpKey {
  ip_bucket: string;
}

/**
 * Makes the function that runs one item, alone or in company.
 *
 * @param run one call for a list of items of one team; answers a row an item, in their order: that of the addresses, in
 *   which throttles are locked
 */
export function createBatcher<Item extends HasIpKey, Row>(
  run: (team: string, items: Item[]) => Promise<readonly Row[]>,
) {
  const teams = new Map<string, TeamQueue<Item, Row>>();

  const drain = async (id: string, team: TeamQueue<Item, Row>): Promise<void> => {
    team.inFlight++;
    while (team.queued.length > 0) {
      const group = takeBatch(team.queued);
      await settle(id, group);
    }
    team.inFlight--;
    if (team.inFlight === 0) teams.delete(id);
  };

  /**
   * Settles every item of a group. An error that is one item's doing must not be its neighbours': then each goes alone, and again when it was broken
   * off for the sake of another group. Nothing of a call that failed is left in the database.
   */
  const settle = async (id: string, group: QueuedItem<Item, Row>[], tries = 3): Promise<void> => {
    group.sort((a, b) => (a.item.ip_bucket < b.item.ip_bucket ? -1 : 1));
    let rows: readonly Row[];
    try {
      rows = await run(
        id,
        group.map(({ item }) => item),
      );
    } catch (error) {
      const canSplit = !isUnavailable(error) && group.length > 1;
      if (canSplit) for (const waiting of group) await settle(id, [waiting]);
      else if (isDeadlock(error) && tries > 1) await settle(id, group, tries - 1);
      else for (const waiting of group) waiting.reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const row = rows[index];
      if (row === undefined) reject(new Error("a call of a group has answered fewer rows than it had items"));
      else resolve(row);
    }
  };

  return (id: string, item: Item, bytes: number): Promise<Row> =>
    new Promise((resolve, reject) => {
      const team = teams.get(id) ?? { queued: [], inFlight: 0 };
      teams.set(id, team);
      if (team.queued.length >= maxQueued)
        throw new Problem("unavailable", {
          message: "Too many requests are waiting.",
          headers: { "retry-after": "1" },
        });
      team.queued.push({ item, bytes, resolve, reject });
      if (team.inFlight < maxInFlight) void drain(id, team);
    });
}

/** The first items that fit one call. */
function takeBatch<Item, Row>(waiting: QueuedItem<Item, Row>[]): QueuedItem<Item, Row>[] {
  let count = 1;
  let size = waiting[0]?.bytes ?? 0;
  while (count < Math.min(waiting.length, maxBatchItems)) {
    size += waiting[count]?.bytes ?? 0;
    if (size > maxBatchBytes) break;
    count++;
  }
  return waiting.splice(0, count);
}
