/** `formd doctor`: checks the dependencies of a server, and prints how to fix them. */
import { randomUUID } from "node:crypto";
import { isEmail } from "../fields/formats.ts";
import { advises, attempted, type Check, type CheckResult, checkDisk, failsBy } from "../platform/check.ts";
import type { Config } from "../platform/config.ts";
import { compareCatalog } from "../platform/database/catalog/compare.ts";
import { databaseTime, oneRow, type Sql } from "../platform/database/db.ts";
import { otherMasterKey } from "../platform/database/master-keys.ts";
import { schemaState } from "../platform/database/migrations/state.ts";
import { missingFixes, runningRelease } from "../platform/database/releases.ts";
import { checkFiles, checkScanner } from "../platform/files/check.ts";
import { openFiles } from "../platform/files/files.ts";
import { closeMail, type Mail, MailError, sendMail } from "../platform/mail/smtp.ts";
import { MasterKey, type MasterKeyBytes } from "../platform/master-key.ts";
import { checkPool, checkPooler } from "../platform/ops/connections.ts";
import { checkAgents, checkProxies } from "../platform/ops/exposure.ts";
import { checkFeed, clockAheadMs, clockLimits } from "../platform/ops/feed.ts";
import { checkLocks } from "../platform/ops/locks.ts";
import { checkDatabaseLog, checkPlans, checkRights, checkTimeouts } from "../platform/ops/login.ts";
import { connectDatabase, type Database, masterKeysOf } from "./database.ts";
import { type CliCommand, jsonOption, numberLike, printResult, type Settings, textLike } from "./options.ts";

const checkSettings = ({ unknownNames }: Config) =>
  failsBy(
    unknownNames.length > 0 &&
      `${unknownNames.join(", ")}: no settings, though their names look like it. Correct or remove them.`,
    "All settings are known and valid.",
  );

/** Checks for fixes that PostgreSQL lacks. It works without: this is advice. */
async function checkFixes(sql: Sql): Promise<CheckResult> {
  const release = await runningRelease(sql);
  return advises(
    missingFixes(release),
    `PostgreSQL ${release} has the security fixes that this release of formd knows of.`,
  );
}

/** Compares the schema with this release's. A schema of another release cannot be checked. */
async function checkCatalog(sql: Sql): Promise<CheckResult> {
  const differences = (await compareCatalog(sql)).map(({ fault, statement }) => ({ fault, statement }));
  const count = differences.length === 1 ? "1 difference" : `${differences.length} differences`;
  const wrong = `${count} from what this release makes; formd migrate --repair ends those that need no data:`;
  if (differences.length === 0)
    return {
      ok: true,
      message: "Tables, types, constraints, indexes, functions and rights are what this release makes.",
    };
  const lines = differences.map(({ fault, statement }) => `  ${fault}: ${statement}`);
  return { ...failsBy([wrong, ...lines].join("\n")), differences };
}

/** Checks for a master key. @param mayBeMade true: a start creates it in the embedded database's directory */
function checkKeyPresent(config: Config, [key]: readonly MasterKeyBytes[], mayBeMade: boolean): CheckResult {
  if (key) return { ok: true, message: `The master key is ${new MasterKey(key).fingerprint}.` };
  const captcha = config.CAPTCHA_PROVIDER === "altcha" ? ", the CAPTCHA" : "";
  return failsBy(
    !mayBeMade &&
      `There is none, so webhooks${captcha}, receipts and setup links do not work, and pages in steps show all fields at once. Set FORMD_SECRET_KEY to what formd secret generate prints.`,
    "The first start makes one.",
  );
}

/** Compares the master key with the database. The embedded database's directory has its own key. */
async function checkMasterKey(sql: Sql, config: Config, directory: string | undefined): Promise<CheckResult> {
  const { keys, source } = await masterKeysOf(config, directory);
  if (keys.length === 0) return checkKeyPresent(config, keys, directory !== undefined);
  const fault = await otherMasterKey(sql, keys, source);
  if (fault) return failsBy(fault);
  const first = new MasterKey(keys[0]).fingerprint;
  const isRotating = (await otherMasterKey(sql, keys.slice(0, 1), source)) !== undefined;
  return advises(
    isRotating &&
      `The master key ${first} makes nothing yet. Once all servers have both, run formd secret rotate.`,
    `The master key is ${first}, and the database's.`,
  );
}

