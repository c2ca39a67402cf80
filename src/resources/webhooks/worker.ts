/**
 * Sends the deliveries that are due. Every server has one worker: it leases deliveries of one team after
 * another, in turn, sends them, and records the results. A commit of the same process wakes it; events of
 * other processes are found each second.
 *
 * A server that ends without recording a result leaves a lease, which runs out: a delivery is sent at least
 * once.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import manifest from "../../../package.json" with { type: "json" };
import type { Config } from "../../platform/config.ts";
import { jsonb, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import type { Logger } from "../../platform/log.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import { deliver } from "./deliver.ts";
import { type ClaimedDelivery, deliveryBody } from "./payload.ts";
import { DeliverySigner } from "./signature.ts";

/** How long a lease lasts: longer than an attempt and its record take. */
const leaseSeconds = 60;
/** Between two looks for events of other servers. */
const pollMs = 1_000;
/** Between two looks while there is work: a look finds all that was committed meanwhile. */
const pauseMs = 10;
/** Requests of this process at a time. */
const maxConcurrent = 256;
/**
 * Requests of one team at a time, so that a team whose endpoints do not respond leaves room for the others.
 */
const maxConcurrentPerTeam = 32;
/** Teams of one look. */
const maxTeams = 100;

/** An attempt as formd.webhook_settle takes it, a formd.webhook_result; a test compares them. */
interface Result {
  event_id: string;
  webhook_id: string;
  attempt: number;
  started_at: Date;
  duration_ms: number;
  status: number | undefined;
  error: string | undefined;
  response_start: string | undefined;
  retry_after_seconds: number | undefined;
}

export class WebhookWorker {
  readonly #sql: Sql;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #signer: DeliverySigner;
  readonly #isMailed: boolean;
  readonly #sending = new Set<Promise<void>>();
  /** How many of them are a team's. */
  readonly #sendingOf = new Map<string, number>();
  /** The team that was served last: the next look begins after it. */
  #lastTeam: string | null = null;
  /** Results that wait for the call of their team that is in progress. */
  readonly #results = new Map<string, Result[]>();
  #hasWebhooks = false;
  #isStopped = false;
  #wake = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;

  /** Starts. */
  constructor({ sql, config, log, masterKey }: Pick<Deps, "sql" | "config" | "log" | "masterKey">) {
    this.#sql = sql;
    this.#config = config;
    this.#log = log;
    this.#signer = new DeliverySigner(masterKey);
    this.#isMailed = hasOutbox({ config, masterKey });
    this.#ended = this.#run();
  }

  /** Something was committed that may be an event. Costs nothing while no webhook is known. */
  wake(): void {
    if (this.#hasWebhooks) this.#wake.resolve();
  }

  /** Leases nothing more, and resolves when the requests that were begun are recorded. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake.resolve();
    await this.#ended;
    await Promise.all(this.#sending);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#wake = Promise.withResolvers();
      await this.#claimAll().catch((error: Error) =>
        this.#log.warn({ reason: error.message }, "webhooks cannot be delivered"),
      );
      await Promise.race([this.#wake.promise, delay(pollMs, undefined, { ref: false })]);
      await delay(pauseMs);
    }
  }

  async #claimAll(): Promise<void> {
    const rows = await this.#sql<{ teamId: string | null }[]>`
      select team_id from formd.webhook_due_after(p_after => ${this.#lastTeam}, p_limit => ${maxTeams})`;
    this.#hasWebhooks = rows.length > 0;
    for (const { teamId: team } of rows) {
      const free = maxConcurrent - this.#sending.size;
      if (team === null) continue;
      if (free <= 0 || this.#isStopped) return;
      this.#lastTeam = team;
      const limit = Math.min(free, maxConcurrentPerTeam - (this.#sendingOf.get(team) ?? 0));
      if (limit <= 0) continue;
      const claims = await this.#sql<ClaimedDelivery[]>`
        select * from formd.webhook_claim(
          p_team => ${team}, p_limit => ${limit}, p_lease_seconds => ${leaseSeconds},
          p_is_mailed => ${this.#isMailed})`;
      for (const claim of claims) this.#track(team, this.#attempt(team, claim));
    }
  }

  #track(team: string, work: Promise<void>): void {
    this.#count(team, 1);
    const tracked = work
      .catch((error: Error) => this.#log.warn({ reason: error.message }, "a webhook's delivery was not sent"))
      .finally(() => {
        this.#sending.delete(tracked);
        this.#count(team, -1);
        this.wake();
      });
    this.#sending.add(tracked);
  }

  #count(team: string, change: 1 | -1): void {
    const count = (this.#sendingOf.get(team) ?? 0) + change;
    if (count === 0) this.#sendingOf.delete(team);
    else this.#sendingOf.set(team, count);
  }

  async #attempt(team: string, claim: ClaimedDelivery): Promise<void> {
    const startedAt = new Date();
    const started = performance.now();
    const body = await deliveryBody(this.#sql, team, claim);
    const headers = await this.#headersOf(team, claim, body);
    const attempt = await deliver(claim.url, headers, body, this.#config.OUTGOING_ALLOWED_NETWORKS);
    await this.#settle(team, {
      event_id: claim.eventId,
      webhook_id: claim.webhookId,
      attempt: claim.attempt,
      started_at: startedAt,
      duration_ms: Math.round(performance.now() - started),
      status: attempt.status,
      error: attempt.error,
      response_start: attempt.responseStart,
      retry_after_seconds: attempt.retryAfterSeconds,
    });
  }

  async #headersOf(team: string, claim: ClaimedDelivery, body: string): Promise<Record<string, string>> {
    const { webhookId: webhook, secretVersion: version, secretKey, previousSecretKey, eventId } = claim;
    const timestamp = Math.floor(Date.now() / 1000);
    const ids = [{ team, webhook, version, key: secretKey }];
    if (previousSecretKey !== null) ids.push({ team, webhook, version: version - 1, key: previousSecretKey });
    return {
      "content-type": "application/json",
      "content-digest": `sha-256=:${createHash("sha256").update(body).digest("base64")}:`,
      "user-agent": `formd/${manifest.version}`,
      "webhook-id": eventId,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": await this.#signer.sign(ids, eventId, timestamp, body),
    };
  }

  /** Records a result, with those of the same team that arrive while another call is in progress. */
  async #settle(team: string, result: Result): Promise<void> {
    const waiting = this.#results.get(team);
    if (waiting) {
      waiting.push(result);
      return;
    }
    for (let results = [result]; results.length > 0; results = this.#results.get(team) ?? []) {
      this.#results.set(team, []);
      await this.#record(team, results).catch((error: Error) =>
        this.#log.warn(
          { reason: error.message, results: results.length },
          "results of webhooks' deliveries were not recorded",
        ),
      );
    }
    this.#results.delete(team);
  }

  async #record(team: string, results: Result[]): Promise<void> {
    const disabled = await this.#sql<{ webhookId: string; disabledReason: string }[]>`
      select * from formd.webhook_settle(
        p_team => ${team}, p_results => ${jsonb(this.#sql, results)}, p_is_mailed => ${this.#isMailed})`;
    for (const { webhookId, disabledReason: reason } of disabled)
      this.#log.warn({ webhookId, reason }, "a webhook is disabled");
  }
}
