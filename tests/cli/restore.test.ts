/** A damaged or hostile backup costs what its length says. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formd, temporaryFolder } from "../setup.ts";

setDefaultTimeout(120_000);

test.each([
  [64, /is not a complete backup of formd\n$/],
  [129, /has a line of more than 128 MiB\n$/],
])("a file with one line of %d MiB is refused within seconds", async (mebibytes, reason) => {
  const folder = temporaryFolder();
  const file = join(folder, "bomb.gz");
  // Joining the line chunk by chunk took over 60 s for 64 MiB.
  writeFileSync(file, gzipSync(Buffer.alloc(mebibytes * 1024 ** 2, "x"), { level: 1 }));
  const startedAt = performance.now();
  const { code, stderr } = await formd(["restore", file], { FORMD_DATA_DIR: join(folder, "data") });
  expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});
