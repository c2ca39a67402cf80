/** Teams, operators, forms and agents. */
import { v7 as uuidv7 } from "uuid";
import { cliActor } from "../../src/platform/auth/actor.ts";
import { apiKeyScopes } from "../../src/platform/auth/api-key.ts";
import { hashPassword } from "../../src/platform/auth/password.ts";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import { createApiKey } from "../../src/resources/api-keys/api-keys.ts";
import { createAccessKey } from "../../src/resources/forms/access-keys.ts";
import { publishForm } from "../../src/resources/forms/publish.ts";
import { createWorkspace } from "../../src/resources/teams/teams.ts";
import { ask, rememberSecrets } from "./request.ts";
import type { Service } from "./server.ts";

/** A team with its workspace, an admin and an API key with every scope. */
export interface Team {
  id: string;
  workspace: string;
  operator: { id: string; email: string; password: string };
  key: string;
  keyId: string;
}

let people = 0;

export async function makeTeam(app: Service, salt = cheapSalt): Promise<Team> {
  const { sql } = app.database;
  const [id, workspace] = [uuidv7(), uuidv7()];
  await sql`select formd.team_create(${id}, '(cli,,)'::formd.actor, ${"Team"}, ${workspace}, ${"Main"})`;
  const operator = await addOperator(app, id, workspace, "admin", salt);
  const key = await makeKey(app, { id });
  return { id, workspace, operator, key: key.key, keyId: key.id };
}

/** scrypt with the least work; a password of full strength takes a fifth of a second. */
const cheapSalt = "scrypt$2$1$1$AAAA";

/** A person with a role in the workspace, and a password that costs nothing to check. */
export async function addOperator(
  { database: { sql } }: Service,
  team: string,
  workspace: string,
  role: string,
  salt = cheapSalt,
): Promise<Team["operator"]> {
  const [email, password] = [`${role}${++people}@example.org`, "correct horse"];
  const hash = await hashPassword(password, salt);
  const [{ id }] = await sql<
    [{ id: string }]
  >`select id from formd.operator_join(${team}, '(cli,,)'::formd.actor, ${workspace}, ${uuidv7()}, ${email}, ${salt}, ${hash}, ${role})`;
  return { id, email, password };
}

/** Another API key of the team. */
export async function makeKey(
  { database: { sql } }: Service,
  team: { id: string },
  ...scopes: string[]
): Promise<{ id: string; key: string }> {
  const { id, key } = await createApiKey(sql, cliActor, team.id, {
    name: "test",
    scopes: scopes.length ? scopes : apiKeyScopes,
  });
  return { id, key: rememberSecrets(key) };
}

/** Another workspace of the team, without a role of anyone. */
export async function makeWorkspace({ database: { sql } }: Service, team: Team): Promise<string> {
  const { id } = await createWorkspace(sql, cliActor, team.id, "Another");
  await sql`delete from formd.workspace_roles where workspace_id = ${id}`;
  return id;
}

/** A person with a role in the workspace, signed in: the value of the Cookie header. */
export async function makeOperator(
  app: Service,
  team: Team,
  role: "admin" | "editor" | "viewer",
  workspace = team.workspace,
): Promise<string> {
  const { email, password } = await addOperator(app, team.id, workspace, role);
  return await signIn(app, email, password);
}

/** Signs in. @returns the value of the Cookie header. */
export async function signIn(app: Service, email: string, password: string): Promise<string> {
  const reply = await ask(app, "POST", "/console/login", { body: { email, password } });
  return reply.headers.get("set-cookie")?.split(";")[0] ?? "";
}

export interface PublishedForm {
  id: string;
  accessKey: string;
}

/** A published form with these fields (and these settings), and an access key for it. */
export async function makeForm(
  app: Service,
  team: Team,
  fields: object[],
  { settings, workspaceId }: { settings?: object; workspaceId?: string } = {},
): Promise<PublishedForm> {
  const { sql } = app.database;
  const [{ id }] = await sql<[{ id: string }]>`
    select id from formd.form_create(${team.id}, '(cli,,)'::formd.actor, ${workspaceId ?? null}, ${"Test"}, null, ${sql.json({ fields } as never)})`;
  if (settings)
    await sql`select from formd.form_patch(${team.id}, '(cli,,)'::formd.actor, ${id}, ${sql.json([{ op: "setMeta", settings }] as never)}, null, null)`;
  await publishForm(sql, cliActor, team.id, id);
  return { id, accessKey: rememberSecrets((await createAccessKey(sql, cliActor, team.id, id)).key) };
}

export interface Agent {
  id: string;
  secret: string;
  token: string;
}

/** An agent with a grant for the form and a session. */
export async function makeAgent(
  app: Service,
  team: Team,
  form: PublishedForm,
  scopes = ["agent:read", "agent:validate", "agent:submit"],
): Promise<Agent> {
  const { sql } = app.database;
  const [id, secret, token] = [uuidv7(), makeSecret("fda", team.id), makeSecret("fds", team.id)];
  const [{ workspaceId }] = await sql<
    [{ workspaceId: string }]
  >`select workspace_id from formd.forms where team_id = ${team.id} and id = ${form.id}`;
  await sql`select from formd.agent_create(${team.id}, '(cli,,)'::formd.actor, ${workspaceId}, ${id}, ${"Agent"}, ${id}, ${secret.prefix}, ${secret.hash})`;
  if (scopes.length > 0) {
    await sql`
      select from formd.grant_upsert(
        p_team => ${team.id}, p_actor => '(cli,,)'::formd.actor, p_agent => ${id}, p_id => ${uuidv7()}, p_form => ${form.id},
        p_scopes => ${scopes}, p_respondent_given => false, p_respondent => null, p_binding_required => null)`;
  }
  await sql`select from formd.agent_session_create(${team.id}, ${secret.hash}, ${uuidv7()}, ${token.hash}, '7 days', ${`token:ip:${id}`}, 30)`;
  return { id, secret: rememberSecrets(secret.secret), token: rememberSecrets(token.secret) };
}

/** The headers of a submitter's call. */
export const asAgent = (form: PublishedForm, agent: { token: string }) => ({
  "x-form-access-key": form.accessKey,
  "x-respondent-token": agent.token,
});

/** Submits by the team's API key. */
export const submitByKey = (
  app: { url: string },
  team: Pick<Team, "key">,
  form: PublishedForm,
  data: object,
) =>
  ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
    body: { data },
  });

/** Sends a request for a submission of a form with the team's API key. */
export const manageSubmission = (
  app: { url: string },
  team: Pick<Team, "key">,
  form: { id: string },
  method: string,
  path: string,
  body?: object,
) =>
  ask(app, method, `/papi/v1/management/forms/${form.id}/submissions/${path}`, {
    headers: { "x-api-key": team.key },
    ...(body && { body }),
  });
