// stacks: one months citus gate
import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeForm, makeTeam, makeWorkspace } from "../setup.ts";
import { actorText, codeOf, endOf, inParallel, sqlFixture } from "./fixture.ts";

const { app, sql, team, register: newAgent } = await sqlFixture();
const form = await makeForm(app, team, []);

interface Grant {
  id: string;
  scopes: string[];
  respondentId: string | null;
  bindingRequired: boolean;
  updatedAt: Date;
}

interface Asked {
  operator?: string | null;
  formId?: string;
  scopes?: string[];
  /** Undefined: not given. */
  respondent?: string | null;
  bindingRequired?: boolean;
}

async function put(agent: string, asked: Asked = {}, each = sql): Promise<Grant> {
  const {
    operator = team.operator.id,
    formId = form.id,
    scopes = ["agent:read"],
    respondent,
    bindingRequired,
  } = asked;
  const [grant] = await each<[Grant]>`
    select * from formd.grant_upsert(${team.id}, ${actorText(operator)}::formd.actor, ${agent}, ${uuidv7()}, ${formId}, ${scopes},
      ${respondent !== undefined}, ${respondent ?? null}, ${bindingRequired ?? null})`;
  return grant;
}

const grantsOf = (agent: string) => sql`select id, scopes from formd.grants where agent_id = ${agent}`;

test("two who grant at once make one grant, and the later scopes hold", async () => {
  for (let round = 0; round < 10; round++) {
    const agent = await newAgent();
    const grants = await inParallel(app.database.ownerUrl, 2, (each, index) =>
      put(agent, { scopes: [index ? "agent:read" : "agent:submit"] }, each),
    );
    const [only, ...others] = await grantsOf(agent);
    expect(others).toEqual([]);
    expect(grants.map(({ id }) => id)).toEqual([only?.id, only?.id]);
    const last = grants.toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())[0];
    expect(only?.scopes).toEqual(last?.scopes);
  }
});

test("granting again replaces the scopes and keeps omitted members", async () => {
  const [agent, respondent] = [await newAgent(), uuidv7()];
  const first = await put(agent, { respondent, bindingRequired: true, scopes: ["agent:submit"] });
  const second = await put(agent, { scopes: ["agent:read", "agent:validate"] });
  expect(second).toMatchObject({
    id: first.id,
    respondentId: respondent,
    bindingRequired: true,
    scopes: ["agent:read", "agent:validate"],
  });
  expect(second.updatedAt.getTime()).toBeGreaterThan(first.updatedAt.getTime());
  expect(await put(agent, { respondent: null, bindingRequired: false })).toMatchObject({
    respondentId: null,
    bindingRequired: false,
  });
});

test("an API key grants neither submit nor a respondent, and loosens no binding", async () => {
  const [agent, respondent] = [await newAgent(), uuidv7()];
  await put(agent, { respondent, bindingRequired: true });
  const key = { operator: null };
  expect(await codeOf(put(agent, { ...key, scopes: ["agent:submit"] }))).toBe(
    "submit_not_grantable_by_api_key",
  );
  for (const asked of [
    { respondent: uuidv7() },
    { respondent },
    { respondent: null },
    { bindingRequired: false },
  ])
    expect(await codeOf(put(agent, { ...key, ...asked }))).toBe("respondent_binding_requires_session");
  expect(await put(agent, key)).toMatchObject({ respondentId: respondent, bindingRequired: true });
});

test("a form that is not the team's is not there, one of another workspace is another matter", async () => {
  const agent = await newAgent();
  const theirs = await makeForm(app, await makeTeam(app), []);
  for (const formId of [uuidv7(), theirs.id])
    for (const operator of [null, team.operator.id])
      expect(await codeOf(put(agent, { formId, operator }))).toBe("not_found");
  const workspace = await makeWorkspace(app, team);
  const { id: formId } = await makeForm(app, team, [], { workspaceId: workspace });
  expect(await codeOf(put(agent, { formId, operator: null }))).toBe("workspace_mismatch");
  expect(await codeOf(put(agent, { formId }))).toBe("insufficient_workspace_role");
  // The role that counts is the one in the form's workspace.
  await sql`
    insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
    values (${team.id}, ${workspace}, ${team.operator.id}, 'editor', now())`;
  expect(await codeOf(put(agent, { formId }))).toBe("workspace_mismatch");
  expect((await grantsOf(agent)).length).toBe(0);
  await sql`update formd.agents set workspace_id = ${workspace} where id = ${agent}`;
  expect(await put(agent, { formId })).toMatchObject({ scopes: ["agent:read"] });
});

test("no grant outlives the revocation of its agent in a race: it came before, or is refused", async () => {
  for (let round = 0; round < 10; round++) {
    const agent = await newAgent();
    const [granted] = await inParallel(app.database.ownerUrl, 2, async (each, index) => {
      if (index)
        return void (await each`select formd.agent_delete(${team.id}, '(api_key,,)'::formd.actor, ${agent})`);
      return await endOf(put(agent, {}, each), "granted");
    });
    expect(["granted", "conflict"]).toContain(granted as string);
    expect((await grantsOf(agent)).length).toBe(granted === "granted" ? 1 : 0);
  }
});

test("of two who delete a grant, one does", async () => {
  const agent = await newAgent();
  const { id } = await put(agent);
  const ends = await inParallel(app.database.ownerUrl, 2, (each) =>
    endOf(
      each`select formd.grant_remove(${team.id}, '(api_key,,)'::formd.actor, ${agent}, ${id})`,
      "deleted",
    ),
  );
  expect(ends.toSorted()).toEqual(["deleted", "not_found"]);
});
