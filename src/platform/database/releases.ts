/** PostgreSQL's releases: the major versions that formd runs, and what is known to be fixed in each. */
import { oneRow, type Sql } from "./db.ts";

/**
 * The newest release with security fixes of each major version that was known when this file was written. A
 * newer one may exist.
 */
const fixedReleases: Record<number, string> = {
  18: "18.6",
  17: "17.12",
  16: "16.15",
  15: "15.20",
};

/** Major versions whose programs formd runs, the newest first. */
export const majorVersions = Object.keys(fixedReleases)
  .map(Number)
  .sort((a, b) => b - a);

export const majorOf = (release: string): number => Number.parseInt(release, 10);

const minorOf = (release: string): number => Number(release.split(".")[1]);

/** Orders releases, the newest first. */
export const byRelease = (a: string, b: string): number => majorOf(b) - majorOf(a) || minorOf(b) - minorOf(a);

/** Returns the release of the PostgreSQL that runs, such as `18.4`, without the distribution's addition. */
export async function runningRelease(sql: Sql): Promise<string> {
  const { release } = oneRow(
    await sql<{ release: string }[]>`select split_part(current_setting('server_version'), ' ', 1) as release`,
  );
  return release;
}

/** Returns a sentence if a release lacks fixes that are known to this build. */
export function missingFixes(release: string): string | undefined {
  const major = majorOf(release);
  const fixed = fixedReleases[major];
  if (fixed === undefined || byRelease(release, fixed) <= 0) return undefined;
  const list = `https://www.postgresql.org/support/security/${major}/`;
  return `PostgreSQL ${release} lacks the security fixes of ${fixed}, which ${list} lists: docs/operate/upgrade.md says how to get them.`;
}
