/** The webhooks of a workspace, and a new one. */
import { say } from "../../../messages.ts";
import type { Deps } from "../../../platform/deps.ts";
import { readRows } from "../../../platform/http/list.ts";
import { parseQuery, uuidParam } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import { mayAct } from "../../../resources/operators/roles.ts";
import { eventTypes, type Webhook } from "../../../resources/webhooks/shapes.ts";
import { createWebhookQuery, webhookList, withSecrets } from "../../../resources/webhooks/webhooks.ts";
import { Checkboxes, choicesOfNames, Input, Select } from "../../ui/controls.tsx";
import { Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost, parseValues, type View } from "../frame/handler.ts";
import { type ConsolePage, refusedPage, useWorkspacesFor, workspacesFor } from "../frame/layout.tsx";
import { Empty, type Listed, ListPage } from "../frame/list-page.tsx";
import { NewPage } from "../frame/new-page.tsx";
import { secretPage, Usage } from "../frame/secret.tsx";
import type { Session } from "../frame/session.ts";
import { NewWebhookForm, type WebhookForm, WorkspaceQuery } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { WorkspaceChoice } from "../frame/workspace-choice.tsx";
import { automationText } from "./words.ts";

const words = automationText.webhooks;
export const webhooksPath = "/console/webhooks";

const pageSize = 20;

const maxForms = 200;

export type WebhookEntry = Omit<
  typeof Webhook.infer,
  "createdAt" | "updatedAt" | "failingSinceAt" | "previousSecretEndsAt"
> & {
  createdAt: Date;
  failingSinceAt: Date | null;
  previousSecretEndsAt: Date | null;
};

export const pathOfWebhook = ({ id }: Pick<WebhookEntry, "id">) => `${webhooksPath}/${id}`;

export const webhookId = ({ params }: Pick<View, "params">) =>
  uuidParam(params as { webhook_id: string }, "webhook_id");

/**
 * The webhook, where the operator is an admin of its workspace.
 * @throws {Problem} `bad_request`, `not_found`.
 */
export async function requireWebhook(view: View): Promise<WebhookEntry> {
  const { deps, session } = view;
  const [webhook] = await deps.sql<[WebhookEntry]>`
    select * from formd.webhooks where team_id = ${session.team} and id = ${webhookId(view)}`;
  const own = session.workspaces.find(({ id }) => id === webhook?.workspaceId);
  if (!own || !mayAct(own.role, "webhook.changed", own))
    throw new Problem("not_found", say("webhook_missing"));
  return webhook;
}

export const WebhookStatus = ({ status, failingSinceAt }: WebhookEntry) => {
  const state = status === "active" && failingSinceAt ? "failing" : status;
  return <span class={`badge ${state}`}>{words.statuses[state]}</span>;
};

/** Where a new webhook sends, and what. */
export const WebhookControls = ({ url, eventTypes: checked, payload }: typeof WebhookForm.infer) => (
  <>
    <Input name="url" type="url" label={words.url} hint={words.urlHint} value={url} required />
    <Checkboxes
      name="eventTypes"
      label={words.events}
      choices={eventTypes}
      labels={words.eventTypes}
      checked={checked}
      hasValues
    />
    <Select
      name="payload"
      label={words.payload}
      hint={words.payloadHint}
      value={payload}
      choices={words.payloads}
    />
  </>
);

/** The workspaces whose webhooks the operator may see: a URL can hold a secret. */
const workspacesOf = (session: Session) => workspacesFor(session, "webhook.changed");

const Webhooks = ({ workspace, ...list }: Listed<WebhookEntry> & { workspace: string }) => {
  const create = { href: `${webhooksPath}/new?workspace=${workspace}`, label: words.create };
  const lines = [
    "curl -X POST $BASE_URL/papi/v1/management/webhooks -H 'x-api-key: …' \\",
    "  -H 'content-type: application/json' \\",
    '  -d \'{"url":"https://example.org/hook","eventTypes":["submission.created"]}\'',
  ];
  return (
    <ListPage
      {...list}
      title={frameText.webhooksTitle}
      create={create}
      intro={
        <WorkspaceChoice
          action={webhooksPath}
          workspaces={useWorkspacesFor("webhook.changed")}
          chosen={workspace}
        />
      }
      path={webhooksPath}
      query={{ workspace }}
      none={<Empty message={words.none} action={create} lines={lines} />}
    >
      <ul class="rows">
        {list.items.map((webhook) => (
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
    </ListPage>
  );
};

interface NewWebhook {
  workspace: string;
  forms: { id: string; name: string }[];
}

const NewForm = ({ workspace, forms }: NewWebhook) => (
  <NewPage
    title={words.create}
    action={`${webhooksPath}/new`}
    submit={words.createSubmit}
    cancel={webhooksPath}
  >
    <input type="hidden" name="workspaceId" value={workspace} />
    <WebhookControls url="" eventTypes={["submission.created"]} payload="thin" />
    <Select name="formId" label={words.form} none={words.everyForm} choices={choicesOfNames(forms)} />
  </NewPage>
);

/** The secret of a webhook and its public key. */
export const webhookSecretPage = async (deps: Deps, json: string | null): Promise<ConsolePage> => {
  const { webhook, secrets } = await withSecrets(deps, json);
  return secretPage({
    title: words.secretTitle,
    section: "webhooks",
    secret: secrets.secret,
    href: `${webhooksPath}/${webhook.id}`,
    children: <Usage hint={words.publicKey} lines={[secrets.publicKey]} />,
  });
};

const adminsOnly = () => refusedPage("webhooks", words.adminsOnly);

const listOf = async ({ deps, session, query }: View): Promise<ConsolePage> => {
  const { page, workspace } = parseQuery(query, WorkspaceQuery);
  const [own] = workspacesOf(session).filter(({ id }) => !workspace || id === workspace);
  if (!own) return adminsOnly();
  const asked = webhookList(deps, session, own.id, { page, limit: pageSize });
  const list = await readRows<WebhookEntry>(deps.sql, asked);
  const content = <Webhooks {...list} workspace={own.id} />;
  return { title: frameText.webhooksTitle, section: "webhooks", content };
};

const newPage = async ({ deps, session }: View, wanted: string | null | undefined): Promise<ConsolePage> => {
  const [own] = workspacesOf(session).filter(({ id }) => !wanted || id === wanted);
  if (!own) return adminsOnly();
  const forms = await deps.sql<NewWebhook["forms"]>`
    select id, name from formd.forms
    where team_id = ${session.team} and workspace_id = ${own.id} and status <> 'archived' order by id desc limit ${maxForms}`;
  const content = <NewForm workspace={own.id} forms={forms} />;
  return { title: words.create, section: "webhooks", content };
};

export const webhooksPages = {
  list: onGet(listOf),
  newPage: onGet((view) => newPage(view, view.query.workspace)),
  create: onPost(
    { retry: (retry) => newPage(retry, retry.values.get("workspaceId")), isRisky: true },
    async ({ deps, values, queries }) => {
      const { formId, ...given } = parseValues(values, NewWebhookForm, ["eventTypes"]);
      const request = formId ? { ...given, formId } : given;
      return await webhookSecretPage(
        deps,
        await queries.run((caller) => createWebhookQuery(deps, caller, request)),
      );
    },
  ),
} satisfies Handlers;
