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
const started = service({
  MAX_BODY_BYTES: "65536",
  RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "1",
  RATE_LIMIT_PAPI_VALIDATE_IP_PER_MINUTE: "1",
  RATE_LIMIT_PAPI_VALIDATE_PER_MINUTE: "1",
});
const { app, team, other, freshForm, putInForce, archive } = await submissionsFixture(fields, started);
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
  const fault = (name: string, says: string, make: Fault["make"], only?: string): Fault => ({
    ...{ name, says, make },
    ...(only && { only }),
  });
  const malform = (body: string) => (it: Attempt) => (it.body = body);
  const unauthorized = "401 unauthorized";
  const throttle: Fault["make"] = async (it, path) => {
    it.ip = nextAddress();
    expect((await ask(app, "POST", path, { ip: it.ip, body: {} })).status).toBe(401);
  };
  const spend: Fault["make"] = (it, path) =>
    ask(app, "POST", path, { headers: asAgent(it.form, it.agent), body: { data: { none: 1 } } });
  const close = ({ form }: Attempt) =>
    putInForce(form, { availability: { closesAt: "2026-01-01T00:00:00.000Z" } });
  const requireChallenge = (it: Attempt) => putInForce(it.form, { challenge: { required: true } });
  const disable = ({ agent }: Attempt) =>
    sql`update formd.agents set status = 'disabled', disabled_at = now() where id = ${agent.id}`;
  const move = ({ agent }: Attempt) =>
    sql`update formd.agents set workspace_id = ${elsewhere} where team_id = ${team.id} and id = ${agent.id}`;
  const revoke = ({ agent }: Attempt) => sql`delete from formd.grants where agent_id = ${agent.id}`;
  const narrow = ({ agent }: Attempt) =>
    sql`update formd.grants set scopes = '{agent:read}' where agent_id = ${agent.id}`;
  const bind = ({ agent }: Attempt) => sql`
    update formd.grants set respondent_id = ${ada}, binding_required = true where agent_id = ${agent.id}`;

  // In the order of the checks: of two errors the upper one is reported.
  const faults: Fault[] = [
    fault("too large", "413 payload_too_large", malform(" ".repeat(70_000))),
    fault("address throttled", '429 rate_limited "ip"', throttle),
    fault("wrong access key", unauthorized, (it) => (it.headers["x-form-access-key"] = "fdf_wrong")),
    fault("no credential", unauthorized, (it) => delete it.headers["x-respondent-token"]),
    fault("agent disabled", "403 agent_inactive", disable),
    fault("agent of another workspace", "403 workspace_mismatch", move),
    fault("no grant", "403 no_grant", revoke),
    fault("scope missing", "403 missing_scope", narrow),
    fault("form archived", "403 form_not_published", (it) => archive(it.form)),
    fault("form closed", "403 form_closed", close),
    fault("no challenge pass", "403 challenge_required", requireChallenge, submissionsPath),
    fault("agent throttled", '429 rate_limited "agent"', spend),
    fault(
      "not said to be JSON",
      "415 invalid_content_type",
      (it) => (it.headers["content-type"] = "text/plain"),
    ),
    fault("not JSON", "400 invalid_body", malform("{")),
    fault("wrong shape", "400 invalid_body", malform('{"data":[]}')),
    fault("respondent not assigned", "403 respondent_not_assigned", bind, submissionsPath),
    fault("payload refused", "422 validation_failed", malform('{"data":{"name":7}}'), submissionsPath),
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
    const body = '{"data":{"name":"Ada"}}';
    const it: Attempt = { form, agent, headers: asAgent(form, agent), body, ip: nextAddress() };
    for (const fault of pair.toReversed()) await fault.make(it, path);
    const reply = await ask(app, "POST", path, { headers: it.headers, body: it.body, ip: it.ip });
    const rows = await submissionCount(app, form);
    return { outcome: told(reply), rows };
  };

  for (const path of [submissionsPath, validationPath]) {
    const name = path.split("/").at(-1);
    const relevant = faults.filter(({ only }) => only === undefined || only === path);
    for (const [index, first] of relevant.entries()) {
      test(`${name}: ${first.name} is reported before all later checks`, async () => {
        expect((await attempt(path, [first])).outcome).toBe(first.says);
        for (const second of relevant.slice(index + 1)) {
          const end = { with: second.name, ...(await attempt(path, [first, second])) };
          expect(end).toEqual({ with: second.name, outcome: first.says, rows: 0 });
        }
      });
    }

    test(`${name}: another team's agent is tenant_mismatch, after credentials and agent state, before all else`, async () => {
      const place = relevant.findIndex(({ name }) => name === "agent disabled") + 1;
      // The foreign agent has no rate limit, grant or workspace here; what is wrong with form and body is not
      // told.
      for (const [index, fault] of relevant.entries())
        if (index < place || fault.name !== "agent throttled")
          expect([fault.name, (await attempt(path, [fault], foreign)).outcome]).toEqual([
            fault.name,
            index < place ? fault.says : "403 tenant_mismatch",
          ]);
    });
  }
});
