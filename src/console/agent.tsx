/** One agent: name, state, secret, grants and signing keys. */
import { Elysia } from "elysia";
import type { Fragment } from "postgres";
import * as agents from "../agents/agents.ts";
import { actingAs, type QueryCaller } from "../auth/authenticate.ts";
import { makeSecret } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import * as grants from "../grants/grants.ts";
import { agentScopes } from "../grants/shapes.ts";
import { assertShape } from "../http/body.ts";
import { uuidParam } from "../http/shapes.ts";
import { clientConfiguration } from "../mcp/configuration.ts";
import { Checkbox, Input, Notice, Select, TextArea } from "../pages/controls.tsx";
import { Command, formatCount, Time } from "../pages/text.tsx";
import { type ProblemCode, problemCodes } from "../problem.ts";
import * as signingKeys from "../signing-keys/keys.ts";
import { type AgentEntry, AgentStatus } from "./agents.tsx";
import { type Act, act, show, type View } from "./handler.ts";
import { type Page, PostForm, useMay } from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import { AgentName, AgentState, GrantForm } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.agent;

interface GrantEntry {
  id: string;
  formId: string;
  formName: string;
  scopes: (typeof agentScopes)[number][];
  respondentId: string | null;
  bindingRequired: boolean;
}

interface KeyEntry {
  keyId: string;
  status: "active" | "revoked";
  createdAt: Date;
  expiresAt: Date | null;
}

/** Requests that were refused with a code. */
interface Refusal {
  code: ProblemCode;
  total: number;
  lastAt: Date;
}

interface AgentView {
  agent: AgentEntry & { lastTokenAt: Date | null };
  grants: GrantEntry[];
  keys: KeyEntry[];
  /** Of the last days, the most frequent code first. */
  refusals: Refusal[];
  /** Forms of the agent's workspace that it has no grant on. */
  forms: { id: string; name: string }[];
  /** For an MCP client. */
  configuration: string;
  values?: URLSearchParams;
  message?: string;
}

/** What the page lists of each kind. */
const maxItems = 100;
/** Of refusals. */
const recentDays = 30;
const dayMs = 86_400_000;

async function readAgent({ sql, config }: Deps, { session, params }: View): Promise<AgentView> {
  const { team, operator } = session;
  const id = uuidParam(params as { agent_id: string }, "agent_id");
  const [agent] = await sql<[AgentView["agent"]]>`
    select a.*, (
      select s.created_at from formd.sessions s
      where s.team_id = ${team} and s.agent_id = ${id} order by s.expires_at desc limit 1) as last_token_at
    from formd.agent_get(p_team => ${team}, p_operator => ${operator}, p_agent => ${id}) a`;
  const [lists] = await sql<[Pick<AgentView, "grants" | "keys" | "refusals" | "forms">]>`
    select
      (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'formId', g.form_id, 'formName', f.name, 'scopes', g.scopes,
         'respondentId', g.respondent_id, 'bindingRequired', g.binding_required) order by g.id desc), '[]')
       from (select * from formd.grants h where h.team_id = ${team} and h.agent_id = ${id} order by h.id desc limit ${maxItems}) g
       join formd.forms f on f.team_id = g.team_id and f.id = g.form_id) as grants,
      (select coalesce(jsonb_agg(jsonb_build_object('keyId', k.key_id, 'status', k.status, 'createdAt', k.created_at,
         'expiresAt', k.expires_at) order by k.id desc), '[]')
       from (select * from formd.signing_keys j where j.team_id = ${team} and j.agent_id = ${id} order by j.id desc limit ${maxItems}) k) as keys,
      (select coalesce(jsonb_agg(jsonb_build_object('code', r.outcome, 'total', r.total, 'lastAt', r.last_at) order by r.total desc, r.outcome), '[]')
       from (
         select d.outcome, sum(d.total) as total, max(d.last_at) as last_at from formd.agent_days d
         where d.team_id = ${team} and d.agent_id = ${id} and d.day > ${Math.floor(Date.now() / dayMs) - recentDays} and d.outcome <> 'stored'
         group by d.outcome) r) as refusals,
      (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'name', f.name) order by f.name), '[]')
       from (
         select h.id, h.name from formd.forms h
         where h.team_id = ${team} and h.workspace_id = ${agent.workspaceId} and h.status <> 'archived'
         order by h.id desc limit ${maxItems}) f) as forms`;
  return { agent, ...lists, configuration: JSON.stringify(clientConfiguration(config), null, 2) };
}

