/** PostgreSQL's programs of the machine, which its own updates keep safe (POSTGRES_PROGRAMS). */
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { byRelease, majorOf, majorVersions } from "../releases.ts";
import type { Binaries } from "./binaries.ts";
import { clustersIn, majorOfCluster } from "./directories.ts";
import { type OsUser, runAsUser } from "./os-user.ts";

const programs = ["postgres", "initdb", "pg_ctl"] as const;
const versions = `PostgreSQL ${majorVersions.at(-1)} to ${majorVersions[0]}`;

/** Directories in which Debian, Red Hat and Homebrew install the programs of a major version. */
const placesOf = (major: number | string) => [
  `/usr/lib/postgresql/${major}/bin`,
  `/usr/pgsql-${major}/bin`,
  `/opt/homebrew/opt/postgresql@${major}/bin`,
  `/usr/local/opt/postgresql@${major}/bin`,
];

/**
 * Finds the programs that POSTGRES_PROGRAMS names, where they are: a distribution's do not work as copies.
 * @param setting a directory; or `auto`: the newest. In a data directory with a cluster, the newest of its
 * major version, since the installation of a newer one must not end its service.
 * @throws Error with one line
 */
export async function systemPrograms(setting: string, dataDir: string, user: OsUser): Promise<Binaries> {
  if (setting === "auto") return await newestPrograms(dataDir, user);
  const found = await programsIn(setting, user);
  if (typeof found !== "string") return found;
  throw new Error(
    `POSTGRES_PROGRAMS cannot be ${JSON.stringify(setting)}: ${found}. It must be auto, or a directory of ${programs.join(", ")} of ${versions} that ${user.name}, who runs them, can enter.`,
  );
}

async function newestPrograms(dataDir: string, user: OsUser): Promise<Binaries> {
  const path = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  const places = [...majorVersions.flatMap(placesOf), ...path];
  const tried = await Promise.all(
    places.filter((place) => existsSync(join(place, "postgres"))).map((place) => programsIn(place, user)),
  );
  const found = tried
    .filter((each) => typeof each !== "string")
    .sort((a, b) => byRelease(a.release, b.release));
  const [cluster] = await clustersIn(dataDir);
  const newest =
    found.find(({ release }) => cluster && majorOf(release) === majorOfCluster(cluster)) ?? found[0];
  if (newest) return newest;
  throw new Error(
    `POSTGRES_PROGRAMS is auto, and no ${versions} that ${user.name} can run is in ${placesOf("N").join(", ")} or the PATH: install one, or leave it empty.`,
  );
}

/** Returns the programs in a directory, or the reason to refuse them. */
async function programsIn(bin: string, user: OsUser): Promise<Binaries | string> {
  if (!existsSync(bin)) return "there is no such directory";
  const missing = programs.find((name) => !existsSync(join(bin, name)));
  if (missing) return `there is no ${missing} in it`;
  const found = await Promise.all(programs.map((name) => releaseOf(join(bin, name), user)));
  const silent = found.findIndex(({ fault }) => fault !== undefined);
  if (silent >= 0) return `the OS user ${user.name} cannot run ${programs[silent]} (${found[silent]?.fault})`;
  const [release = "", ...others] = found.map((each) => each.release);
  const other = others.findIndex((each) => each !== release);
  if (other >= 0) return `its postgres is ${release}, its ${programs[other + 1]} ${others[other]}`;
  if (!majorVersions.includes(majorOf(release))) return `it has PostgreSQL ${release}`;
  return { bin, release, title: `PostgreSQL ${release} of ${bin}` };
}

/** The release that a program states: `postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)`. */
const releaseOf = (program: string, user: OsUser): Promise<{ release?: string; fault?: string }> =>
  runAsUser(user, program, ["--version"]).then(
    (text) => {
      const [, release] = /\(PostgreSQL\) (\d+\S*)/.exec(text) ?? [];
      return release ? { release } : { fault: `it says ${JSON.stringify(text.trim().slice(0, 80))}` };
    },
    ({ stderr, code }) => ({ fault: stderr?.trim().split("\n").at(-1) || `${code}` }),
  );
