/** The loop of a worker, which leases the work of one team after another. A lease expires by itself. */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "./log.ts";

/** Pause between two looks for work that other servers have committed. */
const pollMs = 1_000;

/** The work of one kind. */
interface Work<Item> {
  /** Pause between two looks while there is work. A look finds everything committed meanwhile. */
  pauseMs: number;
  /** Items of this process at a time. */
  maxConcurrent: number;
  /** Teams with due work, beginning after the team that was served last. */
  dueAfter: (team: string | null) => Promise<string[]>;
  /** Leases items. `free`: may begin; `teams`: with due work; `begun`: this team's, in progress. */
  lease: (team: string, room: { free: number; teams: number; begun: number }) => Promise<Item[]>;
  /** Does an item and records its result. */
  attempt: (team: string, item: Item) => Promise<void>;
  /** Log messages for a failed look and a failed attempt. */
  warnings: { look: string; attempt: string };
}

/** Starts a worker: `wake` ends its pause, `stop` leases nothing more and resolves when all is recorded. */
export function startWorker<Item>(log: Logger, work: Work<Item>) {
  /** Attempts in progress, with their teams. */
  const attempts = new Map<Promise<void>, string>();
  let lastTeam: string | null = null;
  let isStopped = false;
  let pause = Promise.withResolvers<void>();
  const warn = (warning: string) => (error: Error) => log.warn({ reason: error.message }, warning);

  function begin(team: string, item: Item): void {
    const attempt = work
      .attempt(team, item)
      .catch(warn(work.warnings.attempt))
      .finally(() => {
        attempts.delete(attempt);
        pause.resolve();
      });
    attempts.set(attempt, team);
  }

  async function look(): Promise<void> {
    const teams = await work.dueAfter(lastTeam);
    for (const team of teams) {
      const free = work.maxConcurrent - attempts.size;
      if (free <= 0 || isStopped) return;
      lastTeam = team;
      const begun = [...attempts.values()].filter((each) => each === team).length;
      for (const item of await work.lease(team, { free, teams: teams.length, begun })) begin(team, item);
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      pause = Promise.withResolvers();
      await look().catch(warn(work.warnings.look));
      await Promise.race([pause.promise, delay(pollMs, undefined, { ref: false })]);
      await delay(work.pauseMs);
    }
  }

  const ended = run();
  return {
    wake: () => pause.resolve(),
    async stop() {
      isStopped = true;
      pause.resolve();
      await ended;
      await Promise.all(attempts.keys());
    },
  };
}
