/** Sends the deliveries that are due, on every server. After a crash one may be sent again. */
import { createHash } from "node:crypto";
import manifest from "../../../package.json" with { type: "json" };
import { jsonb } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import { networksFor } from "../../platform/outgoing/guard.ts";
import { startWorker } from "../../platform/worker.ts";
import { deliver } from "./deliver.ts";
import { type ClaimedDelivery, deliveryBody } from "./payload.ts";
import { DeliverySigner } from "./signature.ts";

/** Duration of a lease: longer than an attempt and its record. */
const leaseSeconds = 60;
const maxConcurrent = 256;
/** Concurrent requests per team, so that unresponsive endpoints of one team leave room for the others. */
const maxConcurrentPerTeam = 32;
const maxTeams = 100;

/** An attempt, as a formd.webhook_result for formd.webhook_settle. */
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

type WorkerDeps = Pick<Deps, "sql" | "config" | "log" | "masterKey">;

/** Starts the worker. Its `wake` costs nothing while no webhook is known. */
export function startWebhookWorker(deps: WorkerDeps) {
  const { sql, config, log, masterKey } = deps;
  const signer = new DeliverySigner(masterKey);
  const isMailed = hasOutbox(deps);
  const settle = settling(deps, isMailed);
  let hasWebhooks = false;

  const worker = startWorker<ClaimedDelivery>(log, {
    pauseMs: 10,
    maxConcurrent,
    warnings: { look: "webhooks cannot be delivered", attempt: "a webhook's delivery was not sent" },
    async dueAfter(last) {
      // A row without a team means that webhooks exist.
      const rows = await sql<{ teamId: string | null }[]>`
        select team_id from formd.webhook_due_after(p_after => ${last}, p_limit => ${maxTeams})`;
      hasWebhooks = rows.length > 0;
      return rows.flatMap(({ teamId }) => teamId ?? []);
    },
    async lease(team, { free, begun }) {
      const limit = Math.min(free, maxConcurrentPerTeam - begun);
      if (limit <= 0) return [];
      return await sql<ClaimedDelivery[]>`
        select * from formd.webhook_claim(
          p_team => ${team}, p_limit => ${limit}, p_lease_seconds => ${leaseSeconds}, p_is_mailed => ${isMailed})`;
    },
    async attempt(team, claim) {
      const startedAt = new Date();
      const started = performance.now();
      const body = await deliveryBody(sql, team, claim);
      const headers = await headersOf(signer, team, claim, body);
      const attempt = await deliver(claim.url, headers, body, networksFor(config, "webhook"));
      await settle(team, {
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
    },
  });
  return { ...worker, wake: () => hasWebhooks && worker.wake() };
}

async function headersOf(signer: DeliverySigner, team: string, claim: ClaimedDelivery, body: string) {
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
    "webhook-signature": await signer.sign(ids, eventId, timestamp, body),
  };
}

/** @returns a function that records a result, with others of the team that arrive during a call */
function settling({ sql, log }: WorkerDeps, isMailed: boolean) {
  const waiting = new Map<string, Result[]>();

  async function record(team: string, results: Result[]): Promise<void> {
    const disabled = await sql<{ webhookId: string; disabledReason: string }[]>`
      select * from formd.webhook_settle(
        p_team => ${team}, p_results => ${jsonb(sql, results)}, p_is_mailed => ${isMailed})`;
    for (const { webhookId, disabledReason: reason } of disabled)
      log.warn({ webhookId, reason }, "a webhook is disabled");
  }

  return async (team: string, result: Result): Promise<void> => {
    if (waiting.get(team)?.push(result)) return;
    for (let results = [result]; results.length > 0; results = waiting.get(team) ?? []) {
      waiting.set(team, []);
      await record(team, results).catch((error: Error) =>
        log.warn(
          { reason: error.message, results: results.length },
          "results of webhooks' deliveries were not recorded",
        ),
      );
    }
    waiting.delete(team);
  };
}
