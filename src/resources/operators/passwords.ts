/** Passwords of operators: entered again before a risky action, and set at a terminal or by a link. */
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import type { Authentication } from "../../platform/auth/authenticate.ts";
import { hashPassword, hashPasswordInTurn, makePassword, makeSalt } from "../../platform/auth/password.ts";
import { validatePassword } from "../../platform/auth/password-rules.ts";
import { makeSecret, parseSecret } from "../../platform/auth/secret.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireRateLimit } from "../../platform/http/rate-limits.ts";
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

export interface OpenReset {
  email: string;
  /** The connection by which the address must sign in. */
  required: RequiredConnection;
}

/** @throws {Problem} `not_found` unless the link is open. */
export async function readReset(sql: Sql, token: string): Promise<OpenReset> {
  const { team: operator, hash } = parseSecret("fdr", token);
  const [found] = await sql<{ email: string; requiredTeam: string | null }[]>`
    select * from formd.operator_reset_read(p_operator => ${operator}, p_hash => ${hash})`;
  if (!found) throw new Problem("not_found", say("link_used"));
  const { email, requiredTeam: team } = found;
  return { email, required: team === null ? undefined : await requiredConnection(sql, email, team) };
}

/** Sets a password chosen with a link. @throws {Problem} `bad_request`, `unavailable`; `not_found`. */
export async function resetPassword(sql: Sql, actor: Actor, token: string, given: ChosenPassword) {
  const { team: operator, hash } = parseSecret("fdr", token);
  const chosen = await hashChosen(given);
  await sql`
    select formd.operator_reset(
      p_actor => ${toSql(sql, actor)}, p_operator => ${operator}, p_hash => ${hash},
      p_salt => ${chosen.salt}, p_password_hash => ${chosen.hash})`;
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
 * Replaces the password of a session's operator, and ends the operator's other sessions.
 * @throws {Problem} `bad_request`, also if `current` is wrong; and as {@link hashOwnPassword}
 */
export async function changePassword(
  deps: Deps,
  request: Request,
  actor: Actor,
  session: { team: string; hash: Uint8Array; email: string },
  { current, chosen }: { current: string; chosen: string },
): Promise<void> {
  const { sql } = deps;
  await validatePassword(chosen, session.email);
  const before = await hashOwnPassword(deps, request, session, current);
  const salt = makeSalt();
  const hash = await hashPasswordInTurn(chosen, salt, "known");
  const { isChanged } = await rowOf(sql<{ isChanged: boolean }[]>`
    select formd.operator_change_password(
      p_team => ${session.team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${session.hash},
      p_password_hash => ${before}, p_salt => ${salt}, p_hash => ${hash}) as is_changed`);
  if (!isChanged) throw new Problem("bad_request", say("current_password_wrong"));
}

/** Replaces a password and ends the operator's sessions. @throws {Problem} `bad_request`, `not_found`. */
export async function setPassword(sql: Sql, actor: Actor, email: string, password = makePassword()) {
  await validateCredentials({ email, password });
  const salt = makeSalt();
  const hash = await hashPassword(password, salt);
  const { id } = await rowOf(sql<{ id: string }[]>`
    select formd.operator_set_password(
      p_actor => ${toSql(sql, actor)}, p_email => ${email}, p_salt => ${salt}, p_hash => ${hash}) as id`);
  return { id, password };
}
