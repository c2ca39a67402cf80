/**
 * Batching with group commit: submits (or dry runs) of one team that arrive while calls are in flight share the next call, with its
 * transaction and its commit. A request never waits in order to be batched: while fewer than {@link maxInFlight} calls of the team are
 * in flight, it is sent at once, also alone. A response is sent after its commit.
 *
 * A commit waits for the disk, and a round trip is work on both sides: n items share the cost of one.
 */
import { isDeadlock, isUnavailable } from "../db.ts";
import { Problem } from "../problem.ts";

/** Calls in flight per team: while one commits, the next one executes. Measured on two cores: three and four made smaller batches, and no more of them. */
const maxInFlight = 2;
/** Items per call. Longer calls commit later than they save. */
const maxBatchItems = 64;
/** Bytes of payloads per call, unless a single item is larger. */
const maxBatchBytes = 1_048_576;
/**
 * Bytes of queued items, per team and of all teams. Beyond, the database is too slow for the load, and an early 503 is better than a late
 * response, or than no memory.
 */
const maxQueuedBytes = { perTeam: 16_777_216, total: 67_108_864 };
/** Bytes that an item takes beside its payload, about. */
const itemBytes = 1_000;

interface QueuedItem<Item, Row> {
  item: Item;
  bytes: number;
  resolve(row: Row): void;
  reject(error: unknown): void;
}

interface TeamQueue<Item, Row> {
  queued: QueuedItem<Item, Row>[];
  queuedBytes: number;
  inFlight: number;
}

interface HasIpKey {
  /** Key of the rate limit of the client IP. */
  ip_key: string;
}

/**
 * Makes the function that runs one item, alone or in a batch.
 *
 * @param run one call for a list of items of one team. It returns one row per item, in the order of the list. The list is sorted by
 *   client IP, so that all calls lock those rate limits in the same order.
 */
export function createBatcher<Item extends HasIpKey, Row>(
  run: (team: string, items: Item[]) => Promise<readonly Row[]>,
) {
  const teams = new Map<string, TeamQueue<Item, Row>>();
  let queuedBytes = 0;

  const drain = async (id: string, team: TeamQueue<Item, Row>): Promise<void> => {
    team.inFlight++;
    while (team.queued.length > 0) {
      const batch = takeBatch(team.queued);
      const bytes = batch.reduce((sum, queued) => sum + queued.bytes, 0);
      team.queuedBytes -= bytes;
      queuedBytes -= bytes;
      await settle(id, batch);
    }
    team.inFlight--;
    if (team.inFlight === 0) teams.delete(id);
  };

  /**
   * Settles every item of a batch. An error of PostgreSQL's has rolled the whole call back: each item then runs alone, since an error that
   * one item caused must not reach the others; after a deadlock the call runs again. A lost connection leaves open whether the call was
   * committed: it is not repeated, and every item is told so (503).
   */
  const settle = async (id: string, batch: QueuedItem<Item, Row>[], tries = 3): Promise<void> => {
    batch.sort((a, b) => (a.item.ip_key < b.item.ip_key ? -1 : 1));
    let rows: readonly Row[];
    try {
      rows = await run(
        id,
        batch.map(({ item }) => item),
      );
    } catch (error) {
      const canSplit = !isUnavailable(error) && batch.length > 1;
      if (canSplit) for (const queued of batch) await settle(id, [queued]);
      else if (isDeadlock(error) && tries > 1) await settle(id, batch, tries - 1);
      else for (const queued of batch) queued.reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const row = rows[index];
      if (row === undefined) reject(new Error("The call returned fewer rows than the batch has items."));
      else resolve(row);
    }
  };

  /** @param payloadBytes the size of the item's payload */
  return (id: string, item: Item, payloadBytes: number): Promise<Row> =>
    new Promise((resolve, reject) => {
      const team = teams.get(id) ?? { queued: [], queuedBytes: 0, inFlight: 0 };
      const bytes = payloadBytes + itemBytes;
      if (team.queuedBytes + bytes > maxQueuedBytes.perTeam || queuedBytes + bytes > maxQueuedBytes.total)
        throw new Problem("unavailable", {
          message: "Too many requests are queued.",
          headers: { "retry-after": "1" },
        });
      teams.set(id, team);
      team.queued.push({ item, bytes, resolve, reject });
      team.queuedBytes += bytes;
      queuedBytes += bytes;
      if (team.inFlight < maxInFlight) void drain(id, team);
    });
}

/** Removes the first items that fit one call. */
function takeBatch<Item, Row>(queued: QueuedItem<Item, Row>[]): QueuedItem<Item, Row>[] {
  let count = 1;
  let size = queued[0]?.bytes ?? 0;
  while (count < Math.min(queued.length, maxBatchItems)) {
    size += queued[count]?.bytes ?? 0;
    if (size > maxBatchBytes) break;
    count++;
  }
  return queued.splice(0, count);
}
