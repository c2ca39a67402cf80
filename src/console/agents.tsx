/** The agents of the operator's workspaces. */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { createQuery } from "../agents/agents.ts";
import { toSql } from "../auth/actor.ts";
import { makeSecret } from "../auth/secret.ts";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { type Paged, parseQuery, toPage } from "../http/shapes.ts";
import { Input, Notice, Select } from "../pages/controls.tsx";
import { Command, Pages, Time } from "../pages/text.tsx";
import { act, show } from "./handler.ts";
import { type Page, PostForm, refusedPage, useSession, useWorkspacesFor, workspacesFor } from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import type { Session } from "./session.ts";
import { ListQuery, NewAgentRequest } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.agents;
const path = "/console/agents";

/** Agents on a page of the list. */
const pageSize = 50;

export interface AgentEntry {
  id: string;
  name: string;
  clientId: string;
  secretPrefix: string;
  status: "active" | "disabled" | "revoked";
  workspaceId: string;
  createdAt: Date;
}

interface AgentList {
  items: AgentEntry[];
  pagination: { page: number; limit: number; total: number };
}

export const AgentStatus = ({ status }: Pick<AgentEntry, "status">) => (
  <span class={`badge ${status}`}>{words.statuses[status]}</span>
);

const Agents = ({ items, pagination }: AgentList) => {
  const { workspaces } = useSession();
  const mayCreate = useWorkspacesFor("agent.created").length > 0;
  return (
    <>
      <div class="heading">
        <h1>{text.agentsTitle}</h1>
        {mayCreate && (
          <a class="button small" href={`${path}/new`}>
            {words.create}
          </a>
        )}
      </div>
      {items.length === 0 ? (
        <div class="empty">
          <p>{words.none}</p>
          <Command
            lines={[
              "curl -X POST $BASE_URL/papi/v1/identity/agents -H 'x-api-key: …' \\",
              "  -H 'content-type: application/json' -d '{\"name\":\"Support bot\"}'",
            ]}
          />
        </div>
      ) : (
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              <th scope="col">{words.status}</th>
              <th scope="col">{words.secret}</th>
              <th scope="col">{words.created}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((agent) => (
              <tr key={agent.id}>
                <th scope="row">
                  <a href={`${path}/${agent.id}`} dir="auto">
                    {agent.name}
                  </a>
                  <small dir="auto">{workspaces.find(({ id }) => id === agent.workspaceId)?.name}</small>
                </th>
                <td data-label={words.status}>
                  <AgentStatus {...agent} />
                </td>
                <td data-label={words.secret}>
                  <code>{agent.secretPrefix}…</code>
                </td>
                <td data-label={words.created}>
                  <Time at={agent.createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pages {...pagination} words={text.pages} hrefOf={(page) => `${path}?page=${page}`} />
    </>
  );
};

const NewAgent = ({ values, message }: { values: URLSearchParams; message?: string | undefined }) => {
  const workspaces = useWorkspacesFor("agent.created");
  return (
    <>
      <h1>{words.createTitle}</h1>
      {message && <Notice kind="error">{message}</Notice>}
      <PostForm action={`${path}/new`} class="stacked">
        <Input name="name" label={words.name} value={values.get("name") ?? ""} required />
        <Select
          name="workspace"
          label={text.workspace}
          value={values.get("workspace") ?? undefined}
          choices={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <div class="actions">
          <button type="submit">{words.createSubmit}</button>
          <a href={path}>{text.cancel}</a>
        </div>
      </PostForm>
    </>
  );
};

const newAgentPage = (session: Session, values: URLSearchParams, message?: string): Page =>
  workspacesFor(session, "agent.created").length > 0
    ? { title: words.createTitle, section: "agents", content: <NewAgent values={values} message={message} /> }
    : refusedPage("agents", words.editorsOnly);

export const agentsPages = (deps: Deps) => {
  const { sql } = deps;
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async ({ session, query }) => {
        const { page } = parseQuery(query, ListQuery);
        const rows = await sql<Paged<AgentEntry>[]>`
          select * from formd.agent_list(
            p_team => ${session.team}, p_operator => ${session.operator}, p_limit => ${pageSize}, p_offset => ${(page - 1) * pageSize})`;
        const list = toPage(rows, { page, limit: pageSize });
        return { title: text.agentsTitle, section: "agents", content: <Agents {...list} /> };
      }),
    )
    .get(
      `${path}/new`,
      show(deps, async ({ session }) => newAgentPage(session, new URLSearchParams())),
    )
    .post(
      `${path}/new`,
      act(
        deps,
        async ({ session, values, actor }) => {
          const { name, workspace } = assertShape(Object.fromEntries(values), NewAgentRequest, "bad_request");
          const id = uuidv7();
          const secret = makeSecret("fda", session.team);
          const caller = { team: session.team, actor: toSql(sql, actor) };
          await createQuery(sql, caller, { id, name, workspaceId: workspace }, secret);
          return secretPage({
            title: words.secretTitle,
            section: "agents",
            secret: secret.secret,
            href: `${path}/${id}`,
          });
        },
        async ({ session, values, message }) => newAgentPage(session, values, message),
      ),
    );
};
