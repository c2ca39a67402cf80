/**
 * Batching with group commit: requests of one kind (submits, dry runs, reads of forms) that arrive while a
 * call is in progress share the next call, with its transaction and its commit. A request is sent at once,
 * also alone, if no call is in progress. A second call begins beside the first once {@link minItemsBeside}
 * items wait, or one has waited {@link maxWaitMs}. A response is sent after its commit.
 *
 * A commit waits for the disk, and a round trip takes work on both sides: n items share the cost of one.
 * Measured with 500 teams at 64 connections: batches across teams take PostgreSQL a quarter of the CPU.
 *
 * Teams do not depend on each other. Each has a queue, and a batch takes one item of each in turn: a team
 * that queues thousands of items delays an item of another team only by the batches in progress. An error
 * that one team's item causes does not affect other teams.
 */

import { isRetryable, isUnavailable, unavailable } from "../../problem.ts";
import { isTimeout } from "./db.ts";

/** Calls in progress. Measured on two cores: more made batches smaller, and not more numerous. */
const maxCalls = 2;
/**
 * Items that must wait before a second call begins beside the first. Two short calls cost more: measured
 * at 8 connections, waiting halved PostgreSQL's CPU, and the median was 2.8 ms instead of 4.0.
 */
const minItemsBeside = 16;
/** A second call also begins after this wait: the first may wait for a lock that others do not need. */
const maxWaitMs = 50;
/** Items per call, by default. Longer calls delay the commit by more time than they save. */
const maxBatchItems = 64;
/** Bytes of payloads per call, unless a single item is larger. */
const maxBatchBytes = 1_048_576;
/** Limits of the queue, per team and in total: an early 503 is better than a late response or no memory. */
const maxQueued = { teamItems: 4_096, teamBytes: 16_777_216, totalBytes: 67_108_864 };
/** Approximate bytes of an item besides its payload. */
const itemBytes = 1_000;

interface BatchItem {
  team_id: string;
}

interface QueuedItem<Item, Row> {
  item: Item;
  bytes: number;
  resolve(row: Row): void;
  reject(error: unknown): void;
}

