/** One webhook: what it sends where, and its deliveries. */
import { Elysia } from "elysia";
import { actingAs } from "../auth/authenticate.ts";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { type Paged, parseQuery, toPage, uuidParam } from "../http/shapes.ts";
import { limits } from "../limits.ts";
import { mayAct } from "../operators/roles.ts";
import { Input, Notice, Select } from "../pages/controls.tsx";
import { Command, Pages, Time } from "../pages/text.tsx";
import { Problem } from "../problem.ts";
import * as deliveries from "../webhooks/deliveries.ts";
import type { WebhookAttempt, WebhookDelivery } from "../webhooks/shapes.ts";
import * as domain from "../webhooks/webhooks.ts";
import { type Act, act, filterQuery, show, type View } from "./handler.ts";
import { type Page, PostForm } from "./layout.tsx";
import { DeliveriesQuery, ReplayForm, WebhookForm, WebhookState } from "./shapes.ts";
import { text } from "./text.ts";
import {
  WebhookControls,
  type WebhookEntry,
  WebhookStatus,
  webhookSecretPage,
  webhooksPath,
} from "./webhooks.tsx";

const words = text.webhook;

/** Deliveries on a page. */
const pageSize = 20;

type Delivery = Omit<typeof WebhookDelivery.infer, "createdAt" | "dueAt" | "deliveredAt"> & {
  createdAt: Date | string;
  dueAt: Date | string | null;
};

interface WebhookView {
  webhook: WebhookEntry;
  items: Delivery[];
  pagination: { page: number; limit: number; total: number };
  query: Record<string, string>;
  values?: URLSearchParams;
  message?: string;
}

const pathOf = ({ id }: Pick<WebhookEntry, "id">) => `${webhooksPath}/${id}`;
const idOf = (params: Record<string, string>) => uuidParam(params as { webhook_id: string }, "webhook_id");

const DeliveryState = ({ state }: Pick<Delivery, "state">) => (
  <span class={`badge ${state}`}>{words.states[state]}</span>
);

/** What happens next, or what went wrong. */
const Outcome = ({ delivery }: { delivery: Delivery }) => (
  <>
    {delivery.lastError ??
      (delivery.lastStatus === null ? words.notSent : words.responded(delivery.lastStatus))}
    {delivery.dueAt && (
      <small>
        {words.dueAt} <Time at={delivery.dueAt} />
      </small>
    )}
  </>
);

