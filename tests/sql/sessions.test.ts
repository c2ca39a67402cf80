import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { hashOf, inParallel, sqlFixture } from "./fixture.ts";

const { app, sql, team, register } = await sqlFixture();

async function mint(
  secret: string,
  { each = sql, lifetime = "7 days", ip = `token:ip:${uuidv7()}`, of = team.id } = {},
) {
  const token = uuidv7();
  const [row] = await each<[{ outcome: string; expiresAt: Date | null; remaining: number }]>`
    select * from formd.agent_session_create(${of}, ${hashOf(secret)}, ${token}, ${hashOf(token)}, ${lifetime}, ${ip}, 5)`;
  return { ...row, token };
}

const sessionsOf = async (agent: string) =>
  (await sql<{ count: number }[]>`select count(*)::int from formd.sessions where agent_id = ${agent}`)[0]
    ?.count;
const known = async (token: string) =>
  (
    await sql`select exists (select 1 from formd.sessions where token_hash = ${hashOf(token)} and expires_at > now()) as known`
  )[0]?.known;

test("a session lasts as long as was asked for, to the millisecond", async () => {
  const before = Date.now();
  const { outcome, expiresAt } = await mint(await register());
  expect(outcome).toBe("minted");
  expect(expiresAt?.getTime()).toBeWithin(before + 7 * 86_400_000, Date.now() + 7 * 86_400_000 + 1);
});

test("wrong, disabled, revoked and foreign secrets end alike, and leave no session", async () => {
  const [disabled, revoked, foreign] = [await register(), await register(), await register()];
  await sql`select from formd.agent_patch(${team.id}, '(api_key,,)'::formd.actor, ${disabled}, null, 'disabled', false)`;
  await sql`select formd.agent_delete(${team.id}, '(api_key,,)'::formd.actor, ${revoked})`;
  const answers = [
    await mint("none"),
    await mint(disabled),
    await mint(revoked),
    await mint(foreign, { of: uuidv7() }),
  ];
  for (const { token, ...answer } of answers) {
    expect(answer).toMatchObject({ outcome: "unauthorized", expiresAt: null, remaining: 4 });
    expect(await known(token)).toBe(false);
  }
});

test("a rotated secret mints nothing more; what it minted lives on", async () => {
  const agent = await register();
  const { token } = await mint(agent);
  await sql`select formd.agent_secret_rotate(${team.id}, '(api_key,,)'::formd.actor, ${agent}, 'fda_y', ${hashOf("new")}, false, false)`;
  expect((await mint(agent)).outcome).toBe("unauthorized");
  expect((await mint("new")).outcome).toBe("minted");
  expect(await known(token)).toBe(true);
});

test("a client IP mints five per minute, right and wrong secrets together, also when it asks at once", async () => {
  const agent = await register();
  const answers = await inParallel(app.database.ownerUrl, 20, (each, index) =>
    mint(index % 2 ? agent : "none", { each, ip: "token:ip:busy" }),
  );
  const counted = answers.filter(({ outcome }) => outcome !== "rate_limited");
  expect(counted.length).toBe(5);
  expect(await sessionsOf(agent)).toBe(counted.filter(({ outcome }) => outcome === "minted").length);
});
