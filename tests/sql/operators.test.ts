import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/db.ts";
import { addOperator } from "../../src/operators/operators.ts";
import { makeTeam, makeWorkspace, type Service, type Team } from "../setup.ts";
import { hashOf, inParallel, raisedProblem, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
}, 120_000);

async function join(
  email: string,
  role = "editor",
  { each = sql, to = team.id, workspace = team.workspace, password = "right" } = {},
) {
  const [row] = await each<[{ id: string; created: boolean }]>`
    select * from formd.operator_join(${to}, '(cli,,)'::formd.actor, ${workspace}, ${uuidv7()}, ${email}, 'salt', ${hashOf(password)}, ${role})`;
  return row;
}

async function logIn(email: string, { password = "right", to = team.id, lifetime = "12 hours" } = {}) {
  const token = uuidv7();
  const [row] = await sql<{ operatorId: string; expiresAt: Date }[]>`
    select * from formd.operator_login(${to}, '(anonymous,,)', ${email}, ${hashOf(password)}, ${uuidv7()}, ${hashOf(token)}, ${lifetime})`;
  return row && { ...row, token };
}

async function authenticate(
  token: string,
  { idle = "2 hours", of = team.id, agent = null as string | null, limit = null as number | null } = {},
) {
  const [row] = await sql<[{ outcome: string; operatorId: string | null }]>`
    select * from formd.operator_session_authenticate(
      p_team => ${of}, p_token_hash => ${hashOf(token)}, p_idle => ${idle}, p_agent => ${agent}, p_write_limit => ${limit})`;
  return row;
}

/** The operator of a session that is valid. */
async function use(token: string, options?: Parameters<typeof authenticate>[1]): Promise<string | undefined> {
  const { outcome, operatorId } = await authenticate(token, options);
  return outcome === "allowed" ? (operatorId ?? undefined) : undefined;
}

const admit = async (email: string, asked: string | null = null, limit = 1000) => {
  const [row] = await sql<[{ outcome: string; passwordSalt: string | null; teamId: string | null }]>`
    select * from formd.operator_login_admit(p_email => ${email}, p_team => ${asked}, p_limit => ${limit})`;
  return row;
};

const seenAt = async (token: string) =>
  (
    await sql<
      [{ seenAt: Date }]
    >`select seen_at from formd.operator_sessions where token_hash = ${hashOf(token)}`
  )[0]?.seenAt;

test("ten who join with one e-mail at once are one person, whatever its case, who keeps the first password", async () => {
  const joined = await inParallel(app.database.ownerUrl, 10, (each, index) =>
    join(index % 2 ? "One@Example.org" : "one@example.ORG", "viewer", { each, password: `${index}` }),
  );
  expect(new Set(joined.map(({ id }) => id)).size).toBe(1);
  const first = joined.findIndex(({ created }) => created);
  expect(joined.filter(({ created }) => created).length).toBe(1);
  expect((await logIn("one@example.org", { password: `${first}` }))?.operatorId).toBe(
    joined[0]?.id as string,
  );
  expect(await logIn("one@example.org", { password: `${first + 1}` })).toBeUndefined();
});

test("joining again changes the role, in that workspace only", async () => {
  const other = await makeWorkspace(app, team);
  const { id } = await join("roles@example.org", "viewer");
  await join("roles@example.org", "viewer", { workspace: other });
  await join("roles@example.org", "admin");
  const roles =
    await sql`select workspace_id, role from formd.workspace_roles where operator_id = ${id} order by role`;
  expect([...roles]).toEqual([
    { workspaceId: team.workspace, role: "admin" },
    { workspaceId: other, role: "viewer" },
  ]);
  expect((await raisedProblem(join("roles@example.org", "admin", { workspace: uuidv7() }))).code).toBe(
    "not_found",
  );
});

