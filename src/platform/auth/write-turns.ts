/** Limits concurrent writes per caller: each holds a connection. */
import pLimit, { type LimitFunction } from "p-limit";
import { unavailable } from "../../problem.ts";
import { hashText } from "./secret.ts";

/** Writes of a credential at a time, per process. Their statements lock its rate limit anyway. */
const maxConcurrent = 2;
/** Writes that wait for their turn. */
const maxQueued = 200;

/** Queues of the credentials in use, by hash. */
const turns = new Map<string, LimitFunction>();

/** Runs `work` in the credential's turn. @throws {Problem} `unavailable` if the queue is full */
export async function takeTurn<T>(hash: Uint8Array, work: () => Promise<T>): Promise<T> {
  const name = hashText(hash);
  const turn = turns.get(name) ?? pLimit(maxConcurrent);
  if (turn.pendingCount >= maxQueued) throw unavailable("Too many requests are queued.", 1);
  turns.set(name, turn);
  try {
    return await turn(work);
  } finally {
    if (turn.activeCount === 0) turns.delete(name);
  }
}
