/** One agent: name, state, secret, signing keys, and grants: which forms it may fill in, and how. */
import { type } from "arktype";
import type { Fragment } from "postgres";
import { algorithmOf } from "../../../platform/auth/public-key.ts";
import { makeSecret } from "../../../platform/auth/secret.ts";
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import { clientConfiguration } from "../../../platform/http/mcp-configuration.ts";
import { Name, Uuid, uuidParam } from "../../../platform/http/shapes.ts";
import { problemCodes } from "../../../problem.ts";
import * as agents from "../../../resources/agents/agents.ts";
import {
  type AgentDetails,
  type AgentEntry,
  type RefusedRequests,
  readAgentDetails,
} from "../../../resources/agents/read.ts";
import { removeQuery, upsertQuery } from "../../../resources/grants/grants.ts";
import { agentScopes } from "../../../resources/grants/shapes.ts";
import { addQuery, revokeSigningKeyQuery } from "../../../resources/signing-keys/keys.ts";
import { choicesOfNames, Submit } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, formatCount, Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import type { Flash } from "../frame/flash.ts";
import { checkbox, type DataOf, formOf, objectOf, sent, someOf, textInput } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext, type PostRules } from "../frame/handler.ts";
import { ActionButton, type ConsolePage, Facts, PostForm, useMay } from "../frame/layout.tsx";
import { FoldedForm } from "../frame/new-page.tsx";
import { secretPage } from "../frame/secret.tsx";
import { LinkLine, Section } from "../frame/section.tsx";
import { frameText } from "../frame/words.ts";
import { AgentStatus, maxItems, pathOfAgent } from "./agents.tsx";
import { automationText } from "./words.ts";

const words = automationText.agent;

interface AgentView extends AgentDetails {
  /** For an MCP client. */
  configuration: string;
}

const recentDays = 30;

async function readAgent(view: PageContext): Promise<AgentView> {
  const { sql, config } = view.deps;
  const found = await readAgentDetails(sql, view.session, idOf(view), { maxItems, recentDays });
  return { ...found, configuration: JSON.stringify(clientConfiguration(config), null, 2) };
}

const columns = (): Column<RefusedRequests>[] => [
  {
    head: words.refusedCode,
    isHeader: true,
    cell: ({ code }) => (
      <>
        <code>{code}</code>
        <small>{frameText.errors.sentence({ code, message: problemCodes[code]?.[1] })}</small>
      </>
    ),
  },
  { head: words.refusedTotal, class: "number", cell: ({ total }) => formatCount(total) },
  { head: words.refusedLast, cell: ({ lastAt }) => <Time at={lastAt} /> },
];

interface Editable extends AgentView {
  mayEdit: boolean;
}

const GrantList = ({ agent, grants, mayEdit }: Editable) => (
  <ul class="rows">
    {grants.map((grant) => (
      <li key={grant.id}>
        <div>
          <a href={`/console/forms/${grant.formId}`} dir="auto">
            {grant.formName}
          </a>
          <small>{grant.scopes.map((scope) => words.scopes[scope]).join(", ")}</small>
          {grant.respondentId && <small>{words.boundTo(grant.respondentId)}</small>}
          {grant.respondent && <small>{words.asserted}</small>}
          {grant.bindingRequired && <small>{words.bindingRequired}</small>}
        </div>
        {mayEdit && (
          <Confirm
            label={frameText.remove}
            accessibleLabel={words.removeGrantOf(grant.formName)}
            action={`${pathOfAgent(agent)}/grants/remove`}
            confirm={words.removeGrantConfirm}
            name="grant"
            value={grant.id}
          />
        )}
      </li>
    ))}
  </ul>
);

const grantForm = (forms: AgentDetails["forms"] = []) =>
  formOf({
    form: objectOf(choicesOfNames(forms), {
      label: words.grantForm,
      hint: forms.length === maxItems && words.newest(maxItems),
      none: words.chooseForm,
      required: true,
    }),
    scopes: someOf(
      {
        label: words.grantScopes,
        choices: agentScopes,
        labels: words.scopes,
        checked: agentScopes,
        hasValues: true,
      },
      words.noScope,
    ),
    respondent: textInput({
      label: frameText.respondentId,
      hint: words.respondentHint,
      required: false,
      shape: Uuid,
      wrong: frameText.entered.noId,
    }),
    bindingRequired: checkbox({ label: words.bindingRequired }),
    asserted: checkbox({ label: words.asserted, hint: words.assertedHint }),
  });

