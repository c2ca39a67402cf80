/** One webhook: what it sends where, and its deliveries. */
import { limits } from "../../../limits.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { readRows } from "../../../platform/http/list.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { momentAt } from "../../../resources/forms/time-zones.ts";
import { deliveryList, replayQuery, testQuery } from "../../../resources/webhooks/webhook-deliveries.ts";
import * as domain from "../../../resources/webhooks/webhooks.ts";
import { Input, Notice } from "../../ui/controls.tsx";
import { Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { filterQuery, onGet, onPost, parseValues, type View } from "../frame/handler.ts";
import { Act, type ConsolePage, Facts, RefusedNotice } from "../frame/layout.tsx";
import { ZoneInput } from "../frame/list-page.tsx";
import { FormPanel } from "../frame/new-page.tsx";
import { DeliveriesQuery, ReplayForm, WebhookForm, WebhookState, zoneIn } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { Deliveries, type Delivery, type DeliveryList, deliveriesPerPage } from "./webhook-delivery.tsx";
import {
  pathOfWebhook,
  requireWebhook,
  WebhookControls,
  WebhookStatus,
  webhookId,
  webhookSecretPage,
  webhooksPath,
} from "./webhooks.tsx";
import { automationText } from "./words.ts";

const words = automationText.webhook;

const Edit = ({ webhook }: Pick<DeliveryList, "webhook">) => (
  <FormPanel action={pathOfWebhook(webhook)} title={words.edit} submit={words.save}>
    <WebhookControls {...webhook} />
  </FormPanel>
);

const Replay = ({ webhook }: Pick<DeliveryList, "webhook">) => (
  <FormPanel action={`${pathOfWebhook(webhook)}/replay`} title={words.replay} submit={words.replaySubmit}>
    <p class="quiet">{words.replayHint(limits.webhook.lifetimeDays, limits.webhook.maxReplayedEvents)}</p>
    <Input name="from" type="datetime-local" label={words.from} required />
    <Input name="to" type="datetime-local" label={words.to} required />
    <ZoneInput />
  </FormPanel>
);

const Actions = ({ webhook }: Pick<DeliveryList, "webhook">) => (
  <div class="actions">
    <Act action={`${pathOfWebhook(webhook)}/test`} label={words.test} />
    <Act
      action={`${pathOfWebhook(webhook)}/status`}
      label={words.acts[webhook.status]}
      name="status"
      value={webhook.status === "active" ? "paused" : "active"}
    />
    <Confirm
      action={`${pathOfWebhook(webhook)}/rotate`}
      label={words.rotate}
      confirm={words.rotateConfirm}
      hint={words.rotateHint}
      isHarmless
    />
    <Confirm
      action={`${pathOfWebhook(webhook)}/delete`}
      label={words.delete}
      confirm={words.deleteConfirm}
      hint={words.deleteHint}
    />
  </div>
);

const Content = (view: DeliveryList) => {
  const { webhook } = view;
  const { formId, previousSecretEndsAt: previousEndsAt } = webhook;
  const form = formId ? (
    <a href={`/console/forms/${formId}`}>{words.itsForm}</a>
  ) : (
    automationText.webhooks.everyForm
  );
  return (
    <>
      <p class="quiet">
        <a href={webhooksPath}>{frameText.webhooksTitle}</a>
      </p>
      <h1 dir="auto">{webhook.url}</h1>
      <RefusedNotice />
      {webhook.disabledReason && <Notice kind="error">{words.disabled[webhook.disabledReason]}</Notice>}
      <Facts
        of={[
          [automationText.webhooks.status, <WebhookStatus {...webhook} />],
          [
            automationText.webhooks.events,
            webhook.eventTypes.map((type) => automationText.webhooks.eventTypes[type]).join(", "),
          ],
          [automationText.webhooks.form, form],
          [automationText.webhooks.payload, automationText.webhooks.payloads[webhook.payload]],
          [
            words.previousSecret,
            previousEndsAt && previousEndsAt > new Date() && <Time at={previousEndsAt} />,
          ],
        ]}
      />
      <Actions webhook={webhook} />
      <Edit {...view} />
      <Replay {...view} />
      <Deliveries {...view} />
    </>
  );
};

/** A moment of a control `datetime-local`. */
function momentIn(values: URLSearchParams, name: string): Date {
  const [day = "", time = ""] = values.get(name)?.split("T") ?? [];
  return new Date(momentAt(day, time, zoneIn(values)) ?? Number.NaN);
}

const pageOf = async (view: View): Promise<ConsolePage> => {
  const webhook = await requireWebhook(view);
  const query = filterQuery(view.query);
  const { page, state = null } = parseQuery(query, DeliveriesQuery);
  const of = { state, page, limit: deliveriesPerPage };
  const asked = deliveryList(view.deps, view.session, webhook.id, of);
  const list = await readRows<Delivery>(view.deps.sql, asked);
  const content = <Content webhook={webhook} {...list} query={query} />;
  return { title: webhook.url, section: "webhooks", content };
};

export const webhookPages = {
  page: onGet(pageOf),
  save: onPost({ retry: pageOf }, async (view) => {
    const request = parseValues(view.values, WebhookForm, ["eventTypes"]);
    await view.queries.run((caller) => domain.patchWebhookQuery(view.deps, caller, webhookId(view), request));
    return { to: `${webhooksPath}/${webhookId(view)}`, text: frameText.saved };
  }),
  setStatus: onPost({}, async (view) => {
    const request = parseValues(view.values, WebhookState);
    await view.queries.run((caller) => domain.patchWebhookQuery(view.deps, caller, webhookId(view), request));
    const to = `${webhooksPath}/${webhookId(view)}`;
    const fields = { status: request.status === "active" ? "paused" : "active" };
    return { to, text: words.done[request.status], undo: { action: `${to}/status`, fields } };
  }),
  sendTest: onPost({}, async (view) => {
    const sent = await view.queries.run((caller) => testQuery(view.deps, caller, webhookId(view)));
    const to = `${webhooksPath}/${webhookId(view)}/deliveries/${JSON.parse(sent ?? "").eventId}`;
    return { to, text: words.done.tested };
  }),
  rotate: onPost({ isRisky: true }, async (view) =>
    webhookSecretPage(
      view.deps,
      await view.queries.run((caller) => domain.rotateWebhookSecretQuery(view.deps, caller, webhookId(view))),
    ),
  ),
  replay: onPost({ retry: pageOf }, async (view) => {
    const [from, to] = [momentIn(view.values, "from"), momentIn(view.values, "to")];
    assertShape({ from, to }, ReplayForm, "bad_request");
    await view.queries.run((caller) => replayQuery(view.deps, caller, webhookId(view), { from, to }));
    return { to: `${webhooksPath}/${webhookId(view)}`, text: words.done.sentAgain };
  }),
  remove: onPost({}, async (view) => {
    await view.queries.run((caller) => domain.deleteWebhookQuery(view.deps, caller, webhookId(view)));
    return { to: webhooksPath, text: words.done.deleted };
  }),
} satisfies Handlers;