test("a login is for one team: the one asked for, or the one joined first", async () => {
  const other = await makeTeam(app);
  await join("both@example.org");
  await join("both@example.org", "editor", { to: other.id, workspace: other.workspace });
  const teamOf = async (email: string, asked: string | null = null) => (await admit(email, asked)).teamId;
  expect(await teamOf("Both@example.org")).toBe(team.id);
  expect(await teamOf("both@example.org", other.id)).toBe(other.id);
  expect(await teamOf("both@example.org", uuidv7())).toBeNull();
  expect(await teamOf("nobody@example.org")).toBeNull();

  const teamsOf = async (email: string, password = "right") =>
    (await sql<{ id: string }[]>`select * from formd.operator_teams(${email}, ${hashOf(password)})`).map(
      ({ id }) => id,
    );
  expect((await teamsOf("Both@example.org")).toSorted()).toEqual([team.id, other.id].toSorted());
  expect([await teamsOf("both@example.org", "wrong"), await teamsOf("nobody@example.org")]).toEqual([[], []]);

  const session = await logIn("both@example.org", { to: other.id });
  expect(await use(session?.token as string)).toBeUndefined();
  expect(await use(session?.token as string, { of: other.id })).toBe(session?.operatorId as string);
});

test("unknown e-mail, wrong password and no role in the team end alike", async () => {
  await join("known@example.org");
  const other = await makeTeam(app);
  expect(await logIn("unknown@example.org")).toBeUndefined();
  expect(await logIn("known@example.org", { password: "wrong" })).toBeUndefined();
  expect(await logIn("known@example.org", { to: other.id })).toBeUndefined();
});

test("a session ends by time, by idleness, by logout, and with the last role", async () => {
  await join("ends@example.org");
  const sessions = [
    await logIn("ends@example.org"),
    await logIn("ends@example.org"),
    await logIn("ends@example.org", { lifetime: "-1 second" }),
  ];
  const [kept, left, over] = sessions.map((session) => session?.token as string) as [string, string, string];
  expect(await use(over)).toBeUndefined();
  expect(await use(kept)).toBeString();
  expect(await use(kept, { idle: "0 seconds" })).toBeUndefined();
  await sql`select formd.operator_logout(${team.id}, '(anonymous,,)', ${hashOf(left)})`;
  expect(await use(left)).toBeUndefined();
  expect(await use(kept)).toBeString();
  await sql`delete from formd.workspace_roles where operator_id = ${sessions[0]?.operatorId as string}`;
  expect(await use(kept)).toBeUndefined();
});

test("seen_at moves at most once a minute, and a session that another request is marking is not waited for", async () => {
  await join("seen@example.org");
  const { token } = (await logIn("seen@example.org")) as { token: string };
  const first = await seenAt(token);
  await use(token);
  expect(await seenAt(token)).toEqual(first);

  const stale = new Date(Date.now() - 61_000);
  await sql`update formd.operator_sessions set seen_at = ${stale} where token_hash = ${hashOf(token)}`;
  await sql.begin(async (inner) => {
    await inner`select from formd.operator_sessions where team_id = ${team.id} and token_hash = ${hashOf(token)} for update`;
    expect(await use(token)).toBeString();
  });
  expect(await seenAt(token)).toEqual(stale);
  await use(token);
  expect((await seenAt(token))?.getTime()).toBeGreaterThan(stale.getTime());
});

test("a login is told the salt of an e-mail, whatever its case; an unknown one has none", async () => {
  await join("salt@example.org");
  expect((await admit("SALT@example.org")).passwordSalt).toBe("salt");
  expect((await admit("none@example.org")).passwordSalt).toBeNull();
});

test("logins are counted per account, known or not, whatever the case", async () => {
  await join("counted@example.org");
  for (const account of ["counted@example.org", "unknown@example.org"]) {
    const outcomes = [];
    for (const email of [account, account.toUpperCase(), account])
      outcomes.push((await admit(email, null, 2)).outcome);
    expect(outcomes).toEqual(["allowed", "allowed", "rate_limited"]);
  }
});

