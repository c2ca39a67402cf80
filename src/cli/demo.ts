/** `formd demo`: creates everything for a first submission, and prints the commands to paste. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../limits.ts";
import { cliActor, toSql } from "../platform/auth/actor.ts";
import { makeSecret } from "../platform/auth/secret.ts";
import type { Sql } from "../platform/database/db.ts";
import { form as example } from "../platform/http/examples.ts";
import { clientIdOf, createAgentQuery } from "../resources/agents/agents.ts";
import { createAccessKey } from "../resources/forms/access-keys.ts";
import { createForm } from "../resources/forms/forms.ts";
import { publishForm } from "../resources/forms/publish.ts";
import { agentScopes } from "../resources/grants/shapes.ts";
import { bootstrap } from "../resources/teams/bootstrap.ts";
import { withDatabase } from "./database.ts";
import type { CliCommand, Settings } from "./options.ts";

/** Creates the demo in a new team, so that it changes no existing data and may be run again. */
async function createDemo(sql: Sql, baseUrl: string) {
  const email = `demo-${uuidv7().slice(-8)}@example.org`;
  const { team, workspace, operator, apiKey } = await bootstrap(sql, cliActor, {
    email,
    team: "Demo",
    workspace: "Demo",
  });
  const [agentId, grantId] = [uuidv7(), uuidv7()];
  const actor = toSql(sql, cliActor);
  const { name, description, schema } = example;
  const formId = await createForm(sql, cliActor, {
    name,
    description,
    schema,
    teamId: team.id,
    workspaceId: workspace.id,
  });
  const form = await publishForm(sql, cliActor, team.id, formId);
  const { key: accessKey } = await createAccessKey(sql, cliActor, team.id, formId);
  const agent = makeSecret("fda", team.id);
  const registered = { id: agentId, name: "Demo agent", workspaceId: null };
  await createAgentQuery(sql, { team: team.id, actor }, registered, agent);
  await sql`
    select from formd.grant_upsert(
      p_team => ${team.id}, p_actor => ${actor}, p_agent => ${agentId}, p_id => ${grantId}, p_form => ${formId},
      p_scopes => ${[...agentScopes]}, p_respondent_given => false, p_respondent => null, p_binding_required => null)`;
  return {
    baseUrl,
    form: { id: formId, name: form.name, status: form.status, currentVersion: form.currentVersion },
    accessKey,
    apiKey: apiKey.key,
    agent: { id: agentId, clientId: clientIdOf(agentId), secret: agent.secret },
    operator: { email, password: operator.password ?? "" },
  };
}

type Demo = Awaited<ReturnType<typeof createDemo>>;

const curlLines = ({ baseUrl, form, accessKey, apiKey, agent, operator }: Demo) => `
# for the programs and lines of the documentation
export BASE=${baseUrl} ACCESS_KEY=${accessKey} \\
  AGENT_SECRET=${agent.secret} API_KEY=${apiKey}

# 1. exchange the agent's secret for a session of ${limits.agentSession.lifetimeDays} days
TOKEN=$(curl -s -X POST ${baseUrl}/papi/v1/auth/token -H 'x-agent-secret: ${agent.secret}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')

# 2. a dry run: which errors has this payload?
curl -sw '\\n' ${baseUrl}/papi/v1/submitter/form/validation -H 'content-type: application/json' \\
  -H 'x-form-access-key: ${accessKey}' -H "x-respondent-token: $TOKEN" \\
  -d '{"data":{"name":"A","topic":"gossip"}}'

# 3. submit a valid one (at most one in ${limits.agentSubmit.windowMs / 1000} seconds per agent)
curl -sw '\\n' ${baseUrl}/papi/v1/submitter/form/submissions -H 'content-type: application/json' \\
  -H 'x-form-access-key: ${accessKey}' -H "x-respondent-token: $TOKEN" \\
  -d '{"data":{"name":"Ada","email":"ada@example.org","topic":"sales","people":2}}'

# 4. the owner reads it
curl -sw '\\n' ${baseUrl}/papi/v1/management/forms/${form.id}/submissions -H 'x-api-key: ${apiKey}'

# 5. the agent by OAuth: the access token is a session token
curl -sw '\\n' ${baseUrl}/oauth/token -d grant_type=client_credentials \\
  -d client_id=${agent.clientId} -d client_secret=${agent.secret}

# 6. its tools by MCP
curl -sw '\\n' ${baseUrl}/mcp -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -H 'accept: application/json, text/event-stream' -H 'mcp-protocol-version: 2025-11-25' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

# 7. an operator signs in to manage agents and grants (the response's Set-Cookie is the session);
#    in a browser at ${baseUrl}/console
curl -siw '\\n' ${baseUrl}/console/login -H 'content-type: application/json' \\
  -d '{"email":"${operator.email}","password":"${operator.password}"}'
`;

export function demoCommand(root: CliCommand, settings: Settings): void {
  root
    .command("demo")
    .description(
      "a published form, an agent with every scope, an API key, an operator, and curl lines to paste",
    )
    .prints(async () => {
      const config = settings();
      const demo = await withDatabase(config, (sql) => createDemo(sql, config.BASE_URL), { mayCreate: true });
      return [demo, curlLines(demo)];
    });
}