const NewGrant = ({ agent, forms }: Editable) => (
  <FoldedForm
    isPanel
    label={words.grant}
    action={`${pathOfAgent(agent)}/grants`}
    form={grantForm(forms)}
    submit={words.grantSubmit}
  />
);

const Grants = (props: Editable) => (
  <Section title={words.grants}>
    {props.grants.length > 0 ? <GrantList {...props} /> : <p class="quiet">{words.noGrants}</p>}
    {props.grants.length === maxItems && <p class="quiet">{words.newest(maxItems)}</p>}
    {props.mayEdit && <NewGrant {...props} />}
  </Section>
);

const grantQuery = (
  { deps, data }: FormPost<DataOf<ReturnType<typeof grantForm>>>,
  caller: SqlCaller,
  agent: string,
) =>
  upsertQuery(deps, caller, agent, {
    formId: data.form,
    scopes: data.scopes,
    respondentId: data.respondent,
    bindingRequired: data.bindingRequired,
    respondent: data.asserted ? "asserted" : null,
  });

const KeyList = ({ agent, keys, mayEdit }: Editable) => (
  <ul class="rows">
    {keys.map(({ keyId, alg, status, createdAt, expiresAt }) => (
      <li key={keyId}>
        <div>
          <code>{keyId}</code>
          <small>
            {alg === "es256" && `${words.keyOfOauth} · `}
            {frameText.added} <Time at={createdAt} />
            {expiresAt && (
              <>
                {" · "}
                {words.keyExpires} <Time at={expiresAt} />
              </>
            )}
          </small>
        </div>
        <span class={`badge ${status}`}>{automationText.agents.statuses[status]}</span>
        {mayEdit && status === "active" && (
          <Confirm
            label={frameText.revoke}
            accessibleLabel={words.revokeKeyOf(keyId)}
            action={`${pathOfAgent(agent)}/keys/revoke`}
            confirm={words.revokeKeyConfirm}
            name="key"
            value={keyId}
          />
        )}
      </li>
    ))}
  </ul>
);

const signingKeyForm = () =>
  formOf(
    {
      publicKeyPem: textInput({
        label: words.publicKey,
        hint: words.publicKeyHint,
        rows: 4,
        isVerbatim: true,
        required: true,
      }),
    },
    { about: { key_of_another_agent: "publicKeyPem", key_revoked: "publicKeyPem" } },
  );

const NewKey = ({ agent }: Editable) => (
  <FoldedForm
    isPanel
    label={words.newKey}
    action={`${pathOfAgent(agent)}/keys`}
    form={signingKeyForm()}
    submit={words.newKeySubmit}
  />
);

const Keys = (props: Editable) => (
  <Section title={words.keys}>
    {props.keys.length > 0 ? <KeyList {...props} /> : <p class="quiet">{words.noKeys}</p>}
    {props.mayEdit && <NewKey {...props} />}
  </Section>
);

const renameForm = (agent?: AgentEntry) =>
  formOf({
    name: textInput({ label: frameText.name, value: agent?.name, shape: Name, required: true }),
  });

const Actions = ({ agent }: Pick<AgentView, "agent">) => (
  <>
    <PostForm action={`${pathOfAgent(agent)}/rename`} form={renameForm(agent)} class="inline">
      <Submit class="quiet" label={frameText.rename} />
    </PostForm>
    <div class="actions">
      <ActionButton
        action={`${pathOfAgent(agent)}/status`}
        label={agent.status === "active" ? words.disable : words.enable}
        name="status"
        value={agent.status === "active" ? "disabled" : "active"}
      />
      <Confirm
        label={words.rotate}
        action={`${pathOfAgent(agent)}/rotate`}
        hint={words.rotateHint}
        confirm={words.rotateConfirm}
        choice={{ name: "endSessions", label: words.rotateEndSessions }}
        isHarmless
      />
      <Confirm
        label={frameText.revoke}
        action={`${pathOfAgent(agent)}/revoke`}
        hint={words.revokeHint}
        confirm={words.revokeConfirm}
      />
    </div>
  </>
);

