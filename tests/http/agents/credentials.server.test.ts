import { expect, test } from "bun:test";
import { unknownId } from "../../expect.ts";
import { makeAgent, makeOperator, type Service, service } from "../../setup.ts";
import { newKey } from "../../signing.ts";
import { agentsFixture } from "./fixture.ts";

const allowed = { rename: 200, disable: 200, enable: 200, rotate: 200, register: 200 };
const refused = "403 submit_not_grantable_by_api_key";
const withheld = { ...allowed, enable: refused, rotate: refused, register: refused };

/** Agents that may submit, or are bound to a respondent; and one that is neither. */
async function credentialsFixture(app: Service) {
  const { team, form, key, call } = await agentsFixture(app);
  const operator = { cookie: await makeOperator(app, team, "editor") };
  const [submitting, bound, reading] = [
    (await makeAgent(app, team, form, ["agent:submit"])).id,
    (await makeAgent(app, team, form, [])).id,
    (await makeAgent(app, team, form, ["agent:read", "agent:validate"])).id,
  ];
  const grant = { formId: form.id, scopes: ["agent:read"], respondentId: unknownId };
  expect((await call(operator, "POST", `/${bound}/grants`, grant)).status).toBe(200);

  /** The ways to gain an agent's credentials, each with the result's status and code. */
  async function attempts(headers: Record<string, string>, id: string) {
    await call(operator, "PATCH", `/${id}`, { status: "disabled" });
    const replies = {
      rename: await call(headers, "PATCH", `/${id}`, { name: "Renamed" }),
      disable: await call(headers, "PATCH", `/${id}`, { status: "disabled" }),
      enable: await call(headers, "PATCH", `/${id}`, { status: "active" }),
      rotate: await call(headers, "POST", `/${id}/rotate-secret`),
      register: await call(headers, "POST", `/${id}/keys`, { publicKeyPem: newKey().pem }),
    };
    return Object.fromEntries(
      Object.entries(replies).map(([name, { status, body }]) => [
        name,
        body.code ? `${status} ${body.code}` : status,
      ]),
    );
  }
  return { key, operator, call, submitting, bound, reading, attempts };
}

const strict = await credentialsFixture(await service({ AGENT_CREDENTIALS: "operator" }));

test("AGENT_CREDENTIALS=operator: an API key gains no credentials of an agent that may submit or is bound, and the message says what to do", async () => {
  const { key, call, submitting, bound, attempts } = strict;
  for (const id of [submitting, bound]) expect(await attempts(key, id)).toEqual(withheld);
  const { body } = await call(key, "POST", `/${submitting}/rotate-secret`);
  expect(body.error).toContain("an operator must sign in");
});

test("AGENT_CREDENTIALS=operator: an API key may for any other agent, and an operator for all", async () => {
  const { key, operator, submitting, bound, reading, attempts } = strict;
  expect(await attempts(key, reading)).toEqual(allowed);
  for (const id of [submitting, bound, reading]) expect(await attempts(operator, id)).toEqual(allowed);
});

test("by default an API key may for every agent, as the specification has it", async () => {
  const { key, submitting, bound, reading, attempts } = await credentialsFixture(await service());
  for (const id of [submitting, bound, reading]) expect(await attempts(key, id)).toEqual(allowed);
});
