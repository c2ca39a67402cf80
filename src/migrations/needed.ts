/** The migrations and functions of this build. */
import { createHash } from "node:crypto";
import { asset, assetNames } from "../assets.ts";

/** What a build brings to a database. */
export interface Needed {
  /** File names in `db/migrations`, in order. */
  migrations: string[];
  /** The files of `sql/`, in order. */
  functions: { name: string; text: string }[];
  digest: string;
}

/** dbmate's term for the digits at the start of a migration's file name. */
export const version = (name: string) => /^\d+/.exec(name)?.[0] ?? name;

/** Read once: a start and every readiness check need it, and the files of a running build do not change. */
let neededFiles: Promise<Needed> | undefined;
export const readNeeded = () => (neededFiles ??= readFiles());

async function readFiles(): Promise<Needed> {
  const functions = await Promise.all(
    (await sqlFiles("sql")).map(async (name) => ({ name, text: String(await asset(`sql/${name}`)) })),
  );
  const digest = createHash("sha256").update(JSON.stringify(functions)).digest("hex");
  return { migrations: await sqlFiles("db/migrations"), functions, digest };
}

const sqlFiles = async (directory: string) =>
  (await assetNames(directory)).filter((name) => name.endsWith(".sql"));

/**
 * The files of these migrations, by their versions.
 *
 * @throws Error with one line when this build does not have one of them
 */
export async function migrationFiles(versions: string[]): Promise<string[]> {
  const { migrations } = await readNeeded();
  return versions.map((each) => {
    const file = migrations.find((name) => version(name) === each);
    if (!file)
      throw new Error(`migration ${each} is not in this formd: use the one that created it, or a later one`);
    return file;
  });
}