const pathOf = ({ id }: Pick<AgentEntry, "id">) => `/console/agents/${id}`;

const Grants = ({ agent, grants, mayEdit }: AgentView & { mayEdit: boolean }) => (
  <ul class="rows">
    {grants.map((grant) => (
      <li key={grant.id}>
        <div>
          <a href={`/console/forms/${grant.formId}`} dir="auto">
            {grant.formName}
          </a>
          <small>{grant.scopes.map((scope) => words.scopes[scope]).join(", ")}</small>
          {grant.respondentId && <small>{words.boundTo(grant.respondentId)}</small>}
          {grant.bindingRequired && <small>{words.bindingRequired}</small>}
        </div>
        {mayEdit && (
          <details class="confirm">
            <summary aria-label={words.removeGrantOf(grant.formName)}>{words.removeGrant}</summary>
            <PostForm action={`${pathOf(agent)}/grants/remove`}>
              <button type="submit" class="danger small" name="grant" value={grant.id}>
                {words.removeGrantConfirm}
              </button>
            </PostForm>
          </details>
        )}
      </li>
    ))}
  </ul>
);

const NewGrant = ({ agent, forms, values = new URLSearchParams() }: AgentView) => (
  <details class="panel" open={values.has("form")}>
    <summary>{words.grant}</summary>
    <PostForm action={`${pathOf(agent)}/grants`} class="stacked">
      <Select
        name="form"
        label={words.grantForm}
        hint={forms.length === maxItems && words.newest(maxItems)}
        value={values.get("form") ?? undefined}
        choices={forms.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <fieldset>
        <legend>{words.grantScopes}</legend>
        {agentScopes.map((scope) => (
          <Checkbox
            key={scope}
            name="scopes"
            value={scope}
            label={words.scopes[scope]}
            hint={<code>{scope}</code>}
            checked={values.has("form") ? values.getAll("scopes").includes(scope) : true}
          />
        ))}
      </fieldset>
      <Input
        name="respondent"
        label={words.respondent}
        hint={words.respondentHint}
        value={values.get("respondent") ?? ""}
        required={false}
      />
      <Checkbox
        name="bindingRequired"
        label={words.bindingRequired}
        checked={values.has("bindingRequired")}
      />
      <button type="submit">{words.grantSubmit}</button>
    </PostForm>
  </details>
);

const Keys = ({ agent, keys, mayEdit }: AgentView & { mayEdit: boolean }) => (
  <ul class="rows">
    {keys.map(({ keyId, status, createdAt, expiresAt }) => (
      <li key={keyId}>
        <div>
          <code>{keyId}</code>
          <small>
            {words.keyAdded} <Time at={createdAt} />
            {expiresAt && (
              <>
                {" · "}
                {words.keyExpires} <Time at={expiresAt} />
              </>
            )}
          </small>
        </div>
        <span class={`badge ${status}`}>{text.agents.statuses[status]}</span>
        {mayEdit && status === "active" && (
          <details class="confirm">
            <summary aria-label={words.revokeKeyOf(keyId)}>{words.revokeKey}</summary>
            <PostForm action={`${pathOf(agent)}/keys/revoke`}>
              <button type="submit" class="danger small" name="key" value={keyId}>
                {words.revokeKeyConfirm}
              </button>
            </PostForm>
          </details>
        )}
      </li>
    ))}
  </ul>
);

const NewKey = ({ agent, values = new URLSearchParams() }: AgentView) => (
  <details class="panel" open={values.has("publicKeyPem")}>
    <summary>{words.newKey}</summary>
    <PostForm action={`${pathOf(agent)}/keys`} class="stacked">
      <TextArea
        name="publicKeyPem"
        label={words.publicKey}
        hint={words.publicKeyHint}
        value={values.get("publicKeyPem") ?? ""}
      />
      <button type="submit">{words.newKeySubmit}</button>
    </PostForm>
  </details>
);

const Refusals = ({ refusals }: Pick<AgentView, "refusals">) => (
  <table class="stack">
    <thead>
      <tr>
        <th scope="col">{words.refusalCode}</th>
        <th scope="col" class="number">
          {words.refusalTotal}
        </th>
        <th scope="col">{words.refusalLast}</th>
      </tr>
    </thead>
    <tbody>
      {refusals.map(({ code, total, lastAt }) => (
        <tr key={code}>
          <th scope="row">
            <code>{code}</code>
            <small>{problemCodes[code]?.[1]}</small>
          </th>
          <td class="number" data-label={words.refusalTotal}>
            {formatCount(total)}
          </td>
          <td data-label={words.refusalLast}>
            <Time at={lastAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** What changes the agent itself. */
const Acts = ({ agent }: Pick<AgentView, "agent">) => (
  <>
    <PostForm action={`${pathOf(agent)}/rename`} class="inline">
      <Input name="name" label={text.agents.name} value={agent.name} />
      <button type="submit" class="quiet">
        {words.rename}
      </button>
    </PostForm>
    <div class="actions">
      <PostForm action={`${pathOf(agent)}/status`}>
        <button
          type="submit"
          class="quiet"
          name="status"
          value={agent.status === "active" ? "disabled" : "active"}
        >
          {agent.status === "active" ? words.disable : words.enable}
        </button>
      </PostForm>
      <details class="confirm">
        <summary>{words.rotate}</summary>
        <PostForm action={`${pathOf(agent)}/rotate`} class="stacked">
          <p>{words.rotateHint}</p>
          <button type="submit">{words.rotateConfirm}</button>
        </PostForm>
      </details>
      <details class="confirm">
        <summary>{words.revoke}</summary>
        <PostForm action={`${pathOf(agent)}/revoke`} class="stacked">
          <p>{words.revokeHint}</p>
          <button type="submit" class="danger">
            {words.revokeConfirm}
          </button>
        </PostForm>
      </details>
    </div>
  </>
);

const Agent = (view: AgentView) => {
  const { agent, grants, keys, message } = view;
  const mayEdit = useMay("agent.updated", agent.workspaceId) && agent.status !== "revoked";
  return (
    <>
      <p>
        <a href="/console/agents">{words.back}</a>
      </p>
      <div class="heading">
        <h1 dir="auto">{agent.name}</h1>
        <AgentStatus {...agent} />
      </div>
      {message && <Notice kind="error">{message}</Notice>}
      <dl class="facts">
        <dt>{words.clientId}</dt>
        <dd>
          <code>{agent.clientId}</code>
        </dd>
        <dt>{text.agents.secret}</dt>
        <dd>
          <code>{agent.secretPrefix}…</code>
        </dd>
        <dt>{words.lastToken}</dt>
        <dd>{agent.lastTokenAt ? <Time at={agent.lastTokenAt} /> : words.never}</dd>
      </dl>
      {mayEdit && <Acts agent={agent} />}
      <section>
        <h2>{words.grants}</h2>
        {grants.length === 0 && <p class="quiet">{words.noGrants}</p>}
        {grants.length > 0 && <Grants {...view} mayEdit={mayEdit} />}
        {grants.length === maxItems && <p class="quiet">{words.newest(maxItems)}</p>}
        {mayEdit && <NewGrant {...view} />}
      </section>
      <section>
        <h2>{words.keys}</h2>
        {keys.length === 0 && <p class="quiet">{words.noKeys}</p>}
        {keys.length > 0 && <Keys {...view} mayEdit={mayEdit} />}
        {mayEdit && <NewKey {...view} />}
      </section>
      <section>
        <h2>{words.refusals(recentDays)}</h2>
        {view.refusals.length === 0 ? (
          <p class="quiet">{words.noRefusals}</p>
        ) : (
          <Refusals refusals={view.refusals} />
        )}
      </section>
      <section>
        <h2>{words.connect}</h2>
        <p>{words.connectHint}</p>
        <Command lines={view.configuration.split("\n")} />
      </section>
    </>
  );
};

const agentPage = (view: AgentView): Page => ({
  title: view.agent.name,
  section: "agents",
  content: <Agent {...view} />,
});

export const agentPages = (deps: Deps) => {
  const { sql } = deps;
  const path = "/console/agents/:agent_id";
  const idOf = ({ params }: View) => uuidParam(params as { agent_id: string }, "agent_id");
  const run = ({ session, actor }: Act) => actingAs(sql, session.team, actor).run;
  /** An act on the agent, which leads back to its page; refused, the page is shown with what was entered. */
  const agentAct = (toQuery: (caller: QueryCaller, id: string, values: URLSearchParams) => Fragment) =>
    act(
      deps,
      async (view) => {
        const id = idOf(view);
        await run(view)((caller) => toQuery(caller, id, view.values));
        return pathOf({ id });
      },
      async (retry) =>
        agentPage({ ...(await readAgent(deps, retry)), values: retry.values, message: retry.message }),
    );
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => agentPage(await readAgent(deps, view))),
    )
    .post(
      `${path}/rename`,
      agentAct((caller, id, values) =>
        agents.patchQuery(
          deps,
          caller,
          id,
          assertShape(Object.fromEntries(values), AgentName, "bad_request"),
        ),
      ),
    )
    .post(
      `${path}/status`,
      agentAct((caller, id, values) =>
        agents.patchQuery(
          deps,
          caller,
          id,
          assertShape(Object.fromEntries(values), AgentState, "bad_request"),
        ),
      ),
    )
    .post(
      `${path}/revoke`,
      agentAct((caller, id) => agents.revokeQuery(deps, caller, id)),
    )
    .post(
      `${path}/rotate`,
      act(deps, async (view) => {
        const id = idOf(view);
        const secret = makeSecret("fda", view.session.team);
        await run(view)((caller) => agents.rotateSecretQuery(deps, caller, id, secret));
        return secretPage({
          title: text.agents.secretTitle,
          section: "agents",
          secret: secret.secret,
          href: pathOf({ id }),
        });
      }),
    )
    .post(
      `${path}/grants`,
      agentAct((caller, id, values) => {
        const entered = {
          form: values.get("form"),
          scopes: values.getAll("scopes"),
          respondent: values.get("respondent")?.trim() ?? "",
        };
        const { form, scopes, respondent } = assertShape(entered, GrantForm, "bad_request");
        return grants.upsertQuery(deps, caller, id, {
          formId: form,
          scopes,
          respondentId: respondent || null,
          bindingRequired: values.has("bindingRequired"),
        });
      }),
    )
    .post(
      `${path}/grants/remove`,
      agentAct((caller, id, values) =>
        grants.removeQuery(deps, caller, id, uuidParam({ grant: values.get("grant") ?? "" }, "grant")),
      ),
    )
    .post(
      `${path}/keys`,
      agentAct((caller, id, values) => {
        // A form post ends its lines with CR LF, and the key id is the digest of the text.
        const publicKeyPem = (values.get("publicKeyPem") ?? "").replaceAll("\r\n", "\n");
        return signingKeys.addQuery(deps, caller, id, { publicKeyPem });
      }),
    )
    .post(
      `${path}/keys/revoke`,
      agentAct((caller, id, values) => signingKeys.revokeQuery(deps, caller, id, values.get("key") ?? "")),
    );
};