test("a write needs a role that writes: in the agent's workspace, or without an agent in any", async () => {
  const other = await makeWorkspace(app, team);
  const newAgent = async (workspace: string) => {
    const id = uuidv7();
    await sql`
      select from formd.agent_create(
        p_team => ${team.id}, p_actor => '(cli,,)', p_workspace => ${workspace}, p_id => ${id}, p_name => 'Agent',
        p_client_id => ${id}, p_secret_prefix => 'fda_x', p_secret_hash => ${hashOf(id)})`;
    return id;
  };
  await join("mixed@example.org", "viewer");
  await join("mixed@example.org", "editor", { workspace: other });
  await join("viewer@example.org", "viewer");
  const outcomesOf = async (email: string) => {
    const { token = "" } = (await logIn(email)) ?? {};
    const outcomes = [];
    for (const agent of [null, await newAgent(team.workspace), await newAgent(other), uuidv7()])
      outcomes.push((await authenticate(token, { agent, limit: 1000 })).outcome);
    return [...outcomes, (await authenticate(token)).outcome];
  };
  const role = "insufficient_workspace_role";
  expect(await outcomesOf("mixed@example.org")).toEqual(["allowed", role, "allowed", "allowed", "allowed"]);
  expect(await outcomesOf("viewer@example.org")).toEqual([role, role, "allowed", "allowed", "allowed"]);
});

test("writes are counted per operator; reads are not", async () => {
  await join("writes@example.org");
  const { token = "" } = (await logIn("writes@example.org")) ?? {};
  const outcomes = [];
  for (const limit of [2, null, 2, 2, null]) outcomes.push((await authenticate(token, { limit })).outcome);
  expect(outcomes).toEqual(["allowed", "allowed", "allowed", "rate_limited", "allowed"]);
});

test("an operator who is no admin of the workspace gets one answer for every e-mail to remove", async () => {
  const elsewhere = await makeTeam(app);
  const viewer = (await join("looks@example.org", "viewer")).id;
  const { id: admin } = await join("removes@example.org", "admin");
  await join("elsewhere@example.org", "admin", { to: elsewhere.id, workspace: elsewhere.workspace });
  const remove = (operator: string, email: string, workspace = team.workspace) =>
    raisedProblem(
      sql`select formd.operator_remove(
        p_actor => ${`(operator,${operator},)`}, p_email => ${email}, p_workspace => ${workspace})`,
    );
  const emails = ["elsewhere@example.org", "unknown@example.org"];
  for (const [operator, workspace, code] of [
    [viewer, team.workspace, "insufficient_workspace_role"],
    [admin, elsewhere.workspace, "insufficient_workspace_role"],
    [admin, team.workspace, "not_found"],
  ] as const) {
    const [known, unknown] = await Promise.all(emails.map((email) => remove(operator, email, workspace)));
    expect([known, unknown?.code]).toEqual([unknown, code]);
  }
  expect(await logIn("elsewhere@example.org", { to: elsewhere.id })).toBeDefined();
});

test("an operator who is no admin adds no one, and no password is hashed for it", async () => {
  const actor = {
    type: "operator",
    id: (await join("adds@example.org", "editor")).id,
    requestId: null,
  } as const;
  const startedAt = process.cpuUsage();
  for (let count = 0; count < 20; count++)
    await expect(
      addOperator(sql, actor, team.id, {
        workspace: team.workspace,
        email: "new@example.org",
        role: "viewer",
      }),
    ).rejects.toThrow("insufficient_workspace_role");
  const { user } = process.cpuUsage(startedAt);
  // Twenty hashes take 4 s of a core.
  expect(user / 1e6).toBeLessThan(2);
});

test("a page of operators is the workspace's, the newest first, with a total that is counted to a bound", async () => {
  const workspace = await makeWorkspace(app, team);
  const add = async (name: string, role: string) =>
    (await join(`${name}-listed@example.org`, role, { workspace })).id;
  await add("first", "viewer");
  const [second, third] = [await add("second", "editor"), await add("third", "admin")];
  await join("third-listed@example.org", "viewer");
  const page = async (limit: number, offset: number, maxCounted: number) =>
    (
      await sql<{ id: string | null; email: string | null; role: string | null; total: number }[]>`
        select * from formd.workspace_operator_list(
          p_team => ${team.id}, p_workspace => ${workspace}, p_limit => ${limit}, p_offset => ${offset}, p_max_counted => ${maxCounted})`
    ).map(({ id, email, role, total }) => [id, email, role, total]);
  expect(await page(2, 0, 100)).toEqual([
    [third, "third-listed@example.org", "admin", 3],
    [second, "second-listed@example.org", "editor", 3],
  ]);
  expect(await page(1, 1, 1)).toEqual([[second, "second-listed@example.org", "editor", 2]]);
  expect(await page(2, 3, 100)).toEqual([[null, null, null, 3]]);
});
