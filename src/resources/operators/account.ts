/** The account of an operator, which its own sessions read and change. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { type Actor, actorOf, toSql } from "../../platform/auth/actor.ts";
import type { Authentication, Credential } from "../../platform/auth/authenticate.ts";
import { sessionCookie, sessionSecretOf } from "../../platform/auth/operator-session.ts";
import { makeSecret, parseSecret } from "../../platform/auth/secret.ts";
import { forgetCaller, rememberCaller } from "../../platform/auth/unknown-callers.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import type { MailLanguage } from "../mails/text.ts";
import type { Role } from "./roles.ts";

/** The team of a session, and the digest by which SQL finds it. */
export type SessionKey = Pick<Credential, "team" | "hash">;

export interface SessionOperator {
  operatorId: string;
  email: string;
  teamName: string;
  /** Workspaces in which the operator has a role, oldest first. */
  workspaces: {
    id: string;
    name: string;
    role: Role;
    editorsMayPublish: boolean;
    requiresPasskey: boolean;
  }[];
  /** Names of the first of the team's other workspaces. */
  otherWorkspaces: string[];
  /** True: the team has workspaces besides all of these. */
  hasMoreWorkspaces: boolean;
  teams: { id: string; name: string }[];
  /** The connection that authenticates the operator, who then has no password. */
  connectionId: string | null;
  /** True: the operator can be asked for a passkey. */
  hasPasskey: boolean;
  /** True: a workspace of any of the operator's teams requires a passkey. */
  isPasskeyAsked: boolean;
  /** Language that the operator has chosen; null: the browser's language. */
  language: MailLanguage | null;
  /** Age of the last re-authentication, by password or passkey, on the clock of the database. */
  proofSeconds: number;
  /** Age of the last use of a passkey; null: none. */
  passkeySeconds: number | null;
}

/** Reads the operator of a session, if `allowed`. @param writeLimit per minute; null: it is not a write */
export const readSessionOperator = async (sql: Sql, { team, hash }: SessionKey, writeLimit: number | null) =>
  await rowOf(sql<(Authentication & SessionOperator)[]>`
    select * from formd.console_operator_read(
      p_team => ${team}, p_token_hash => ${hash}, p_idle => ${`${limits.operatorSession.idleHours} hours`},
      p_write_limit => ${writeLimit})`);

export interface ListedSession {
  teamId: string;
  id: string;
  teamName: string;
  device: string | null;
  clientIp: string | null;
  createdAt: Date;
  seenAt: Date;
  isCurrent: boolean;
}

/** The sessions of the session's operator, in every team. */
export const listSessions = (sql: Sql, { team, hash }: SessionKey) => sql<ListedSession[]>`
  select * from formd.operator_session_list(p_team => ${team}, p_token_hash => ${hash})`;

/** When the password of an operator was chosen. */
export async function readPasswordSetAt(sql: Sql, operator: string): Promise<Date> {
  const [{ passwordSetAt }] = await sql<[{ passwordSetAt: Date }]>`
    select password_set_at from formd.operators where id = ${operator}`;
  return passwordSetAt;
}

export async function readMailsOff(sql: Sql, operator: string): Promise<string[]> {
  const [{ mailsOff }] = await sql<[{ mailsOff: string[] }]>`
    select mails_off from formd.operators where id = ${operator}`;
  return mailsOff;
}

export async function setMailsOff(sql: Sql, { team, hash }: SessionKey, off: string[]): Promise<void> {
  await sql`select formd.operator_mails_set(p_team => ${team}, p_token_hash => ${hash}, p_off => ${off})`;
}

/** @param language null: the browser's language */
export async function setOwnLanguage(sql: Sql, { team, hash }: SessionKey, language: MailLanguage | null) {
  await sql`
    select formd.operator_language_set(p_team => ${team}, p_token_hash => ${hash}, p_language => ${language})`;
}

/**
 * Replaces the session by one of another team. @returns its cookie @throws {Problem} `bad_request`: the same
 * team; `not_found`: no role of the operator there; `conflict`: a connection is required there.
 */
export async function switchTeam(
  { sql, config }: Deps,
  actor: Actor,
  { team: from, hash }: SessionKey,
  team: string,
) {
  const next = makeSecret("fdo", team);
  const { expiresAt } = await rowOf(sql<{ expiresAt: Date }[]>`
    select formd.operator_session_switch(
      p_actor => ${toSql(sql, actor)}, p_from_team => ${from}, p_token_hash => ${hash}, p_team => ${team}, p_session => ${uuidv7()},
      p_new_token_hash => ${next.hash}) as expires_at`);
  forgetCaller(hash);
  rememberCaller(next.hash);
  return sessionCookie(config, next.secret, expiresAt);
}

export async function endOtherSession(
  sql: Sql,
  actor: Actor,
  { team, hash }: SessionKey,
  other: Record<"team" | "session", string>,
) {
  await sql`select formd.operator_session_end(
    p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${hash},
    p_of_team => ${other.team}, p_session => ${other.session})`;
}

export async function endSession(sql: Sql, actor: Actor, { team, hash }: SessionKey): Promise<void> {
  await sql`
    select formd.operator_logout(p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${hash})`;
  forgetCaller(hash);
}

/** Ends the session that a new one replaces in the request's browser, if it has one. */
export async function endReplacedSession({ sql, config }: Deps, request: Request): Promise<void> {
  const secret = sessionSecretOf(config, request);
  if (secret === "") return;
  await endSession(sql, actorOf(request, "anonymous", null), parseSecret("fdo", secret));
}

export async function endSessions(sql: Sql, actor: Actor, { team, hash }: SessionKey): Promise<void> {
  await sql`select formd.operator_sessions_end(
    p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_token_hash => ${hash})`;
  forgetCaller(hash);
}
