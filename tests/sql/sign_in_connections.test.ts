import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../src/limits.ts";
import type { Sql } from "../../src/platform/database/db.ts";
import { makeTeam, makeWorkspace, type Team } from "../setup.ts";
import { endOf, hashOf, inParallel, raisedProblem } from "./fixture.ts";
import { operatorsFixture } from "./operator-acts.ts";

const { app, sql, team, join, logIn, use } = await operatorsFixture();

interface Role {
  group: string;
  workspaceId: string;
  role: string;
}

/** A connection of a team, or with null of the installation. */
async function connect(
  of: Team | null,
  roles: Role[],
  { each = sql, isRequired = false, domain = "corp.example", actor = "(cli,,)" } = {},
) {
  const id = uuidv7();
  await each`
    select formd.sign_in_connection_create(${of?.id ?? null}, ${actor}, ${id}, 'Corp', 'https://id.example.org', 'formd', 'secret',
      'key', ${[domain]}, 'groups', ${each.json(roles as never)}, ${isRequired})`;
  return id;
}

const everybody = ({ workspace }: Team, role = "viewer"): Role[] => [
  { group: "*", workspaceId: workspace, role },
];

/** A team with a connection for everybody. */
async function connected(role?: string) {
  const own = await makeTeam(app);
  return { own, connection: await connect(own, everybody(own, role)) };
}

async function signIn(
  connection: string,
  to: Team,
  {
    subject = "ada",
    email = "ada@corp.example" as string | null,
    groups = [] as string[],
    sid = "sid",
    each = sql,
  } = {},
) {
  const token = uuidv7();
  const [row] = await each<[{ outcome: string }]>`
    select formd.operator_login_connection(${connection}, ${to.id}, '(anonymous,,request-1)', ${uuidv7()}, ${subject}, ${email}, ${groups},
      '0 seconds', ${sid}, ${uuidv7()}, ${hashOf(token)}, '1 hour', null, null) as outcome`;
  return { outcome: row.outcome, token };
}

/** An agent's session for a person whom a connection has named. */
async function sessionFor({ id: of, workspace }: Team, connection: string, each = sql) {
  const [agent, session] = [uuidv7(), uuidv7()];
  await sql`
    insert into formd.agents (team_id, id, workspace_id, client_id, name, secret_prefix, secret_hash, created_at, updated_at)
    values (${of}, ${agent}, ${workspace}, ${agent}, 'Agent', 'fda_', ${hashOf(agent)}, now(), now())`;
  const [row] = await each<[{ outcome: string }]>`
    select outcome from formd.oauth_person_session_create(${of}, ${agent}, ${hashOf(agent)}, null, null, null, ${connection},
      'https://id.example.org', 'ada', ${hashOf(agent.slice(-16))}, now() + interval '1 hour', ${uuidv7()}, ${session},
      ${hashOf(session)}, '1 hour', '{agent:submit}', 'request-1')`;
  return { session, outcome: row.outcome };
}

const sessionsIn = async ({ id }: Team) =>
  (await sql<{ id: string }[]>`select id from formd.sessions where team_id = ${id} order by id`).map(
    (row) => row.id,
  );

/** A passkey of an operator, by which `signIn` opens a session, or none. */
async function passkeyOf(operator: string) {
  const id = uuidv7();
  await sql`
    insert into formd.operator_passkeys (id, operator_id, credential_id, public_key, counter, name, created_at)
    values (${id}, ${operator}, ${hashOf(id)}, 'key', 0, 'Laptop', now())`;
  return async (to: Team) =>
    (
      await sql`
        select * from formd.operator_login_passkey(
          ${to.id}, '(anonymous,,)', ${id}, 0, ${uuidv7()}, ${hashOf(uuidv7())}, '1 hour', null, null, null, false)`
    ).length;
}

const accounts = async (connection: string) => [
  ...(await sql<{ subject: string; email: string }[]>`
    select subject, email from formd.operators where connection_id = ${connection} order by subject`),
];

test("of many first sign-ins of a person at once, one makes the account, and all open a session", async () => {
  const { own, connection } = await connected();
  const results = await inParallel(app.database.ownerUrl, 8, (each) => signIn(connection, own, { each }));
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(8).fill("allowed"));
  expect(await accounts(connection)).toEqual([{ subject: "ada", email: "ada@corp.example" }]);
});

test("of many made at once a team keeps no more than the limit", async () => {
  const own = await makeTeam(app);
  const { maxPerTeam } = limits.signInConnection;
  const results = await inParallel(app.database.ownerUrl, maxPerTeam + 3, (each) =>
    endOf(connect(own, everybody(own), { each }), "made"),
  );
  expect(results.filter((result) => result === "conflict")).toHaveLength(3);
});

