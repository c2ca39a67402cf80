/**
 * Migrated clusters, kept between runs: initdb and the migrations take five seconds of a core, a copy a tenth
 * of a second. A run uses a copy, so that runs at the same time, and killed ones, leave the kept files as
 * they are.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { embeddedRelease } from "../../src/platform/database/embedded/index.ts";
import { root } from "./run.ts";

const run = promisify(execFile);

/**
 * FORMD_TEST_CACHE: another directory. .ci/run has a new one in each run, so that nothing old is tested
 * there.
 */
export const cacheDirectory = () =>
  process.env.FORMD_TEST_CACHE || join(tmpdir(), `formd-test-cache-${process.getuid?.() ?? ""}`);

/** One takes 50 MB; each edit of `sql/` makes another one. */
const maxKept = 6;
/** No copy takes so long, and no initdb with the migrations. */
const abandonedMs = 600_000;

/** Everything that decides what a new cluster holds. */
async function digest(): Promise<string> {
  const hash = createHash("sha256")
    .update(await embeddedRelease())
    .update(`partitioned ${Boolean(process.env.FORMD_TEST_PARTITIONED)}`);
  for (const directory of ["sql", "db/migrations", "src/platform/database"]) {
    const entries = await readdir(join(root, directory), { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort())
      hash.update(`\n${file.slice(root.length)}\n`).update(await readFile(file));
  }
  return hash.digest("hex").slice(0, 32);
}

/**
 * Puts a migrated cluster, which does not run, into an empty directory: a copy of the kept one, or one that
 * `make` makes there and that is then kept.
 */
export async function fromTemplate(directory: string, make: () => Promise<void>): Promise<void> {
  const cache = cacheDirectory();
  await mkdir(cache, { recursive: true, mode: 0o700 });
  // In a shared /tmp another user could have made it, with a cluster of theirs.
  if ((await lstat(cache)).uid !== process.getuid?.()) return await make();
  const template = join(cache, await digest());
  for (;;) {
    if (existsSync(template) && (await copied(template, directory))) return;
    await using lock = await lockOrWait(template);
    if (!lock) continue;
    await make();
    await keep(directory, template);
    return;
  }
}

/** @returns whether it is complete: another run may remove the template meanwhile */
async function copied(template: string, directory: string): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(template, now, now);
    // PostgreSQL's files belong to another user when this process is root: fs.cp would not keep that.
    for (const name of await readdir(template)) await run("cp", ["-a", join(template, name), directory]);
    return true;
  } catch {
    await Promise.all(
      (await readdir(directory)).map((name) => rm(join(directory, name), { recursive: true })),
    );
    return false;
  }
}

/** Renamed once it is complete: a killed run leaves nothing that looks like a template. */
async function keep(directory: string, template: string): Promise<void> {
  const temporary = `${template}.${randomUUID()}`;
  await mkdir(temporary, { mode: 0o700 });
  for (const name of await readdir(directory))
    if (/^postgres-\d+$/.test(name)) await run("cp", ["-a", join(directory, name), temporary]);
  // One that is there was made by a run whose lock this one has taken for abandoned.
  await rename(temporary, template).catch(() => rm(temporary, { recursive: true }));
  await prune(template);
}

/** Removes all but the most recently used, and what killed runs left. */
async function prune(template: string): Promise<void> {
  const cache = cacheDirectory();
  const entries = await Promise.all(
    (await readdir(cache)).map(async (name) => {
      const found = await stat(join(cache, name)).catch(() => undefined);
      return { path: join(cache, name), isWhole: !name.includes("."), usedAt: found?.mtimeMs ?? 0 };
    }),
  );
  const others = entries.filter(({ path, usedAt }) => path !== template && Date.now() - usedAt > abandonedMs);
  const templates = entries.filter(({ isWhole }) => isWhole).sort((a, b) => b.usedAt - a.usedAt);
  const kept = new Set(templates.slice(0, maxKept));
  for (const entry of others) if (!kept.has(entry)) await rm(entry.path, { recursive: true, force: true });
}

/**
 * The right to make the template, so that only one of several first runs makes it.
 *
 * @returns undefined: another run has made it, or has given up
 */
async function lockOrWait(template: string): Promise<AsyncDisposable | undefined> {
  const path = `${template}.lock`;
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  } catch {
    const held = await stat(path).catch(() => undefined);
    const isAbandoned = held && (Date.now() - held.mtimeMs > abandonedMs || !(await isHeld(path)));
    if (isAbandoned) await rm(path, { force: true });
    else await Bun.sleep(50);
    return undefined;
  }
}

async function isHeld(path: string): Promise<boolean> {
  const pid = Number(await readFile(path, "utf8").catch(() => ""));
  try {
    // Just created, and its number not written yet.
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
