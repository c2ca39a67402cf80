import { expect, test } from "bun:test";
import { stopQueue } from "../../src/cli/workers.ts";

test("a request to stop that comes while none is awaited is the next one, in their order", async () => {
  const stops = stopQueue();
  stops.add("SIGTERM");
  stops.add("SIGINT");
  expect([await stops.next(), await stops.next()]).toEqual(["SIGTERM", "SIGINT"]);
  const awaited = stops.next();
  stops.add("SIGTERM");
  expect(await awaited).toBe("SIGTERM");
});
