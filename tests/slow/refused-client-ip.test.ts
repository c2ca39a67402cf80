/** How long the server itself refuses a client IP that the database has refused. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { ask, service } from "../setup.ts";

setDefaultTimeout(120_000);

test("a client IP that the server refuses by itself is admitted as soon as the database would admit it", async () => {
  const app = await service();
  const ip = "192.0.2.200";
  /** Seconds before and after it. */
  const mint = async () => {
    const from = performance.now() / 1000;
    const { status, headers } = await ask(app, "POST", "/papi/v1/auth/token", { ip, body: {} });
    return { status, wait: Number(headers.get("retry-after")), from, to: performance.now() / 1000 };
  };
  // Each is counted or refused between the two. Retry-After is in whole seconds, and clocks differ by some milliseconds.
  const first = await mint();
  for (let i = 1; i < 30; i++) expect((await mint()).status).toBe(401);
  let next = await mint();
  for (; next.status === 429; next = await mint()) {
    expect(next.from - first.to).toBeLessThan(60.01);
    expect(next.wait).toBeWithin(first.from + 60 - next.to - 0.01, first.to + 60 - next.from + 1.01);
    await Bun.sleep(next.wait > 3 ? 2_000 : 100);
  }
  expect(next.status).toBe(401);
  expect(next.to - first.from).toBeGreaterThan(59.99);
});
