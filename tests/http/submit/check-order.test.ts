// stacks: one
import { describe, expect, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeWorkspace,
  type PublishedForm,
  type Reply,
  service,
} from "../../setup.ts";
import { submissionsFixture, submissionsPath, validationPath } from "../submissions/fixture.ts";

const ada = "01900000-0000-7000-8000-00000000ada0";
const fields = [{ id: "name", type: "text", label: "Name", required: true }];
const settings = {
  MAX_BODY_BYTES: "65536",
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "1",
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "1",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1",
};
const { app, team, other, freshForm, putInForce, archive } = await submissionsFixture(
  fields,
  service({ ...settings }),
);
const { sql } = app.database;
const foreign = { team: other, form: await makeForm(app, other, fields) };
const elsewhere = await makeWorkspace(app, team);

/** Another one for each attempt: one request uses an address up. */
let addresses = 0;
const nextAddress = () => `10.7.${addresses >> 8}.${addresses++ & 255}`;

describe("the order of checks", () => {
  interface Attempt {
    form: PublishedForm;
    agent: Agent;
    headers: Record<string, string>;
    body: string;
    ip: string;
  }
  interface Fault {
    name: string;
    says: string;
    only?: string;
    make(attempt: Attempt, path: string): unknown;
  }
  // In the order of the checks: of two errors the upper one is reported.
  const faults: Fault[] = [
    { name: "too large", says: "413 payload_too_large", make: (it) => (it.body = " ".repeat(70_000)) },
    {
      name: "address throttled",
      says: '429 rate_limited "ip"',
      make: async (it, path) => {
        it.ip = nextAddress();
        expect((await ask(app, "POST", path, { ip: it.ip, body: {} })).status).toBe(401);
      },
    },
    {
      name: "wrong access key",
      says: "401 unauthorized",
      make: (it) => (it.headers["x-form-access-key"] = "fdf_wrong"),
    },
    {
      name: "no credential",
      says: "401 unauthorized",
      make: (it) => delete it.headers["x-respondent-token"],
    },
    {
      name: "agent disabled",
      says: "403 agent_inactive",
      make: (it) =>
        sql`update formd.agents set status = 'disabled', disabled_at = now() where id = ${it.agent.id}`,
    },
    {
      name: "agent of another workspace",
      says: "403 workspace_mismatch",
      make: (it) =>
        sql`update formd.agents set workspace_id = ${elsewhere} where team_id = ${team.id} and id = ${it.agent.id}`,
    },
    {
      name: "no grant",
      says: "403 no_grant",
      make: (it) => sql`delete from formd.grants where agent_id = ${it.agent.id}`,
    },
    {
      name: "scope missing",
      says: "403 missing_scope",
      make: (it) => sql`update formd.grants set scopes = '{agent:read}' where agent_id = ${it.agent.id}`,
    },
    {
      name: "form archived",
      says: "403 form_not_published",
      make: (it) => archive(it.form),
    },
    {
      name: "no challenge pass",
      says: "403 challenge_required",
      only: submissionsPath,
      make: (it) => putInForce(it.form, { challenge: { required: true } }),
    },
    {
      name: "agent throttled",
      says: '429 rate_limited "agent"',
      make: (it, path) =>
        ask(app, "POST", path, { headers: asAgent(it.form, it.agent), body: { data: { none: 1 } } }),
    },
    {
      name: "not said to be JSON",
      says: "415 invalid_content_type",
      make: (it) => (it.headers["content-type"] = "text/plain"),
    },
    { name: "not JSON", says: "400 invalid_body", make: (it) => (it.body = "{") },
    { name: "wrong shape", says: "400 invalid_body", make: (it) => (it.body = '{"data":[]}') },
    {
      name: "respondent not assigned",
      says: "403 respondent_not_assigned",
      only: submissionsPath,
      make: (it) =>
        sql`update formd.grants set respondent_id = ${ada}, binding_required = true where agent_id = ${it.agent.id}`,
    },
    {
      name: "payload refused",
      says: "422 validation_failed",
      only: submissionsPath,
      make: (it) => (it.body = '{"data":{"name":7}}'),
    },
  ];
  const told = (reply: Reply) => {
    const bucket = reply.status === 429 ? ` ${reply.headers.get("ratelimit-policy")?.split(";")[0]}` : "";
    return outcome(reply) + bucket;
  };
  const attempt = async (
    path: string,
    pair: Fault[],
    from = { team, form: undefined as PublishedForm | undefined },
  ) => {
    const form = await freshForm();
    const agent = await makeAgent(app, from.team, from.form ?? form);
    const it: Attempt = {
      form,
      agent,
      headers: asAgent(form, agent),
      body: '{"data":{"name":"Ada"}}',
      ip: nextAddress(),
    };
    for (const fault of pair.toReversed()) await fault.make(it, path);
    const reply = await ask(app, "POST", path, { headers: it.headers, body: it.body, ip: it.ip });
    const rows = await submissionCount(app, form);
    return { outcome: told(reply), rows };
  };

  for (const path of [submissionsPath, validationPath]) {
    const relevant = faults.filter(({ only }) => only === undefined || only === path);
    for (const [index, first] of relevant.entries()) {
      test(`${path.split("/").at(-1)}: ${first.name} is told before all that comes after it`, async () => {
        expect((await attempt(path, [first])).outcome).toBe(first.says);
        for (const second of relevant.slice(index + 1)) {
          const { outcome, rows } = await attempt(path, [first, second]);
          expect({ with: second.name, outcome, rows }).toEqual({
            with: second.name,
            outcome: first.says,
            rows: 0,
          });
        }
      });
    }

    test(`${path.split("/").at(-1)}: another team's agent is tenant_mismatch, after credentials and agent state, before all else`, async () => {
      const place = relevant.findIndex(({ name }) => name === "agent disabled") + 1;
      for (const fault of relevant.slice(0, place)) {
        expect([fault.name, (await attempt(path, [fault], foreign)).outcome]).toEqual([
          fault.name,
          fault.says,
        ]);
      }
      // The foreign agent has no rate limit, grant or workspace here; what is wrong with form and body is not
      // told.
      for (const fault of relevant.slice(place).filter(({ name }) => name !== "agent throttled")) {
        expect([fault.name, (await attempt(path, [fault], foreign)).outcome]).toEqual([
          fault.name,
          "403 tenant_mismatch",
        ]);
      }
    });
  }
});
