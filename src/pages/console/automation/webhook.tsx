/** One webhook: its address, its events, and its deliveries. */
import { type } from "arktype";
import { limits } from "../../../limits.ts";
import { readRows } from "../../../platform/http/list.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { momentAt } from "../../../resources/forms/time-zones.ts";
import { deliveryList, replayQuery, testQuery } from "../../../resources/webhooks/webhook-deliveries.ts";
import * as domain from "../../../resources/webhooks/webhooks.ts";
import { Input, Notice } from "../../ui/controls.tsx";
import { Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { type FormControl, formOf, sent, Wrong } from "../frame/form.tsx";
import { filterQuery, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, type ConsolePage, Facts } from "../frame/layout.tsx";
import { ListQuery, ZoneInput, zoneIn } from "../frame/list-page.tsx";
import { FoldedForm } from "../frame/new-page.tsx";
import { frameText } from "../frame/words.ts";
import { postsOn } from "./item-post.ts";
import { Deliveries, type Delivery, type DeliveryList, deliveriesPerPage } from "./webhook-delivery.tsx";
import {
  aboutUrl,
  pathOfWebhook,
  requireWebhook,
  WebhookStatus,
  webhookControls,
  webhookId,
  webhookSecretPage,
  webhooksPath,
} from "./webhooks.tsx";
import { automationText } from "./words.ts";

const words = automationText.webhook;

const editForm = (webhook?: DeliveryList["webhook"]) => formOf(webhookControls(webhook), aboutUrl);

const Edit = ({ webhook }: Pick<DeliveryList, "webhook">) => (
  <FoldedForm
    isPanel
    label={words.edit}
    action={pathOfWebhook(webhook)}
    form={editForm(webhook)}
    submit={frameText.save}
  />
);

/** A moment of a control `datetime-local`, in the time zone beside it. */
const momentInput = (label: string): FormControl<Date> => ({
  draw: (name) => <Input name={name} type="datetime-local" label={label} required />,
  read: (values, name) => {
    const [day = "", time = ""] = values.get(name)?.split("T") ?? [];
    const moment = momentAt(day, time, zoneIn(values));
    return moment ? new Date(moment) : new Wrong(frameText.controls.moment);
  },
});

const replayForm = () => formOf({ from: momentInput(words.from), to: momentInput(words.to) });

const Replay = ({ webhook }: Pick<DeliveryList, "webhook">) => (
  <FoldedForm
    isPanel
    label={words.replay}
    intro={words.replayHint(limits.webhook.lifetimeDays, limits.webhook.maxReplayedEvents)}
    action={`${pathOfWebhook(webhook)}/replay`}
    form={replayForm()}
    submit={words.sendAgain}
  >
    <ZoneInput />
  </FoldedForm>
);

const Actions = ({ webhook }: Pick<DeliveryList, "webhook">) => (
  <div class="actions">
    <ActionButton action={`${pathOfWebhook(webhook)}/test`} label={words.test} />
    <ActionButton
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
        <a href={webhooksPath}>{frameText.sections.webhooks}</a>
      </p>
      <h1 dir="auto">{webhook.url}</h1>
      {webhook.disabledReason && <Notice kind="error">{words.disabled[webhook.disabledReason]}</Notice>}
      <Facts
        items={[
          [frameText.status, <WebhookStatus {...webhook} />],
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

const DeliveriesQuery = ListQuery.and({ "state?": "'due' | 'delivered' | 'failed'" });

const pageOf = async (view: PageContext): Promise<ConsolePage> => {
  const webhook = await requireWebhook(view);
  const query = filterQuery(view.query);
  const { page, state = null } = parseQuery(query, DeliveriesQuery);
  const of = { state, page, limit: deliveriesPerPage };
  const asked = deliveryList(view.deps, view.session, webhook.id, of);
  const list = await readRows<Delivery>(view.deps.sql, asked);
  const content = <Content webhook={webhook} {...list} query={query} />;
  return { title: webhook.url, section: "webhooks", content };
};

const stateForm = formOf({ status: sent(type("'active' | 'paused'")) });
const postOnWebhook = postsOn(webhookId, pathOfWebhook);

export const webhookPages = {
  page: onGet(pageOf),
  save: postOnWebhook({ form: () => editForm(), retry: pageOf }, domain.patchWebhookQuery, () => ({
    text: frameText.saved,
  })),
  setStatus: postOnWebhook({ form: stateForm }, domain.patchWebhookQuery, ({ status }, href) => {
    const fields = { status: status === "active" ? "paused" : "active" };
    return { text: words.done[status], undo: { action: `${href}/status`, fields } };
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
  replay: postOnWebhook({ form: replayForm, retry: pageOf }, replayQuery, () => ({
    text: words.done.sentAgain,
  })),
  remove: postOnWebhook({}, domain.deleteWebhookQuery, () => ({
    to: webhooksPath,
    text: words.done.deleted,
  })),
} satisfies Handlers;
