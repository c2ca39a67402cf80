import { beforeAll, describe, expect, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeKey,
  makeTeam,
  makeWorkspace,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const validation = "/papi/v1/submitter/form/validation";
const submission = "/papi/v1/submitter/form/submissions";
const fields = [{ id: "name", type: "text", label: "Name", required: true }];
const whole = { name: "Ada" };

let app: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;

beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
  form = await makeForm(app, team, fields);
  agent = await makeAgent(app, team, form);
});

const validate = (body: unknown, who: { token: string } = agent, to = form) =>
  ask(app, "POST", validation, { headers: asAgent(to, who), body });

describe("who may validate and submit", () => {
  const other = { team: {} as Team, form: {} as PublishedForm, agent: {} as Agent };
  let draft: PublishedForm;
  let elsewhere: Agent;
  beforeAll(async () => {
    other.team = await makeTeam(app);
    other.form = await makeForm(app, other.team, fields);
    other.agent = await makeAgent(app, other.team, other.form);
    elsewhere = await makeAgent(
      app,
      team,
      await makeForm(app, team, [], { workspaceId: await makeWorkspace(app, team) }),
      [],
    );
    draft = await makeForm(app, team, fields);
    await app.database
      .sql`update formd.forms set status = 'draft', current_version = 0 where id = ${draft.id}`;
  });
  const withKey = async (...scopes: string[]) => ({
    "x-form-access-key": form.accessKey,
    "x-api-key": (await makeKey(app, team, ...scopes)).key,
  });
  const scoped = async (...scopes: string[]) => asAgent(form, await makeAgent(app, team, form, scopes));
  const changed = async (change: "disabled" | "revoked") => {
    const who = await makeAgent(app, team, form);
    const at = { disabled: null, revoked: null, [change]: new Date() };
    await app.database.sql`
      update formd.agents set status = ${change}, disabled_at = ${at.disabled}, revoked_at = ${at.revoked} where id = ${who.id}`;
    return asAgent(form, who);
  };
  const archived = async () => {
    const old = await makeForm(app, team, fields);
    await app.database
      .sql`update formd.forms set status = 'archived', archived_at = now() where id = ${old.id}`;
    return asAgent(old, await makeAgent(app, team, old));
  };

  type Case = [
    title: string,
    headers: () => Promise<Record<string, string>> | Record<string, string>,
    validates: string,
    submits: string,
  ];
  const same = (outcome: string): [string, string] => [outcome, outcome];
  const cases: Case[] = [
    [
      "an agent with every scope",
      () => scoped("agent:read", "agent:validate", "agent:submit"),
      ...same("ok"),
    ],
    ["an agent with agent:validate only", () => scoped("agent:validate"), "ok", "403 missing_scope"],
    ["an agent with agent:submit only", () => scoped("agent:submit"), "403 missing_scope", "ok"],
    ["an agent with agent:read only", () => scoped("agent:read"), ...same("403 missing_scope")],
    ["an agent without a grant", () => scoped(), ...same("403 no_grant")],
    ["a disabled agent", () => changed("disabled"), ...same("403 agent_inactive")],
    ["a revoked agent", () => changed("revoked"), ...same("403 agent_inactive")],
    ["an agent of another workspace", () => asAgent(form, elsewhere), ...same("403 workspace_mismatch")],
    ["an agent of another team", () => asAgent(form, other.agent), ...same("403 tenant_mismatch")],
    ["an API key with submissions:write", () => withKey("submissions:write"), ...same("ok")],
    [
      "an API key with every other scope",
      () =>
        withKey("forms:read", "forms:write", "submissions:read", "submissions:update", "submissions:delete"),
      ...same("403 missing_scope"),
    ],
    [
      "an API key of another team",
      () => ({ "x-form-access-key": form.accessKey, "x-api-key": other.team.key }),
      ...same("403 tenant_mismatch"),
    ],
    [
      "a wrong API key",
      () => ({ "x-form-access-key": form.accessKey, "x-api-key": "fdk_wrong" }),
      ...same("401 unauthorized"),
    ],
    ["nobody", () => ({}), ...same("401 unauthorized")],
    ["an access key alone", () => ({ "x-form-access-key": form.accessKey }), ...same("401 unauthorized")],
    ["a token alone", () => ({ "x-respondent-token": agent.token }), ...same("401 unauthorized")],
    ["a token that is none", () => asAgent(form, { token: "fds_none" }), ...same("401 unauthorized")],
    [
      "an agent's secret in place of a token",
      () => asAgent(form, { token: agent.secret }),
      ...same("401 unauthorized"),
    ],
    [
      "a wrong access key",
      () => asAgent({ ...form, accessKey: `${form.accessKey.slice(0, -4)}AAAA` }, agent),
      ...same("401 unauthorized"),
    ],
    [
      "a form's id in place of its access key",
      () => asAgent({ ...form, accessKey: form.id }, agent),
      ...same("401 unauthorized"),
    ],
    [
      "a foreign token with a wrong access key",
      () => asAgent({ ...form, accessKey: `${form.accessKey.slice(0, -4)}AAAA` }, other.agent),
      ...same("401 unauthorized"),
    ],
    [
      "an agent on a draft",
      async () => asAgent(draft, await makeAgent(app, team, draft)),
      ...same("403 form_not_published"),
    ],
    ["an agent on an archived form", archived, ...same("403 form_not_published")],
    [
      "an API key on a draft",
      () => ({ "x-form-access-key": draft.accessKey, "x-api-key": team.key }),
      ...same("403 form_not_published"),
    ],
  ];
  test.each(cases)("%s", async (_title, headers, validates, submits) => {
    const before = await submissionCount(app, form);
    const sent = { headers: await headers(), body: { data: whole } };
    expect(outcome(await ask(app, "POST", validation, sent))).toBe(validates);
    expect(outcome(await ask(app, "POST", submission, sent))).toBe(submits);
    expect((await submissionCount(app, form)) - before).toBe(submits === "ok" ? 1 : 0);
  });

  test("an access key in the URL is not read, on either endpoint", async () => {
    for (const path of [validation, submission]) {
      for (const name of ["x-form-access-key", "formAccessKey", "accessKey", "access_key"]) {
        const reply = await ask(app, "POST", `${path}?${name}=${form.accessKey}`, {
          headers: { "x-respondent-token": agent.token },
          body: { data: whole },
        });
        expect(outcome(reply)).toBe("401 unauthorized");
      }
    }
  });

  test("a revoked access key is 401; another one of the form works on", async () => {
    const two = await makeForm(app, team, fields);
    const who = await makeAgent(app, team, two);
    const { sql } = app.database;
    expect(outcome(await validate({ data: whole }, who, two))).toBe("ok");
    await sql`update formd.form_access_keys set revoked_at = now() where form_id = ${two.id}`;
    expect(outcome(await validate({ data: whole }, who, two))).toBe("401 unauthorized");
    expect(
      outcome(await ask(app, "POST", submission, { headers: asAgent(two, who), body: { data: whole } })),
    ).toBe("401 unauthorized");
    expect(await submissionCount(app, two)).toBe(0);
  });

  test("a respondent token comes before an API key: a wrong one is not saved by a right key", async () => {
    const headers = { ...asAgent(form, { token: "fds_none" }), "x-api-key": team.key };
    expect(outcome(await ask(app, "POST", submission, { headers, body: { data: whole } }))).toBe(
      "401 unauthorized",
    );
  });
});
