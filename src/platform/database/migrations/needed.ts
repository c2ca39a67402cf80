/** The migrations and functions of this build. */
import { createHash } from "node:crypto";
import { asset, assetNames } from "../../assets.ts";
import { once } from "../../once.ts";

/** The migrations and functions of a build. */
export interface Needed {
  /** File names in `db/migrations`, in order. */
  migrations: string[];
  /** The files of `sql/`, in order. */
  functions: { name: string; text: string }[];
  digest: string;
  /** Names of the functions that they create. */
  functionNames: string[];
}

/** The version of a migration (dbmate's term): the digits at the start of its file name. */
export const version = (name: string) => /^\d+/.exec(name)?.[0] ?? name;

/** Read once: each start and readiness check needs it, and the files of a running build do not change. */
export const readNeeded = once(async (): Promise<Needed> => {
  const functions = await Promise.all(
    (await sqlFiles("sql")).map(async (name) => ({ name, text: String(await asset(`sql/${name}`)) })),
  );
  const digest = createHash("sha256").update(JSON.stringify(functions)).digest("hex");
  const functionNames = functions.flatMap(({ text }) =>
    [...text.matchAll(/^create or replace function formd\.(\w+)/gm)].map(([, name = ""]) => name),
  );
  return { migrations: await sqlFiles("db/migrations"), functions, digest, functionNames };
});

const sqlFiles = async (directory: string) =>
  (await assetNames(directory)).filter((name) => name.endsWith(".sql"));

/** The version of the first migration, which has all tables. */
export const baselineOf = ({ migrations: [baseline = ""] }: Needed): string => version(baseline);

/** Advice for a database, or a backup, that has earlier migrations and not the baseline. */
export const unrelatedSentence =
  "the database was made by an earlier commit of formd, and is not upgraded: make a new one; to read what is in the old one, run the commit that wrote it";

/** The files of these migrations. @throws Error with one line: one of them or the baseline is missing */
export async function migrationFiles(versions: string[]): Promise<string[]> {
  const needed = await readNeeded();
  if (versions.length > 0 && !versions.includes(baselineOf(needed))) throw new Error(unrelatedSentence);
  return versions.map((each) => {
    const file = needed.migrations.find((name) => version(name) === each);
    if (!file)
      throw new Error(`migration ${each} is not in this formd: use the one that created it, or a later one`);
    return file;
  });
}
