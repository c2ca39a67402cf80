import { describe, expect, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeKey,
  makeWorkspace,
  permissive,
  service,
} from "../../setup.ts";
import { submissionsFixture, submissionsPath, validationPath } from "../submissions/fixture.ts";

const formPath = "/papi/v1/submitter/form";
const fields = [{ id: "name", type: "text", label: "Name", required: true }];
const { app, team, other, form, freshForm, byKey, agentOn, submit, validate, archive } =
  await submissionsFixture(fields, service(permissive));
const { sql } = app.database;
const body = { data: { name: "Ada" } };
const agent = await makeAgent(app, team, form);
const foreign = await makeAgent(app, other, await makeForm(app, other, fields));
const elsewhere = await makeAgent(
  ...([app, team] as const),
  await makeForm(app, team, [], { workspaceId: await makeWorkspace(app, team) }),
  [],
);
const draft = await freshForm();
await sql`update formd.forms set status = 'draft', current_version = 0 where id = ${draft.id}`;
const guessed = { ...form, accessKey: `${form.accessKey.slice(0, -4)}AAAA` };
const read = (headers: Record<string, string>, query = "") => ask(app, "GET", formPath + query, { headers });

type Headers = Record<string, string>;
const withKey = async (...scopes: string[]) => byKey(form, (await makeKey(app, team, ...scopes)).key);
const changed = async (change: "disabled" | "revoked") => {
  const who = await makeAgent(app, team, form);
  const at = { disabled: null, revoked: null, [change]: new Date() };
  await sql`
    update formd.agents set status = ${change}, disabled_at = ${at.disabled}, revoked_at = ${at.revoked} where id = ${who.id}`;
  return asAgent(form, who);
};
const archived = async () => {
  const old = await freshForm();
  await archive(old);
  return await agentOn(old);
};
const othersScopes = "forms:read forms:write submissions:read submissions:update submissions:delete".split(
  " ",
);
const missing = "403 missing_scope";
const unknown = "401 unauthorized";

describe("who may read the form, validate and submit", () => {
  type Case = [
    title: string,
    headers: () => Promise<Headers> | Headers,
    reads: string,
    validates?: string,
    submits?: string,
  ];
  // A route without an outcome of its own has the outcome of the previous route.
  const cases: Case[] = [
    ["an agent with every scope", () => agentOn(form, "agent:read", "agent:validate", "agent:submit"), "ok"],
    ["an agent with agent:read only", () => agentOn(form, "agent:read"), "ok", missing],
    ["an agent with agent:validate only", () => agentOn(form, "agent:validate"), missing, "ok", missing],
    ["an agent with agent:submit only", () => agentOn(form, "agent:submit"), missing, missing, "ok"],
    [
      "an agent without a grant",
      async () => asAgent(form, await makeAgent(app, team, form, [])),
      "403 no_grant",
    ],
    ["a disabled agent", () => changed("disabled"), "403 agent_inactive"],
    ["a revoked agent", () => changed("revoked"), "403 agent_inactive"],
    ["an agent of another workspace", () => asAgent(form, elsewhere), "403 workspace_mismatch"],
    ["an agent of another team", () => asAgent(form, foreign), "403 tenant_mismatch"],
    ["an API key with submissions:write", () => withKey("submissions:write"), unknown, "ok"],
    ["an API key with every other scope", () => withKey(...othersScopes), unknown, missing],
    ["an API key of another team", () => byKey(form, other.key), unknown, "403 tenant_mismatch"],
    ["a wrong API key", () => byKey(form, "fdk_wrong"), unknown],
    ["nobody", () => ({}), unknown],
    ["an access key alone", () => ({ "x-form-access-key": form.accessKey }), unknown],
    ["a token alone", () => ({ "x-respondent-token": agent.token }), unknown],
    ["a token that is none", () => asAgent(form, { token: "fds_none" }), unknown],
    ["an agent's secret in place of a token", () => asAgent(form, { token: agent.secret }), unknown],
    ["a wrong access key", () => asAgent(guessed, agent), unknown],
    [
      "a form's id in place of its access key",
      () => asAgent({ ...form, accessKey: form.id }, agent),
      unknown,
    ],
    ["a foreign token with a wrong access key", () => asAgent(guessed, foreign), unknown],
    ["an agent on a draft", () => agentOn(draft), "403 form_not_published"],
    ["an agent on an archived form", archived, "403 form_not_published"],
    ["an API key on a draft", () => byKey(draft), unknown, "403 form_not_published"],
    [
      "a wrong token with a right API key, which it comes before",
      () => ({ ...asAgent(form, { token: "fds_none" }), "x-api-key": team.key }),
      unknown,
    ],
  ];
  test.each(cases)("%s", async (_title, headersOf, reads, validates = reads, submits = validates) => {
    const before = await submissionCount(app, form);
    const headers = await headersOf();
    const replies = [await read(headers), await validate(headers, body), await submit(headers, body)];
    expect(replies.map(outcome)).toEqual([reads, validates, submits]);
    expect((await submissionCount(app, form)) - before).toBe(submits === "ok" ? 1 : 0);
  });

  test.each(["x-form-access-key", "formAccessKey", "accessKey", "access_key"])(
    "an access key in the URL is not read: %s",
    async (name) => {
      const headers = { "x-respondent-token": agent.token };
      for (const [method, path] of [
        ["GET", formPath],
        ["POST", validationPath],
        ["POST", submissionsPath],
      ] as const) {
        const sent = { headers, ...(method === "POST" && { body }) };
        expect(outcome(await ask(app, method, `${path}?${name}=${form.accessKey}`, sent))).toBe(unknown);
      }
    },
  );

  test("what is withdrawn ends at once: a form, a grant, an access key", async () => {
    const own = await freshForm();
    const who = await makeAgent(app, team, own);
    const outcomes = async () =>
      [await read(asAgent(own, who)), await validate(asAgent(own, who), body)].map(outcome);
    expect(await outcomes()).toEqual(["ok", "ok"]);
    await archive(own);
    expect(await outcomes()).toEqual(["403 form_not_published", "403 form_not_published"]);
    await sql`delete from formd.grants where agent_id = ${who.id}`;
    expect(await outcomes()).toEqual(["403 no_grant", "403 no_grant"]);
    await sql`update formd.form_access_keys set revoked_at = now() where form_id = ${own.id}`;
    expect(await outcomes()).toEqual([unknown, unknown]);
    expect(outcome(await submit(asAgent(own, who), body))).toBe(unknown);
    expect(await submissionCount(app, own)).toBe(0);
  });
});
