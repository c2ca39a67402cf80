/** Turns of a caller's writes: each holds a connection, so that one caller must not have all of them. */
import pLimit, { type LimitFunction } from "p-limit";
import { Problem } from "../../problem.ts";
import { hashText } from "./secret.ts";

/**
 * Writes of one credential in one process. They run one after another anyway: their statements lock its rate
 * limit.
 */
const maxConcurrent = 2;
/** Writes that wait for their turn. */
const maxQueued = 200;

/** Turns of the credentials that are in use, by their hash. */
const turns = new Map<string, LimitFunction>();

/**
 * Does `work` when it is the turn of the credential.
 *
 * @throws {Problem} `unavailable` when too many wait; what `work` throws
 */
export async function takeTurn<T>(hash: Uint8Array, work: () => Promise<T>): Promise<T> {
  const name = hashText(hash);
  const turn = turns.get(name) ?? pLimit(maxConcurrent);
  if (turn.pendingCount >= maxQueued)
    throw new Problem("unavailable", {
      message: "Too many requests are queued.",
      headers: { "retry-after": "1" },
    });
  turns.set(name, turn);
  try {
    return await turn(work);
  } finally {
    if (turn.activeCount === 0) turns.delete(name);
  }
}
