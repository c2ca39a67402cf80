/** How long the server itself refuses a client IP that the database has refused. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { ask, service } from "../setup.ts";

setDefaultTimeout(120_000);

test("a client IP that the server refuses by itself is admitted as soon as the database would admit it", async () => {
  const app = await service();
  const ip = "192.0.2.200";
  const mint = async () => {
    const { status, headers } = await ask(app, "POST", "/papi/v1/auth/token", { ip, body: {} });
    return { status, wait: Number(headers.get("retry-after")) };
  };
  const since = performance.now();
  for (let i = 0; i < 30; i++) expect((await mint()).status).toBe(401);
  for (let left = (await mint()).wait; left > 0; left = (await mint()).wait) {
    expect(Math.abs(60 - (performance.now() - since) / 1000 - left)).toBeLessThan(2);
    await Bun.sleep(left > 3 ? 2_000 : 100);
  }
  expect((performance.now() - since) / 1000).toBeWithin(59.9, 62);
});
