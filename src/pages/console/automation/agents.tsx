/** The agents of the operator's workspaces. */
import { v7 as uuidv7 } from "uuid";
import { toSql } from "../../../platform/auth/actor.ts";
import { makeSecret } from "../../../platform/auth/secret.ts";
import { readRows } from "../../../platform/http/list.ts";
import { Name, parseQuery } from "../../../platform/http/shapes.ts";
import { agentList, createAgentQuery } from "../../../resources/agents/agents.ts";
import type { AgentEntry } from "../../../resources/agents/read.ts";
import { choicesOfNames } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { formOf, objectOf, textInput } from "../frame/form.tsx";
import { namedBy, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { refusedPage, sectionPage, useSession, workspacesFor } from "../frame/layout.tsx";
import { Empty, type Listed, ListPage, ListQuery } from "../frame/list-page.tsx";
import { newItemPage, secretPage } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { automationText } from "./words.ts";

const words = automationText.agents;
const path = "/console/agents";

/** Maximum number of entries of each kind on the page of an agent. */
export const maxItems = 100;

const pageSize = 50;

export const pathOfAgent = ({ id }: Pick<AgentEntry, "id">) => `${path}/${id}`;

export const AgentStatus = ({ status }: Pick<AgentEntry, "status">) => (
  <span class={`badge ${status}`}>{words.statuses[status]}</span>
);

const columnsOf = (workspaces: Session["workspaces"]): Column<AgentEntry>[] => [
  {
    head: frameText.name,
    isHeader: true,
    cell: ({ id, name, workspaceId }) => (
      <>
        <a href={`${path}/${id}`} dir="auto">
          {name}
        </a>
        <small dir="auto">{workspaces.find((workspace) => workspace.id === workspaceId)?.name}</small>
      </>
    ),
  },
  { head: frameText.status, cell: (agent) => <AgentStatus {...agent} /> },
  { head: words.secret, cell: ({ secretPrefix }) => <code>{secretPrefix}…</code> },
  { head: words.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const Agents = ({ byKeys, ...list }: Listed<AgentEntry> & { byKeys: boolean }) => {
  const mayCreate = workspacesFor(useSession(), "agent.created").length > 0;
  const create = mayCreate && { href: `${path}/new`, label: words.create };
  const lines = [
    "curl -X POST $BASE_URL/papi/v1/identity/agents -H 'x-api-key: …' \\",
    "  -H 'content-type: application/json' -d '{\"name\":\"Support bot\"}'",
  ];
  return (
    <ListPage
      {...list}
      title={frameText.sections.agents}
      create={create}
      path={path}
      intro={byKeys && mayCreate && words.byKeys}
      none={<Empty picture="robot" message={words.none} action={create} lines={lines} />}
    >
      <Table columns={columnsOf(useSession().workspaces)} rows={list.items} keyOf={({ id }) => id} />
    </ListPage>
  );
};

const newAgent = ({ session }: PageContext) =>
  formOf({
    name: textInput({ label: frameText.name, shape: Name, required: true }),
    workspace: objectOf(choicesOfNames(workspacesFor(session, "agent.created")), {
      label: frameText.workspace,
    }),
  });

const newAgentPage = (view: PageContext) => {
  if (workspacesFor(view.session, "agent.created").length === 0)
    return refusedPage("agents", words.editorsOnly);
  const end = { submit: words.createSubmit, cancel: path };
  return newItemPage("agents", { title: words.create, action: `${path}/new`, form: newAgent(view), ...end });
};

export const agentsPages = {
  list: onGet(async ({ deps, session, query }) => {
    const { page } = parseQuery(query, ListQuery);
    const asked = agentList(deps.sql, session, { page, limit: pageSize });
    const list = await readRows<AgentEntry>(deps.sql, asked);
    const byKeys = deps.config.AGENT_CREDENTIALS === "api-key";
    return sectionPage("agents", <Agents {...list} byKeys={byKeys} />);
  }),
  newPage: onGet(newAgentPage),
  create: onPost(
    { act: "agent.created", nameOf: namedBy("name"), form: newAgent, retry: newAgentPage },
    async ({ deps, session, data: { name, workspace }, actor }) => {
      const id = uuidv7();
      const secret = makeSecret("fda", session.team);
      const caller = { team: session.team, actor: toSql(deps.sql, actor) };
      await createAgentQuery(deps.sql, caller, { id, name, workspaceId: workspace }, secret);
      return secretPage({
        title: words.secretTitle,
        section: "agents",
        secret: secret.secret,
        href: `${path}/${id}`,
      });
    },
  ),
} satisfies Handlers;
