/** What ends the tokens of an agent, and what does not. */
import { beforeAll, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

let app: Service;
let team: Team;
let form: PublishedForm;
beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  form = await makeForm(app, team, []);
});

const identity = (method: string, agent: Agent, path = "", body?: unknown) =>
  ask(app, method, `/papi/v1/identity/agents/${agent.id}${path}`, {
    headers: { "x-api-key": team.key },
    ...(body !== undefined && { body }),
  });
const read = async (agent: Agent) =>
  outcome(await ask(app, "GET", "/papi/v1/submitter/form", { headers: asAgent(form, agent) }));

test("while an agent is disabled its tokens are 403 agent_inactive; enabled again, those from before are 401", async () => {
  const agent = await makeAgent(app, team, form);
  expect(await read(agent)).toBe("ok");
  await identity("PATCH", agent, "", { status: "disabled" });
  expect(await read(agent)).toBe("403 agent_inactive");
  await identity("PATCH", agent, "", { status: "active" });
  expect(await read(agent)).toBe("401 unauthorized");
  const again = await ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret: agent.secret } });
  expect(await read({ ...agent, token: again.body.data.token })).toBe("ok");
});

test("a rename ends nothing; a revoked agent's tokens are 403 agent_inactive", async () => {
  const agent = await makeAgent(app, team, form);
  await identity("PATCH", agent, "", { name: "B", status: "active" });
  expect(await read(agent)).toBe("ok");
  await identity("DELETE", agent);
  expect(await read(agent)).toBe("403 agent_inactive");
});

test("a new secret leaves the tokens, and with endSessions it ends them", async () => {
  const agent = await makeAgent(app, team, form);
  for (const body of [undefined, {}, { endSessions: false }]) {
    expect(outcome(await identity("POST", agent, "/rotate-secret", body))).toBe("ok");
    expect(await read(agent)).toBe("ok");
  }
  expect(outcome(await identity("POST", agent, "/rotate-secret", { endSessions: 1 }))).toBe(
    "400 invalid_body",
  );
  expect(outcome(await identity("POST", agent, "/rotate-secret", { endSessions: true }))).toBe("ok");
  expect(await read(agent)).toBe("401 unauthorized");
});

test("an agent's sessions are ended alone, and no other agent's", async () => {
  const [agent, other] = [await makeAgent(app, team, form), await makeAgent(app, team, form)];
  const ended = await identity("DELETE", agent, "/sessions");
  expect(ended.body.data).toEqual({ id: agent.id, ended: 1 });
  expect([await read(agent), await read(other)]).toEqual(["401 unauthorized", "ok"]);
  expect((await identity("DELETE", agent, "/sessions")).body.data.ended).toBe(0);
});
