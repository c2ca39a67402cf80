/** Queries on webhooks for a caller, shared by the routes and the console. Each result is JSON. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Deps } from "../../platform/deps.ts";
import type { List } from "../../platform/http/list.ts";
import { jsonOf, type Row } from "../../platform/http/resource.ts";
import { type Networks, networksFor, requireAllowedHost } from "../../platform/outgoing/guard.ts";
import { Problem } from "../../problem.ts";
import { Webhook, type WebhookCreateRequest, type WebhookPatchRequest } from "./shapes.ts";
import { secretsOf } from "./signature.ts";

type Sql = Deps["sql"];

/** Checks a URL; each delivery checks its address. @throws {Problem} `invalid_body` with the reason. */
export function requireDestination(text: string, networks: Networks): string {
  const url = URL.parse(text);
  const invalid = (said: ReturnType<typeof say>) => new Problem("invalid_body", said);
  const notHttps = say("url_not_https", { member: "url" });
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid(notHttps);
  if (url.username || url.password) throw invalid(say("url_with_user"));
  if (url.hash) throw invalid(say("url_with_fragment"));
  if (url.protocol === "http:" && networks.length === 0) throw invalid(notHttps);
  const max = limits.webhook.maxUrlLength;
  if (url.href.length > max) throw invalid(say("url_too_long", { max }));
  requireAllowedHost(url, networks, "url", "invalid_body");
  return url.href;
}

const webhookJson = jsonOf(Webhook);

/** A webhook with the identifiers of its secrets, for {@link withSecrets}. */
const withSecretJson = (sql: Sql) =>
  sql`json_build_object('team', team_id, 'version', secret_version, 'key', secret_key, 'webhook', ${webhookJson(sql)}::json)`;

/** Creates a webhook; for {@link withSecrets}. @throws {Problem} `invalid_body` (url), `unavailable`. */
export function createWebhookQuery(
  { sql, config, masterKey }: Deps,
  { team, actor }: SqlCaller,
  request: typeof WebhookCreateRequest.infer,
) {
  const { formId = null, workspaceId = null, eventTypes, payload = "thin" } = request;
  const url = requireDestination(request.url, networksFor(config, "webhook"));
  masterKey.requirePresent();
  return sql`
    select ${withSecretJson(sql)} from formd.webhook_create(
      p_team => ${team}, p_actor => ${actor}, p_id => ${uuidv7()}, p_workspace => ${workspaceId}, p_form => ${formId}, p_url => ${url},
      p_event_types => ${eventTypes}, p_payload => ${payload}, p_secret_key => ${masterKey.fingerprint})`;
}

/** Rotates a webhook's secrets; for {@link withSecrets}. @throws {Problem} `unavailable`. */
export function rotateWebhookSecretQuery({ sql, masterKey }: Deps, { team, actor }: SqlCaller, id: string) {
  masterKey.requirePresent();
  return sql`
    select ${withSecretJson(sql)} from formd.webhook_secret_rotate(
      p_team => ${team}, p_actor => ${actor}, p_id => ${id}, p_secret_key => ${masterKey.fingerprint})`;
}

/** The webhook with its secrets, which are not shown again. */
export async function withSecrets({ masterKey }: Deps, json: string | null) {
  const { team, version, key, webhook } = JSON.parse(json ?? "") as {
    team: string;
    version: number;
    key: string;
    webhook: typeof Webhook.infer;
  };
  return { webhook, secrets: await secretsOf(masterKey, { team, webhook: webhook.id, version, key }) };
}

/** The webhooks of a workspace; null: of all workspaces of the team. */
export const webhookList = (
  { sql }: Deps,
  { team }: Pick<SqlCaller, "team">,
  workspace: string | null,
  page: List["page"],
): List => ({
  name: "webhooks",
  page,
  item: webhookJson(sql),
  rows: ({ limit, offset }) => sql`
    formd.webhook_list(p_team => ${team}, p_workspace => ${workspace}, p_limit => ${limit}, p_offset => ${offset})`,
});

export type WebhookEntry = Row<typeof Webhook>;

/** Webhooks of a form that are listed. */
const maxOfForm = 100;

/** The webhooks that receive the events of a form: its own, and those of each form of its workspace. */
export const webhooksOfForm = (
  sql: Sql,
  { teamId, id, workspaceId }: Record<"teamId" | "id" | "workspaceId", string>,
) => sql<WebhookEntry[]>`
  select * from formd.webhooks
  where team_id = ${teamId} and workspace_id = ${workspaceId} and (form_id is null or form_id = ${id})
  order by id desc limit ${maxOfForm}`;

export async function readWebhook(sql: Sql, team: string, id: string): Promise<WebhookEntry | undefined> {
  const [webhook] = await sql<WebhookEntry[]>`
    select * from formd.webhooks where team_id = ${team} and id = ${id}`;
  return webhook;
}

export const readQuery = ({ sql }: Deps, { team }: SqlCaller, id: string) => sql`
  select ${webhookJson(sql)} from formd.webhooks where team_id = ${team} and id = ${id}`;

/** Changes a webhook. @throws {Problem} `bad_request` (nothing to change), `invalid_body` (url). */
export function patchWebhookQuery(
  { sql, config }: Deps,
  { team, actor }: SqlCaller,
  id: string,
  request: typeof WebhookPatchRequest.infer,
) {
  const { eventTypes = null, payload = null, status = null } = request;
  const url =
    request.url === undefined ? null : requireDestination(request.url, networksFor(config, "webhook"));
  if ([url, eventTypes, payload, status].every((member) => member === null))
    throw new Problem("bad_request", "Send url, eventTypes, payload or status.");
  return sql`
    select ${webhookJson(sql)} from formd.webhook_patch(
      p_team => ${team}, p_actor => ${actor}, p_id => ${id}, p_url => ${url}, p_event_types => ${eventTypes}, p_payload => ${payload},
      p_status => ${status})`;
}

export const deleteWebhookQuery = ({ sql }: Deps, { team, actor }: SqlCaller, id: string) => sql`
  select formd.webhook_delete(p_team => ${team}, p_actor => ${actor}, p_id => ${id})`;
