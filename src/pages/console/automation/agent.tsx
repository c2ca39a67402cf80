/** One agent: name, state, secret, grants and signing keys. */
import type { Fragment } from "postgres";
import { makeSecret } from "../../../platform/auth/secret.ts";
import type { SqlCaller } from "../../../platform/database/caller-queries.ts";
import { clientConfiguration } from "../../../platform/http/mcp-configuration.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { problemCodes } from "../../../problem.ts";
import * as agents from "../../../resources/agents/agents.ts";
import { type AgentDetails, type RefusedRequests, readAgentDetails } from "../../../resources/agents/read.ts";
import { Input, Submit } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Command, formatCount, Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { type FormPost, onGet, onPost, type PostRules, parseValues, type View } from "../frame/handler.ts";
import { Act, type ConsolePage, Facts, PostForm, RefusedNotice, useMay } from "../frame/layout.tsx";
import type { ActReport } from "../frame/notices.ts";
import { LinkLine, Section } from "../frame/parts.tsx";
import { secretPage } from "../frame/secret.tsx";
import { AgentState, Named } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { Grants, grantQuery, removeGrantQuery } from "./agent-grants.tsx";
import { addKeyQuery, Keys, revokeKeyQuery } from "./agent-keys.tsx";
import { AgentStatus, maxItems, pathOfAgent } from "./agents.tsx";
import { automationText } from "./words.ts";

const words = automationText.agent;

interface AgentView extends AgentDetails {
  /** For an MCP client. */
  configuration: string;
}

const recentDays = 30;

async function readAgent(view: View): Promise<AgentView> {
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

const Actions = ({ agent }: Pick<AgentView, "agent">) => (
  <>
    <PostForm action={`${pathOfAgent(agent)}/rename`} class="inline">
      <Input name="name" label={automationText.agents.name} value={agent.name} />
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
      <RefusedNotice />
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

/**
 * A form post on the agent, which leads back to its page; refused, the page is shown with what was entered.
 */
const postOnAgent = (
  toQuery: (post: FormPost, caller: SqlCaller, id: string) => Fragment,
  done: (values: URLSearchParams, href: string) => ActReport,
  rules: PostRules = {},
) =>
  onPost({ retry: agentPage, ...rules }, async (post) => {
    const id = idOf(post);
    await post.queries.run((caller) => toQuery(post, caller, id));
    const to = pathOfAgent({ id });
    return { to, ...done(post.values, to) };
  });

export const agentPages = {
  page: onGet(agentPage),
  rename: postOnAgent(
    ({ deps, values }, caller, id) => agents.patchAgentQuery(deps, caller, id, parseValues(values, Named)),
    () => ({ text: frameText.saved }),
  ),
  setStatus: postOnAgent(
    ({ deps, values }, caller, id) =>
      agents.patchAgentQuery(deps, caller, id, parseValues(values, AgentState)),
    (values, href) => {
      const isActive = values.get("status") === "active";
      const fields = { status: isActive ? "disabled" : "active" };
      return {
        text: isActive ? words.done.enabled : words.done.disabled,
        undo: { action: `${href}/status`, fields },
      };
    },
  ),
  revoke: postOnAgent(
    ({ deps }, caller, id) => agents.revokeAgentQuery(deps, caller, id),
    () => ({ text: words.done.revoked }),
  ),
  rotate: onPost({ isRisky: true, passkey: "asked" }, async (view) => {
    const id = idOf(view);
    const secret = makeSecret("fda", view.session.team);
    const endSessions = view.values.get("endSessions") === "true";
    await view.queries.run((caller) =>
      agents.rotateAgentSecretQuery(view.deps, caller, id, secret, { endSessions }),
    );
    return secretPage({
      title: automationText.agents.secretTitle,
      section: "agents",
      secret: secret.secret,
      href: pathOfAgent({ id }),
    });
  }),
  grant: postOnAgent(grantQuery, () => ({ text: words.done.granted }), {
    passkey: "asked",
  }),
  removeGrant: postOnAgent(removeGrantQuery, () => ({
    text: words.done.grantRemoved,
  })),
  addKey: postOnAgent(addKeyQuery, () => ({ text: words.done.keyAdded }), {
    isRisky: true,
    passkey: "asked",
  }),
  revokeKey: postOnAgent(revokeKeyQuery, () => ({
    text: frameText.keyEnd.isRevoked,
  })),
} satisfies Handlers;
