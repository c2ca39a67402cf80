/**
 * Batching with group commit: requests of one kind (submits, dry runs, reads of forms) that arrive while
 * a call is in progress share the next call, with its transaction and its commit. A request that finds none
 * in progress is sent at once, also alone; a second call begins beside the first once {@link minItemsBeside}
 * wait, or one has waited {@link maxWaitMs}. A response is sent after its commit.
 *
 * A commit waits for the disk, and a round trip is work on both sides: n items share the cost of one.
 * Measured with 500 teams at 64 connections: batches across teams take a quarter of the CPU of PostgreSQL
 * that a call per team takes.
 *
 * Teams do not depend on each other. Each has a queue, and a batch takes one item of each in turn: a team
 * that queues thousands delays another one's item by the batches in progress. An error that one team's item
 * causes ends with that team.
 */

import { isUnavailable, Problem } from "../../problem.ts";
import { isRetryable, isTimeout } from "./db.ts";

/**
 * Calls in progress: while one commits, the next one executes. Measured on two cores: three and four made
 * smaller batches, and no more of them.
 */
const maxCalls = 2;
/**
 * Items that must wait before a second call begins beside the first, unless it is created with another
 * number. Two short calls cost more than one that waited: measured at 8 connections, PostgreSQL took half of
 * the CPU, and the median response 2.8 ms instead of 4.0.
 */
const minItemsBeside = 16;
/** Or an item has waited so long, in milliseconds: the first call may wait for a lock that others do not. */
const maxWaitMs = 50;
/** Items per call, unless it is created with another maximum. Longer calls commit later than they save. */
const maxBatchItems = 64;
/** Bytes of payloads per call, unless a single item is larger. */
const maxBatchBytes = 1_048_576;
/**
 * What is queued, per team and of all teams. Beyond, the database is too slow for the load, and an early 503
 * is better than a late response, or than no memory.
 */
const maxQueued = { teamItems: 4_096, teamBytes: 16_777_216, totalBytes: 67_108_864 };
/** Bytes that an item takes beside its payload, about. */
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

interface TeamQueue<Item, Row> {
  items: QueuedItem<Item, Row>[];
  bytes: number;
}

/** Teams that share calls. */
interface Lane<Item, Row> {
  /** Those with queued items, in the order of their turns. */
  teams: Map<string, TeamQueue<Item, Row>>;
  /** Items of all of them. */
  queued: number;
  calls: number;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Makes the function that runs one item, alone or in a batch.
 *
 * @param run one call for a list of items. It returns one row per item, in the order of the list. `team` is
 * null when a list may hold items of several teams.
 * @param keyOf what a list is sorted by, such as the key of what the call locks first: all calls lock in the
 * same order
 * @param options.isDistributed the database keeps teams on several machines: each call is one team's
 * @param options.maxItems items per call
 * @param options.minBeside items that wait before a second call begins
 * @returns takes an item and the bytes of its payload. It throws `unavailable` when too many are queued.
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
      // The call beside it takes the others when it ends, unless that lasts.
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
        throw new Problem("unavailable", {
          message: "Too many requests are queued.",
          headers: { "retry-after": "1" },
        });
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
 * Settles every item of a batch. An error of PostgreSQL's has rolled the whole call back: each team's items
 * then run in a call of their own, and then each item, since an error that one of them caused must not reach
 * the others; after a deadlock the call runs again. A lost connection leaves open whether the call was
 * committed: it is not repeated, and every caller gets 503 `unavailable` with Retry-After. With an
 * Idempotency-Key it can send the same again.
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

/** Removes what fits one call: one item of each team in turn. */
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
    // A key that is set again comes last, and the loop comes to it again.
    teams.delete(id);
    if (team.items.length > 0) teams.set(id, team);
  }
  return batch;
}
