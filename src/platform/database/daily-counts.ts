/**
 * Counts per day for the charts of the console: submissions, agents' outcomes, validation errors, and how far
 * people get on pages. They are written apart from the requests: a killed server loses its last seconds.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { FieldIssue } from "../../fields/field-type.ts";
import { isUnavailable } from "../../problem.ts";
import type { Logger } from "../log.ts";
import { jsonb, type Sql } from "./db.ts";

/** Delay between the first count and the call that writes it. */
const pauseMs = 1_000;
/** The pause as a multiple of the last call's duration: calls take at most one percent of a connection. */
const pauseFactor = 100;
/** Maximum pause, after a call that waited for locks. It limits the delay of the charts. */
const maxPauseMs = 60_000;
/** Keys that can wait. Counts of further keys are dropped. */
const maxKeys = 10_000;

const dayMs = 86_400_000;

/** A row of a table of counts without its total. */
type Key = Record<string, string | number> & { team_id: string };

interface Counted {
  key: Key;
  total: number;
}

export class DailyCounts {
  readonly #submissions = new Map<string, Counted>();
  readonly #agents = new Map<string, Counted>();
  readonly #errors = new Map<string, Counted>();
  readonly #progress = new Map<string, Counted>();
  readonly #maps = [this.#submissions, this.#agents, this.#errors, this.#progress];
  readonly #stop = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(private readonly deps: { sql: Sql; log: Logger; isDistributed: boolean }) {}

  /** Counts a stored submission on the day of its id, which begins with its time. */
  addSubmission(team_id: string, form_id: string, id: string, status: string, provenance: string): void {
    const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    this.#add(this.#submissions, { team_id, form_id, day: Math.floor(ms / dayMs), status, provenance });
  }

  /** Counts the outcome of an agent's request about a form: `stored`, or the code of a problem. */
  addAgentOutcome(team_id: string, form_id: string, agent_id: string, outcome: string): void {
    this.#add(this.#agents, { team_id, form_id, day: today(), agent_id, outcome });
  }

  /** Counts each code of a field once. All unknown keys count as one field without an id. */
  addErrors(team_id: string, form_id: string, form_version: number, issues: readonly FieldIssue[]): void {
    const day = today();
    const seen = new Set<string>();
    for (const { field = "", code } of issues) {
      const field_id = code === "unknown_field" ? "" : field;
      const name = `${field_id} ${code}`;
      if (!seen.has(name)) this.#add(this.#errors, { team_id, form_id, day, form_version, field_id, code });
      seen.add(name);
    }
  }

  /**
   * Counts a page of a form.
   * @param step its number from 1; of `sent_within` the power of two of the seconds; else 0
   */
  addProgress(
    team_id: string,
    form_id: string,
    form_version: number,
    kind: "opened" | "begun" | "step" | "sent" | "sent_within",
    step = 0,
  ): void {
    this.#add(this.#progress, { team_id, form_id, day: today(), form_version, kind, step });
  }

  /** Writes the pending counts. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#writing;
  }

  #add(counts: Map<string, Counted>, key: Key): void {
    merge(counts, { key, total: 1 });
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    let pause = pauseMs;
    while (this.#maps.some(({ size }) => size > 0)) {
      await delay(pause, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
      const started = performance.now();
      await this.#writeAll().catch((error: Error) =>
        this.deps.log.warn({ reason: error.message }, "counts for the charts could not be written"),
      );
      if (this.#stop.signal.aborted) break;
      pause = Math.min(Math.max(pauseMs, (performance.now() - started) * pauseFactor), maxPauseMs);
    }
    this.#writing = undefined;
  }

  async #writeAll(): Promise<void> {
    const maps = this.#maps;
    const taken = maps.map(take);
    const teams = new Set(this.deps.isDistributed ? taken.flat().map(({ key }) => key.team_id) : [null]);
    for (const team of teams) {
      const own = taken.map((each) => each.filter(({ key }) => team === null || key.team_id === team));
      await this.#writeRows(team, own).catch((error: Error) => {
        // Retried with the next call. PostgreSQL would refuse a refused call again.
        if (!isUnavailable(error)) throw error;
        for (const [index, counts] of maps.entries())
          for (const counted of own[index] ?? []) merge(counts, counted);
      });
    }
  }

  async #writeRows(team: string | null, taken: Counted[][]): Promise<void> {
    const [submissions, agents, errors, progress] = taken.map((each) =>
      jsonb(
        this.deps.sql,
        each.map(({ key, total }) => ({ ...key, total })),
      ),
    ) as [Json, Json, Json, Json];
    await this.deps.sql`
      select formd.daily_counts_add(
        p_team => ${team}, p_submissions => ${submissions}, p_agents => ${agents}, p_errors => ${errors},
        p_progress => ${progress})`;
  }
}

type Json = ReturnType<typeof jsonb>;

/** Adds a count to the pending counts. */
function merge(counts: Map<string, Counted>, { key, total }: Counted): void {
  const name = Object.values(key).join(" ");
  const counted = counts.get(name);
  if (counted) counted.total += total;
  else if (counts.size < maxKeys) counts.set(name, { key, total });
}

function take(counts: Map<string, Counted>): Counted[] {
  const taken = [...counts.values()];
  counts.clear();
  return taken;
}

const today = () => Math.floor(Date.now() / dayMs);
