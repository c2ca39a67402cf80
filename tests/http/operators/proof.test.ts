// stacks: one
/** Actions that make credentials ask for the password again, in the API and in the console. */
import { expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { ask, makeAgent, makeForm, makeTeam, service, signIn } from "../../setup.ts";
import { newKey } from "../../signing.ts";

const app = await service();
const team = await makeTeam(app);
const agent = await makeAgent(app, team, await makeForm(app, team, []), []);

const path = "/papi/v1/identity/agents";
const send = (headers: Record<string, string>, method: string, to: string, body: object) =>
  ask(app, method, `${path}${to}`, { headers, body });

/** The actions that make a credential. */
const risky = () =>
  [
    ["POST", "", { name: "Another", workspaceId: team.workspace }],
    ["POST", `/${agent.id}/rotate-secret`, {}],
    ["POST", `/${agent.id}/keys`, { publicKeyPem: newKey().pem }],
  ] as const;
const harmless = () =>
  [
    ["PATCH", `/${agent.id}`, { name: "Renamed" }],
    ["DELETE", `/${agent.id}/sessions`, {}],
  ] as const;

const expectAll = async (headers: Record<string, string>, expected: string) => {
  for (const [method, to, body] of risky())
    expect([to, outcome(await send(headers, method, to, body))]).toEqual([to, expected]);
};
const signedIn = async () => ({ cookie: await signIn(app, team.operator.email, team.operator.password) });
const age = () =>
  app.database.sql`update formd.operator_sessions set proved_at = now() - interval '16 minutes'`;

test("a session whose password was given over 15 minutes ago makes no credential, until its person signs in again", async () => {
  const headers = await signedIn();
  await expectAll(headers, "ok");
  await age();
  const agents = async () => (await app.database.sql`select from formd.agents`).length;
  const before = await agents();
  await expectAll(headers, "403 password_required");
  expect(await agents()).toBe(before);
  for (const [method, to, body] of harmless())
    expect([to, outcome(await send(headers, method, to, body))]).toEqual([to, "ok"]);
  expect((await ask(app, "GET", path, { headers })).status).toBe(200);
  await expectAll(await signedIn(), "ok");
});

test("an insufficient role is reported first, and an API key has no password", async () => {
  const headers = await signedIn();
  await age();
  await expectAll({ "x-api-key": team.key }, "ok");
  await app.database.sql`update formd.workspace_roles set role = 'viewer' where team_id = ${team.id}`;
  await expectAll(headers, "403 insufficient_workspace_role");
});
