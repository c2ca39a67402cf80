/** The deliveries of a webhook, and one of them with the requests that were made for it. */
import { say } from "../../../messages.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import type { WebhookAttempt, WebhookDelivery } from "../../../resources/webhooks/shapes.ts";
import { deliveryQuery, replayQuery } from "../../../resources/webhooks/webhook-deliveries.ts";
import type { WebhookEntry } from "../../../resources/webhooks/webhooks.ts";
import { Select } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost } from "../frame/handler.ts";
import { ActionButton, Facts } from "../frame/layout.tsx";
import { ItemList, type Listed, ListFilter } from "../frame/list-page.tsx";
import { Section } from "../frame/section.tsx";
import { frameText } from "../frame/words.ts";
import { pathOfWebhook, requireWebhook, webhookId } from "./webhooks.tsx";
import { automationText } from "./words.ts";

const words = automationText.webhook;

export const deliveriesPerPage = 20;

export type Delivery = Omit<typeof WebhookDelivery.infer, "createdAt" | "dueAt" | "deliveredAt"> & {
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
function failureText(error: string, { url }: WebhookEntry): string {
  for (const [name, pattern] of Object.entries(failures)) {
    const found = pattern.exec(error);
    if (found) return words.failures[name as keyof typeof failures](new URL(url).hostname, found[1] ?? "");
  }
  return error;
}

interface DeliveryView {
  webhook: WebhookEntry;
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

const columnsOf = (webhook: WebhookEntry): Column<Delivery>[] => [
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
  { head: words.state, cell: (delivery) => <DeliveryState {...delivery} /> },
  { head: words.attempts, cell: ({ attempts }) => attempts },
  { head: words.last, cell: (delivery) => <Outcome webhook={webhook} delivery={delivery} /> },
];

export interface DeliveryList extends Listed<Delivery> {
  webhook: WebhookEntry;
  query: Record<string, string>;
}

export const Deliveries = ({ webhook, items, pagination, query }: DeliveryList) => (
  <Section id="deliveries" title={words.deliveries}>
    <ListFilter action={pathOfWebhook(webhook)} query={query} submit={frameText.show}>
      <Select name="state" label={words.state} none={words.everyState} choices={words.states} />
    </ListFilter>
    <ItemList
      items={items}
      pagination={pagination}
      path={pathOfWebhook(webhook)}
      query={query}
      none={words.none}
    >
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

export const webhookDeliveryPages = {
  page: onGet(async (view) => {
    const webhook = await requireWebhook(view);
    const event = uuidParam(view.params as { event_id: string }, "event_id");
    const found = await view.queries.run((caller) => deliveryQuery(view.deps, caller, webhook.id, event));
    if (found === null) throw new Problem("not_found", say("delivery_missing"));
    const { delivery, attempts } = JSON.parse(found) as { delivery: Delivery; attempts: AttemptList };
    const content = <DeliveryContent webhook={webhook} delivery={delivery} attempts={attempts} />;
    return { title: delivery.type, section: "webhooks", content };
  }),
  replay: onPost({}, async (view) => {
    const eventId = uuidParam(view.params as { event_id: string }, "event_id");
    await view.queries.run((caller) => replayQuery(view.deps, caller, webhookId(view), { eventId }));
    const to = `${pathOfWebhook({ id: webhookId(view) })}/deliveries/${eventId}`;
    return { to, text: words.done.sentAgain };
  }),
} satisfies Handlers;