test("a person without a verified e-mail address of a listed domain, or without a role, gets no account", async () => {
  const own = await makeTeam(app);
  const connection = await connect(own, [{ group: "staff", workspaceId: own.workspace, role: "editor" }]);
  const outcomes = await Promise.all([
    signIn(connection, own, { email: null, groups: ["staff"] }),
    signIn(connection, own, { email: "ada@corp.example.evil", groups: ["staff"] }),
    signIn(connection, own, { groups: ["Staff", "staff2"] }),
    signIn(uuidv7(), own),
  ]);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(["email", "email", "no_role", "unknown_connection"]);
  expect(await accounts(connection)).toEqual([]);
});

test("the account of a connection differs from one with the same e-mail address and a password, or of another connection", async () => {
  const [first, second] = [await connected(), await connected()];
  const email = "same@corp.example";
  const { id } = await join(email, "admin", { to: first.own.id, workspace: first.own.workspace });
  const operators = new Set<string | undefined>([id]);
  for (const { own, connection } of [first, second]) {
    const { token } = await signIn(connection, own, { email });
    operators.add(await use(token, { of: own.id }));
  }
  expect([operators.size, operators.has(undefined)]).toEqual([3, false]);
  expect(await signIn(first.connection, second.own, { email })).toMatchObject({ outcome: "no_role" });
});

test("an e-mail address that changes at the provider is changed, unless it leaves the domains", async () => {
  const { own, connection } = await connected();
  await signIn(connection, own);
  await signIn(connection, own, { email: "Ada.New@corp.example" });
  expect(await accounts(connection)).toEqual([{ subject: "ada", email: "ada.new@corp.example" }]);
  expect(await signIn(connection, own, { email: "ada@home.example" })).toMatchObject({ outcome: "email" });
});

test("a team's connection gives no role elsewhere, and an operator makes none for the installation", async () => {
  const [own, other] = [await makeTeam(app), await makeTeam(app)];
  expect((await raisedProblem(connect(own, everybody(other)))).code).toBe("not_found");
  const actor = `(operator,${own.operator.id},)`;
  expect((await raisedProblem(connect(null, everybody(own), { actor }))).code).toBe("unauthorized");
  const theirs = await connect(other, everybody(other));
  const remove = (team: string | null) =>
    raisedProblem(sql`select formd.sign_in_connection_remove(${team}, ${actor}, ${theirs})`);
  expect([(await remove(own.id)).code, (await remove(null)).code]).toEqual(["not_found", "unauthorized"]);
});

test("what may change of a connection is changed by its own team, and ends what it no longer vouches for", async () => {
  const [own, other] = [await makeTeam(app), await makeTeam(app)];
  const actor = `(operator,${own.operator.id},)`;
  const id = await connect(own, everybody(own));
  type Change = [required: boolean | null, agents: boolean | null, scopes?: string[]];
  const change = (of: string | null, [required, agents, scopes]: Change, by = actor) =>
    sql`select formd.sign_in_connection_change(${of}, ${by}, ${id}, ${required}, ${agents}, ${scopes ?? null})`;
  const state = async () =>
    (
      await sql`select is_required, accepts_agents, scopes from formd.sign_in_connections where id = ${id}`
    )[0];
  const stranger = `(operator,${other.operator.id},)`;
  expect((await raisedProblem(change(other.id, [true, null], stranger))).code).toBe("not_found");
  expect((await raisedProblem(change(null, [true, null]))).code).toBe("unauthorized");
  await change(own.id, [null, true]);
  expect(await state()).toEqual({ isRequired: false, acceptsAgents: true, scopes: [] });
  await sessionFor(own, id);
  await change(own.id, [true, false]);
  await change(own.id, [true, false]);
  await change(null, [null, null], "(cli,,)");
  await change(own.id, [null, null, ["groups"]]);
  await change(own.id, [null, null, ["groups"]]);
  expect(await state()).toEqual({ isRequired: true, acceptsAgents: false, scopes: ["groups"] });
  expect(await sessionsIn(own)).toEqual([]);
  const events = await sql`
    select details from formd.audit_events where team_id = ${own.id} and kind = 'sign_in_connection.changed' order by id`;
  expect(events.map(({ details }) => details.after)).toEqual([
    { isRequired: false, acceptsAgents: true, scopes: [] },
    { isRequired: true, acceptsAgents: false, scopes: [] },
    { isRequired: true, acceptsAgents: false, scopes: ["groups"] },
  ]);
});

