/** One webhook: its address, its events, and its deliveries with the requests that were made for them. */
import { type } from "arktype";
import { momentAt } from "../../../fields/time-zones.ts";
import { limits } from "../../../limits.ts";
import { say } from "../../../messages.ts";
import { readTurn } from "../../../platform/http/list.ts";
import { parseQuery, uuidParam } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import type { WebhookAttempt, WebhookDelivery } from "../../../resources/webhooks/shapes.ts";
import * as deliveries from "../../../resources/webhooks/webhook-deliveries.ts";
import * as resource from "../../../resources/webhooks/webhooks.ts";
import { type Errors, Input, Notice, Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { type FormControl, formOf, sent, Wrong } from "../frame/form.tsx";
import { filterQuery, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, type ConsolePage, Facts } from "../frame/layout.tsx";
import { ItemList, ListFilter, TurnQuery, ZoneInput, zoneIn } from "../frame/list-page.tsx";
import { Confirm, FoldedForm, Section } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { postsOn } from "./item-post.ts";
import {
  aboutUrl,
  hostIn,
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

const deliveriesPerPage = 20;

type Delivery = Omit<typeof WebhookDelivery.infer, "createdAt" | "dueAt" | "deliveredAt"> & {
  createdAt: Date | string;
  dueAt: Date | string | null;
};

const DeliveryState = ({ state }: Pick<Delivery, "state">) => (
  <span class={`badge ${state}`}>{words.states[state]}</span>
);

/** Patterns of an attempt's error, with the codes of the runtimes. A sentence shows the group as a detail. */
const failures: Readonly<Record<keyof typeof words.failures, RegExp>> = {
  unknownName: /ENOTFOUND|EAI_AGAIN|has no address/,
  refused: /ECONNREFUSED|ConnectionRefused/,
  unreachable: /EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/,
  broken: /ECONNRESET|EPIPE|socket hang up|ConnectionClosed/,
  tooSlow: /ETIMEDOUT|no complete response within/,
  untrusted: /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
  notPublic: /is not public|may be reached by https only/,
  status: /has the status (\d+)\.$/,
};

/** Returns an attempt's error for people. An unknown error is shown as the runtime words it. */
function failureText(error: string, { url }: resource.WebhookEntry): string {
  for (const [name, pattern] of Object.entries(failures)) {
    const found = pattern.exec(error);
    if (found) return words.failures[name as keyof typeof failures](new URL(url).hostname, found[1] ?? "");
  }
  return error;
}

interface WebhookProps {
  webhook: resource.WebhookEntry;
}

interface DeliveryView extends WebhookProps {
  delivery: Delivery;
  attempts: AttemptList;
}

const Outcome = ({ webhook, delivery }: Omit<DeliveryView, "attempts">) => (
  <>
    {delivery.lastError
      ? failureText(delivery.lastError, webhook)
      : delivery.lastStatus === null
        ? words.notSent
        : words.responded(delivery.lastStatus)}
    {delivery.dueAt && (
      <small>
        {words.dueAt} <Time at={delivery.dueAt} exact />
      </small>
    )}
  </>
);

const columnsOf = (webhook: resource.WebhookEntry): Column<Delivery>[] => [
  {
    head: words.event,
    isHeader: true,
    cell: ({ id, type, createdAt }) => (
      <>
        <a href={`${pathOfWebhook(webhook)}/deliveries/${id}`}>{type}</a>
        <small>
          <Time at={createdAt} exact />
        </small>
      </>
    ),
  },
  { head: frameText.state, cell: (delivery) => <DeliveryState {...delivery} /> },
  { head: words.attempts, cell: ({ attempts }) => attempts },
  { head: words.last, cell: (delivery) => <Outcome webhook={webhook} delivery={delivery} /> },
];

interface DeliveryList extends Awaited<ReturnType<typeof readTurn<Delivery>>>, WebhookProps {
  query: Record<string, string>;
}

const Deliveries = ({ webhook, items, turns, query }: DeliveryList) => (
  <Section id="deliveries" title={words.deliveries}>
    <ListFilter action={pathOfWebhook(webhook)} query={query}>
      <Select name="state" label={frameText.state} none={words.everyState} choices={words.states} />
    </ListFilter>
    <ItemList items={items} turns={turns} path={pathOfWebhook(webhook)} query={query} none={words.none}>
      <Table columns={columnsOf(webhook)} rows={items} keyOf={({ id }) => id} />
    </ItemList>
  </Section>
);

const Subject = ({ formId, type, subjectId }: Delivery) => {
  const id = <code>{subjectId}</code>;
  return formId && type.startsWith("submission.") ? (
    <a href={`/console/forms/${formId}/submissions/${subjectId}`}>{id}</a>
  ) : (
    id
  );
};

type AttemptList = (typeof WebhookAttempt.infer)[];

const DeliveryContent = ({ webhook, delivery, attempts }: DeliveryView) => (
  <>
    <p class="quiet">
      <a href={pathOfWebhook(webhook)} dir="auto">
        {webhook.url}
      </a>
    </p>
    <div class="heading">
      <h1>{delivery.type}</h1>
      <ActionButton
        action={`${pathOfWebhook(webhook)}/deliveries/${delivery.id}/replay`}
        label={words.sendAgain}
      />
    </div>
    <p>
      <DeliveryState {...delivery} /> <Outcome webhook={webhook} delivery={delivery} />
    </p>
    <Facts
      items={[
        [words.eventId, <code>{delivery.id}</code>],
        [words.subject, <Subject {...delivery} />],
      ]}
    />
    <h2>{words.attempts}</h2>
    {attempts.length === 0 ? (
      <p class="empty">{words.notSent}</p>
    ) : (
      <ul class="rows">
        {attempts.map(({ attempt, startedAt, durationMs, responseStatus, error, responseStart }) => (
          <li key={attempt}>
            <div>
              <strong>{error ? failureText(error, webhook) : words.responded(responseStatus ?? 0)}</strong>
              <small>
                {error && <code>{error}</code>} {words.attempt(attempt)} · <Time at={startedAt} exact /> ·{" "}
                {words.took(durationMs)}
              </small>
              {responseStart && <Command lines={responseStart.split("\n")} />}
            </div>
          </li>
        ))}
      </ul>
    )}
  </>
);

const editForm = (webhook?: resource.WebhookEntry) => formOf(webhookControls(webhook), aboutUrl);

const Edit = ({ webhook }: WebhookProps) => (
  <FoldedForm
    isPanel
    label={words.edit}
    action={pathOfWebhook(webhook)}
    form={editForm(webhook)}
    submit={frameText.save}
  />
);

/** A moment of a control `datetime-local`, in the time zone beside it, whose error is its own. */
const momentInput = (label: string): FormControl<Date> => ({
  draw: (name) => <Input name={name} type="datetime-local" label={label} required />,
  read: (values, name) => {
    const [day = "", time = ""] = values.get(name)?.split("T") ?? [];
    const zone = zoneIn(values);
    const moment = momentAt(day, time, zone instanceof Wrong ? "UTC" : zone);
    return moment ? new Date(moment) : new Wrong(frameText.controls.moment);
  },
});

const replayForm = () =>
  formOf(
    {
      from: momentInput(words.from),
      to: momentInput(words.to),
      timeZone: { draw: () => <ZoneInput />, read: zoneIn },
    },
    { check: ({ from, to }): Errors => (from < to ? {} : { to: words.replayOrder }) },
  );

const Replay = ({ webhook }: WebhookProps) => (
  <FoldedForm
    isPanel
    label={words.replay}
    intro={words.replayHint(limits.webhook.lifetimeDays, limits.webhook.maxReplayedEvents)}
    action={`${pathOfWebhook(webhook)}/replay`}
    form={replayForm()}
    submit={words.sendAgain}
  />
);

const Actions = ({ webhook }: WebhookProps) => (
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
      label={automationText.agent.rotate}
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
          [frameText.form, form],
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

const DeliveriesQuery = TurnQuery.and({ "state?": "'due' | 'delivered' | 'failed'" });

const pageOf = async (view: PageContext): Promise<ConsolePage> => {
  const webhook = await requireWebhook(view);
  const query = filterQuery(view.query);
  const { cursor, back, ...filters } = parseQuery(query, DeliveriesQuery);
  const page = { page: 1, limit: deliveriesPerPage };
  const { rows } = deliveries.deliveryList(view.deps, view.session, webhook.id, { ...page, ...filters });
  const of = { team: view.session.team, path: pathOfWebhook(webhook), filters, rows, limit: page.limit };
  const list = await readTurn<Delivery>(view.deps, of, { cursor, back });
  const content = <Content webhook={webhook} {...list} query={query} />;
  return { title: webhook.url, section: "webhooks", content };
};

const stateForm = formOf({ status: sent(type("'active' | 'paused'")) });
const hostOf = async (view: PageContext) => new URL((await requireWebhook(view)).url).host;
const postOnWebhook = postsOn(webhookId, pathOfWebhook);

export const webhookPages = {
  page: onGet(pageOf),
  save: postOnWebhook(
    { act: "webhook.changed", nameOf: ({ values }) => hostIn(values), form: () => editForm(), retry: pageOf },
    resource.patchWebhookQuery,
    () => ({
      text: frameText.saved,
    }),
  ),
  setStatus: postOnWebhook(
    { act: "webhook.paused", form: stateForm },
    resource.patchWebhookQuery,
    ({ status }, href) => {
      const fields = { status: status === "active" ? "paused" : "active" };
      return { text: words.done[status], undo: { action: `${href}/status`, fields } };
    },
  ),
  sendTest: onPost({ act: "webhook.tested" }, async (view) => {
    const sent = await view.queries.run((caller) => deliveries.testQuery(view.deps, caller, webhookId(view)));
    const to = `${webhooksPath}/${webhookId(view)}/deliveries/${JSON.parse(sent ?? "").eventId}`;
    return { to, text: words.done.tested };
  }),
  rotate: onPost({ act: "webhook.secret_rotated", nameOf: hostOf }, async (view) =>
    webhookSecretPage(
      view.deps,
      await view.queries.run((caller) =>
        resource.rotateWebhookSecretQuery(view.deps, caller, webhookId(view)),
      ),
    ),
  ),
  replay: postOnWebhook(
    { act: "webhook.replayed", form: replayForm, retry: pageOf },
    deliveries.replayQuery,
    () => ({
      text: words.done.sentAgain,
    }),
  ),
  remove: postOnWebhook({ act: "webhook.deleted", nameOf: hostOf }, resource.deleteWebhookQuery, () => ({
    to: webhooksPath,
    text: words.done.deleted,
  })),
  delivery: onGet(async (view) => {
    const webhook = await requireWebhook(view);
    const event = uuidParam(view.params as { event_id: string }, "event_id");
    const found = await view.queries.run((caller) =>
      deliveries.deliveryQuery(view.deps, caller, webhook.id, event),
    );
    if (found === null) throw new Problem("not_found", say("delivery_missing"));
    const { delivery, attempts } = JSON.parse(found) as { delivery: Delivery; attempts: AttemptList };
    const content = <DeliveryContent webhook={webhook} delivery={delivery} attempts={attempts} />;
    return { title: delivery.type, section: "webhooks", content };
  }),
  sendAgain: onPost({ act: "webhook.replayed" }, async (view) => {
    const eventId = uuidParam(view.params as { event_id: string }, "event_id");
    await view.queries.run((caller) =>
      deliveries.replayQuery(view.deps, caller, webhookId(view), { eventId }),
    );
    const to = `${pathOfWebhook({ id: webhookId(view) })}/deliveries/${eventId}`;
    return { to, text: words.done.sentAgain };
  }),
} satisfies Handlers;
