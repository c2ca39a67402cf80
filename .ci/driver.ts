/**
 * Tries each hunk of the driver's patch on another release of postgres.js, before an update:
 *
 *     bun .ci/driver.ts 3.4.10
 *
 * A hunk that "applies" is still needed, or its test passes without it. One that is "already there" may go.
 * One that "does not apply" has to be read again beside docs/decisions/driver-patches.md. Exit code 1: there
 * are such ones. The release comes from the registry that Bun uses.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const patches = join(import.meta.dir, "../patches");

/** A part of a patch that is tried alone, as a patch of its own. */
interface Hunk {
  /** The file and the line in the release that the patch is made for. */
  place: string;
  /** The first line that it changes. */
  change: string;
  patch: string;
}

function hunksOf(patch: string): Hunk[] {
  return patch.split(/^(?=diff --git )/m).flatMap((part) => {
    const [head = "", ...hunks] = part.split(/^(?=@@ )/m);
    const [, file = ""] = /^--- a\/(.*)$/m.exec(head) ?? [];
    return hunks.map((hunk) => {
      const [, line = ""] = /^@@ -(\d+)/.exec(hunk) ?? [];
      const [change = ""] = /^[-+] *\S.*/m.exec(hunk) ?? [];
      return { place: `${file}:${line}`, change, patch: head + hunk };
    });
  });
}

/** Says of a hunk what it does to the files of a directory, which stay as they are. */
function outcomeOf({ patch }: Hunk, directory: string): string {
  const fits = (...flags: string[]) =>
    spawnSync("git", ["apply", "--check", ...flags], {
      cwd: directory,
      input: patch,
      // In a repository git would leave out files that are outside of it.
      env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    }).status === 0;
  if (fits("--reverse")) return "already there";
  return fits() ? "applies" : "does not apply";
}

const [version] = process.argv.slice(2);
if (!version) throw new Error("bun .ci/driver.ts VERSION");
const [name = ""] = readdirSync(patches).filter((each) => each.startsWith("postgres@"));
const folder = mkdtempSync(join(tmpdir(), "formd-driver-"));
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { postgres: version } }));
  execFileSync(process.execPath, ["install", "--ignore-scripts"], { cwd: folder, stdio: "pipe" });
  const hunks = hunksOf(readFileSync(join(patches, name), "utf8"));
  const outcomes = hunks.map((hunk) => outcomeOf(hunk, join(folder, "node_modules/postgres")));
  for (const [index, { place, change }] of hunks.entries())
    console.log(`${outcomes[index]?.padEnd(14)}  ${place.padEnd(21)}  ${change}`);
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  console.log(
    `${name} on postgres@${version}: ${count("applies")} of ${hunks.length} hunks apply, ${count("already there")} are there, ${count("does not apply")} do not apply`,
  );
  if (count("does not apply") > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
