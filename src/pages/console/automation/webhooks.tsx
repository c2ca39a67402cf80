/** The webhooks of a workspace, and a new one. */
import { say } from "../../../messages.ts";
import type { Deps } from "../../../platform/deps.ts";
import { readRows } from "../../../platform/http/list.ts";
import { parseQuery, Uuid, uuidParam } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import {
  formsOfWorkspaces,
  newestForms,
  type OwnForm,
  requireForm,
} from "../../../resources/forms/form-view.ts";
import { mayAct } from "../../../resources/operators/roles.ts";
import { eventTypes } from "../../../resources/webhooks/shapes.ts";
import * as resource from "../../../resources/webhooks/webhooks.ts";
import { choicesOfNames } from "../../ui/controls.tsx";
import { Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { formOf, oneOf, optionalObjectOf, sent, someOf, textInput } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { refusedPage, sectionPage, useSession, workspacesFor } from "../frame/layout.tsx";
import { Empty, type Listed, ListPage, WorkspaceChoice, WorkspaceQuery } from "../frame/list-page.tsx";
import { newItemPage, secretPage, Usage } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { automationText } from "./words.ts";

const words = automationText.webhooks;
export const webhooksPath = "/console/webhooks";

const pageSize = 20;

export const pathOfWebhook = ({ id }: Pick<resource.WebhookEntry, "id">) => `${webhooksPath}/${id}`;

export const webhookId = ({ params }: Pick<PageContext, "params">) =>
  uuidParam(params as { webhook_id: string }, "webhook_id");

/**
 * Returns the webhook, if the operator is an admin of its workspace.
 * @throws {Problem} `bad_request`, `not_found`.
 */
export async function requireWebhook(view: PageContext): Promise<resource.WebhookEntry> {
  const { deps, session } = view;
  const webhook = await resource.readWebhook(deps.sql, session.team, webhookId(view));
  const own = session.workspaces.find(({ id }) => id === webhook?.workspaceId);
  if (!webhook || !own || !mayAct(own.role, "webhook.changed", own))
    throw new Problem("not_found", say("webhook_missing"));
  return webhook;
}

export const WebhookStatus = ({ status, failingSinceAt }: resource.WebhookEntry) => {
  const state = status === "active" && failingSinceAt ? "failing" : status;
  return <span class={`badge ${state}`}>{words.statuses[state]}</span>;
};

/** Controls of a webhook: its address, its events, and their payload. */
export const webhookControls = ({
  url,
  eventTypes: checked,
  payload,
}: Partial<Pick<resource.WebhookEntry, "url" | "eventTypes" | "payload">> = {}) => ({
  url: textInput({ type: "url", label: words.url, hint: words.urlHint, value: url, required: true }),
  eventTypes: someOf(
    {
      label: words.events,
      choices: eventTypes,
      labels: words.eventTypes,
      checked: checked ?? [],
      hasValues: true,
    },
    words.noEvent,
  ),
  payload: oneOf(words.payloads, { label: words.payload, hint: words.payloadHint, value: payload }),
});

export const aboutUrl = {
  about: {
    url_not_https: "url",
    url_too_long: "url",
    url_with_fragment: "url",
    url_with_user: "url",
    address_https_only: "url",
    address_not_public: "url",
  },
} as const;

/** The workspaces whose webhooks the operator may see: a URL can hold a secret. */
const workspacesOf = (session: Session) => workspacesFor(session, "webhook.changed");

interface WebhooksProps extends Pick<Listed<resource.WebhookEntry>, "items"> {
  workspace: string;
  pagination?: Listed<unknown>["pagination"];
  /** The list has only webhooks that receive its events. */
  form?: OwnForm;
}

const Webhooks = ({ workspace, form, ...list }: WebhooksProps) => {
  const chosen = new URLSearchParams({ workspace, ...(form && { formId: form.id }) });
  const create = { href: `${webhooksPath}/new?${chosen}`, label: words.create };
  const lines = [
    "curl -X POST $BASE_URL/papi/v1/management/webhooks -H 'x-api-key: …' \\",
    "  -H 'content-type: application/json' \\",
    '  -d \'{"url":"https://example.org/hook","eventTypes":["submission.created"]}\'',
  ];
  return (
    <ListPage
      {...list}
      title={frameText.sections.webhooks}
      create={create}
      intro={
        form ? (
          <p class="quiet" dir="auto">
            {list.items.length > 0 && words.ofForm(form.name)}{" "}
            <a href={`${webhooksPath}?workspace=${workspace}`}>{words.showAll}</a>
          </p>
        ) : (
          <WorkspaceChoice
            action={webhooksPath}
            workspaces={workspacesFor(useSession(), "webhook.changed")}
            chosen={workspace}
          />
        )
      }
      path={webhooksPath}
      query={{ workspace }}
      none={<Empty message={form ? words.noneOfForm(form.name) : words.none} action={create} lines={lines} />}
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

const newWebhook = (forms: { id: string; name: string }[] = [], value?: Wanted) =>
  formOf(
    {
      workspaceId: sent(Uuid),
      ...webhookControls({ url: "", eventTypes: ["submission.created"], payload: "thin" }),
      formId: optionalObjectOf(choicesOfNames(forms), {
        label: frameText.form,
        none: words.everyForm,
        value: value ?? "",
      }),
    },
    aboutUrl,
  );

export const webhookSecretPage = async (deps: Deps, json: string | null) => {
  const { webhook, secrets } = await resource.withSecrets(deps, json);
  return secretPage({
    title: words.secretTitle,
    section: "webhooks",
    secret: secrets.secret,
    href: `${webhooksPath}/${webhook.id}`,
    children: <Usage hint={words.publicKey} lines={[secrets.publicKey]} />,
  });
};

const adminsOnly = () => refusedPage("webhooks", words.adminsOnly);

const WebhookQuery = WorkspaceQuery.and({ "formId?": Uuid });

/** The webhooks that receive the events of a form. */
const listOfForm = async ({ deps: { sql }, session }: PageContext, id: string) => {
  const form = await requireForm(sql, session, id);
  const { workspaceId: workspace } = form;
  if (!workspacesOf(session).some((own) => own.id === workspace)) return adminsOnly();
  const items = await resource.webhooksOfForm(sql, form);
  return sectionPage("webhooks", <Webhooks items={items} workspace={workspace} form={form} />);
};

const listOf = async (view: PageContext) => {
  const { deps, session, query } = view;
  const { page, workspace, formId } = parseQuery(query, WebhookQuery);
  if (formId) return await listOfForm(view, formId);
  const [own] = workspacesOf(session).filter(({ id }) => !workspace || id === workspace);
  if (!own) return adminsOnly();
  const asked = resource.webhookList(deps, session, own.id, { page, limit: pageSize });
  const list = await readRows<resource.WebhookEntry>(deps.sql, asked);
  return sectionPage("webhooks", <Webhooks {...list} workspace={own.id} />);
};

type Wanted = string | null | undefined;

/** The newest forms of a workspace, and the chosen one, also if it is archived or older. */
async function formsWith(formId: Wanted, { deps: { sql }, session: { team } }: PageContext, id: string) {
  const forms: { id: string; name: string }[] = await newestForms(sql, team, id);
  if (!Uuid.allows(formId) || forms.some((form) => form.id === formId)) return forms;
  return [...(await formsOfWorkspaces(sql, { team, workspaces: [{ id }] }, [formId], 1)), ...forms];
}

const newPage = async (view: PageContext, wanted: Wanted, formId: Wanted) => {
  const [own] = workspacesOf(view.session).filter(({ id }) => !wanted || id === wanted);
  if (!own) return adminsOnly();
  const forms = await formsWith(formId, view, own.id);
  return newItemPage("webhooks", {
    ...{ title: words.create, submit: words.createSubmit, cancel: webhooksPath },
    action: `${webhooksPath}/new`,
    form: newWebhook(forms, formId),
    fields: { workspaceId: own.id },
  });
};

/** The host that a post names. */
export const hostIn = (values: URLSearchParams): string => URL.parse(values.get("url") ?? "")?.host ?? "";

export const webhooksPages = {
  list: onGet(listOf),
  newPage: onGet((view) => newPage(view, view.query.workspace, view.query.formId)),
  create: onPost(
    {
      act: "webhook.created",
      nameOf: ({ values }) => hostIn(values),
      form: () => newWebhook(),
      retry: (post) => newPage(post, post.values.get("workspaceId"), post.values.get("formId")),
    },
    async ({ deps, data: { formId, ...given }, queries }) => {
      const request = formId ? { ...given, formId } : given;
      return await webhookSecretPage(
        deps,
        await queries.run((caller) => resource.createWebhookQuery(deps, caller, request)),
      );
    },
  ),
} satisfies Handlers;
