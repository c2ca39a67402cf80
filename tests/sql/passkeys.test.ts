import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../src/limits.ts";
import { endOf, hashOf, inParallel } from "./fixture.ts";
import { operatorsFixture } from "./operator-acts.ts";

const { app, sql, team, join, logIn, use } = await operatorsFixture();
const { id: operator } = await join("keys@example.org");

/** A challenge to register, or of a sign-in. @returns its hash */
async function challenge(of: string | null, { lifetime = "5 minutes", ip = uuidv7(), limit = 9 } = {}) {
  const hash = hashOf(uuidv7());
  const [row] = await sql<[{ outcome: string }]>`
    select outcome from formd.passkey_challenge_make(${hash}, ${of}, ${ip}, null, ${limit}, ${limit}, ${lifetime})`;
  return { hash, outcome: row.outcome };
}

async function register(of: string, { each = sql, hash = undefined as Uint8Array | undefined } = {}) {
  const id = uuidv7();
  const used = hash ?? (await challenge(of)).hash;
  const call = each`
    select formd.passkey_register(${team.id}, ${`(operator,${of},)`}::formd.actor, ${used}, ${id}, ${hashOf(id)}, ${hashOf("key")}, 0, 'Phone', false)`;
  return await endOf(call, id);
}

test("of eight who use one challenge at once, one registers, and an expired or foreign one registers nothing", async () => {
  const { id } = await join("race@example.org");
  const { hash } = await challenge(id);
  const results = await inParallel(app.database.ownerUrl, 8, (each) => register(id, { each, hash }));
  expect(results.filter((result) => result === "bad_request")).toHaveLength(7);
  const late = await challenge(id, { lifetime: "0 seconds" });
  const foreign = await challenge(operator);
  expect([await register(id, late), await register(id, foreign)]).toEqual(["bad_request", "bad_request"]);
});

test("of many registered at once an operator keeps no more than the limit", async () => {
  const { id } = await join("many@example.org");
  const results = await inParallel(app.database.ownerUrl, limits.passkey.maxPerOperator + 3, (each) =>
    register(id, { each }),
  );
  expect(results.filter((result) => result === "conflict")).toHaveLength(3);
});

test("of eight uses with one counter at once, one counts: the others are of a copy", async () => {
  const passkey = await register(operator);
  const use = async (counter: number, each = sql) =>
    (await each<[{ used: string | null }]>`select formd.passkey_use(${passkey}, ${counter}) as used`)[0].used;
  expect([await use(0), await use(0)]).toEqual([operator, operator]);
  const used = await inParallel(app.database.ownerUrl, 8, (each) => use(5, each));
  expect(used.filter((each) => each === operator)).toHaveLength(1);
  expect([await use(5), await use(0), await use(6)]).toEqual([null, null, operator]);
});

test("a passkey that goes takes the sessions with it, as on a lost device, except the one that removes it", async () => {
  const email = "gone@example.org";
  const { id } = await join(email);
  const signIn = async (passkey: string) => {
    const token = uuidv7();
    await sql`
      select formd.operator_login_passkey(${team.id}, '(anonymous,,)'::formd.actor, ${passkey}, 0, ${uuidv7()}, ${hashOf(token)}, '1 hour', null, null, null, false)`;
    return token;
  };
  const first = await register(id);
  const [own, other] = [await signIn(first), await signIn(first)];
  const { token: password = "" } = (await logIn(email)) ?? {};
  const { token: proved = "" } = (await logIn(email)) ?? {};
  await sql`select formd.operator_prove_passkey(${team.id}, ${hashOf(proved)}, ${first}, 0)`;
  const open = async () =>
    (await Promise.all([own, other, password, proved].map((token) => use(token)))).map((by) => by === id);
  expect(await open()).toEqual([true, true, true, true]);
  await sql`select formd.passkey_remove(${`(operator,${id},)`}::formd.actor, ${first}, ${hashOf(own)})`;
  expect(await open()).toEqual([true, false, false, false]);
  await register(id);
  await sql`select formd.operator_remove_passkeys('(cli,,)'::formd.actor, ${email})`;
  expect(await open()).toEqual([false, false, false, false]);
});

test("a registration that waits ends with the sessions, and with a passkey that is removed", async () => {
  const { id } = await join("waits@example.org");
  for (const end of [
    (token: string) => sql`select formd.operator_sessions_end(${team.id}, '(anonymous,,)', ${hashOf(token)})`,
    async (token: string) => sql`
      select formd.passkey_remove(
        ${`(operator,${id},)`}, ${await register(id)}, ${hashOf(token)})`,
  ]) {
    const { token = "" } = (await logIn("waits@example.org")) ?? {};
    const waiting = await challenge(id);
    await end(token);
    expect(await register(id, waiting)).toBe("bad_request");
  }
});

test("challenges of a sign-in are limited per client IP, those to register are not", async () => {
  const ip = uuidv7();
  const outcomes = async (of: string | null) =>
    [await challenge(of, { ip, limit: 1 }), await challenge(of, { ip, limit: 1 })].map(
      ({ outcome }) => outcome,
    );
  expect(await outcomes(null)).toEqual(["allowed", "rate_limited"]);
  expect(await outcomes(operator)).toEqual(["allowed", "allowed"]);
});

test("an operator who is removed while a passkey of theirs signs in waits for it, and has no session after", async () => {
  const { id } = await join("leaving@example.org");
  const passkey = await register(id);
  const [, removed] = await Promise.all([
    sql.begin(async (tx) => {
      await tx`select formd.passkey_use(${passkey}, 1)`;
      // The removal comes between the passkey and the session.
      await tx`select pg_sleep(0.4)`;
      await tx`
        select from formd.operator_login_passkey(${team.id}, '(anonymous,,)'::formd.actor, ${passkey}, 2, ${uuidv7()},
          ${hashOf(uuidv7())}, '1 hour', 'Firefox', null, null, false)`;
    }),
    sql`select pg_sleep(0.2)`.then(
      () => sql`
      select formd.operator_remove('(cli,,)'::formd.actor, 'leaving@example.org', null)`,
    ),
  ]);
  expect(removed).toHaveLength(1);
  expect(await sql`select from formd.operator_sessions where operator_id = ${id}`).toHaveLength(0);
});

test("a known operator who gets a role at a terminal keeps the password, and no session or ceremony of before", async () => {
  const { id } = await join("known@example.org");
  const { hash } = await challenge(id);
  await sql`
    insert into formd.operator_sessions (team_id, id, operator_id, token_hash, created_at, proved_at, seen_at, expires_at)
    values (${team.id}, ${uuidv7()}, ${id}, ${hashOf(uuidv7())}, now(), now(), now(), now() + interval '1 hour')`;
  const [{ id: other, workspace }] = await sql<[{ id: string; workspace: string }]>`
    with made as (select ${uuidv7()}::uuid as id, ${uuidv7()}::uuid as workspace)
    select id, workspace from made, formd.team_create(made.id, '(cli,,)'::formd.actor, 'Other', made.workspace, 'Main')`;
  await sql`
    select from formd.operator_join(${other}, '(cli,,)'::formd.actor, ${workspace}, ${uuidv7()}, 'known@example.org', 'salt', ${hashOf("other")}, 'admin')`;
  expect(await sql`select from formd.operator_sessions where operator_id = ${id}`).toHaveLength(0);
  expect(await register(id, { hash })).toBe("bad_request");
});
