/** Passwords of operators: entered again before a risky action, and set at a terminal or by a link. */
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { Authentication } from "../../platform/auth/authenticate.ts";
import { deviceCookie } from "../../platform/auth/device.ts";
import { hashPassword, hashPasswordInTurn, makePassword, makeSalt } from "../../platform/auth/password.ts";
import { validatePassword } from "../../platform/auth/password-rules.ts";
import { makeSecret, parseSecret } from "../../platform/auth/secret.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireRateLimit } from "../../platform/http/rate-limits.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import { Problem } from "../../problem.ts";
import { type ChosenPassword, hashChosen, validateCredentials } from "./operators.ts";
import { type RequiredConnection, requiredConnection } from "./sign-in-connections.ts";

export const resetPath = "/console/reset";

/**
 * Makes a link for a new password, once. @param team of the admin; null: at a terminal, for any account
 * @throws {Problem} `not_found`; `conflict`: the actor does not administer a workspace of the account.
 */
export async function makeResetLink(
  sql: Sql,
  actor: Actor,
  { team, baseUrl }: { team: string | null; baseUrl: string },
  operator: string,
): Promise<{ link: string; expiresAt: Date }> {
  const { secret, hash } = makeSecret("fdr", operator);
  const { expiresAt } = await rowOf(sql<{ expiresAt: Date }[]>`
    select formd.operator_reset_make(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_operator => ${operator}, p_hash => ${hash},
      p_lifetime => ${`${limits.operator.resetMinutes} minutes`}) as expires_at`);
  return { link: `${baseUrl}${resetPath}/${secret}`, expiresAt };
}

/** Everything besides the password that a new password ends: names of passkeys, and a number of sessions. */
export interface Entries {
  passkeys: string[];
  sessions: number;
}

/** Everything by which a known account can be entered, at a terminal. */
export interface KnownEntries extends Entries {
  passwordSetAt: Date;
}

/** @returns undefined: no operator with a password has this e-mail */
export async function findEntries(sql: Sql, email: string): Promise<KnownEntries | undefined> {
  const [operator] = await sql<{ id: string; passwordSetAt: Date }[]>`
    select id, password_set_at from formd.operators
    where email = ${email.toLowerCase()} and connection_id is null`;
  if (!operator) return undefined;
  const entries = await rowOf(sql<Entries[]>`
    select * from formd.operator_entries(p_operator => ${operator.id})`);
  return { ...entries, passwordSetAt: operator.passwordSetAt };
}

export interface OpenReset extends Entries {
  email: string;
  /** The connection by which the address must sign in. */
  required: RequiredConnection;
}

/** @throws {Problem} `not_found` unless the link is open. */
export async function readReset(sql: Sql, token: string): Promise<OpenReset> {
  const { team: operator, hash } = parseSecret("fdr", token);
  const [found] = await sql<(Entries & { email: string; requiredTeam: string | null })[]>`
    select * from formd.operator_reset_read(p_operator => ${operator}, p_hash => ${hash})`;
  if (!found) throw new Problem("not_found", say("link_used"));
  const { requiredTeam: team, ...open } = found;
  const { email } = open;
  return { ...open, required: team === null ? undefined : await requiredConnection(sql, email, team) };
}

/**
 * Sets a password chosen with a link, and mails its person. @returns what it has ended
 * @throws {Problem} `bad_request`, `unavailable`; `not_found`.
 */
export async function resetPassword(deps: Deps, actor: Actor, token: string, given: ChosenPassword) {
  const { sql } = deps;
  const { team: operator, hash } = parseSecret("fdr", token);
  const chosen = await hashChosen(given);
  return await rowOf(sql<Entries[]>`
    select * from formd.operator_reset(
      p_actor => ${toSql(sql, actor)}, p_operator => ${operator}, p_hash => ${hash},
      p_salt => ${chosen.salt}, p_password_hash => ${chosen.hash}, p_is_mailed => ${hasOutbox(deps)})`);
}

