/** Waits for the database at a start. */
import { setTimeout as delay } from "node:timers/promises";
import { isUnavailable } from "../../../problem.ts";
import type { Report } from "../../log.ts";
import type { Sql } from "../db.ts";

/** Time that a start waits for its database. */
const waitTimeoutMs = 30_000;
/** Time of the one attempt of a command that works without a database too. */
const attemptTimeoutMs = 2_500;
const waitReportMs = 5_000;

/** Errors that at a start mean a wrong URL rather than an outage: no later attempt succeeds. */
const wrongAddressCodes = new Set(["ENOTFOUND", "TLS_REFUSED", "28000", "28P01", "3D000"]);

/**
 * Waits until the database responds.
 * @param report receives a line at once and every 5 s: a supervisor's log shows why the start takes long
 * @param options `once`: there is one attempt, of 2.5 s at most
 * @throws Error with one line, without the password: after 30 s, or once no later attempt can succeed
 */
export async function waitForDatabase(
  sql: Sql,
  report: Report = () => {},
  { once = false } = {},
): Promise<void> {
  const startedAt = Date.now();
  for (let reportAt = startedAt; ; await delay(500)) {
    const attempt = sql`select`.then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    const error = await (once ? Promise.race([attempt, silence()]) : attempt);
    if (!error) return;
    const isFinal = once || !isUnavailable(error) || wrongAddressCodes.has(error.code ?? "");
    if (isFinal || Date.now() > startedAt + waitTimeoutMs)
      throw new Error(`no connection to ${nameOf(sql)}: ${reasonOf(error)}`, { cause: error });
    if (Date.now() < reportAt) continue;
    report(`waiting for ${nameOf(sql)} (${reasonOf(error)}), ${waitTimeoutMs / 1000} s at most`);
    reportAt += waitReportMs;
  }
}

async function silence(): Promise<NodeJS.ErrnoException> {
  await delay(attemptTimeoutMs, undefined, { ref: false });
  return new Error(`no response in ${attemptTimeoutMs / 1000} s`);
}

/** Describes a pool's connection, without the password. */
function nameOf(sql: Sql): string {
  const { user, database, path, host, port } = sql.options;
  const address = path || host.map((name, index) => `${name}:${port[index]}`).join(",");
  return `database ${database} at ${address} as ${user}`;
}

/** The error message without the driver's code prefix. */
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string => message.replace(`${code}: `, "");
