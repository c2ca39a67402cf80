/** The PostgreSQL of a run: the embedded one, or the one of FORMD_TEST_POSTGRES. */
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { type Embedded, embedded } from "../../src/platform/database/embedded/index.ts";
import { setUp } from "../../src/platform/database/embedded/lease.ts";
import { distribute, migrate } from "../../src/platform/database/migrations/index.ts";
import { divide } from "./months.ts";
import { kept, onCleanup, temporaryFolder, wholeRun, worker, workerPorts } from "./run.ts";
import { fromTemplate } from "./template.ts";

/**
 * A PostgreSQL to test on instead of the embedded one (its superuser, database formd), and the pooler through
 * which servers reach it.
 */
export const { FORMD_TEST_POSTGRES: given, FORMD_TEST_POOLER: pooler } = process.env;
/** Divides the tables of all databases by month. */
const isPartitioned = Boolean(process.env.FORMD_TEST_PARTITIONED);

/** The run's PostgreSQL, and a connection of the superuser to each of its nodes. */
interface Cluster {
  urls: Pick<Embedded, "url" | "ownerUrl">;
  nodes: Sql[];
}

let started: Promise<Cluster> | undefined;

/** Starts it when the first test asks. Its database formd is migrated, and what others are copied from. */
export const cluster = (): Promise<Cluster> => (started ??= startCluster());

async function startCluster(): Promise<Cluster> {
  const urls = given
    ? { url: pooler ?? asUser(given, "formd"), ownerUrl: asUser(given, "formd_owner") }
    : await embed();
  const nodes = adminUrls(urls.ownerUrl).map((url) => connect(url, { poolSize: 2, prepare: false }));
  for (const node of nodes) onCleanup(() => node.end({ timeout: 1 }), wholeRun);
  if (given) {
    const [admin] = nodes as [Sql];
    const held = await admin.reserve();
    await setUp(held).finally(() => held.release());
    await migrate(urls.ownerUrl, () => {});
    if (isPartitioned) await divide(urls.ownerUrl);
    if (workerPorts.length > 0) await distribute(urls.ownerUrl, () => {});
  }
  return { urls, nodes };
}

const adminUrls = (ownerUrl: string) => {
  const url = inDatabase(asUser(ownerUrl, "postgres"), "postgres");
  return [url, ...workerPorts.map((port) => `${url}&port=${port}`)];
};

async function embed(): Promise<Embedded> {
  const folder = kept ? join(kept, worker) : temporaryFolder(wholeRun);
  if (!existsSync(folder)) mkdirSync(folder);
  chmodSync(folder, 0o711);
  if (readdirSync(folder).length === 0) await fromTemplate(folder, () => makeCluster(folder));
  const urls = await embedded(folder, () => {}, { explicit: true });
  onCleanup(() => urls.release(), wholeRun);
  return urls;
}

/** Makes a migrated cluster, and stops it. */
async function makeCluster(folder: string): Promise<void> {
  await using lease = await embedded(folder, () => {}, { explicit: true });
  const [adminUrl = ""] = adminUrls(lease.ownerUrl);
  const admin = connect(adminUrl, { poolSize: 1, prepare: false });
  // No data is needed after a crash of the machine, and each commit would wait for the disk.
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"])
    await admin.unsafe(`alter system set ${setting} = off`);
  await admin`select pg_reload_conf()`;
  await admin.end({ timeout: 1 });
  await migrate(lease.ownerUrl, () => {});
  if (isPartitioned) await divide(lease.ownerUrl);
}

export const inDatabase = (url: string, name: string) => url.replace(/\/formd(?=$|\?)/, `/${name}`);
export const asUser = (url: string, user: string) => url.replace(/\/\/[^@]*@/, `//${user}@`);
