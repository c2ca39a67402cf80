/** Queries on the deliveries of a webhook, shared by the routes and the console. Each result is JSON. */
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Deps } from "../../platform/deps.ts";
import { smallestIdAt } from "../../platform/http/cursor.ts";
import type { List } from "../../platform/http/list.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { splitAsked } from "../../platform/http/shapes.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import type { DeliveryListQuery, WebhookReplayRequest } from "./shapes.ts";
import { WebhookAttempt, WebhookDelivery } from "./shapes.ts";

const deliveryJson = jsonOf(WebhookDelivery);
const attemptJson = jsonOf(WebhookAttempt);

/** Sends an event `webhook.test` to a webhook. The result is the event's id. */
export const testQuery = ({ sql }: Deps, { team, actor }: SqlCaller, id: string) => sql`
  select json_build_object('eventId',
    formd.webhook_test(p_team => ${team}, p_actor => ${actor}, p_id => ${id}))`;

/** Makes deliveries due again. The result is their number. */
export function replayQuery(
  deps: Deps,
  { team, actor }: SqlCaller,
  id: string,
  request: typeof WebhookReplayRequest.infer,
) {
  const { sql } = deps;
  const { eventId = null, from, to } = request;
  const toId = (moment: Date | undefined) => (moment ? smallestIdAt(moment.getTime()) : null);
  return sql`
    select json_build_object('replayed', replayed) from formd.webhook_replay(
      p_team => ${team}, p_actor => ${actor}, p_id => ${id}, p_event => ${eventId}, p_first_id => ${toId(from)},
      p_end_id => ${toId(to)}, p_is_mailed => ${hasOutbox(deps)}) as replayed`;
}

export const deliveryList = (
  { sql }: Deps,
  { team }: Pick<SqlCaller, "team">,
  id: string,
  query: typeof DeliveryListQuery.infer,
): List => ({
  name: "deliveries",
  ...splitAsked(query),
  item: deliveryJson(sql),
  rows: ({ limit, offset, after, order }) => sql`
    formd.webhook_delivery_list(p_team => ${team}, p_id => ${id}, p_state => ${query.state ?? null},
      p_limit => ${limit}, p_offset => ${offset}, p_after => ${after}, p_order => ${order})`,
});

export const deliveryQuery = ({ sql }: Deps, { team }: SqlCaller, id: string, eventId: string) => sql`
  select concat('{"delivery":', ${deliveryJson(sql)}, ',"attempts":[', (
    select string_agg(${attemptJson(sql)}, ',' order by attempt desc)
    from formd.webhook_attempt_list(p_team => ${team}, p_id => ${id}, p_event => ${eventId})), ']}')
  from formd.webhook_delivery_read(p_team => ${team}, p_id => ${id}, p_event => ${eventId}) as delivery`;
