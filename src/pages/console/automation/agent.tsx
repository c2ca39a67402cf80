/** One agent: name, state, secret, grants and signing keys. */
import { type } from "arktype";
import type { Fragment } from "postgres";
import { algorithmOf } from "../../../platform/auth/public-key.ts";
import { makeSecret } from "../../../platform/auth/secret.ts";
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import { clientConfiguration } from "../../../platform/http/mcp-configuration.ts";
import { Name, Uuid, uuidParam } from "../../../platform/http/shapes.ts";
import { type ProblemCode, problemCodes } from "../../../problem.ts";
import * as agents from "../../../resources/agents/agents.ts";
import { removeQuery } from "../../../resources/grants/grants.ts";
import { addQuery, revokeSigningKeyQuery } from "../../../resources/signing-keys/keys.ts";
import { Submit } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, formatCount, Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { formOf, sent, textInput } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PostRules, type View } from "../frame/handler.ts";
import { Act, type ConsolePage, Facts, PostForm, useMay } from "../frame/layout.tsx";
import type { ActReport } from "../frame/notices.ts";
import { LinkLine, Section } from "../frame/parts.tsx";
import { secretPage } from "../frame/secret.tsx";
import { frameText } from "../frame/words.ts";
import { type GrantEntry, Grants, grantForm, grantQuery } from "./agent-grants.tsx";
import { type KeyEntry, Keys, signingKeyForm } from "./agent-keys.tsx";
import { type AgentEntry, AgentStatus, maxItems, pathOfAgent } from "./agents.tsx";
import { automationText } from "./words.ts";

const words = automationText.agent;

interface RefusedRequests {
  code: ProblemCode;
  total: number;
  lastAt: Date;
}

interface AgentView {
  agent: AgentEntry & { lastTokenAt: Date | null };
  grants: GrantEntry[];
  keys: KeyEntry[];
  /** Those of the last days, the most frequent code first. */
  refusedRequests: RefusedRequests[];
  /** Forms of the agent's workspace that it has no grant on. */
  forms: { id: string; name: string }[];
  /** For an MCP client. */
  configuration: string;
}

const recentDays = 30;
const dayMs = 86_400_000;

async function readAgent(view: View): Promise<AgentView> {
  const { sql, config } = view.deps;
  const { team, operator } = view.session;
  const id = idOf(view);
  const [agent] = await sql<[AgentView["agent"]]>`
    select a.*, (
      select s.created_at from formd.sessions s
      where s.team_id = ${team} and s.agent_id = ${id} order by s.expires_at desc limit 1) as last_token_at
    from formd.agent_get(p_team => ${team}, p_operator => ${operator}, p_agent => ${id}) a`;
  const [lists] = await sql<[Pick<AgentView, "grants" | "keys" | "refusedRequests" | "forms">]>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'formId', g.form_id, 'formName', f.name, 'scopes', g.scopes,
         'respondentId', g.respondent_id, 'bindingRequired', g.binding_required, 'respondent', g.respondent) order by g.id desc), '[]')
       from (select * from formd.grants h where h.team_id = ${team} and h.agent_id = ${id} order by h.id desc limit ${maxItems}) g
       join formd.forms f on f.team_id = g.team_id and f.id = g.form_id) as grants,
      (select coalesce(jsonb_agg(jsonb_build_object('keyId', k.key_id, 'alg', k.alg, 'status', k.status, 'createdAt', k.created_at,
         'expiresAt', k.expires_at) order by k.id desc), '[]')
       from (select * from formd.signing_keys j where j.team_id = ${team} and j.agent_id = ${id} order by j.id desc limit ${maxItems}) k) as keys,
      (select coalesce(jsonb_agg(jsonb_build_object('code', r.outcome, 'total', r.total, 'lastAt', r.last_at) order by r.total desc, r.outcome), '[]')
       from (
         select d.outcome, sum(d.total) as total, max(d.last_at) as last_at from formd.agent_days d
         where d.team_id = ${team} and d.agent_id = ${id} and d.day > ${Math.floor(Date.now() / dayMs) - recentDays} and d.outcome <> 'stored'
         group by d.outcome) r) as refused_requests,
      (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'name', f.name) order by f.name), '[]')
       from (
         select h.id, h.name from formd.forms h
         where h.team_id = ${team} and h.workspace_id = ${agent.workspaceId} and h.status <> 'archived'
         order by h.id desc limit ${maxItems}) f) as forms`;
  return { agent, ...lists, configuration: JSON.stringify(clientConfiguration(config), null, 2) };
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

const renameForm = (agent?: AgentEntry) =>
  formOf({
    name: textInput({ label: automationText.agents.name, value: agent?.name, shape: Name, required: true }),
  });

const Actions = ({ agent }: Pick<AgentView, "agent">) => (
  <>
    <PostForm action={`${pathOfAgent(agent)}/rename`} form={renameForm(agent)} class="inline">
      <Submit class="quiet" label={words.rename} />
    </PostForm>
    <div class="actions">
      <Act
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
        label={words.revoke}
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
        of={[
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

const idOf = ({ params }: View) => uuidParam(params as { agent_id: string }, "agent_id");

const agentPage = async (view: View): Promise<ConsolePage> => {
  const found = await readAgent(view);
  return { title: found.agent.name, section: "agents", content: <Agent {...found} /> };
};

/** A form post on the agent, which leads back to its page. */
const postOnAgent = <Data,>(
  rules: PostRules<Data>,
  toQuery: (post: FormPost<Data>, caller: SqlCaller, id: string) => Fragment,
  done: (data: Data, href: string) => ActReport,
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
