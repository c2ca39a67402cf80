import { beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { unknownId } from "../../expect.ts";
import {
  ask,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const path = "/papi/v1/identity/agents";
let team: Team;
let form: PublishedForm;
let cookie: string;

const call = (app: Service, headers: Record<string, string>, method: string, to: string, body?: unknown) =>
  ask(app, method, `${path}/${to}`, {
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body }),
  });

/** The ways to gain an agent's credentials, each with the result's status and code. */
async function attempts(app: Service, headers: Record<string, string>, id: string) {
  const publicKeyPem = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" });
  await call(app, { cookie }, "PATCH", id, { status: "disabled" });
  const replies = {
    rename: await call(app, headers, "PATCH", id, { name: "Renamed" }),
    disable: await call(app, headers, "PATCH", id, { status: "disabled" }),
    enable: await call(app, headers, "PATCH", id, { status: "active" }),
    rotate: await call(app, headers, "POST", `${id}/rotate-secret`),
    register: await call(app, headers, "POST", `${id}/keys`, { publicKeyPem }),
  };
  return Object.fromEntries(
    Object.entries(replies).map(([name, { status, body }]) => [
      name,
      body.code ? `${status} ${body.code}` : status,
    ]),
  );
}

const allowed = { rename: 200, disable: 200, enable: 200, rotate: 200, register: 200 };
const refused = "403 submit_not_grantable_by_api_key";

/** Agents that may submit, or are bound to a respondent; and one that is neither. */
async function makeAgents(app: Service) {
  const submitting = await makeAgent(app, team, form, ["agent:submit"]);
  const bound = await makeAgent(app, team, form, []);
  const reading = await makeAgent(app, team, form, ["agent:read", "agent:validate"]);
  const grant = { formId: form.id, scopes: ["agent:read"], respondentId: unknownId };
  expect((await call(app, { cookie }, "POST", `${bound.id}/grants`, grant)).status).toBe(200);
  return { submitting: submitting.id, bound: bound.id, reading: reading.id };
}

describe("AGENT_CREDENTIALS=operator", () => {
  let app: Service;
  let agents: Awaited<ReturnType<typeof makeAgents>>;
  beforeAll(async () => {
    app = await service({ AGENT_CREDENTIALS: "operator" });
    team = await makeTeam(app);
    form = await makeForm(app, team, []);
    cookie = await makeOperator(app, team, "editor");
    agents = await makeAgents(app);
  });

  test("an API key gains no credentials of an agent that may submit or is bound, and the message says what to do", async () => {
    const key = { "x-api-key": team.key };
    for (const id of [agents.submitting, agents.bound])
      expect(await attempts(app, key, id)).toEqual({
        ...allowed,
        enable: refused,
        rotate: refused,
        register: refused,
      });
    const { body } = await call(app, key, "POST", `${agents.submitting}/rotate-secret`);
    expect(body.error).toContain("an operator must sign in");
  });

  test("an API key may for any other agent, and an operator for all", async () => {
    expect(await attempts(app, { "x-api-key": team.key }, agents.reading)).toEqual(allowed);
    for (const id of Object.values(agents)) expect(await attempts(app, { cookie }, id)).toEqual(allowed);
  });
});

test("by default an API key may for every agent, as the specification has it", async () => {
  const app = await service();
  team = await makeTeam(app);
  form = await makeForm(app, team, []);
  cookie = await makeOperator(app, team, "editor");
  for (const id of Object.values(await makeAgents(app)))
    expect(await attempts(app, { "x-api-key": team.key }, id)).toEqual(allowed);
});
