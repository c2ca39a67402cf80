/** `formd doctor`: checks what a server depends on, and says what to change. */
import { statfs } from "node:fs/promises";
import type { Command } from "commander";
import type { Config } from "../config.ts";
import { oneRow, type Sql } from "../db.ts";
import { schemaState } from "../migrations/state.ts";
import { compareConnections } from "../ops/connections.ts";
import { connectDatabase } from "./database.ts";
import { jsonOption, print, type Settings } from "./options.ts";

interface Check {
  name: string;
  ok: boolean;
  /** What was found, and what to change when it is not in order. */
  message: string;
}

/** Between the clocks of server and database: a signature may be 300 s old, and ids are ordered by time. */
const maxClockSkewMs = 1_000;
const minFreeBytes = 1024 ** 3;

const checkSettings = ({ unknownNames }: Config): Check => ({
  name: "settings",
  ok: unknownNames.length === 0,
  message:
    unknownNames.length === 0
      ? "All settings are known and valid."
      : `${unknownNames.join(", ")}: no settings, though their names look like it. Correct or remove them.`,
});

async function checkSchema(sql: Sql): Promise<Check> {
  const { state, sentence } = await schemaState(sql);
  return { name: "database", ok: state === "current", message: sentence || "The database is migrated." };
}

/** The server's login must not be able to change what it records. The owner can grant itself whatever it lacks. */
async function checkRights(sql: Sql): Promise<Check> {
  const { role, superuser, owner } = oneRow(
    await sql<{ role: string; superuser: boolean; owner: boolean }[]>`
      select current_user as role, (select rolsuper from pg_roles where rolname = current_user) as superuser,
        coalesce((select pg_has_role(current_user, c.relowner, 'usage') from pg_class c where c.oid = to_regclass('formd.forms')), false) as owner`,
  );
  const wrong = superuser ? "is a superuser" : owner ? "has the rights of the owner" : undefined;
  return {
    name: "rights",
    ok: wrong === undefined,
    message: wrong
      ? `The role ${role} ${wrong}. Let DATABASE_URL name a member of formd_app, and MIGRATION_DATABASE_URL the owner.`
      : `The role ${role} has the rights of a server, and no more.`,
  };
}

/** A plan that a connection made on a small table must not walk it when it is large, and none is worth compiling (README, "Unusual settings"). */
async function checkPlans(sql: Sql): Promise<Check> {
  const { role, wrong } = oneRow(
    await sql<{ role: string; wrong: string[] }[]>`
      select quote_ident(current_user) as role, array(
        select name from pg_settings where name in ('enable_seqscan', 'jit') and setting <> 'off' order by name) as wrong`,
  );
  const statements = wrong.map((name) => `alter role ${role} set ${name} = off;`).join(" ");
  return {
    name: "plans",
    ok: wrong.length === 0,
    message:
      wrong.length === 0
        ? "Plans are made without sequential scans and are not compiled."
        : `The role ${role} lacks settings. Run as this role or a superuser, and start the servers again: ${statements}`,
  };
}

/** The embedded database's directory has a key of its own. */
function checkMasterKey({ DATABASE_URL, FORMD_SECRET_KEY, CAPTCHA_PROVIDER }: Config): Check {
  const isMissing = DATABASE_URL !== undefined && FORMD_SECRET_KEY === undefined;
  const captcha = CAPTCHA_PROVIDER === "altcha" ? ", the CAPTCHA" : "";
  return {
    name: "master key",
    ok: !isMissing,
    message: isMissing
      ? `There is none, so webhooks${captcha}, receipts and setup links do not work, and pages in steps show all fields at once. Set FORMD_SECRET_KEY to what formd secret generate prints.`
      : "There is a master key.",
  };
}

/** Anonymous sessions need the secret only; the page of a form shows the widget. */
function checkCaptcha({ CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY }: Config): Check {
  const isMissing = provider !== undefined && provider !== "altcha" && CAPTCHA_SITE_KEY === undefined;
  return {
    name: "captcha",
    ok: !isMissing,
    message: isMissing
      ? "CAPTCHA_SITE_KEY is not set, so forms that require a CAPTCHA have no page. Set it to the provider's public key."
      : provider === undefined
        ? "There is no CAPTCHA provider."
        : `The CAPTCHA provider is ${provider}.`,
  };
}

async function checkClock(sql: Sql): Promise<Check> {
  const before = Date.now();
  const { now } = oneRow(await sql<{ now: Date }[]>`select clock_timestamp() as now`);
  const skewMs = Math.round(Math.max(before - now.getTime(), now.getTime() - Date.now(), 0));
  return {
    name: "clock",
    ok: skewMs <= maxClockSkewMs,
    message: `The clocks of server and database differ by ${skewMs} ms${skewMs > maxClockSkewMs ? ". Synchronize them by NTP." : "."}`,
  };
}

/** formd has no TLS of its own: with https there is a proxy. */
function checkProxies({ BASE_URL, TRUSTED_PROXY_HOPS: hops }: Config): Check {
  const isMissing = BASE_URL.startsWith("https:") && hops === 0;
  return {
    name: "proxies",
    ok: !isMissing,
    message: isMissing
      ? "BASE_URL is https, so a proxy is in front, and TRUSTED_PROXY_HOPS is 0: all clients share the rate limits of the proxy's IP. Set it to the number of proxies."
      : `TRUSTED_PROXY_HOPS is ${hops}.`,
  };
}

async function checkPool(sql: Sql, config: Config): Promise<Check> {
  const { isEnough: ok, message } = await compareConnections(sql, config);
  return { name: "pool", ok, message };
}

async function checkDisk(directory: string): Promise<Check> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const message = `${Math.round(free / 1024 ** 2)} MiB are free in ${directory}`;
  if (free >= minFreeBytes) return { name: "disk", ok: true, message: `${message}.` };
  return { name: "disk", ok: false, message: `${message}. Make room: a full disk stops PostgreSQL.` };
}

async function examine(config: Config): Promise<Check[]> {
  await using database = await connectDatabase(config, { mayCreate: false });
  const { sql, directory } = database;
  return [
    checkSettings(config),
    await checkSchema(sql),
    await checkRights(sql),
    await checkPlans(sql),
    checkMasterKey(config),
    checkCaptcha(config),
    await checkClock(sql),
    checkProxies(config),
    await checkPool(sql, config),
    // The disk of another machine cannot be seen from here.
    ...(directory === undefined ? [] : [await checkDisk(directory)]),
  ];
}

export function doctorCommand(root: Command, settings: Settings): void {
  root
    .command("doctor")
    .description(
      "check settings, database rights, plans, master key, CAPTCHA, clock, proxies, pool and disk; exit 1 when one is not in order",
    )
    .addOption(jsonOption)
    .action(async ({ json }: { json?: boolean }) => {
      const checks = await examine(settings());
      print(
        json,
        { checks },
        ...checks.map(({ name, ok, message }) => `${ok ? "ok   " : "wrong"} ${name}: ${message}`),
      );
      const wrong = checks.filter(({ ok }) => !ok);
      if (wrong.length > 0) throw new Error(`not in order: ${wrong.map(({ name }) => name).join(", ")}.`);
    });
}
