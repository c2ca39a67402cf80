/** The webhooks of a workspace, and a new one. */
import { Elysia } from "elysia";
import { actingAs } from "../auth/authenticate.ts";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { type Paged, parseQuery, toPage } from "../http/shapes.ts";
import { Checkbox, Input, Notice, Select } from "../pages/controls.tsx";
import { Command, Pages, Time } from "../pages/text.tsx";
import { eventTypes, type Webhook } from "../webhooks/shapes.ts";
import { createQuery, withSecrets } from "../webhooks/webhooks.ts";
import { act, show, type View } from "./handler.ts";
import { type Page, PostForm, refusedPage, useWorkspacesFor, workspacesFor } from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import type { Session } from "./session.ts";
import { NewWebhookForm, WorkspaceQuery } from "./shapes.ts";
import { text } from "./text.ts";
import { WorkspaceChoice } from "./workspace-choice.tsx";

const words = text.webhooks;
export const webhooksPath = "/console/webhooks";

/** Webhooks on a page of the list. */
const pageSize = 20;

/** Forms that a new webhook can be limited to. */
const maxForms = 200;

export type WebhookEntry = Omit<
  typeof Webhook.infer,
  "createdAt" | "updatedAt" | "failingSinceAt" | "previousSecretEndsAt"
> & {
  createdAt: Date;
  failingSinceAt: Date | null;
  previousSecretEndsAt: Date | null;
};

interface WebhookList {
  items: WebhookEntry[];
  pagination: { page: number; limit: number; total: number };
  workspace: string;
}

export const WebhookStatus = ({ status }: Pick<WebhookEntry, "status">) => (
  <span class={`badge ${status}`}>{words.statuses[status]}</span>
);

/** Where a new webhook sends, and what. */
export const WebhookControls = ({
  url,
  selected,
  payload,
}: {
  url: string;
  selected: string[];
  payload: string;
}) => (
  <>
    <Input name="url" type="url" label={words.url} hint={words.urlHint} value={url} required />
    <fieldset>
      <legend>{words.events}</legend>
      {eventTypes.map((type) => (
        <Checkbox
          key={type}
          name="eventTypes"
          value={type}
          label={words.eventTypes[type]}
          hint={<code>{type}</code>}
          checked={selected.includes(type)}
        />
      ))}
    </fieldset>
    <Select
      name="payload"
      label={words.payload}
      hint={words.payloadHint}
      value={payload}
      choices={(["thin", "full"] as const).map((value) => ({ value, label: words.payloads[value] }))}
    />
  </>
);

/** The workspaces whose webhooks the operator may see: a URL can hold a secret. */
const workspacesOf = (session: Session) => workspacesFor(session, "webhook.changed");

const List = ({ items, pagination, workspace }: WebhookList) => (
  <>
    <div class="heading">
      <h1>{text.webhooksTitle}</h1>
      <a class="button small" href={`${webhooksPath}/new?workspace=${workspace}`}>
        {words.create}
      </a>
    </div>
    <WorkspaceChoice
      action={webhooksPath}
      workspaces={useWorkspacesFor("webhook.changed")}
      chosen={workspace}
    />
    {items.length === 0 ? (
      <div class="empty">
        <p>{words.none}</p>
        <Command
          lines={[
            "curl -X POST $BASE_URL/papi/v1/management/webhooks -H 'x-api-key: …' \\",
            "  -H 'content-type: application/json' \\",
            '  -d \'{"url":"https://example.org/hook","eventTypes":["submission.created"]}\'',
          ]}
        />
      </div>
    ) : (
      <ul class="rows">
        {items.map((webhook) => (
          <li key={webhook.id}>
            <div>
              <a href={`${webhooksPath}/${webhook.id}`} dir="auto">
                {webhook.url}
              </a>
              <small>{webhook.eventTypes.map((type) => words.eventTypes[type]).join(", ")}</small>
              {webhook.failingSinceAt && (
                <small>
                  {words.failingSince} <Time at={webhook.failingSinceAt} />
                </small>
              )}
            </div>
            <WebhookStatus {...webhook} />
          </li>
        ))}
      </ul>
    )}
    <Pages
      {...pagination}
      words={text.pages}
      hrefOf={(page) => `${webhooksPath}?${new URLSearchParams({ workspace, page: String(page) })}`}
    />
  </>
);