/** Checks CAPTCHA_SITE_KEY. Anonymous sessions need only the secret, but a form's page shows the widget. */
function checkCaptcha({ CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY }: Config): CheckResult {
  if (provider === undefined) return { ok: true, message: "There is no CAPTCHA provider." };
  return failsBy(
    provider !== "altcha" &&
      CAPTCHA_SITE_KEY === undefined &&
      "CAPTCHA_SITE_KEY is not set, so forms that require a CAPTCHA have no page. Set it to the provider's public key.",
    `The CAPTCHA provider is ${provider}.`,
  );
}

const testMail: Omit<Mail, "id" | "to"> = {
  lang: "en",
  subject: "formd: a test mail",
  heading: "Mail works",
  parts: [{ paragraph: "This server can send mail to you." }],
  footer: [{ paragraph: "This is a test: formd doctor --mail was run with your address." }],
};

/** Sends a mail: only that shows whether the server accepts the sender and this recipient. */
async function checkMail(config: Config, to: string | undefined): Promise<CheckResult> {
  const { SMTP_URL, MAIL_FROM } = config;
  const server = SMTP_URL && new URL(SMTP_URL).host;
  if (to === undefined)
    return {
      ok: true,
      message: server ? `Mail goes to ${server}.` : "There is no mail: SMTP_URL is not set.",
    };
  try {
    await sendMail(config, { id: randomUUID(), to, ...testMail });
    return { ok: true, message: `${server} took a mail from ${MAIL_FROM?.address} to ${to}.` };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return failsBy(error.message);
  } finally {
    closeMail(config);
  }
}

const maxNamedReceivers = 3;

/** Checks the webhooks of all teams. Their deliveries, which owners see, have the errors. */
async function checkWebhooks(sql: Sql): Promise<CheckResult> {
  const failing = await sql<
    { id: string; host: string; status: string; since: Date | null; total: number }[]
  >`
    select id, substring(url from '//([^/?#]*)') as host, status, failing_since_at as since,
      count(*) over ()::integer as total
    from formd.webhooks where failing_since_at is not null or status = 'disabled'
    order by failing_since_at limit ${maxNamedReceivers}`;
  const named = failing.map(({ id, host, status, since }) => {
    const states = [status === "disabled" && "disabled", since && `failing since ${since.toISOString()}`];
    return `${host} (webhook ${id}) ${states.filter(Boolean).join(", ")}`;
  });
  const unnamed = (failing[0]?.total ?? 0) - named.length;
  const more = unnamed > 0 ? `, and ${unnamed} more` : "";
  return advises(
    failing.length > 0 &&
      `Receivers fail: ${named.join(", ")}${more}. The deliveries in the console say why.`,
    "No receiver of a webhook fails.",
  );
}

async function checkClock(sql: Sql): Promise<CheckResult> {
  const before = Date.now();
  const differenceMs = Math.abs(clockAheadMs(before, await databaseTime(sql)));
  const state = `The clocks of server and database differ by ${differenceMs} ms.`;
  return failsBy(differenceMs > clockLimits.toldMs && `${state} Synchronize them by NTP.`, state);
}

/** With fewer months than this, the purge has created none for long. */
const minMonthsLeft = 22;

/** Checks the months of divided tables. Undivided tables pass. */
async function checkMonths(sql: Sql): Promise<CheckResult> {
  const { left, begun, loose, orphaned } = oneRow(
    await sql<{ left: number | null; begun: number; loose: string[]; orphaned: string[] }[]>`
      select formd.partition_months_left() as left, (
          select count(*)::int from pg_constraint
          where connamespace = 'formd'::regnamespace and conname like '%\\_bound\\_check') as begun,
        array(select l.name from formd.partition_list() as l where l.state <> 'attached') as loose,
        array(select l.name from formd.partition_list() as l where l.is_orphaned) as orphaned`,
  );
  const wrong =
    begun > 0
      ? "formd partition enable was interrupted: run it again within the month, else submissions are refused."
      : loose.length > 0
        ? `${loose.join(", ")}: a drop or an archive was interrupted. Run it again, or undo it: ${loose.map((name) => `formd partition attach ${name}`).join(", ")}.`
        : orphaned.length > 0
          ? `${orphaned.join(", ")}: the submissions are dropped, their edits are not. Run formd partition drop again.`
          : left !== null && left < minMonthsLeft
            ? `Partitions are left for ${left} months. Look for "months could not be made" in the log of the servers, or run formd partition enable.`
            : undefined;
  const fine =
    left === null ? "The tables are not divided by month." : `Partitions are left for ${left} months.`;
  return failsBy(wrong, fine);
}

