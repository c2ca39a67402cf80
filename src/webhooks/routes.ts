/** Webhooks: `/papi/v1/management/webhooks`. */
import { Elysia } from "elysia";
import { apiKeySecurity, asOwner, ownerCodes } from "../auth/api-key.ts";
import type { Deps } from "../deps.ts";
import { parseBody } from "../http/body.ts";
import { resourceResponse, success, successResponse } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { pageOf } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { Deleted, FullPageQuery, Pagination, parseQuery, Uuid, uuidParam } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import {
  DeliveryListQuery,
  Webhook,
  WebhookAttempt,
  WebhookCreateRequest,
  WebhookDelivery,
  WebhookPatchRequest,
  WebhookReplay,
  WebhookReplayRequest,
  WebhookSecrets,
  WebhookTest,
} from "./shapes.ts";
import * as domain from "./webhooks.ts";

const path = "/papi/v1/management/webhooks";
const scope = "webhooks:manage";
const common = { tag: "management", security: apiKeySecurity(scope) } as const;
const WebhookListQuery = FullPageQuery.merge({ "workspaceId?": Uuid });
const { lifetimeDays, maxReplayedEvents } = limits.webhook;
const idOf = (params: { webhook_id: string }) => uuidParam(params, "webhook_id");

export const webhooks = (deps: Deps) =>
  new Elysia({ name: path })
    .post(
      path,
      async ({ request }) => {
        const { run } = asOwner(deps, request, scope);
        const created = await run((caller) =>
          domain.createQuery(deps, caller, parseBody(request, caller.bytes, WebhookCreateRequest)),
        );
        return success(await domain.withSecrets(deps, created));
      },
      operation({
        ...common,
        id: "createWebhook",
        summary: "Create a webhook",
        description:
          "From now on the events are sent to the URL, at least once each. The secret is in this response only.",
        body: {
          shape: WebhookCreateRequest,
          examples: { thin: { summary: "Every new submission", value: examples.webhookCreation } },
        },
        response: {
          description: "The webhook and its secrets.",
          members: { webhook: Webhook, secrets: WebhookSecrets },
          example: { webhook: examples.webhook, secrets: examples.webhookSecrets },
        },
        codes: [...ownerCodes, "not_found", "conflict"],
      }),
    )
    .get(
      path,
      ({ request, query }) =>
        pageOf(deps, request, asOwner(deps, request, scope), (caller) => {
          const { workspaceId = null, ...page } = parseQuery(query, WebhookListQuery);
          return domain.webhookList(deps, caller, workspaceId, page);
        }),
      operation({
        ...common,
        id: "listWebhooks",
        summary: "List webhooks",
        description: "Newest first.",
        query: { shape: WebhookListQuery },
        response: {
          description: "A page of webhooks.",
          members: { webhooks: [Webhook], pagination: Pagination },
          example: { webhooks: [examples.webhook], pagination: examples.fullPagination },
        },
        codes: ownerCodes,
      }),
    )
    .get(
      `${path}/:webhook_id`,
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, scope);
        const webhook = await run((caller) => domain.readQuery(deps, caller, idOf(params)));
        return resourceResponse(request, "webhook", webhook);
      },
      operation({
        ...common,
        id: "getWebhook",
        summary: "Read a webhook",
        response: {
          description: "The webhook.",
          members: { webhook: Webhook },
          example: { webhook: examples.webhook },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:webhook_id`,
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, scope);
        const webhook = await run((caller) => {
          const id = idOf(params);
          return domain.patchQuery(deps, caller, id, parseBody(request, caller.bytes, WebhookPatchRequest));
        });
        return resourceResponse(request, "webhook", webhook);
      },
      operation({
        ...common,
        id: "patchWebhook",
        summary: "Change, pause or enable a webhook",
        body: {
          shape: WebhookPatchRequest,
          examples: {
            pause: { summary: "Pause it", value: { status: "paused" } },
            events: { summary: "Listen to other events", value: { eventTypes: ["form.published"] } },
          },
        },
        response: {
          description: "The webhook as it is now.",
          members: { webhook: Webhook },
          example: { webhook: examples.webhook },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .delete(
      `${path}/:webhook_id`,
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, scope);
        await run((caller) => domain.deleteQuery(deps, caller, idOf(params)));
        return success({ id: params.webhook_id, deleted: true });
      },
      operation({
        ...common,
        id: "deleteWebhook",
        summary: "Delete a webhook",
        description: "With its deliveries.",
        response: {
          description: "It is deleted.",
          data: Deleted,
          example: { id: examples.ids.webhook, deleted: true },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .post(
      `${path}/:webhook_id/rotate-secret`,
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, scope);
        const rotated = await run((caller) => domain.rotateSecretQuery(deps, caller, idOf(params)));
        return success(await domain.withSecrets(deps, rotated));
      },
      operation({
        ...common,
        id: "rotateWebhookSecret",
        summary: "Give a webhook new secrets",
        description:
          "Deliveries are signed with the new and the previous secrets until `previousSecretEndsAt`, so that receivers can change theirs without a gap.",
        response: {
          description: "The new secrets, in this response only.",
          members: { webhook: Webhook, secrets: WebhookSecrets },
          example: { webhook: examples.webhook, secrets: examples.webhookSecrets },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .post(
      `${path}/:webhook_id/test`,
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, scope);
        const sent = await run((caller) => domain.testQuery(deps, caller, idOf(params)));
        return successResponse(request, sent);
      },
      operation({
        ...common,
        id: "testWebhook",
        summary: "Send a test event",
        description: "An event `webhook.test`. Its delivery can be read like any other.",
        response: {
          description: "It is sent.",
          data: WebhookTest,
          example: { eventId: examples.ids.event },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .post(
      `${path}/:webhook_id/replay`,
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, scope);
        const replayed = await run((caller) => {
          const id = idOf(params);
          return domain.replayQuery(deps, caller, id, parseBody(request, caller.bytes, WebhookReplayRequest));
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
        response: {
          description: "They are due.",
          data: WebhookReplay,
          example: { replayed: 1 },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/:webhook_id/deliveries`,
      ({ request, params, query }) =>
        pageOf(deps, request, asOwner(deps, request, scope), (caller) => {
          const id = idOf(params);
          return domain.deliveryList(deps, caller, id, parseQuery(query, DeliveryListQuery));
        }),
      operation({
        ...common,
        id: "listWebhookDeliveries",
        summary: "List the deliveries of a webhook",
        description: `Of the last ${lifetimeDays} days, newest event first.`,
        query: { shape: DeliveryListQuery },
        response: {
          description: "A page of deliveries.",
          members: { deliveries: [WebhookDelivery], pagination: Pagination },
          example: { deliveries: [examples.webhookDelivery], pagination: examples.fullPagination },
        },
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .get(
      `${path}/:webhook_id/deliveries/:event_id`,
      async ({ request, params }) => {
        const { run } = asOwner(deps, request, scope);
        const delivery = await run((caller) =>
          domain.deliveryQuery(deps, caller, idOf(params), uuidParam(params, "event_id")),
        );
        if (delivery === null) throw new Problem("not_found", "There is no such delivery.");
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