const Deliveries = ({ webhook, items, pagination, query }: WebhookView) => (
  <section aria-labelledby="deliveries">
    <h2 id="deliveries">{words.deliveries}</h2>
    <form method="get" action={pathOf(webhook)} class="filters">
      <Select
        name="state"
        label={words.state}
        value={query.state ?? ""}
        choices={[
          { value: "", label: words.everyState },
          ...(["due", "delivered", "failed"] as const).map((value) => ({
            value,
            label: words.states[value],
          })),
        ]}
      />
      <div class="actions">
        <button type="submit" class="quiet">
          {text.show}
        </button>
      </div>
    </form>
    {items.length === 0 ? (
      <p class="empty">{words.none}</p>
    ) : (
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">{words.event}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.attempts}</th>
            <th scope="col">{words.last}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((delivery) => (
            <tr key={delivery.id}>
              <th scope="row">
                <a href={`${pathOf(webhook)}/deliveries/${delivery.id}`}>{delivery.type}</a>
                <small>
                  <Time at={delivery.createdAt} />
                </small>
              </th>
              <td data-label={words.state}>
                <DeliveryState {...delivery} />
              </td>
              <td data-label={words.attempts}>{delivery.attempts}</td>
              <td data-label={words.last}>
                <Outcome delivery={delivery} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    <Pages
      {...pagination}
      words={text.pages}
      hrefOf={(page) => `${pathOf(webhook)}?${new URLSearchParams({ ...query, page: String(page) })}`}
    />
  </section>
);

const Edit = ({ webhook, values }: Pick<WebhookView, "webhook" | "values">) => (
  <details class="panel" open={values?.has("url")}>
    <summary>{words.edit}</summary>
    <PostForm action={pathOf(webhook)} class="stacked">
      <WebhookControls
        url={values?.get("url") ?? webhook.url}
        selected={values?.has("url") ? values.getAll("eventTypes") : webhook.eventTypes}
        payload={values?.get("payload") ?? webhook.payload}
      />
      <button type="submit">{words.save}</button>
    </PostForm>
  </details>
);

const Replay = ({ webhook, values }: Pick<WebhookView, "webhook" | "values">) => (
  <details class="panel" open={values?.has("from")}>
    <summary>{words.replay}</summary>
    <PostForm action={`${pathOf(webhook)}/replay`} class="stacked">
      <p class="quiet">{words.replayHint(limits.webhook.lifetimeDays, limits.webhook.maxReplayedEvents)}</p>
      <Input
        name="from"
        type="datetime-local"
        label={words.from}
        value={values?.get("from") ?? ""}
        required
      />
      <Input name="to" type="datetime-local" label={words.to} value={values?.get("to") ?? ""} required />
      <button type="submit">{words.replaySubmit}</button>
    </PostForm>
  </details>
);

/** A button that asks once more. */
const Confirmed = ({
  action,
  label,
  confirm,
  hint,
}: Record<"action" | "label" | "confirm" | "hint", string>) => (
  <details class="confirm">
    <summary>{label}</summary>
    <PostForm action={action} class="stacked">
      <p class="quiet">{hint}</p>
      <button type="submit" class="danger small">
        {confirm}
      </button>
    </PostForm>
  </details>
);

const Acts = ({ webhook }: Pick<WebhookView, "webhook">) => (
  <div class="actions">
    <PostForm action={`${pathOf(webhook)}/test`}>
      <button type="submit" class="quiet">
        {words.test}
      </button>
    </PostForm>
    <PostForm action={`${pathOf(webhook)}/status`}>
      <button
        type="submit"
        class="quiet"
        name="status"
        value={webhook.status === "active" ? "paused" : "active"}
      >
        {words.acts[webhook.status]}
      </button>
    </PostForm>
    <Confirmed
      action={`${pathOf(webhook)}/rotate`}
      label={words.rotate}
      confirm={words.rotateConfirm}
      hint={words.rotateHint}
    />
    <Confirmed
      action={`${pathOf(webhook)}/delete`}
      label={words.delete}
      confirm={words.deleteConfirm}
      hint={words.deleteHint}
    />
  </div>
);

const Content = (view: WebhookView) => {
  const { webhook, message } = view;
  return (
    <>
      <p class="quiet">
        <a href={webhooksPath}>{text.webhooksTitle}</a>
      </p>
      <h1 dir="auto">{webhook.url}</h1>
      {message && <Notice kind="error">{message}</Notice>}
      {webhook.disabledReason && <Notice kind="error">{words.disabled[webhook.disabledReason]}</Notice>}
      <dl class="facts">
        <dt>{text.webhooks.status}</dt>
        <dd>
          <WebhookStatus {...webhook} />
        </dd>
        <dt>{text.webhooks.events}</dt>
        <dd>{webhook.eventTypes.map((type) => text.webhooks.eventTypes[type]).join(", ")}</dd>
        <dt>{text.webhooks.form}</dt>
        <dd>
          {webhook.formId ? (
            <a href={`/console/forms/${webhook.formId}`}>{words.itsForm}</a>
          ) : (
            text.webhooks.everyForm
          )}
        </dd>
        <dt>{text.webhooks.payload}</dt>
        <dd>{text.webhooks.payloads[webhook.payload]}</dd>
        {webhook.previousSecretEndsAt && webhook.previousSecretEndsAt > new Date() && (
          <>
            <dt>{words.previousSecret}</dt>
            <dd>
              <Time at={webhook.previousSecretEndsAt} />
            </dd>
          </>
        )}
      </dl>
      <Acts webhook={webhook} />
      <Edit {...view} />
      <Replay {...view} />
      <Deliveries {...view} />
    </>
  );
};

type AttemptList = (typeof WebhookAttempt.infer)[];

const DeliveryContent = ({
  webhook,
  delivery,
  attempts,
}: {
  webhook: WebhookEntry;
  delivery: Delivery;
  attempts: AttemptList;
}) => (
  <>
    <p class="quiet">
      <a href={pathOf(webhook)} dir="auto">
        {webhook.url}
      </a>
    </p>
    <div class="heading">
      <h1>{delivery.type}</h1>
      <PostForm action={`${pathOf(webhook)}/deliveries/${delivery.id}/replay`}>
        <button type="submit" class="quiet">
          {words.sendAgain}
        </button>
      </PostForm>
    </div>
    <p>
      <DeliveryState {...delivery} /> <Outcome delivery={delivery} />
    </p>
    <dl class="facts">
      <dt>{words.eventId}</dt>
      <dd>
        <code>{delivery.id}</code>
      </dd>
      <dt>{words.subject}</dt>
      <dd>
        {delivery.formId && delivery.type.startsWith("submission.") ? (
          <a href={`/console/forms/${delivery.formId}/submissions/${delivery.subjectId}`}>
            <code>{delivery.subjectId}</code>
          </a>
        ) : (
          <code>{delivery.subjectId}</code>
        )}
      </dd>
    </dl>
    <h2>{words.attempts}</h2>
    {attempts.length === 0 ? (
      <p class="empty">{words.notSent}</p>
    ) : (
      <ul class="rows">
        {attempts.map(({ attempt, startedAt, durationMs, responseStatus, error, responseStart }) => (
          <li key={attempt}>
            <div>
              <strong>{error ?? words.responded(responseStatus ?? 0)}</strong>
              <small>
                {words.attempt(attempt)} · <Time at={startedAt} /> · {words.took(durationMs)}
              </small>
              {responseStart && <Command lines={responseStart.split("\n")} />}
            </div>
          </li>
        ))}
      </ul>
    )}
  </>
);

/** A moment of a control `datetime-local`, in UTC. */
const utc = (value: string | null) => new Date(`${value}Z`);

export const webhookPages = (deps: Deps) => {
  const { sql } = deps;
  const path = `${webhooksPath}/:webhook_id`;

  /** The webhook, where the operator is an admin of its workspace. */
  const find = async ({ session, params }: View): Promise<WebhookEntry> => {
    const [webhook] = await sql<[WebhookEntry]>`
      select * from formd.webhooks where team_id = ${session.team} and id = ${idOf(params)}`;
    const own = session.workspaces.find(({ id }) => id === webhook?.workspaceId);
    if (!own || !mayAct(own.role, "webhook.changed", own))
      throw new Problem("not_found", "There is no such webhook.");
    return webhook;
  };
  const pageOf = async (view: View, retry?: { values: URLSearchParams; message: string }): Promise<Page> => {
    const webhook = await find(view);
    const query = filterQuery(view.query);
    const { page, state = null } = parseQuery(query, DeliveriesQuery);
    const rows = await sql<Paged<Delivery>[]>`
      select * from formd.webhook_delivery_list(
        p_team => ${view.session.team}, p_id => ${webhook.id}, p_state => ${state}, p_limit => ${pageSize},
        p_offset => ${(page - 1) * pageSize})`;
    const list = toPage(rows, { page, limit: pageSize });
    return {
      title: webhook.url,
      section: "webhooks",
      content: <Content webhook={webhook} {...list} query={query} {...retry} />,
    };
  };
  const run = ({ session, actor }: Act) => actingAs(sql, session.team, actor).run;
  const retried = (retry: Act & { message: string }) => pageOf(retry, retry);
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, (view) => pageOf(view)),
    )
    .post(
      path,
      act(
        deps,
        async (view) => {
          const entered = {
            ...Object.fromEntries(view.values),
            eventTypes: view.values.getAll("eventTypes"),
          };
          const request = assertShape(entered, WebhookForm, "bad_request");
          await run(view)((caller) => domain.patchQuery(deps, caller, idOf(view.params), request));
          return `${webhooksPath}/${idOf(view.params)}`;
        },
        retried,
      ),
    )
    .post(
      `${path}/status`,
      act(deps, async (view) => {
        const request = assertShape(Object.fromEntries(view.values), WebhookState, "bad_request");
        await run(view)((caller) => domain.patchQuery(deps, caller, idOf(view.params), request));
        return `${webhooksPath}/${idOf(view.params)}`;
      }),
    )
    .post(
      `${path}/test`,
      act(deps, async (view) => {
        const sent = await run(view)((caller) => deliveries.testQuery(deps, caller, idOf(view.params)));
        return `${webhooksPath}/${idOf(view.params)}/deliveries/${JSON.parse(sent ?? "").eventId}`;
      }),
    )
    .post(
      `${path}/rotate`,
      act(deps, async (view) =>
        webhookSecretPage(
          deps,
          await run(view)((caller) => domain.rotateSecretQuery(deps, caller, idOf(view.params))),
        ),
      ),
    )
    .post(
      `${path}/replay`,
      act(
        deps,
        async (view) => {
          const [from, to] = [utc(view.values.get("from")), utc(view.values.get("to"))];
          assertShape({ from, to }, ReplayForm, "bad_request");
          await run(view)((caller) => deliveries.replayQuery(deps, caller, idOf(view.params), { from, to }));
          return `${webhooksPath}/${idOf(view.params)}`;
        },
        retried,
      ),
    )
    .post(
      `${path}/delete`,
      act(deps, async (view) => {
        await run(view)((caller) => domain.deleteQuery(deps, caller, idOf(view.params)));
        return webhooksPath;
      }),
    )
    .get(
      `${path}/deliveries/:event_id`,
      show(deps, async (view) => {
        const webhook = await find(view);
        const event = uuidParam(view.params as { event_id: string }, "event_id");
        const { run } = actingAs(sql, view.session.team, {
          type: "operator",
          id: view.session.operator,
          requestId: null,
        });
        const found = await run((caller) => deliveries.deliveryQuery(deps, caller, webhook.id, event));
        if (found === null) throw new Problem("not_found", "There is no such delivery.");
        const { delivery, attempts } = JSON.parse(found) as { delivery: Delivery; attempts: AttemptList };
        return {
          title: delivery.type,
          section: "webhooks",
          content: <DeliveryContent {...{ webhook, delivery, attempts }} />,
        };
      }),
    )
    .post(
      `${path}/deliveries/:event_id/replay`,
      act(deps, async (view) => {
        const eventId = uuidParam(view.params as { event_id: string }, "event_id");
        await run(view)((caller) => deliveries.replayQuery(deps, caller, idOf(view.params), { eventId }));
        return `${webhooksPath}/${idOf(view.params)}/deliveries/${eventId}`;
      }),
    );
};
