/** One webhook: what it sends where, and its deliveries. */
import { limits } from "../../limits.ts";
import { queriesFor } from "../../platform/auth/authenticate.ts";
import type { Deps } from "../../platform/deps.ts";
import { assertShape } from "../../platform/http/body.ts";
import { readRows } from "../../platform/http/list.ts";
import { parseQuery } from "../../platform/http/shapes.ts";
import { deliveryList, replayQuery, testQuery } from "../../resources/webhooks/webhook-deliveries.ts";
import * as domain from "../../resources/webhooks/webhooks.ts";
import { Input, Notice } from "../ui/controls.tsx";
import { Time } from "../ui/text.tsx";
import { Confirm } from "./confirm.tsx";
import { type FormPost, filterQuery, onGet, onPost, type View } from "./handler.ts";
import { type Page, PostForm } from "./layout.tsx";
import { DeliveriesQuery, ReplayForm, WebhookForm, WebhookState } from "./shapes.ts";
import { text } from "./text.ts";
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

const words = text.webhook;

interface WebhookView extends DeliveryList {
  values?: URLSearchParams;
  message?: string;
}

const Edit = ({ webhook, values }: Pick<WebhookView, "webhook" | "values">) => (
  <details class="panel" open={values?.has("url")}>
    <summary>{words.edit}</summary>
    <PostForm action={pathOfWebhook(webhook)} class="stacked">
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
    <PostForm action={`${pathOfWebhook(webhook)}/replay`} class="stacked">
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

const Actions = ({ webhook }: Pick<WebhookView, "webhook">) => (
  <div class="actions">
    <PostForm action={`${pathOfWebhook(webhook)}/test`}>
      <button type="submit" class="quiet">
        {words.test}
      </button>
    </PostForm>
    <PostForm action={`${pathOfWebhook(webhook)}/status`}>
      <button
        type="submit"
        class="quiet"
        name="status"
        value={webhook.status === "active" ? "paused" : "active"}
      >
        {words.acts[webhook.status]}
      </button>
    </PostForm>
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
      <Actions webhook={webhook} />
      <Edit {...view} />
      <Replay {...view} />
      <Deliveries {...view} />
    </>
  );
};

/** A moment of a control `datetime-local`, in UTC. */
const utc = (value: string | null) => new Date(`${value}Z`);

export const webhookPages = (deps: Deps) => {
  const { sql } = deps;

  const pageOf = async (view: View, retry?: { values: URLSearchParams; message: string }): Promise<Page> => {
    const webhook = await requireWebhook(deps, view);
    const query = filterQuery(view.query);
    const { page, state = null } = parseQuery(query, DeliveriesQuery);
    const list = await readRows<Delivery>(
      sql,
      deliveryList(deps, view.session, webhook.id, { state, page, limit: deliveriesPerPage }),
    );
    return {
      title: webhook.url,
      section: "webhooks",
      content: <Content webhook={webhook} {...list} query={query} {...retry} />,
    };
  };
  const run = ({ session, actor }: FormPost) => queriesFor(sql, session.team, actor).run;
  const retried = (retry: FormPost & { message: string }) => pageOf(retry, retry);
  return {
    read: onGet(deps, (view) => pageOf(view)),
    update: onPost(
      deps,
      async (view) => {
        const entered = {
          ...Object.fromEntries(view.values),
          eventTypes: view.values.getAll("eventTypes"),
        };
        const request = assertShape(entered, WebhookForm, "bad_request");
        await run(view)((caller) => domain.patchQuery(deps, caller, webhookId(view), request));
        return { to: `${webhooksPath}/${webhookId(view)}`, text: text.saved };
      },
      retried,
    ),
    setStatus: onPost(deps, async (view) => {
      const request = assertShape(Object.fromEntries(view.values), WebhookState, "bad_request");
      await run(view)((caller) => domain.patchQuery(deps, caller, webhookId(view), request));
      const to = `${webhooksPath}/${webhookId(view)}`;
      const fields = { status: request.status === "active" ? "paused" : "active" };
      return { to, text: words.done[request.status], undo: { action: `${to}/status`, fields } };
    }),
    test: onPost(deps, async (view) => {
      const sent = await run(view)((caller) => testQuery(deps, caller, webhookId(view)));
      const to = `${webhooksPath}/${webhookId(view)}/deliveries/${JSON.parse(sent ?? "").eventId}`;
      return { to, text: words.done.tested };
    }),
    rotateSecret: onPost(
      deps,
      async (view) =>
        webhookSecretPage(
          deps,
          await run(view)((caller) => domain.rotateSecretQuery(deps, caller, webhookId(view))),
        ),
      undefined,
      { isRisky: true },
    ),
    replay: onPost(
      deps,
      async (view) => {
        const [from, to] = [utc(view.values.get("from")), utc(view.values.get("to"))];
        assertShape({ from, to }, ReplayForm, "bad_request");
        await run(view)((caller) => replayQuery(deps, caller, webhookId(view), { from, to }));
        return { to: `${webhooksPath}/${webhookId(view)}`, text: words.done.sentAgain };
      },
      retried,
    ),
    remove: onPost(deps, async (view) => {
      await run(view)((caller) => domain.deleteQuery(deps, caller, webhookId(view)));
      return { to: webhooksPath, text: words.done.deleted };
    }),
  };
};
