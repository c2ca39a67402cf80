/** Duration for which the server itself refuses a client IP that the database has refused. */
import { expect, test } from "bun:test";
import { ask, service } from "../setup.ts";

test("a client IP that the server refuses by itself is admitted as soon as the database would admit it", async () => {
  const app = await service();
  const ip = "192.0.2.200";
  /** Seconds before and after it. */
  const mint = async () => {
    const from = performance.now() / 1000;
    const { status, headers } = await ask(app, "POST", "/papi/v1/auth/token", { ip, body: {} });
    return { status, wait: Number(headers.get("retry-after")), from, to: performance.now() / 1000 };
  };
  const first = await mint();
  for (let i = 1; i < 30; i++) expect((await mint()).status).toBe(401);
  // Moves the 30 requests 50 s into the past. The server learns this with the first refused request.
  await app.database.sql`
    update formd.rate_limits set times = (select array_agg(time - 50000000 order by time) from unnest(times) as time),
      expires_at = expires_at - interval '50 s'
    where key like ${`%${ip}`}`;
  const windowSeconds = 60 - 50;
  // Each is counted or refused between its two moments. Retry-After is in whole seconds, and clocks differ by
  // some milliseconds.
  let next = await mint();
  for (; next.status === 429; next = await mint()) {
    expect(next.from - first.to).toBeLessThan(windowSeconds + 0.01);
    const [least, most] = [first.from + windowSeconds - next.to, first.to + windowSeconds - next.from];
    expect(next.wait).toBeWithin(least - 0.01, most + 1.01);
    await Bun.sleep(next.wait > 3 ? 1_000 : 100);
  }
  expect(next.status).toBe(401);
  expect(next.to - first.from).toBeGreaterThan(windowSeconds - 0.01);
});