const Agent = (view: AgentView) => {
  const { agent } = view;
  const mayEdit = useMay("agent.updated", agent.workspaceId) && agent.status !== "revoked";
  return (
    <>
      <LinkLine href="/console/agents" label={words.back} />
      <div class="heading">
        <h1 dir="auto">{agent.name}</h1>
        <AgentStatus {...agent} />
      </div>
      <Facts
        items={[
          [words.clientId, <code>{agent.clientId}</code>],
          [automationText.agents.secret, <code>{agent.secretPrefix}…</code>],
          [words.lastToken, agent.lastTokenAt ? <Time at={agent.lastTokenAt} /> : words.never],
        ]}
      />
      {mayEdit && <Actions agent={agent} />}
      <Grants {...view} mayEdit={mayEdit} />
      <Keys {...view} mayEdit={mayEdit} />
      <Section title={words.refusedRequests(recentDays)}>
        {view.refusedRequests.length === 0 ? (
          <p class="quiet">{words.noneRefused}</p>
        ) : (
          <Table columns={columns()} rows={view.refusedRequests} keyOf={({ code }) => code} />
        )}
      </Section>
      <Section title={words.connect}>
        <p>{words.connectHint}</p>
        <Command lines={view.configuration.split("\n")} />
      </Section>
    </>
  );
};

const idOf = ({ params }: PageContext) => uuidParam(params as { agent_id: string }, "agent_id");

const agentPage = async (view: PageContext): Promise<ConsolePage> => {
  const found = await readAgent(view);
  return { title: found.agent.name, section: "agents", content: <Agent {...found} /> };
};

/** A form post on the agent, which leads back to its page. */
const postOnAgent = <Data,>(
  rules: PostRules<Data>,
  toQuery: (post: FormPost<Data>, caller: SqlCaller, id: string) => Fragment,
  done: (data: Data, href: string) => Flash,
) =>
  onPost({ retry: agentPage, ...rules }, async (post) => {
    const id = idOf(post);
    await post.queries.run((caller) => toQuery(post, caller, id));
    const to = pathOfAgent({ id });
    return { to, ...done(post.data, to) };
  });

const stateForm = formOf({ status: sent(type("'active' | 'disabled'")) });
const rotateForm = formOf({ endSessions: sent(type("'true' | undefined")) });
const grantChoice = formOf({ grant: sent(Uuid) });
const keyChoice = formOf({ key: sent(type("string")) });

export const agentPages = {
  page: onGet(agentPage),
  rename: postOnAgent(
    { form: () => renameForm() },
    ({ deps, data }, caller, id) => agents.patchAgentQuery(deps, caller, id, data),
    () => ({ text: frameText.saved }),
  ),
  setStatus: postOnAgent(
    { form: stateForm },
    ({ deps, data }, caller, id) => agents.patchAgentQuery(deps, caller, id, data),
    ({ status }, href) => {
      const fields = { status: status === "active" ? "disabled" : "active" };
      const text = status === "active" ? words.done.enabled : words.done.disabled;
      return { text, undo: { action: `${href}/status`, fields } };
    },
  ),
  revoke: postOnAgent(
    {},
    ({ deps }, caller, id) => agents.revokeAgentQuery(deps, caller, id),
    () => ({ text: words.done.revoked }),
  ),
  rotate: onPost({ form: rotateForm, isRisky: true, passkey: "asked" }, async (post) => {
    const id = idOf(post);
    const secret = makeSecret("fda", post.session.team);
    const endSessions = post.data.endSessions === "true";
    await post.queries.run((caller) =>
      agents.rotateAgentSecretQuery(post.deps, caller, id, secret, { endSessions }),
    );
    return secretPage({
      title: automationText.agents.secretTitle,
      section: "agents",
      secret: secret.secret,
      href: pathOfAgent({ id }),
    });
  }),
  grant: postOnAgent({ form: () => grantForm(), passkey: "asked" }, grantQuery, () => ({
    text: words.done.granted,
  })),
  removeGrant: postOnAgent(
    { form: grantChoice },
    ({ deps, data }, caller, id) => removeQuery(deps, caller, id, data.grant),
    () => ({ text: words.done.grantRemoved }),
  ),
  addKey: postOnAgent(
    { form: signingKeyForm, isRisky: true, passkey: "asked" },
    ({ deps, data: { publicKeyPem } }, caller, id) =>
      addQuery(deps, caller, id, { publicKeyPem, alg: algorithmOf(publicKeyPem) }),
    () => ({ text: words.done.keyAdded }),
  ),
  revokeKey: postOnAgent(
    { form: keyChoice },
    ({ deps, data }, caller, id) => revokeSigningKeyQuery(deps, caller, id, data.key),
    () => ({ text: frameText.keyEnd.isRevoked }),
  ),
} satisfies Handlers;
