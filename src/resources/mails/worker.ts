/**
 * Sends the mails that are due. Every server with a mail server has one worker: it leases mails of one team
 * after another, in turn. A server that ends between the mail server's 250 and the record leaves a lease,
 * which runs out: a mail is sent at least once, always with one Message-ID.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "../../platform/deps.ts";
import { closeMail, MailError, maxConnections, sendMail } from "../../platform/mail/smtp.ts";
import type { ClaimedMail } from "./claim.ts";
import { writeMail } from "./write.ts";

/** How long a lease lasts: longer than an attempt and its record take. */
const leaseSeconds = 300;
/** Between two looks for what other servers have committed. */
const pollMs = 1_000;
/** Between two looks while there is work. */
const pauseMs = 50;
/** Between two looks for keys that expire. */
const expiryMs = 3_600_000;
/** Teams of one look. */
const maxTeams = 100;

type WorkerDeps = Pick<Deps, "sql" | "config" | "log" | "masterKey">;

export class MailWorker {
  readonly #deps: WorkerDeps;
  readonly #sending = new Set<Promise<void>>();
  /** The team that was served last: the next look begins after it. */
  #lastTeam: string | null = null;
  #expiryAt = 0;
  #isStopped = false;
  #wake = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;

  /** Starts. */
  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#ended = this.#run();
  }

  /** Leases nothing more, and resolves when the mails that were begun are recorded. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake.resolve();
    await this.#ended;
    await Promise.all(this.#sending);
    closeMail(this.#deps.config);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#wake = Promise.withResolvers();
      await this.#claimAll().catch((error: Error) =>
        this.#deps.log.warn({ reason: error.message }, "mails cannot be sent"),
      );
      await Promise.race([this.#wake.promise, delay(pollMs, undefined, { ref: false })]);
      await delay(pauseMs);
    }
  }

  async #claimAll(): Promise<void> {
    const { sql, config, log } = this.#deps;
    if (Date.now() >= this.#expiryAt) {
      this.#expiryAt = Date.now() + expiryMs;
      // The mails that are due do not wait for these.
      await sql`select formd.mail_key_expiry_record()`.catch((error: Error) =>
        log.warn({ reason: error.message }, "keys that expire were not looked for"),
      );
    }
    const teams = await sql<{ team: string }[]>`
      select team from formd.mail_due_after(p_after => ${this.#lastTeam}, p_limit => ${maxTeams}) as team`;
    for (const { team } of teams) {
      const free = maxConnections - this.#sending.size;
      if (free <= 0 || this.#isStopped) return;
      this.#lastTeam = team;
      // One of each team in turn leaves room for the others, as far as there are others.
      const claims = await sql<ClaimedMail[]>`
        select * from formd.mail_claim(
          p_team => ${team}, p_limit => ${Math.ceil(free / teams.length)}, p_lease_seconds => ${leaseSeconds},
          p_max_per_day => ${config.MAIL_MAX_PER_DAY})`;
      for (const claim of claims) this.#track(this.#attempt(team, claim));
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: Error) => this.#deps.log.warn({ reason: error.message }, "a mail was not recorded"))
      .finally(() => {
        this.#sending.delete(tracked);
        this.#wake.resolve();
      });
    this.#sending.add(tracked);
  }

  async #attempt(team: string, claim: ClaimedMail): Promise<void> {
    const { sql } = this.#deps;
    const { state, error } = await this.#send(team, claim);
    await sql`
      select formd.mail_settle(
        p_team => ${team}, p_id => ${claim.id}, p_attempt => ${claim.attempt}, p_state => ${state}, p_error => ${error})`;
  }

  async #send(team: string, claim: ClaimedMail): Promise<{ state: string; error: string | null }> {
    try {
      const mail = await writeMail(this.#deps, team, claim);
      if ("dropped" in mail) return { state: "dropped", error: mail.dropped };
      await sendMail(this.#deps.config, mail);
      return { state: "sent", error: null };
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      return { state: error.isFinal ? "failed" : "due", error: error.message };
    }
  }
}
