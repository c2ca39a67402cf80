/** A browser that has signed in before can sign in during attacks on the account. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeSalt } from "../../src/platform/auth/password.ts";
import { until } from "../expect.ts";
import { makeTeam, service } from "../setup.ts";

setDefaultTimeout(400_000);

const attempts = 20;
/** Wrong passwords for the account: more in a minute than it has for strangers, from that many client IPs. */
const wrong = { perMinute: 1_000, addresses: 30 };
/** Requests in flight for accounts that do not exist: as many as may wait for a derivation, and more. */
const flooders = 30;

test("under more than 100 wrong passwords per minute from 30 client IPs and a flood for unknown accounts: 20 of 20", async () => {
  const app = await service();
  // The strength of passwords that people have: other tests hash in a millisecond.
  const { operator } = await makeTeam(app, makeSalt());
  const login = async (email: string, password: string, ip: string, cookie?: string) => {
    const reply = await fetch(`${app.url}/console/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": ip, ...(cookie && { cookie }) },
      body: JSON.stringify({ email, password }),
    });
    const { limit } = (await reply.json()) as { limit?: string };
    return { status: reply.status, limit, cookies: reply.headers.getSetCookie() };
  };
  const own = "198.51.100.7";
  const { cookies } = await login(operator.email, operator.password, own);
  const device = cookies.map((each) => each.split(";")[0] ?? "").find((each) => each.includes("_device="));
  expect(device).toBeDefined();

  const outcomes = { guesses: new Map<string, number>(), flood: new Map<string, number>() };
  const count = (
    of: Map<string, number>,
    { status, limit }: { status: number; limit?: string | undefined },
  ) => {
    const outcome = `${status} ${limit ?? ""}`.trim();
    of.set(outcome, (of.get(outcome) ?? 0) + 1);
  };
  let isOver = false;
  const pending: Promise<void>[] = [];
  const guess = async (index: number) =>
    count(
      outcomes.guesses,
      await login(operator.email, "wrong horse", `203.0.113.${index % wrong.addresses}`),
    );
  const guessing = (async () => {
    for (let index = 0; !isOver; index++) {
      pending.push(guess(index));
      await Bun.sleep(60_000 / wrong.perMinute);
    }
  })();
  let strangers = 0;
  const flooding = Array.from({ length: flooders }, async () => {
    while (!isOver) {
      const index = strangers++;
      const ip = `10.${(index >> 16) % 256}.${(index >> 8) % 256}.${index % 256}`;
      count(outcomes.flood, await login(`nobody${index}@example.org`, "wrong horse", ip));
      // A refused request costs its sender nothing either: the flood is as fast as a hundred in a second.
      await Bun.sleep(300);
    }
  });

  // Strangers have used up what the account lets them have in a minute, and the flood takes all derivations.
  await until(
    async () => outcomes.guesses.has("429 account-everywhere") && outcomes.flood.has("503"),
    60_000,
  );
  const seen: { status: number; ms: number }[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const startedAt = performance.now();
    const { status } = await login(operator.email, operator.password, own, device);
    seen.push({ status, ms: Math.round(performance.now() - startedAt) });
  }
  isOver = true;
  await Promise.all([guessing, ...flooding, ...pending]);

  const slowest = Math.max(...seen.map(({ ms }) => ms));
  console.log(
    `signed in within ${slowest} ms;`,
    Object.fromEntries(outcomes.guesses),
    Object.fromEntries(outcomes.flood),
  );
  expect(seen.map(({ status }) => status)).toEqual(Array.from({ length: attempts }, () => 200));
  // The attack was one: more came than are derived at a time, and the account was shut for strangers.
  expect(outcomes.flood.get("503") ?? 0).toBeGreaterThan(100);
});
