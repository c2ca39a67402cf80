/** What can be done with webhooks: called by the routes and by the console. */
import { v7 as uuidv7 } from "uuid";
import { type Actor, toSql } from "../auth/actor.ts";
import { oneRow } from "../db.ts";
import type { Deps } from "../deps.ts";
import { columnsOf, pick, type Row } from "../http/resource.ts";
import { offsetOf, type Paged, toPage } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { smallestIdAt } from "../submissions/read.ts";
import { requireDestination } from "./destination.ts";
import {
  type DeliveryListQuery,
  Webhook,
  type WebhookAttempt,
  type WebhookCreateRequest,
  WebhookDelivery,
  type WebhookPatchRequest,
  type WebhookReplayRequest,
} from "./shapes.ts";
import { type Secrets, secretsOf } from "./signature.ts";

type WebhookRow = Row<typeof Webhook> & { secretVersion: number };

/** Creates a webhook. @returns it with its secrets, which are not shown again. @throws {Problem} `invalid_body` (url), `unavailable`, … */
export async function createWebhook(
  deps: Deps,
  team: string,
  actor: Actor,
  request: typeof WebhookCreateRequest.infer,
) {
  const { formId = null, workspaceId = null, eventTypes, payload = "thin" } = request;
  const url = requireDestination(request.url, deps.config.WEBHOOK_ALLOWED_NETWORKS);
  const id = uuidv7();
  const secrets = await secretsOf(deps.masterKey, { team, webhook: id, version: 1 });
  const { sql } = deps;
  const rows = await sql<WebhookRow[]>`
    select * from formd.webhook_create(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_workspace => ${workspaceId}, p_form => ${formId}, p_url => ${url},
      p_event_types => ${eventTypes}, p_payload => ${payload})`;
  return { webhook: pick(Webhook, oneRow(rows)), secrets };
}

/** A page of the team's webhooks, of all workspaces when that is null. */
export async function listWebhooks(
  { sql }: Deps,
  team: string,
  workspace: string | null,
  page: { page: number; limit: number },
) {
  const rows = await sql<Paged<WebhookRow>[]>`
    select * from formd.webhook_list(
      p_team => ${team}, p_workspace => ${workspace}, p_limit => ${page.limit}, p_offset => ${offsetOf(page)})`;
  const { items, pagination } = toPage(rows, page);
  return { webhooks: items.map((row) => pick(Webhook, row)), pagination };
}

/** One webhook. @throws {Problem} `not_found`. */
export async function findWebhook({ sql }: Deps, team: string, id: string) {
  const [row] = await sql<Row<typeof Webhook>[]>`
    select ${columnsOf(sql, Webhook)} from formd.webhooks where team_id = ${team} and id = ${id}`;
  if (!row) throw new Problem("not_found", "There is no such webhook.");
  return row;
}

/** Changes a webhook. @throws {Problem} `bad_request` (nothing to change), `invalid_body` (url), `not_found`. */
export async function patchWebhook(
  { sql, config }: Deps,
  team: string,
  actor: Actor,
  id: string,
  request: typeof WebhookPatchRequest.infer,
) {
  const { eventTypes = null, payload = null, status = null } = request;
  const url =
    request.url === undefined ? null : requireDestination(request.url, config.WEBHOOK_ALLOWED_NETWORKS);
  if ([url, eventTypes, payload, status].every((member) => member === null))
    throw new Problem("bad_request", "Send url, eventTypes, payload or status.");
  const rows = await sql<WebhookRow[]>`
    select * from formd.webhook_patch(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_url => ${url}, p_event_types => ${eventTypes}, p_payload => ${payload},
      p_status => ${status})`;
  return pick(Webhook, oneRow(rows));
}

export async function deleteWebhook({ sql }: Deps, team: string, actor: Actor, id: string): Promise<void> {
  await sql`select from formd.webhook_delete(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id})`;
}

/** The next secrets of a webhook. @throws {Problem} `not_found`, `unavailable`. */
export async function rotateWebhookSecret({ sql, masterKey }: Deps, team: string, actor: Actor, id: string) {
  masterKey.requirePresent();
  const rows = await sql<WebhookRow[]>`
    select * from formd.webhook_secret_rotate(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id})`;
  const { secretVersion: version, ...row } = oneRow(rows);
  const secrets: Secrets = await secretsOf(masterKey, { team, webhook: id, version });
  return { webhook: pick(Webhook, row), secrets };
}

/** Sends an event `webhook.test` to a webhook. @returns the event's id. @throws {Problem} `not_found`. */
export async function testWebhook({ sql }: Deps, team: string, actor: Actor, id: string): Promise<string> {
  const eventId = uuidv7();
  await sql`select from formd.webhook_test(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_event => ${eventId})`;
  return eventId;
}

/** Makes deliveries due again. @returns how many. @throws {Problem} `not_found`. */
export async function replayWebhook(
  { sql }: Deps,
  team: string,
  actor: Actor,
  id: string,
  request: typeof WebhookReplayRequest.infer,
): Promise<number> {
  const { eventId = null, from, to } = request;
  const [first, end] = [from, to].map((moment) => (moment ? smallestIdAt(moment.getTime()) : null));
  const rows = await sql<{ replayed: number }[]>`
    select formd.webhook_replay(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_event => ${eventId}, p_first_id => ${first ?? null},
      p_end_id => ${end ?? null}) as replayed`;
  return oneRow(rows).replayed;
}

/** A page of a webhook's deliveries, newest event first. @throws {Problem} `not_found`. */
export async function listDeliveries(
  { sql }: Deps,
  team: string,
  id: string,
  { state = null, ...page }: Omit<typeof DeliveryListQuery.infer, "state"> & { state?: string | null },
) {
  const rows = await sql<Paged<Row<typeof WebhookDelivery>>[]>`
    select * from formd.webhook_delivery_list(
      p_team => ${team}, p_id => ${id}, p_state => ${state}, p_limit => ${page.limit}, p_offset => ${offsetOf(page)})`;
  const { items, pagination } = toPage(rows, page);
  return { deliveries: items.map((row) => pick(WebhookDelivery, row)), pagination };
}

/** A delivery with the requests that were made for it. @throws {Problem} `not_found`. */
export async function findDelivery({ sql }: Deps, team: string, id: string, eventId: string) {
  const [row] = await sql<Row<typeof WebhookDelivery>[]>`
    select e.id, e.type, e.form_id, e.subject_id, d.state, d.attempts, case when d.state = 'due' then d.due_at end as due_at,
      d.last_status, d.last_error, d.delivered_at, e.created_at
    from formd.webhook_deliveries d join formd.webhook_events e on e.team_id = d.team_id and e.id = d.event_id
    where d.team_id = ${team} and d.event_id = ${eventId} and d.webhook_id = ${id}`;
  if (!row) throw new Problem("not_found", "There is no such delivery.");
  const attempts = await sql<Row<typeof WebhookAttempt>[]>`
    select attempt, started_at, duration_ms, response_status, error, response_start from formd.webhook_attempts
    where team_id = ${team} and event_id = ${eventId} and webhook_id = ${id} order by attempt desc`;
  return { delivery: row, attempts: [...attempts] };
}
