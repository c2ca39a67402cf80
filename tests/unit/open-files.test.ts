import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/platform/config.ts";
import { openFiles } from "../../src/platform/files/files.ts";
import { temporaryFolder } from "../setup.ts";

test("a check leaves a missing directory missing, and a start makes it", async () => {
  const folder = temporaryFolder();
  const [own, other] = [join(folder, "files"), join(folder, "other")];
  const open = (mayCreate: boolean, settings = {}) => openFiles(readConfig(settings), folder, { mayCreate });
  await open(false);
  await open(false, { FILES_URL: `file://${other}` });
  expect([own, other].map(existsSync)).toEqual([false, false]);
  await open(true);
  expect(existsSync(own)).toBe(true);
});
