/**
 * Last uses of keys, written apart from the requests, at most once per hour and key: a standby can serve
 * reads, and a submission costs nothing more. A killed server loses its last second.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../log.ts";
import { jsonb, type Sql } from "./db.ts";

/** Delay between the first use and the call that writes it. */
const pauseMs = 1_000;
/** Precision of a last use. */
const stepMs = 3_600_000;
/** Delay after a failed call, for example on a standby, which accepts no writes. */
const retryMs = 60_000;
/** Keys whose last use is cached. Beyond this number the cache is cleared. */
const maxKeys = 10_000;

/** An item of formd.key_uses_record. */
type Use = { used_api_key: string } | { form_id: string; used_access_key: string };

export class KeyUses {
  /** Time by key from which its next use is recorded. */
  readonly #noted = new Map<string, number>();
  /** Pending uses by team. */
  readonly #waiting = new Map<string, Map<string, Use>>();
  readonly #stop = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(private readonly deps: { sql: Sql; log: Logger }) {}

  /** Records an API key that authenticated a request, even one that lacked the scope. */
  addApiKey(team: string, id: string): void {
    if (this.#isDue(id)) this.#add(team, id, { used_api_key: id });
  }

  /** Records an access key that named the form of a request. @param hash from {@link toByteaText} */
  addAccessKey(team: string, form_id: string, hash: string): void {
    if (this.#isDue(hash)) this.#add(team, hash, { form_id, used_access_key: hash });
  }

  /** Writes the pending uses. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#writing;
  }

  #isDue(key: string): boolean {
    const now = Date.now();
    if ((this.#noted.get(key) ?? 0) > now) return false;
    if (this.#noted.size >= maxKeys) this.#noted.clear();
    this.#noted.set(key, now + stepMs);
    return true;
  }

  #add(team: string, key: string, use: Use): void {
    const uses = this.#waiting.get(team) ?? new Map<string, Use>();
    this.#waiting.set(team, uses.set(key, use));
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      await delay(pauseMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
      const taken = [...this.#waiting];
      this.#waiting.clear();
      for (const [team, uses] of taken) await this.#writeTeam(team, uses);
    }
    this.#writing = undefined;
  }

  async #writeTeam(team: string, uses: Map<string, Use>): Promise<void> {
    try {
      await this.deps.sql`
        select formd.key_uses_record(
          p_team => ${team}, p_uses => ${jsonb(this.deps.sql, [...uses.values()])}, p_step => ${`${stepMs} milliseconds`})`;
    } catch (error) {
      const retryAt = Date.now() + retryMs;
      for (const key of uses.keys()) this.#noted.set(key, retryAt);
      this.deps.log.warn({ reason: (error as Error).message }, "the last use of keys could not be written");
    }
  }
}
