/** Deliveries of webhooks: `/papi/v1/management/webhooks/{webhook_id}/…`. */
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { successResponse } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { cursorResponse } from "../../platform/http/responses.ts";
import { cursorNotes, parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import {
  DeliveryListQuery,
  WebhookAttempt,
  WebhookDelivery,
  WebhookReplay,
  WebhookReplayRequest,
  WebhookTest,
} from "./shapes.ts";
import { deliveryList, deliveryQuery, replayQuery, testQuery } from "./webhook-deliveries.ts";

const path = "/papi/v1/management/webhooks/:webhook_id";
const scope = "webhooks:manage";
const common = { tag: "management", security: apiKeySecurity(scope) } as const;
const { lifetimeDays, maxReplayedEvents } = limits.webhook;
const idOf = (params: { webhook_id: string }) => uuidParam(params, "webhook_id");

export const webhookDeliveryRoutes = (deps: Deps) =>
  new Elysia({ name: `${path}/deliveries` })
    .post(
      `${path}/test`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, scope);
        const sent = await run((caller) => testQuery(deps, caller, idOf(params)));
        return successResponse(request, sent);
      },
      operation({
        ...common,
        id: "testWebhook",
        summary: "Send a test event",
        description: "An event `webhook.test`. Its delivery can be read like any other.",
        response: { description: "It is sent.", data: WebhookTest, example: { eventId: examples.ids.event } },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .post(
      `${path}/replay`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, scope);
        const replayed = await run((caller) => {
          const id = idOf(params);
          return replayQuery(deps, caller, id, parseBody(request, caller.bytes, WebhookReplayRequest));
        });
        return successResponse(request, replayed);
      },
      operation({
        ...common,
        id: "replayWebhook",
        summary: "Send events again",
        description: `Events of the last ${lifetimeDays} days that some webhook listened to when they happened; the first ${maxReplayedEvents} of them.`,
        body: {
          shape: WebhookReplayRequest,
          examples: {
            range: {
              summary: "A range of time",
              value: { from: "2026-11-20T09:00:00Z", to: "2026-11-20T10:00:00Z" },
            },
          },
        },
        response: { description: "They are due.", data: WebhookReplay, example: { replayed: 1 } },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/deliveries`,
      ({ request, params, query }) =>
        pageOf(deps, request, withApiKey(deps, request, scope), (caller) => {
          const id = idOf(params);
          return deliveryList(deps, caller, id, parseQuery(query, DeliveryListQuery));
        }),
      operation({
        ...common,
        id: "listWebhookDeliveries",
        summary: "List the deliveries of a webhook",
        description: `Of the last ${lifetimeDays} days, newest event first. A submission is listed once a server has taken it up, usually within a second. A replay of events from before the webhook puts deliveries at the places of these events, which a cursor may have passed. The total counts at most 1,000 from the page's first one on.`,
        query: { shape: DeliveryListQuery, notes: cursorNotes },
        response: cursorResponse(
          "A page of deliveries.",
          "deliveries",
          WebhookDelivery,
          examples.webhookDelivery,
          examples.fullCursorPagination,
        ),
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/deliveries/:event_id`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, scope);
        const delivery = await run((caller) =>
          deliveryQuery(deps, caller, idOf(params), uuidParam(params, "event_id")),
        );
        if (delivery === null) throw new Problem("not_found", say("delivery_missing"));
        return successResponse(request, delivery);
      },
      operation({
        ...common,
        id: "getWebhookDelivery",
        summary: "Read a delivery and its attempts",
        response: {
          description: `The delivery and its last ${limits.webhook.maxAttemptsKept} attempts, newest first.`,
          members: { delivery: WebhookDelivery, attempts: [WebhookAttempt] },
          example: { delivery: examples.webhookDelivery, attempts: [examples.webhookAttempt] },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    );