interface NewWebhook {
  workspace: string;
  forms: { id: string; name: string }[];
  values: URLSearchParams;
  message?: string;
}

const NewForm = ({ workspace, forms, values, message }: NewWebhook) => (
  <>
    <h1>{words.create}</h1>
    {message && <Notice kind="error">{message}</Notice>}
    <PostForm action={`${webhooksPath}/new`} class="stacked">
      <input type="hidden" name="workspaceId" value={workspace} />
      <WebhookControls
        url={values.get("url") ?? ""}
        selected={values.has("url") ? values.getAll("eventTypes") : ["submission.created"]}
        payload={values.get("payload") ?? "thin"}
      />
      <Select
        name="formId"
        label={words.form}
        value={values.get("formId") ?? ""}
        choices={[
          { value: "", label: words.everyForm },
          ...forms.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <div class="actions">
        <button type="submit">{words.createSubmit}</button>
        <a href={webhooksPath}>{text.cancel}</a>
      </div>
    </PostForm>
  </>
);

const newWebhookPage = (props: NewWebhook): Page => ({
  title: words.create,
  section: "webhooks",
  content: <NewForm {...props} />,
});

/** The secret of a webhook and its public key. */
export const webhookSecretPage = async (deps: Deps, json: string | null): Promise<Page> => {
  const { webhook, secrets } = await withSecrets(deps, json);
  return secretPage({
    title: words.secretTitle,
    section: "webhooks",
    secret: secrets.secret,
    href: `${webhooksPath}/${webhook.id}`,
    children: (
      <section>
        <p>{words.publicKey}</p>
        <Command lines={[secrets.publicKey]} />
      </section>
    ),
  });
};

const adminsOnly = refusedPage("webhooks", words.adminsOnly);

export const webhooksPages = (deps: Deps) => {
  const { sql } = deps;
  const listOf = async ({ session, query }: View): Promise<Page> => {
    const { page, workspace } = parseQuery(query, WorkspaceQuery);
    const [own] = workspacesOf(session).filter(({ id }) => !workspace || id === workspace);
    if (!own) return adminsOnly;
    const rows = await sql<Paged<WebhookEntry>[]>`
      select * from formd.webhook_list(
        p_team => ${session.team}, p_workspace => ${own.id}, p_limit => ${pageSize}, p_offset => ${(page - 1) * pageSize})`;
    const list = toPage(rows, { page, limit: pageSize });
    return { title: text.webhooksTitle, section: "webhooks", content: <List {...list} workspace={own.id} /> };
  };
  const newPage = async (
    { session }: View,
    wanted: string | null,
    values: URLSearchParams,
    message?: string,
  ) => {
    const [own] = workspacesOf(session).filter(({ id }) => !wanted || id === wanted);
    if (!own) return adminsOnly;
    const forms = await sql<NewWebhook["forms"]>`
      select id, name from formd.forms
      where team_id = ${session.team} and workspace_id = ${own.id} and status <> 'archived' order by id desc limit ${maxForms}`;
    return newWebhookPage({ workspace: own.id, forms, values, ...(message && { message }) });
  };
  return new Elysia({ name: webhooksPath })
    .get(webhooksPath, show(deps, listOf))
    .get(
      `${webhooksPath}/new`,
      show(deps, (view) => newPage(view, view.query.workspace ?? null, new URLSearchParams())),
    )
    .post(
      `${webhooksPath}/new`,
      act(
        deps,
        async ({ session, values, actor }) => {
          const { formId, ...given } = assertShape(
            { ...Object.fromEntries(values), eventTypes: values.getAll("eventTypes") },
            NewWebhookForm,
            "bad_request",
          );
          const request = formId ? { ...given, formId } : given;
          const { run } = actingAs(sql, session.team, actor);
          return await webhookSecretPage(deps, await run((caller) => createQuery(deps, caller, request)));
        },
        (retry) => newPage(retry, retry.values.get("workspaceId"), retry.values, retry.message),
      ),
    );
};