/** Calls that end the sessions of agents of the persons whom a connection names. */
const ends: [name: string, end: (id: string, each?: Sql) => PromiseLike<unknown>][] = [
  [
    "a change",
    (id, each = sql) => each`select formd.sign_in_connection_change(null, '(cli,,)', ${id}, null, false)`,
  ],
  ["a removal", (id, each = sql) => each`select formd.sign_in_connection_remove(null, '(cli,,)', ${id})`],
];
const accepting = async (of: Team) => {
  const id = await connect(of, everybody(of));
  await sql`select formd.sign_in_connection_change(null, '(cli,,)', ${id}, null, true)`;
  return id;
};

test.each(ends)(
  "%s ends sessions for persons by its own connection, of others of the issuer none",
  async (_, end) => {
    const own = await makeTeam(app);
    const [id, other] = [await accepting(own), await accepting(own)];
    await sessionFor(own, id);
    const { session } = await sessionFor(own, other);
    await end(id);
    expect(await sessionsIn(own)).toEqual([session]);
  },
);

test.each(ends)("of %s and an assertion at once, whichever is first, no session is left", async (_, end) => {
  for (const isEndFirst of [true, false]) {
    const own = await makeTeam(app);
    const id = await accepting(own);
    const acts = [(each: Sql) => sessionFor(own, id, each), (each: Sql) => end(id, each)];
    if (isEndFirst) acts.reverse();
    // The second begins once the first has acted and before it commits, and mostly waits for it.
    const acted = Promise.withResolvers<void>();
    await inParallel(app.database.ownerUrl, 2, async (each, index) => {
      if (index === 1) await acted.promise;
      await each.begin(async (inside) => {
        await Promise.resolve(acts[index]?.(inside as unknown as Sql)).finally(acted.resolve);
        if (index === 0) await inside`select pg_sleep(0.5)`;
      });
    });
    const persons = await sql`select from formd.respondents where team_id = ${own.id}`;
    // An assertion that is rejected stores nobody.
    expect([await sessionsIn(own), persons.length]).toEqual([[], isEndFirst ? 0 : 1]);
  }
});

test("a removal takes accounts, roles and sessions with it, but not the last admin of the team", async () => {
  const { own, connection } = await connected("admin");
  const { token } = await signIn(connection, own);
  await sql`delete from formd.workspace_roles where team_id = ${own.id} and operator_id = ${own.operator.id}`;
  const remove = () => sql`select formd.sign_in_connection_remove(null, '(cli,,)', ${connection})`;
  expect((await raisedProblem(remove())).code).toBe("conflict");
  await join("left@example.org", "admin", { to: own.id, workspace: own.workspace });
  await remove();
  expect([await use(token, { of: own.id }), await accounts(connection)]).toEqual([undefined, []]);
});

test("where a connection is required, no password and no passkey of its domains opens a session, for an hour a password set at a terminal does", async () => {
  const own = await makeTeam(app);
  const [inside, outside] = ["in@required.example", "out@elsewhere.example"];
  for (const email of [inside, outside]) await join(email, "admin", { to: own.id, workspace: own.workspace });
  // Neither is the first of two teams that were joined within a millisecond.
  await sql`select pg_sleep(0.002)`;
  const { id } = await join(inside, "viewer");
  const passkey = await passkeyOf(id);
  const byPasskey = () => passkey(own);
  const byPassword = async (email: string, to = own.id) => (await logIn(email, { to })) !== undefined;
  const elsewhere = (await logIn(inside))?.token ?? "";
  const firstTeam = async () => (await sql`select formd.operator_team(${id}) as team`)[0]?.team;
  expect(await firstTeam()).toBe(own.id);
  await connect(own, everybody(own), { isRequired: true, domain: "required.example" });
  // Nobody is kept out of another team by it.
  expect(await firstTeam()).toBe(team.id);
  expect([await byPassword(inside), await byPassword(outside), await byPasskey()]).toEqual([false, true, 0]);
  expect(await byPassword(inside, team.id)).toBe(true);
  const change = sql`
    select formd.operator_session_switch(${own.id}, '(anonymous,,)', ${team.id}, ${hashOf(elsewhere)}, ${uuidv7()}, ${hashOf("new")})`;
  expect((await raisedProblem(change)).code).toBe("conflict");
  await sql`select formd.operator_set_password('(cli,,)', ${inside}, 'salt', ${hashOf("right")})`;
  // It has removed the passkey.
  expect([await byPassword(inside), await byPasskey()]).toEqual([true, 0]);
  const [{ until }] = await sql<[{ until: Date }]>`
    select password_allowed_until_at as until from formd.operators where id = ${id}`;
  expect(until.getTime() - Date.now()).toBeLessThanOrEqual(limits.signInConnection.wayBackMinutes * 60_000);
  await sql`update formd.operators set password_allowed_until_at = ${new Date()} where id = ${id}`;
  expect(await byPassword(inside)).toBe(false);
  await connect(null, everybody(own), { isRequired: true, domain: "elsewhere.example" });
  expect(await byPassword(outside)).toBe(false);
});