/** Hashes the entered password. @throws {Problem} `rate_limited`, `unauthorized`, `unavailable`. */
async function hashOwnPassword(
  { sql }: Deps,
  request: Request,
  { team, hash }: { team: string; hash: Uint8Array },
  password: string,
): Promise<Uint8Array> {
  const maxRequests = limits.operator.maxLoginsPerMinute;
  const { outcome, passwordSalt, ...rate } = await rowOf(sql<
    (Authentication & { passwordSalt: string | null })[]
  >`
      select * from formd.operator_proof_admit(p_team => ${team}, p_token_hash => ${hash}, p_limit => ${maxRequests})`);
  if (outcome === "unauthorized") throw new Problem("unauthorized", say("session_ended"));
  requireRateLimit(request, outcome, { limitName: "account", maxRequests, ...rate });
  return await hashPasswordInTurn(password, passwordSalt, "known");
}

/** Re-authenticates the session's operator by the password. @returns false if it is wrong */
export async function provePassword(
  deps: Deps,
  request: Request,
  session: { team: string; hash: Uint8Array },
  password: string,
): Promise<boolean> {
  const given = await hashOwnPassword(deps, request, session, password);
  const { isProved } = await rowOf(deps.sql<{ isProved: boolean }[]>`
    select formd.operator_prove(
      p_team => ${session.team}, p_token_hash => ${session.hash}, p_password_hash => ${given}) as is_proved`);
  return isProved;
}

/**
 * Replaces the password of a session's operator, ends the operator's other sessions, and mails the operator.
 * @param chosen.keepsPasskeys false: removes them @returns the cookie by which the browser stays known
 * @throws {Problem} `bad_request`, also if `current` is wrong; and as {@link hashOwnPassword}
 */
export async function changePassword(
  deps: Deps,
  request: Request,
  actor: Actor,
  session: { team: string; hash: Uint8Array; email: string },
  { current, chosen, keepsPasskeys }: { current: string; chosen: string; keepsPasskeys: boolean },
): Promise<Entries & { cookie: string }> {
  const { sql } = deps;
  await validatePassword(chosen, session.email);
  const before = await hashOwnPassword(deps, request, session, current);
  const salt = makeSalt();
  const hash = await hashPasswordInTurn(chosen, salt, "known");
  const { isChanged, setAt, ...ended } = await rowOf(sql<(Entries & { isChanged: boolean; setAt: Date })[]>`
    select * from formd.operator_change_password(
      p_team => ${session.team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${session.hash},
      p_password_hash => ${before}, p_salt => ${salt}, p_hash => ${hash}, p_keeps_passkeys => ${keepsPasskeys},
      p_is_mailed => ${hasOutbox(deps)})`);
  if (!isChanged) throw new Problem("bad_request", say("current_password_wrong"));
  // Later than the password, which ends the cookies from before.
  return { ...ended, cookie: deviceCookie(deps, session.email, new Date(setAt.getTime() + 1)) };
}

/**
 * Replaces a password, and ends all else that enters the account.
 * @param isMailed true: the operator gets a mail @throws {Problem} `bad_request`, `not_found`.
 */
export async function setPassword(
  sql: Sql,
  actor: Actor,
  {
    email,
    isMailed = false,
    password = makePassword(),
  }: Record<"email", string> & {
    password?: string | undefined;
    isMailed?: boolean;
  },
) {
  await validateCredentials({ email, password });
  const salt = makeSalt();
  const hash = await hashPassword(password, salt);
  const ended = await rowOf(sql<(Entries & { id: string })[]>`
    select * from formd.operator_set_password(
      p_actor => ${toSql(sql, actor)}, p_email => ${email}, p_salt => ${salt}, p_hash => ${hash}, p_is_mailed => ${isMailed})`);
  return { ...ended, password };
}
