/** Webhooks: `/papi/v1/management/webhooks`. */
import { Elysia } from "elysia";
import { apiKeySecurity, ownerCodes, withApiKey } from "../../platform/auth/api-key.ts";
import type { Deps } from "../../platform/deps.ts";
import { parseBody } from "../../platform/http/body.ts";
import { resourceResponse, success } from "../../platform/http/envelope.ts";
import * as examples from "../../platform/http/examples.ts";
import { pageOf } from "../../platform/http/list.ts";
import { operation } from "../../platform/http/operation.ts";
import { memberResponse, pageResponse } from "../../platform/http/responses.ts";
import { Deleted, FullPageQuery, parseQuery, Uuid, uuidParam } from "../../platform/http/shapes.ts";
import { Webhook, WebhookCreateRequest, WebhookPatchRequest, WebhookSecrets } from "./shapes.ts";
import * as domain from "./webhooks.ts";

const path = "/papi/v1/management/webhooks";
const scope = "webhooks:manage";
const common = { tag: "management", security: apiKeySecurity(scope) } as const;
const WebhookListQuery = FullPageQuery.merge({ "workspaceId?": Uuid });
const idOf = (params: { webhook_id: string }) => uuidParam(params, "webhook_id");

export const webhookRoutes = (deps: Deps) =>
  new Elysia({ name: path })
    .post(
      path,
      async ({ request }) => {
        const { run } = withApiKey(deps, request, scope);
        const created = await run((caller) =>
          domain.createWebhookQuery(deps, caller, parseBody(request, caller.bytes, WebhookCreateRequest)),
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
        pageOf(deps, request, withApiKey(deps, request, scope), (caller) => {
          const { workspaceId = null, ...page } = parseQuery(query, WebhookListQuery);
          return domain.webhookList(deps, caller, workspaceId, page);
        }),
      operation({
        ...common,
        id: "listWebhooks",
        summary: "List webhooks",
        description: "Newest first.",
        query: { shape: WebhookListQuery },
        response: pageResponse("A page of webhooks.", "webhooks", Webhook, examples.webhook),
        codes: ownerCodes,
      }),
    )
    .get(
      `${path}/:webhook_id`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, scope);
        const webhook = await run((caller) => domain.readQuery(deps, caller, idOf(params)));
        return resourceResponse(request, "webhook", webhook);
      },
      operation({
        ...common,
        id: "getWebhook",
        summary: "Read a webhook",
        response: memberResponse("The webhook.", "webhook", Webhook, examples.webhook),
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .patch(
      `${path}/:webhook_id`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, scope);
        const webhook = await run((caller) => {
          const id = idOf(params);
          return domain.patchWebhookQuery(
            deps,
            caller,
            id,
            parseBody(request, caller.bytes, WebhookPatchRequest),
          );
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
        response: memberResponse("The webhook as it is now.", "webhook", Webhook, examples.webhook),
        codes: [...ownerCodes, "not_found"],
      }),
    )
    .delete(
      `${path}/:webhook_id`,
      async ({ request, params }) => {
        const { run } = withApiKey(deps, request, scope);
        await run((caller) => domain.deleteWebhookQuery(deps, caller, idOf(params)));
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
        const { run } = withApiKey(deps, request, scope);
        const rotated = await run((caller) => domain.rotateWebhookSecretQuery(deps, caller, idOf(params)));
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
    );
