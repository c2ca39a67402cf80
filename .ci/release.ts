/**
 * `bun run release X.Y.Z`, or X.Y.Z-rc.N for a candidate: checks that the release is described and committed,
 * builds the packages of the clients and the executables of all targets, with their materials, licences and
 * sums, in dist/, and tags the commit with the release's part of CHANGELOG.md. Then it writes
 * db/released.txt, by which later changes are compared with what servers of this version call. A candidate
 * leaves that file: what it shows to be wrong may change. It pushes nothing.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** State that the checks of a release read. */
export interface State {
  /** `version` of package.json. */
  packageVersion: string;
  /** The text of CHANGELOG.md. */
  changelog: string;
  /** Output of `git status --porcelain`. */
  changes: string;
  tags: string[];
}

/** Returns the changelog's text about a version, without its heading; undefined without a dated heading. */
export function notesOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^(?=## )/m);
  const heading = new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`);
  const section = sections.find((text) => heading.test(text.split("\n", 1)[0] ?? ""));
  return section?.slice(section.indexOf("\n")).trim();
}

/** @returns what must be done before the version can be released; empty: nothing */
export function obstacles(version: string, { packageVersion, changelog, changes, tags }: State): string[] {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-rc\.[1-9]\d*)?$/.test(version))
    return [`"${version}" is no version: write three numbers, such as 1.0.0, or 1.0.0-rc.1 before them`];
  const notes = notesOf(changelog, version);
  return [
    packageVersion !== version && `package.json has version ${packageVersion}: set it to ${version}`,
    notes === undefined && `CHANGELOG.md has no line "## [${version}] - YYYY-MM-DD"`,
    notes === "" && `CHANGELOG.md says nothing under ${version}`,
    changes && "there are changes that are not committed",
    tags.includes(`v${version}`) && `v${version} is tagged already`,
  ].filter((obstacle) => typeof obstacle === "string" && obstacle !== "") as string[];
}

if (import.meta.main) {
  const version = process.argv[2] ?? "";
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const text = (name: string) => readFileSync(join(root, name), "utf8");
  const changelog = text("CHANGELOG.md");
  const found = obstacles(version, {
    packageVersion: JSON.parse(text("package.json")).version,
    changelog,
    changes: git("status", "--porcelain"),
    tags: git("tag", "--list").split("\n"),
  });
  for (const obstacle of found) console.error(obstacle);
  if (found.length > 0) process.exit(1);
  const { targets } = await import("./targets.ts");
  const { releasedFile } = await import("./released.ts");
  const snapshot = [process.execPath, process.execPath, join(root, ".ci/released.ts"), `v${version}`];
  const released = version.includes("-")
    ? undefined
    : execFileSync(join(root, ".ci/migrated"), snapshot, { cwd: root, encoding: "utf8" });
  rmSync(join(root, "dist"), { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, ".ci/clients.ts")], { cwd: root, stdio: "inherit" });
  const build = [join(root, ".ci/build.ts"), ...targets.flatMap((target) => ["--target", target])];
  execFileSync(process.execPath, build, { cwd: root, stdio: "inherit" });
  git(
    "tag",
    "--annotate",
    `v${version}`,
    "--cleanup=verbatim",
    "--message",
    `formd ${version}\n\n${notesOf(changelog, version)}\n`,
  );
  if (released) {
    writeFileSync(releasedFile, released);
    console.log("wrote db/released.txt: commit it, since the next release is compared with it");
  }
  console.log(`tagged v${version}. Publish it: git push origin v${version}, and the files of dist/`);
}
