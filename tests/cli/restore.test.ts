// stacks: one deno
/** A damaged or hostile backup costs what its length says. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formd, temporaryFolder } from "../setup.ts";

/** Restores a file of one line. */
async function restoreLine(mebibytes: number) {
  const folder = temporaryFolder();
  const file = join(folder, "bomb.gz");
  writeFileSync(file, gzipSync(Buffer.alloc(mebibytes * 1024 ** 2, "x"), { level: 1 }));
  const startedAt = performance.now();
  const { code, stderr } = await formd(["restore", file], { FORMD_DATA_DIR: join(folder, "data") });
  return { refusal: [code, stderr], ms: performance.now() - startedAt };
}

test("a file with one line is refused in linear time", async () => {
  const short = await restoreLine(4);
  const long = await restoreLine(64);
  const refusal = [1, expect.stringMatching(/is not a complete backup of formd\n$/)];
  expect([short.refusal, long.refusal]).toEqual([refusal, refusal]);
  // 16 times the length, beside the start of the command. Joining chunk by chunk took 60 s in place of 1.2.
  expect(long.ms / short.ms).toBeLessThan(20);
});

test("a line of more than 128 MiB is refused", async () => {
  const { refusal } = await restoreLine(129);
  expect(refusal).toEqual([1, expect.stringMatching(/has a line of more than 128 MiB\n$/)]);
});