/** Teams that share calls. */
interface Lane<Item, Row> {
  /** Teams with queued items, in the order of their turns. */
  teams: Map<string, { items: QueuedItem<Item, Row>[]; bytes: number }>;
  /** Queued items of all teams. */
  queued: number;
  calls: number;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Makes the function that runs one item, alone or in a batch.
 * @param run one call for a list of items. It returns one row per item, in the order of the list. `team` is
 * null if a list may hold items of several teams.
 * @param keyOf sort key of a list, such as the key that the call locks first: all calls lock in one order
 * @param options.isDistributed the database keeps teams on several machines: each call is for one team
 * @param options.maxItems items per call
 * @param options.minBeside items that wait before a second call begins
 * @returns a function of an item and the bytes of its payload. It throws `unavailable` if the queue is full.
 */
export function createBatcher<Item extends BatchItem, Row>(
  run: (team: string | null, items: Item[]) => Promise<readonly Row[]>,
  keyOf: (item: Item) => string,
  {
    isDistributed,
    maxItems = maxBatchItems,
    minBeside = minItemsBeside,
  }: { isDistributed: boolean; maxItems?: number; minBeside?: number },
) {
  const lanes = new Map<string, Lane<Item, Row>>();
  let queuedBytes = 0;
  const call = (items: Item[]) => run(isDistributed ? (items[0]?.team_id ?? null) : null, items);
  const byKey = ({ item: a }: QueuedItem<Item, Row>, { item: b }: QueuedItem<Item, Row>) =>
    keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0;

  const drain = async (name: string, lane: Lane<Item, Row>): Promise<void> => {
    lane.calls++;
    while (lane.teams.size > 0) {
      const batch = takeBatch(lane, maxItems);
      lane.queued -= batch.length;
      queuedBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
      if (lane.queued === 0) {
        clearTimeout(lane.timer);
        lane.timer = undefined;
      }
      await settle(batch.sort(byKey), call);
      // The call beside it takes the other items when it ends, unless it takes too long.
      if (lane.calls > 1 && lane.queued < minBeside) break;
    }
    lane.calls--;
    if (lane.calls === 0) lanes.delete(name);
    else if (lane.queued > 0) start(name, lane);
  };

  const start = (name: string, lane: Lane<Item, Row>) => {
    if (lane.calls === maxCalls) return;
    if (lane.calls === 0 || lane.queued >= minBeside) return void drain(name, lane);
    lane.timer ??= setTimeout(() => {
      lane.timer = undefined;
      if (lane.queued > 0 && lane.calls < maxCalls) void drain(name, lane);
    }, maxWaitMs);
  };

  return (item: Item, payloadBytes: number): Promise<Row> =>
    new Promise((resolve, reject) => {
      const { team_id: id } = item;
      const name = isDistributed ? id : "";
      const lane = lanes.get(name) ?? { teams: new Map(), queued: 0, calls: 0 };
      const team = lane.teams.get(id) ?? { items: [], bytes: 0 };
      const bytes = payloadBytes + itemBytes;
      if (
        team.items.length >= maxQueued.teamItems ||
        team.bytes + bytes > maxQueued.teamBytes ||
        queuedBytes + bytes > maxQueued.totalBytes
      )
        throw unavailable("Too many requests are queued.", 1);
      lanes.set(name, lane);
      lane.teams.set(id, team);
      team.items.push({ item, bytes, resolve, reject });
      team.bytes += bytes;
      queuedBytes += bytes;
      lane.queued++;
      start(name, lane);
    });
}

/**
 * Settles every item of a batch. An error of PostgreSQL rolls the whole call back. Each team's items then run
 * in a separate call, and then each item, since an error that one item caused must not affect the others.
 * After a deadlock the call runs again. A lost connection leaves open whether the call was committed: every
 * caller gets 503 `unavailable` with Retry-After, and can repeat with an Idempotency-Key.
 */
async function settle<Item extends BatchItem, Row>(
  batch: QueuedItem<Item, Row>[],
  call: (items: Item[]) => Promise<readonly Row[]>,
  tries = 3,
): Promise<void> {
  let rows: readonly Row[];
  try {
    rows = await call(batch.map(({ item }) => item));
  } catch (error) {
    const byTeam = Map.groupBy(batch, ({ item }) => item.team_id);
    const isUnknown = isUnavailable(error) && !isTimeout(error);
    if (byTeam.size > 1 && !isUnknown)
      await Promise.all([...byTeam.values()].map((each) => settle(each, call)));
    else if (batch.length > 1 && !isUnavailable(error))
      for (const queued of batch) await settle([queued], call);
    else if (isRetryable(error) && tries > 1) await settle(batch, call, tries - 1);
    else for (const queued of batch) queued.reject(error);
    return;
  }
  for (const [index, { resolve, reject }] of batch.entries()) {
    const row = rows[index];
    if (row === undefined) reject(new Error("The call returned fewer rows than the batch has items."));
    else resolve(row);
  }
}

/** Removes the items of one call from the queues: one item of each team in turn. */
function takeBatch<Item, Row>({ teams }: Lane<Item, Row>, maxItems: number): QueuedItem<Item, Row>[] {
  const batch: QueuedItem<Item, Row>[] = [];
  let size = 0;
  for (const [id, team] of teams) {
    const next = team.items[0];
    if (next === undefined || batch.length === maxItems) break;
    if (batch.length > 0 && size + next.bytes > maxBatchBytes) break;
    batch.push(next);
    size += next.bytes;
    team.items.shift();
    team.bytes -= next.bytes;
    // A key that is set again moves to the end, where the loop reaches it again.
    teams.delete(id);
    if (team.items.length > 0) teams.set(id, team);
  }
  return batch;
}