/** Checks a cluster of Citus. A database without Citus passes. */
async function checkCitus(sql: Sql): Promise<CheckResult> {
  const [state] = await sql<
    { silentNodes: string[]; preparedTransactions: number; undistributedTables: string[] }[]
  >`select * from formd.cluster_state()`;
  const { silentNodes = [], preparedTransactions: prepared = 0, undistributedTables = [] } = state ?? {};
  const wrong = [
    silentNodes.length > 0 && `${silentNodes.join(", ")}: no response. Requests of the teams there get 503.`,
    prepared > 0 && `${prepared} transactions were prepared more than a minute ago (docs/dba/citus.md).`,
    undistributedTables.length > 0 &&
      `Not distributed: ${undistributedTables.join(", ")}. Run formd distribute.`,
  ];
  const fine = state ? "All machines respond, and all tables are distributed." : "There is no Citus.";
  return failsBy(wrong.filter(Boolean).join(" "), fine);
}

/** Sample of forms of limited size, since counting a million submissions takes a fifth of a second. */
const countersSample = { forms: 10, maxSubmissions: 100_000 };

/** Checks the counters for totals of lists and for the remaining places of options with a limit. */
async function checkCounters(sql: Sql): Promise<CheckResult> {
  const { isDetached } = oneRow(
    await sql<{ isDetached: boolean }[]>`select formd.partition_is_detached() as is_detached`,
  );
  if (isDetached)
    return { ok: true, isAdvice: true, message: "Months first: a month that is detached is still counted." };
  const repairsOf = async (noun: "submission" | "option") => {
    const wrong = await sql<{ teamId: string; formId: string }[]>`
      with sample as materialized (
        select c.team_id, c.form_id from formd.submission_counts c
        where ${noun === "submission"} or c.has_limits
        group by c.team_id, c.form_id having sum(c.total) <= ${countersSample.maxSubmissions}
        order by random() limit ${countersSample.forms})
      select distinct s.team_id, s.form_id from sample s, ${sql(`formd.${noun}_recount`)}(s.team_id, s.form_id) r
      where r.counted <> r.total`;
    return wrong.map(({ teamId, formId }) => `select formd.${noun}_counts_repair('${teamId}', '${formId}');`);
  };
  const repairs = [...(await repairsOf("submission")), ...(await repairsOf("option"))];
  return failsBy(
    repairs.length > 0 &&
      `${repairs.length} counters of forms differ from their submissions. Run as the owner: ${repairs.join(" ")}`,
    "The totals of a sample of forms equal their submissions.",
  );
}

interface Options {
  /** Address for the test mail. */
  mail?: string;
  /** Servers that share the database. */
  instances?: number;
}

/** Runs all checks, without a database those that need none. @throws {Error} without an embedded one */
async function examine(config: Config, options: Options): Promise<Check[]> {
  if (!config.DATABASE_URL)
    return await examineWith(await connectDatabase(config, { mayCreate: false }), config, options);
  return await connectDatabase(config, { once: true }).then(
    (database) => examineWith(database, config, options),
    ({ message }: Error) => examineWithout(message, config, options),
  );
}

