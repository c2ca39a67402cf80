import { beforeAll, describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { cliActor } from "../../src/platform/auth/actor.ts";
import type { Sql } from "../../src/platform/database/db.ts";
import { addOperator } from "../../src/resources/operators/operators.ts";
import type { Role } from "../../src/resources/operators/roles.ts";
import { makeTeam, makeWorkspace, type Service, type Team } from "../setup.ts";
import { actorText, hashOf, inParallel, raisedProblem, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
let people: Record<"editor" | "viewer" | "stranger", string>;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
  const join = async (role: Role, workspace = team.workspace) =>
    (
      await addOperator(sql, cliActor, team.id, {
        workspace,
        email: `${uuidv7()}@example.org`,
        role,
        password: "correct horse",
      })
    ).id;
  people = {
    editor: await join("editor"),
    viewer: await join("viewer"),
    stranger: await join("admin", await makeWorkspace(app, team)),
  };
});

interface Agent {
  id: string;
  status: string;
  name: string;
  workspaceId: string;
  updatedAt: Date;
  disabledAt: Date | null;
}

async function register(
  operator: string | null = null,
  { name = "Agent", workspace = null as string | null } = {},
): Promise<Agent> {
  const id = uuidv7();
  const [agent] = await sql<[Agent]>`
    select * from formd.agent_create(${team.id}, ${actorText(operator)}::formd.actor, ${workspace}, ${id}, ${name}, ${id}, 'fda_x', ${hashOf(id)})`;
  return agent;
}

async function update(
  id: string,
  operator: string | null,
  name: string | null,
  status: string | null = null,
): Promise<Agent> {
  await sql`
    select from formd.agent_patch(
      p_team => ${team.id}, p_actor => ${actorText(operator)}::formd.actor, p_agent => ${id}, p_name => ${name}, p_status => ${status},
      p_require_operator => false)`;
  const [agent] = await sql<[Agent]>`select * from formd.agents where id = ${id}`;
  return agent;
}

const revoke = (id: string, operator: string | null = null) =>
  sql<
    { status: string }[]
  >`select * from formd.agent_delete(${team.id}, ${actorText(operator)}::formd.actor, ${id})`;
const rotate = (id: string, hash: string, operator: string | null = null) =>
  sql`select formd.agent_secret_rotate(${team.id}, ${actorText(operator)}::formd.actor, ${id}, 'fda_y', ${hashOf(hash)}, false, false)`;

describe("who may", () => {
  test("an agent goes where the caller may write: the oldest workspace of the team, or of the person", async () => {
    expect((await register()).workspaceId).toBe(team.workspace);
    expect((await register(people.editor)).workspaceId).toBe(team.workspace);
    expect((await register(people.stranger)).workspaceId).not.toBe(team.workspace);
    expect((await raisedProblem(register(people.viewer))).code).toBe("insufficient_workspace_role");
    expect((await raisedProblem(register(null, { workspace: uuidv7() }))).code).toBe("not_found");
  });

  test.each([
    ["rename", (id: string, who: string) => update(id, who, "Other")],
    ["rotate", (id: string, who: string) => rotate(id, uuidv7(), who)],
    ["revoke", (id: string, who: string) => revoke(id, who)],
  ])(
    "%s: an editor may, a viewer may not, for someone of another workspace there is no such agent",
    async (_, act) => {
      const { id } = await register();
      expect((await raisedProblem(act(id, people.stranger))).code).toBe("not_found");
      expect((await raisedProblem(act(id, people.viewer))).code).toBe("insufficient_workspace_role");
      await act(id, people.editor);
    },
  );

  test("another team's agent is not there", async () => {
    const { id } = await register();
    const other = await makeTeam(app);
    expect(
      (
        await raisedProblem(
          sql`select formd.agent_patch(${other.id}, '(api_key,,)'::formd.actor, ${id}, 'x', null, false)`,
        )
      ).code,
    ).toBe("not_found");
    expect(
      (await raisedProblem(sql`select formd.agent_delete(${other.id}, '(api_key,,)'::formd.actor, ${id})`))
        .code,
    ).toBe("not_found");
  });
});

describe("states", () => {
  test("disabled and active again: the time of disabling goes with the state, updated_at goes on with each change", async () => {
    const { id } = await register();
    const disabled = await update(id, null, null, "disabled");
    expect(disabled.disabledAt).not.toBeNull();
    const again = await update(id, null, null, "disabled");
    expect(again).toEqual(disabled);
    const active = await update(id, null, null, "active");
    expect(active).toMatchObject({ status: "active", disabledAt: null });
    expect(active.updatedAt.getTime()).toBeGreaterThan(disabled.updatedAt.getTime());
  });

  test("a disabled agent can be revoked; revoked is for good, and twice is once", async () => {
    const { id } = await register();
    await update(id, null, null, "disabled");
    expect([...(await revoke(id))]).toEqual([{ id, status: "revoked" }] as never);
    const [before] = await sql`select * from formd.agents where id = ${id}`;
    await revoke(id);
    expect((await sql`select * from formd.agents where id = ${id}`)[0]).toEqual(before);
    for (const act of [update(id, null, null, "active"), update(id, null, "x"), rotate(id, "z")])
      expect((await raisedProblem(act)).code).toBe("conflict");
  });

  test("20 updates at once against a revocation: what came after it is refused, and it stays revoked", async () => {
    const { id } = await register();
    const ends = await inParallel(app.database.ownerUrl, 20, (each, index) =>
      (index === 10
        ? each`select from formd.agent_delete(${team.id}, '(api_key,,)'::formd.actor, ${id})`
        : each`select from formd.agent_patch(${team.id}, '(api_key,,)'::formd.actor, ${id}, null, ${index % 2 ? "active" : "disabled"}, false)`
      ).then(
        () => "done",
        ({ message }) => message,
      ),
    );
    expect(ends[10]).toBe("done");
    expect(ends.filter((end) => end !== "done" && end !== "conflict")).toEqual([]);
    const [left] = await sql`select status, disabled_at from formd.agents where id = ${id}`;
    expect(left).toEqual({ status: "revoked", disabledAt: null });
  });

  test("a name of blanks is none", async () => {
    expect((await raisedProblem(register(null, { name: " \t" }))).code).toBe("bad_request");
    const { id } = await register();
    expect((await raisedProblem(update(id, null, "  "))).code).toBe("bad_request");
  });
});
