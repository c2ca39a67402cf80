/** Sends the mails that are due. After a crash one may be sent again, always with the same Message-ID. */
import type { Deps } from "../../platform/deps.ts";
import { closeMail, MailError, maxConnections, sendMail } from "../../platform/mail/smtp.ts";
import { startWorker } from "../../platform/worker.ts";
import type { ClaimedMail } from "./claim.ts";
import { writeMail } from "./write.ts";

/** Duration of a lease: longer than an attempt and its record. */
const leaseSeconds = 300;
const expiryMs = 3_600_000;
const maxTeams = 100;

type WorkerDeps = Pick<Deps, "sql" | "config" | "log" | "masterKey">;

/** Starts the worker. @returns a function that stops it, once the started mails are recorded */
export function startMailWorker(deps: WorkerDeps): () => Promise<void> {
  const { sql, config, log } = deps;
  let expiryAt = 0;

  const worker = startWorker<ClaimedMail>(log, {
    pauseMs: 50,
    maxConcurrent: maxConnections,
    warnings: { look: "mails cannot be sent", attempt: "a mail was not recorded" },
    async dueAfter(last) {
      if (Date.now() >= expiryAt) {
        expiryAt = Date.now() + expiryMs;
        // The mails that are due do not wait for these.
        await sql`select formd.mail_key_expiry_record()`.catch((error: Error) =>
          log.warn({ reason: error.message }, "keys that expire were not looked for"),
        );
      }
      const rows = await sql<{ team: string }[]>`
        select team from formd.mail_due_after(p_after => ${last}, p_limit => ${maxTeams}) as team`;
      return rows.map(({ team }) => team);
    },
    // An equal share per team leaves connections for the other teams.
    lease: (team, { free, teams }) => sql<ClaimedMail[]>`
      select * from formd.mail_claim(
        p_team => ${team}, p_limit => ${Math.ceil(free / teams)}, p_lease_seconds => ${leaseSeconds},
        p_max_per_day => ${config.MAIL_MAX_PER_DAY})`,
    async attempt(team, claim) {
      const { state, error } = await send(deps, team, claim);
      await sql`
        select formd.mail_settle(
          p_team => ${team}, p_id => ${claim.id}, p_attempt => ${claim.attempt}, p_state => ${state}, p_error => ${error})`;
    },
  });
  return async () => {
    await worker.stop();
    closeMail(config);
  };
}

/** Sends a mail. @returns its state, with the reason if it was not sent */
async function send(deps: WorkerDeps, team: string, claim: ClaimedMail) {
  try {
    const mail = await writeMail(deps, team, claim);
    if ("dropped" in mail) return { state: "dropped", error: mail.dropped };
    await sendMail(deps.config, mail);
    return { state: "sent", error: null };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { state: error.isFinal ? "failed" : "due", error: error.message };
  }
}