/** Checks that need no database, while there is none. */
async function examineWithout(reason: string, config: Config, { mail }: Options): Promise<Check[]> {
  const files = openFiles(config, undefined, { mayCreate: false });
  const message = `${reason}. What needs it is not checked.`;
  return [
    { name: "settings", ...checkSettings(config) },
    { name: "database", ok: false, message },
    { name: "master key", ...checkKeyPresent(config, config.FORMD_SECRET_KEY ?? [], false) },
    { name: "captcha", ...checkCaptcha(config) },
    { name: "mail", ...(await checkMail(config, mail)) },
    { name: "proxies", ...checkProxies(config) },
    { name: "agents", ...checkAgents(config) },
    await attempted(
      "files",
      files.then((each) => checkFiles(undefined, each)),
    ),
    await attempted(
      "scanner",
      files.then((each) => checkScanner(undefined, each)),
    ),
  ];
}

async function examineWith(opened: Database, config: Config, { mail, instances }: Options): Promise<Check[]> {
  await using database = opened;
  const { sql, directory } = database;
  const schema = await schemaState(sql);
  const isCurrent = schema.state === "current";
  const files = () => openFiles(config, directory, { mayCreate: false });
  // Runs first, since the other checks wait while a table is locked.
  const locks = await attempted("locks", checkLocks(sql));
  const citus = isCurrent ? [await attempted("citus", checkCitus(sql))] : [];
  return [
    { name: "settings", ...checkSettings(config) },
    { name: "database", ok: isCurrent, message: schema.sentence },
    await attempted("postgresql", checkFixes(sql)),
    ...(isCurrent || schema.state === "damaged" ? [await attempted("schema", checkCatalog(sql))] : []),
    await attempted("rights", checkRights(sql)),
    await attempted("plans", checkPlans(sql)),
    await attempted("timeouts", checkTimeouts(sql)),
    await attempted("database log", checkDatabaseLog(sql)),
    locks,
    await attempted("master key", checkMasterKey(sql, config, directory)),
    { name: "captcha", ...checkCaptcha(config) },
    { name: "mail", ...(await checkMail(config, mail)) },
    await attempted("clock", checkClock(sql)),
    { name: "proxies", ...checkProxies(config) },
    { name: "agents", ...checkAgents(config) },
    await attempted("pool", checkPool(sql, config, instances)),
    await attempted("pooler", checkPooler(sql, config)),
    // These checks call functions of this build.
    ...(isCurrent
      ? [await attempted("order", checkFeed(sql)), await attempted("months", checkMonths(sql)), ...citus]
      : []),
    // This check reads from every machine.
    ...(citus.some(({ ok }) => ok) ? [await attempted("counters", checkCounters(sql))] : []),
    ...(isCurrent
      ? [
          await attempted("webhooks", checkWebhooks(sql)),
          await attempted(
            "files",
            files().then((each) => checkFiles(sql, each, config.FILES_URL !== undefined)),
          ),
          await attempted(
            "scanner",
            files().then((each) => checkScanner(sql, each)),
          ),
        ]
      : []),
    // Only the local disk can be checked.
    ...(directory === undefined ? [] : [{ name: "disk", ...(await checkDisk(directory)) }]),
  ];
}

const wordOf = ({ ok, isAdvice }: Check): string => (ok ? (isAdvice ? "note " : "ok   ") : "wrong");

const requireEmail = textLike(isEmail, "an e-mail address");
const requireCount = numberLike(/^[1-9]\d{0,3}$/, "a number from 1 to 9999");

export function doctorCommand(root: CliCommand, settings: Settings): void {
  root
    .command("doctor")
    .description(
      "check settings, PostgreSQL's release, schema, database rights, plans, time limits, locks, master key, CAPTCHA, mail, clock, proxies, agents, pool, order, months, Citus, counters, webhooks, files, scanner and disk; exit 1 when one is not in order",
    )
    .option("--mail <address>", "send a mail to this address, by SMTP_URL", requireEmail)
    .option("--instances <number>", "the servers that share the database, for its connections", requireCount)
    .addOption(jsonOption)
    .action(async ({ json, ...options }: Options & { json?: boolean }) => {
      const checks = await examine(settings(), options);
      printResult(
        json,
        { checks: checks.map(({ isAdvice = false, ...check }) => ({ ...check, isAdvice })) },
        ...checks.map((check) => `${wordOf(check)} ${check.name}: ${check.message}`),
      );
      const wrong = checks.filter(({ ok }) => !ok);
      if (wrong.length > 0) throw new Error(`not in order: ${wrong.map(({ name }) => name).join(", ")}.`);
    });
}
