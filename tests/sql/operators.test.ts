import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/db.ts";
import { makeTeam, makeWorkspace, type Service, type Team } from "../setup.ts";
import { hashOf, inParallel, raisedProblem, sqlFixture } from "./fixture.ts";

let app: Service;
let sql: Sql;
let team: Team;
beforeAll(async () => {
  ({ app, sql, team } = await sqlFixture());
}, 60_000);

async function join(
  email: string,
  role = "editor",
  { each = sql, to = team.id, workspace = team.workspace, password = "right" } = {},
) {
  const [row] = await each<[{ id: string; created: boolean }]>`
    select * from formd.operator_join(${to}, ${workspace}, ${uuidv7()}, ${email}, 'salt', ${hashOf(password)}, ${role})`;
  return row;
}

async function logIn(email: string, { password = "right", to = team.id, lifetime = "12 hours" } = {}) {
  const token = uuidv7();
  const [row] = await sql<{ operatorId: string; expiresAt: Date }[]>`
    select * from formd.operator_login(${to}, ${email}, ${hashOf(password)}, ${uuidv7()}, ${hashOf(token)}, ${lifetime})`;
  return row && { ...row, token };
}

async function use(token: string, idle = "2 hours", of = team.id): Promise<string | undefined> {
  const [row] = await sql<
    { operatorId: string }[]
  >`select * from formd.operator_session_use(${of}, ${hashOf(token)}, ${idle})`;
  return row?.operatorId;
}

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
  const teamOf = async (email: string, asked: string | null = null) =>
    (await sql`select formd.operator_team(${email}, ${asked}) as team`)[0]?.team;
  expect(await teamOf("Both@example.org")).toBe(team.id);
  expect(await teamOf("both@example.org", other.id)).toBe(other.id);
  expect(await teamOf("both@example.org", uuidv7())).toBeNull();
  expect(await teamOf("nobody@example.org")).toBeNull();

  const session = await logIn("both@example.org", { to: other.id });
  expect(await use(session?.token as string)).toBeUndefined();
  expect(await use(session?.token as string, "2 hours", other.id)).toBe(session?.operatorId as string);
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
  expect(await use(kept, "0 seconds")).toBeUndefined();
  await sql`select formd.operator_logout(${team.id}, ${hashOf(left)})`;
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
    await inner`select from formd.operator_sessions where token_hash = ${hashOf(token)} for update`;
    expect(await use(token)).toBeString();
  });
  expect(await seenAt(token)).toEqual(stale);
  await use(token);
  expect((await seenAt(token))?.getTime()).toBeGreaterThan(stale.getTime());
});

test("the salt of an e-mail is told, whatever its case; of an unknown one there is none", async () => {
  await join("salt@example.org");
  const salts =
    await sql`select formd.operator_salt('SALT@example.org') as known, formd.operator_salt('none@example.org') as unknown`;
  expect(salts[0]).toEqual({ known: "salt", unknown: null });
});
