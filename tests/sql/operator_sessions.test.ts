import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/platform/database/db.ts";
import { makeTeam, makeWorkspace, testOnOneNode } from "../setup.ts";
import { hashOf, inParallel, raisedProblem } from "./fixture.ts";
import { operatorsFixture } from "./operator-acts.ts";

const { app, sql, team, join, logIn, authenticate, use } = await operatorsFixture();

const admit = async (email: string, asked: string | null = null, limit = 1000) => {
  const [row] = await sql<[{ outcome: string; passwordSalt: string | null; teamId: string | null }]>`
    select * from formd.operator_login_admit(p_email => ${email}, p_team => ${asked}, p_client => '192.0.2.1', p_client_limit => ${limit}, p_limit => 1000)`;
  return row;
};

const seenAt = async (token: string) =>
  (
    await sql<
      [{ seenAt: Date }]
    >`select seen_at from formd.operator_sessions where token_hash = ${hashOf(token)}`
  )[0]?.seenAt;

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
  expect(await logIn("both@example.org", { to: (await makeTeam(app)).id })).toBeUndefined();
  expect(await use(session?.token as string)).toBeUndefined();
  expect(await use(session?.token as string, { of: other.id })).toBe(session?.operatorId as string);
});

test("a session ends by time, by idleness, by logout, and with the last role", async () => {
  await join("ends@example.org");
  const other = await makeTeam(app);
  await join("ends@example.org", "editor", { to: other.id, workspace: other.workspace });
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
  // The role in the other team does not count here.
  await sql`
    delete from formd.workspace_roles
    where team_id = ${team.id} and operator_id = ${sessions[0]?.operatorId as string}`;
  expect(await use(kept)).toBeUndefined();
});

test("a page gets the ages of the proofs, by the database's clock", async () => {
  await join("proves@example.org");
  const session = await logIn("proves@example.org");
  const hash = hashOf(session?.token ?? "");
  const ages = async () => {
    const [row] = await sql<[{ proofSeconds: number; passkeySeconds: number | null }]>`
      select proof_seconds, passkey_seconds from formd.console_operator_read(${team.id}, ${hash}, '1 hour', null)`;
    return [Math.floor(row.proofSeconds / 10), row.passkeySeconds && Math.floor(row.passkeySeconds / 10)];
  };
  expect(await ages()).toEqual([0, null]);
  await sql`
    update formd.operator_sessions set proved_at = now() - interval '16 minutes',
      passkey_at = now() - interval '5 minutes' where token_hash = ${hash}`;
  expect(await ages()).toEqual([96, 30]);
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

test("a login gets the salt of an e-mail, in any case; an unknown one has no salt", async () => {
  await join("salt@example.org");
  expect((await admit("SALT@example.org")).passwordSalt).toBe("salt");
  expect((await admit("none@example.org")).passwordSalt).toBeNull();
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

test("a switch keeps the end, works once, and refuses the session's own team", async () => {
  const other = await makeTeam(app);
  await join("switches@example.org");
  await join("switches@example.org", "editor", { to: other.id, workspace: other.workspace });
  const { token = "", expiresAt } = (await logIn("switches@example.org")) ?? {};
  const change = (each: Sql, to = other.id) => {
    const next = uuidv7();
    return each`
      select formd.operator_session_switch(
        p_team => ${to}, p_actor => '(anonymous,,)', p_from_team => ${team.id}, p_token_hash => ${hashOf(token)},
        p_session => ${uuidv7()}, p_new_token_hash => ${hashOf(next)}) as at`.then(
      ([row]) => row?.at as Date,
      () => undefined,
    );
  };
  expect(
    (
      await raisedProblem(sql`
    select formd.operator_session_switch(${team.id}, '(anonymous,,)', ${team.id}, ${hashOf(token)}, ${uuidv7()}, ${hashOf(uuidv7())})`)
    ).code,
  ).toBe("bad_request");
  const ends = await inParallel(app.database.ownerUrl, 8, (each) => change(each));
  expect(ends.filter((at) => at !== undefined)).toEqual([expiresAt as Date]);
});

// On Citus the locks of a reference table may end one of two such transactions as a deadlock: 503, try again.
testOnOneNode.each(["the end of all sessions", "a change of the password"])(
  "no switch that waits survives %s",
  async (end) => {
    const other = await makeTeam(app);
    const email = `${uuidv7()}@example.org`;
    const { id } = await join(email);
    await join(email, "editor", { to: other.id, workspace: other.workspace });
    const tokens = await Promise.all(
      Array.from({ length: 4 }, async () => (await logIn(email))?.token ?? ""),
    );
    const [own = ""] = tokens;
    const endAll = (each: Sql) =>
      end.startsWith("the end")
        ? each`select formd.operator_sessions_end(${team.id}, '(anonymous,,)', ${hashOf(own)})`
        : each`select formd.operator_set_password('(cli,,)', ${email}, 'salt', ${hashOf("new")})`;
    await inParallel(app.database.ownerUrl, 9, async (each, index) => {
      if (index === 0) await endAll(each);
      else
        await each`
          select formd.operator_session_switch(
            ${other.id}, '(anonymous,,)', ${team.id}, ${hashOf(tokens[1 + (index % 3)] ?? "")}, ${uuidv7()}, ${hashOf(uuidv7())})`.catch(
          () => [],
        );
    });
    expect([
      ...(await sql`select id from formd.operator_sessions where operator_id = ${id} and team_id = ${team.id}`),
    ]).toEqual([]);
    // A switch that came first has moved its session, which the end has found in the other team.
    const left = await sql`select created_at from formd.operator_sessions where operator_id = ${id}`;
    expect([...left]).toEqual([]);
  },
);

test("a role that is taken away ends the sessions of that team, no others", async () => {
  const other = await makeTeam(app);
  await join("stays@example.org");
  // A role that is left in the team keeps no session alive.
  await join("stays@example.org", "viewer", { workspace: await makeWorkspace(app, team) });
  await join("stays@example.org", "editor", { to: other.id, workspace: other.workspace });
  const here = await logIn("stays@example.org");
  const there = await logIn("stays@example.org", { to: other.id });
  await sql`select formd.operator_remove('(cli,,)', 'stays@example.org', ${team.workspace})`;
  expect(await use(here?.token ?? "")).toBeUndefined();
  expect(await use(there?.token ?? "", { of: other.id })).toBeString();
});
