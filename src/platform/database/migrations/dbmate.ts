/** Applies migrations with dbmate. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { resolveBinary } from "dbmate";
import { asset, isBundled } from "../../assets.ts";
import { connectOnce } from "../db.ts";

/**
 * Applies the pending ones of these migrations with dbmate, each in a separate transaction. Its URL is in the
 * environment, where other users cannot see the password. `up` would create the database. A migration that
 * sorts before an applied one is applied too, so that every database gets the same schema.
 *
 * @param names of files in `db/migrations`
 * @throws Error with one line that names the migration that failed
 */
export async function applyMigrations(ownerUrl: string, names: string[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "formd-migrate-"));
  const files = join(directory, "migrations");
  const args = [
    "--no-dump-schema",
    `--migrations-dir=${files}`,
    "--migrations-table=formd.schema_migrations",
    "migrate",
  ];
  const env = { ...process.env, DATABASE_URL: await withSslmode(ownerUrl) };
  try {
    await mkdir(files);
    for (const name of names)
      await writeFile(join(files, name), repeatable(withDown(String(await asset(`db/migrations/${name}`)))));
    await promisify(execFile)(await dbmateIn(directory), args, { cwd: directory, env });
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: string; stdout?: string; stderr?: string };
    if (code === "EACCES")
      throw new Error(`programs cannot run in ${directory}: set TMPDIR to a directory where they can`);
    const applying = [...stdout.matchAll(/^Applying:( .*)$/gm)].at(-1)?.[1] ?? "";
    const reason = /^Error: (?:pq: )?(.*)$/m.exec(stderr)?.[1] ?? (stderr.trim() || String(error));
    throw new Error(`migration${applying} failed: ${reason}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Adds an empty down part, which dbmate requires. Migrations are forward-only. */
const withDown = (text: string) => `${text}\n-- migrate:down\n`;

/**
 * Makes an index migration repeatable: PostgreSQL continues the statement of a killed client. An invalid
 * index, which `if not exists` would accept, is dropped before.
 */
export const repeatable = (text: string) =>
  text
    .replace(/^(create (?:unique )?index concurrently) (?!if )/m, "$1 if not exists ")
    .replace(/^(drop index concurrently) (?!if )/m, "$1 if exists ");

/** dbmate's program: the npm package's, or unpacked for this run (zstd checks its checksum). */
async function dbmateIn(directory: string): Promise<string> {
  if (!isBundled()) return resolveBinary();
  const path = join(directory, "dbmate");
  await writeFile(path, await promisify(zstdDecompress)(await asset("dbmate.zst")), { mode: 0o700 });
  return path;
}

/** Replaces `sslmode=prefer`, which dbmate's driver lacks: asks first whether the server has TLS. */
async function withSslmode(url: string): Promise<string> {
  const [, parameter = "", mode = "prefer"] = /[?&](sslmode=(\w[\w-]*))/.exec(url) ?? [];
  if (mode !== "prefer" && mode !== "allow") return url;
  await using sql = connectOnce(url);
  const [row] = await sql<{ ssl: boolean }[]>`
    select ssl from pg_catalog.pg_stat_ssl where pid = pg_backend_pid()`;
  const sslmode = row?.ssl ? "require" : "disable";
  return parameter ? url.replace(parameter, `sslmode=${sslmode}`) : withParameter(url, "sslmode", sslmode);
}

/** Adds a parameter as text, for URLs of libpq. dbmate's driver sends unknown ones as settings. */
export const withParameter = (url: string, name: string, value: string) =>
  `${url}${url.includes("?") ? "&" : "?"}${name}=${value}`;
