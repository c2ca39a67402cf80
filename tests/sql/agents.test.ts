import { describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeWorkspace } from "../setup.ts";
import { actorText, codeOf, endOf, hashOf, inParallel, sqlFixture } from "./fixture.ts";

const { app, sql, team, register: newAgent, join } = await sqlFixture();

interface Agent {
  id: string;
  status: string;
  name: string;
  workspaceId: string;
  updatedAt: Date;
  disabledAt: Date | null;
}

async function register(operator: string | null, workspace: string | null = null): Promise<Agent> {
  const id = uuidv7();
  const [agent] = await sql<[Agent]>`
    select * from formd.agent_create(${team.id}, ${actorText(operator)}::formd.actor, ${workspace}, ${id}, 'Agent', ${id}, 'fda_x', ${hashOf(id)})`;
  return agent;
}

const read = async (id: string) => (await sql<[Agent]>`select * from formd.agents where id = ${id}`)[0];
const update = async (id: string, name: string | null, status: string | null = null): Promise<Agent> => {
  await sql`select from formd.agent_patch(${team.id}, '(api_key,,)'::formd.actor, ${id}, ${name}, ${status}, false)`;
  return await read(id);
};
const revoke = (id: string) => sql`select * from formd.agent_delete(${team.id}, '(api_key,,)', ${id})`;
const rotate = (id: string, hash: string, each = sql) =>
  each`select formd.agent_secret_rotate(${team.id}, '(api_key,,)'::formd.actor, ${id}, 'fda_y', ${hashOf(hash)}, false, false)`;

test("an agent goes where the caller may write: the oldest workspace of the team, or of the person", async () => {
  const [editor, viewer] = [await join("editor"), await join("viewer")];
  const stranger = await join("admin", await makeWorkspace(app, team));
  expect((await register(null)).workspaceId).toBe(team.workspace);
  expect((await register(editor)).workspaceId).toBe(team.workspace);
  expect((await register(stranger)).workspaceId).not.toBe(team.workspace);
  expect(await codeOf(register(viewer))).toBe("insufficient_workspace_role");
  expect(await codeOf(register(null, uuidv7()))).toBe("not_found");
});

describe("states", () => {
  test("disabled and active again: the time of disabling goes with the state, updated_at goes on with each change", async () => {
    const id = await newAgent();
    const disabled = await update(id, null, "disabled");
    expect(disabled.disabledAt).not.toBeNull();
    expect(await update(id, null, "disabled")).toEqual(disabled);
    const active = await update(id, null, "active");
    expect(active).toMatchObject({ status: "active", disabledAt: null });
    expect(active.updatedAt.getTime()).toBeGreaterThan(disabled.updatedAt.getTime());
  });

  test("a disabled agent can be revoked; revoked is for good, and twice is once", async () => {
    const id = await newAgent();
    await update(id, null, "disabled");
    expect([...(await revoke(id))]).toEqual([{ id, status: "revoked" }]);
    const before = await read(id);
    await revoke(id);
    expect(await read(id)).toEqual(before);
    for (const act of [update(id, null, "active"), update(id, "x"), rotate(id, "z")])
      expect(await codeOf(act)).toBe("conflict");
  });

  test("20 updates at once against a revocation: what came after it is refused, and it stays revoked", async () => {
    const id = await newAgent();
    const ends = await inParallel(app.database.ownerUrl, 20, (each, index) =>
      endOf(
        index === 10
          ? each`select from formd.agent_delete(${team.id}, '(api_key,,)'::formd.actor, ${id})`
          : each`select from formd.agent_patch(${team.id}, '(api_key,,)'::formd.actor, ${id}, null, ${index % 2 ? "active" : "disabled"}, false)`,
        "done",
      ),
    );
    expect(ends[10]).toBe("done");
    expect(ends.filter((end) => end !== "done" && end !== "conflict")).toEqual([]);
    expect(await read(id)).toMatchObject({ status: "revoked", disabledAt: null });
  });
});

test("of rotations at the same time one secret stands", async () => {
  const id = await newAgent();
  const hashes = Array.from({ length: 8 }, () => uuidv7());
  await inParallel(app.database.ownerUrl, 8, (each, index) => rotate(id, hashes[index] ?? "", each));
  const mint = async (hash: string) => {
    const [row] = await sql<[{ outcome: string }]>`
      select outcome from formd.agent_session_create(${team.id}, ${hashOf(hash)}, ${uuidv7()}, ${hashOf(uuidv7())}, '1 day', ${hash}, 5)`;
    return row.outcome;
  };
  const minted = await Promise.all(hashes.map(mint));
  expect(minted.filter((outcome) => outcome === "minted")).toHaveLength(1);
});
