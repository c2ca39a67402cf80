/** One agent: name, state, secret, signing keys, and grants: which forms it may fill in, and how. */
import { type } from "arktype";
import { algorithmOf } from "../../../platform/auth/public-key.ts";
import { makeSecret } from "../../../platform/auth/secret.ts";
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import type { Deps } from "../../../platform/deps.ts";
import { clientConfiguration } from "../../../platform/http/mcp-configuration.ts";
import { Name, Uuid, uuidParam } from "../../../platform/http/shapes.ts";
import { problemCodes } from "../../../problem.ts";
import * as agents from "../../../resources/agents/agents.ts";
import type { AgentDetails, AgentEntry, RefusedRequests } from "../../../resources/agents/read.ts";
import { readAgentDetails } from "../../../resources/agents/read.ts";
import { removeQuery, upsertQuery } from "../../../resources/grants/grants.ts";
import { agentScopes } from "../../../resources/grants/shapes.ts";
import type { Act } from "../../../resources/operators/proofs.ts";
import { addQuery, revokeSigningKeyQuery } from "../../../resources/signing-keys/keys.ts";
import { choicesOfNames, Submit } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, formatCount, Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { checkbox, type DataOf, formOf, objectOf, sent, someOf, textInput } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, type ConsolePage, Facts, PostForm, useMay } from "../frame/layout.tsx";
import { Confirm, FoldedForm, LinkLine, Section, secretPage } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { AgentStatus, maxItems, pathOfAgent } from "./agents.tsx";
import { postsOn } from "./item-post.ts";
import { automationText } from "./words.ts";

const words = automationText.agent;

interface AgentView extends AgentDetails {
  /** For an MCP client. */
  configuration: string;
}

const recentDays = 30;

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
  formOf(
    {
      form: objectOf(choicesOfNames(forms), {
        label: frameText.form,
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
    },
    { about: { respondent_named_twice: "respondent" } },
  );

const Grants = (props: Editable) => {
  const { agent, grants, forms, mayEdit } = props;
  return (
    <Section title={words.grants}>
      {grants.length > 0 ? <GrantList {...props} /> : <p class="quiet">{words.noGrants}</p>}
      {grants.length === maxItems && <p class="quiet">{words.newest(maxItems)}</p>}
      {mayEdit && (
        <FoldedForm
          isPanel
          label={words.grant}
          action={`${pathOfAgent(agent)}/grants`}
          form={grantForm(forms)}
          submit={words.grantSubmit}
        />
      )}
    </Section>
  );
};

const grantQuery = (
  deps: Deps,
  caller: SqlCaller,
  agent: string,
  { form, respondent, asserted, ...given }: DataOf<ReturnType<typeof grantForm>>,
) =>
  upsertQuery(deps, caller, agent, {
    ...given,
    formId: form,
    respondentId: respondent,
    respondent: asserted ? "asserted" : null,
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
    {
      about: {
        key_of_another_agent: "publicKeyPem",
        key_revoked: "publicKeyPem",
        public_key_invalid: "publicKeyPem",
      },
    },
  );

const Keys = (props: Editable) => (
  <Section title={words.keys}>
    {props.keys.length > 0 ? <KeyList {...props} /> : <p class="quiet">{words.noKeys}</p>}
    {props.mayEdit && (
      <FoldedForm
        isPanel
        label={words.newKey}
        action={`${pathOfAgent(props.agent)}/keys`}
        form={signingKeyForm()}
        submit={words.newKeySubmit}
      />
    )}
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
  const { sql, config } = view.deps;
  const found = await readAgentDetails(sql, view.session, idOf(view), { maxItems, recentDays });
  const configuration = JSON.stringify(clientConfiguration(config), null, 2);
  const content = <Agent {...found} configuration={configuration} />;
  return { title: found.agent.name, section: "agents", content };
};

const postOnAgent = postsOn(idOf, pathOfAgent, { retry: agentPage });

const nameOf = async (view: FormPost) =>
  (await readAgentDetails(view.deps.sql, view.session, idOf(view), { maxItems: 1, recentDays: 1 })).agent
    .name;

/** The act of a post of the form for a grant. */
const grantAct = ({ values }: FormPost): Act =>
  values.getAll("scopes").includes("agent:submit") || values.get("respondent")
    ? "grant.submitting"
    : "grant.changed";

const stateForm = formOf({ status: sent(type("'active' | 'disabled'")) });
const rotateForm = formOf({ endSessions: sent(type("'true' | undefined")) });

export const agentPages = {
  page: onGet(agentPage),
  rename: postOnAgent({ act: "agent.updated", form: () => renameForm() }, agents.patchAgentQuery, () => ({
    text: frameText.saved,
  })),
  setStatus: postOnAgent(
    { act: "agent.updated", form: stateForm },
    agents.patchAgentQuery,
    ({ status }, href) => {
      const fields = { status: status === "active" ? "disabled" : "active" };
      return { text: words.done[status], undo: { action: `${href}/status`, fields } };
    },
  ),
  revoke: postOnAgent({ act: "agent.revoked" }, agents.revokeAgentQuery, () => ({
    text: words.done.revoked,
  })),
  rotate: onPost({ act: "agent.secret_rotated", nameOf, form: rotateForm }, async (post) => {
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
  grant: postOnAgent({ act: grantAct, nameOf, form: () => grantForm() }, grantQuery, () => ({
    text: words.done.granted,
  })),
  removeGrant: postOnAgent(
    { act: "grant.deleted", form: formOf({ grant: sent(Uuid) }) },
    (deps, caller, id, { grant }) => removeQuery(deps, caller, id, grant),
    () => ({ text: words.done.grantRemoved }),
  ),
  addKey: postOnAgent(
    { act: "signing_key.registered", nameOf, form: signingKeyForm },
    (deps, caller, id, { publicKeyPem }) =>
      addQuery(deps, caller, id, { publicKeyPem, alg: algorithmOf(publicKeyPem) }),
    () => ({ text: words.done.keyAdded }),
  ),
  revokeKey: postOnAgent(
    { act: "signing_key.revoked", form: formOf({ key: sent(type("string")) }) },
    (deps, caller, id, { key }) => revokeSigningKeyQuery(deps, caller, id, key),
    () => ({ text: frameText.keyEnd.isRevoked }),
  ),
} satisfies Handlers;
