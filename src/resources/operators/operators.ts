/** Operators: persons who sign in to the console, each with a role per workspace. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { hashPasswordInTurn, makePassword, makeSalt } from "../../platform/auth/password.ts";
import { validatePassword } from "../../platform/auth/password-rules.ts";
import { rowOf, type Sql } from "../../platform/database/db.ts";
import { offsetOf, type Paged, toPage } from "../../platform/http/shapes.ts";
import { Problem } from "../../problem.ts";
import type { Role } from "./roles.ts";

export interface NewOperator {
  workspace: string;
  email: string;
  role: Role;
  password?: string | undefined;
}

/** @throws {Problem} `bad_request` for an invalid e-mail address, or a password that is refused. */
export async function validateCredentials({ email, password }: Pick<NewOperator, "email" | "password">) {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > limits.operator.maxEmailLength)
    throw new Problem("bad_request", say("email_invalid"));
  if (password !== undefined) await validatePassword(password, email);
}

export type ChosenPassword = Record<"email" | "password", string>;

/** Hashes a password that is allowed. @throws {Problem} `bad_request`, `unavailable`. */
export async function hashChosen({ email, password }: ChosenPassword) {
  await validatePassword(password, email);
  const salt = makeSalt();
  return { salt, hash: await hashPasswordInTurn(password, salt) };
}

/** Checks whether an operator with a password has this e-mail address. */
export async function isKnown(sql: Sql, email: string): Promise<boolean> {
  const rows =
    await sql`select from formd.operators where email = ${email.toLowerCase()} and connection_id is null`;
  return rows.length > 0;
}

/** @throws {Problem} `conflict` for a password if the operator exists and would keep the previous one. */
export async function requireNewForPassword(sql: Sql, email: string, password: string | undefined) {
  if (password !== undefined && (await isKnown(sql, email)))
    throw new Problem(
      "conflict",
      `${email} is an operator already and keeps the password; "formd operator set-password" changes it.`,
    );
}

/**
 * Gives an operator a role in a workspace. The result has `password` only for a new operator.
 * @throws {Problem} as {@link validateCredentials} and {@link requireNewForPassword}; `not_found` for the
 * workspace; `insufficient_workspace_role`; `conflict` if it would have no admin; `unavailable` when too many
 * hashes wait.
 */
export async function addOperator(
  sql: Sql,
  actor: Actor,
  team: string,
  { workspace, email, role, password: given }: NewOperator,
) {
  await validateCredentials({ email, password: given });
  // The role is checked first: a hash takes 0.2 s.
  await sql`
    select formd.workspace_require_role(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_workspace => ${workspace}, p_role => 'admin')`;
  await requireNewForPassword(sql, email, given);
  const password = given ?? makePassword();
  const salt = makeSalt();
  const hash = await hashPasswordInTurn(password, salt);
  const joined = await rowOf(sql<{ id: string; created: boolean }[]>`
    select * from formd.operator_join(
      p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_workspace => ${workspace}, p_id => ${uuidv7()}, p_email => ${email}, p_salt => ${salt},
      p_hash => ${hash}, p_role => ${role})`);
  return { id: joined.id, email: email.toLowerCase(), ...(joined.created && { password }) };
}

/** The id of the operator with this e-mail. @throws {Problem} `not_found`. */
export async function operatorOf(sql: Sql, email: string): Promise<string> {
  const [row] = await sql<
    { id: string }[]
  >`select id from formd.operators where email = ${email.toLowerCase()} and connection_id is null`;
  if (!row) throw new Problem("not_found", say("email_unknown"));
  return row.id;
}

export interface OperatorEntry {
  id: string;
  email: string;
  roles: { teamId: string; workspaceId: string; role: Role }[];
}

/** The operators of a team, or of all teams, by e-mail. */
export async function listOperators(sql: Sql, team: string | null): Promise<OperatorEntry[]> {
  const rows = await sql<
    { id: string; email: string; teamId: string | null; workspaceId: string; role: Role }[]
  >`
    select * from formd.operator_list(p_team => ${team})`;
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, [first, ...others]]) => ({
    id,
    email: first?.email ?? "",
    roles: [first, ...others].flatMap((row) =>
      row?.teamId ? [{ teamId: row.teamId, workspaceId: row.workspaceId, role: row.role }] : [],
    ),
  }));
}

export interface WorkspaceOperator {
  id: string;
  email: string;
  /** The name of the connection that authenticates the operator and gives the role; null: none. */
  connection: string | null;
  role: Role;
  createdAt: Date;
  /** True: an admin saw the link by which the password was chosen, and no mail has confirmed the address. */
  isUnconfirmed: boolean;
}

/** A page of the operators of a workspace, the newest operator first. */
export async function listWorkspaceOperators(
  sql: Sql,
  team: string,
  workspace: string,
  page: { page: number; limit: number },
) {
  const { maxCounted } = limits.page;
  const rows = await sql<Paged<WorkspaceOperator>[]>`
    select * from formd.workspace_operator_list(
      p_team => ${team}, p_workspace => ${workspace}, p_limit => ${page.limit}, p_offset => ${offsetOf(page)}, p_max_counted => ${maxCounted})`;
  return toPage(rows, page, maxCounted);
}

export type WorkspaceMember = Pick<WorkspaceOperator, "id" | "email">;

export const operatorsOfWorkspace = (sql: Sql, team: string, workspace: string) => sql<WorkspaceMember[]>`
  select o.id, o.email from formd.workspace_roles r join formd.operators o on o.id = r.operator_id
  where r.team_id = ${team} and r.workspace_id = ${workspace}`;

/**
 * Removes an operator's role in a workspace, or all roles, and ends the operator's sessions. Without a role
 * the operator is deleted.
 * @param operator the account of a connection; null: the account with a password
 * @throws {Problem} `not_found`, `insufficient_workspace_role`; `conflict` if it would have no admin.
 */
export async function removeOperator(
  sql: Sql,
  actor: Actor,
  email: string,
  workspace: string | null,
  operator: string | null = null,
) {
  return await rowOf(sql<{ id: string }[]>`
    select formd.operator_remove(
      p_actor => ${toSql(sql, actor)}, p_email => ${email}, p_workspace => ${workspace}, p_operator => ${operator}) as id`);
}