test("an identity provider ends the sessions of a subject, or one of them", async () => {
  const { own, connection } = await connected();
  const first = await signIn(connection, own, { sid: "one" });
  const second = await signIn(connection, own, { sid: "two" });
  const other = await signIn(connection, own, { subject: "bob", sid: "three" });
  const open = async () =>
    (await Promise.all([first, second, other].map(({ token }) => use(token, { of: own.id })))).map(Boolean);
  const end = async (subject: string | null, sid: string | null, by = connection) =>
    (
      await sql<[{ count: number }]>`
        select formd.operator_logout_connection(${by}, '(anonymous,,)', ${subject}, ${sid}) as count`
    )[0].count;
  expect(await end("ada", "one", await connect(own, everybody(own)))).toBe(0);
  expect([await end("bob", "one"), await end(null, "one"), await open()]).toEqual([
    0,
    1,
    [false, true, true],
  ]);
  expect([await end("ada", null), await open()]).toEqual([1, [false, false, true]]);
});

test("a session that waits for its person's click is opened once, is recorded then, and not once it has ended", async () => {
  const { own, connection } = await connected();
  const { token } = await signIn(connection, own);
  const started = async () =>
    (
      await sql`select from formd.audit_events where team_id = ${own.id} and kind = 'session.operator_started'`
    ).length;
  expect(await started()).toBe(0);
  const take = async (prepared: string, each = sql) => {
    const taken = uuidv7();
    const [{ isTaken }] = await each<[{ isTaken: boolean }]>`
      select formd.operator_session_take(${own.id}, '(anonymous,,)', ${hashOf(prepared)}, ${hashOf(taken)}, '1 hour') as is_taken`;
    return { isTaken, taken };
  };
  const both = await Promise.all([take(token), take(token)]);
  const { taken = "" } = both.find(({ isTaken }) => isTaken) ?? {};
  expect(both.filter(({ isTaken }) => isTaken)).toHaveLength(1);
  expect([Boolean(await use(taken, { of: own.id })), await started()]).toEqual([true, 1]);
  const ended = await signIn(connection, own);
  await sql`select formd.operator_logout_connection(${connection}, '(anonymous,,)', 'ada', null)`;
  const late = await signIn(connection, own);
  await sql`update formd.operator_sessions set expires_at = now() where token_hash = ${hashOf(late.token)}`;
  for (const { token: gone } of [ended, late]) expect((await take(gone)).isTaken).toBe(false);
});

test("the account of a connection takes no invitation, no link to a password, and no sign-in by passkey", async () => {
  const { own, connection } = await connected();
  await signIn(connection, own, { email: "plain@corp.example" });
  const [{ id }] = await sql<
    [{ id: string }]
  >`select id from formd.operators where connection_id = ${connection}`;
  const reset = sql`select formd.operator_reset_make(null, '(cli,,)', ${id}, ${hashOf("link")}, '30 minutes')`;
  expect((await raisedProblem(reset)).code).toBe("conflict");
  const workspace = await makeWorkspace(app, own);
  await sql`
    select formd.operator_invite(${own.id}, '(cli,,)', ${workspace}, ${uuidv7()}, 'plain@corp.example', 'admin', ${hashOf("invitation")}, '3 days')`;
  const accept = sql`
    select formd.operator_invitation_accept(${own.id}, '(anonymous,,)', ${hashOf("invitation")}, ${id}, ${uuidv7()}, 'salt', ${hashOf("x")})`;
  expect((await raisedProblem(accept)).code).toBe("conflict");
  expect(await (await passkeyOf(id))(own)).toBe(0);
});

test("who has no role any more loses the roles and sessions of before", async () => {
  const own = await makeTeam(app);
  const connection = await connect(own, [{ group: "staff", workspaceId: own.workspace, role: "editor" }]);
  const { token } = await signIn(connection, own, { groups: ["staff"] });
  expect(await signIn(connection, own)).toMatchObject({ outcome: "no_role" });
  expect(await use(token, { of: own.id })).toBeUndefined();
});
