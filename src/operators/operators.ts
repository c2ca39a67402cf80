/** Operators: persons who manage agents and grants, each with a role per workspace. */
import { v7 as uuidv7 } from "uuid";
import { hashPassword, makePassword, makeSalt } from "../auth/password.ts";
import type { Sql } from "../db.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";

export const roles = ["admin", "editor", "viewer"] as const;
export type Role = (typeof roles)[number];

interface NewOperator {
  workspace: string;
  email: string;
  role: Role;
  password?: string | undefined;
}

/** @throws {Problem} `bad_request` for an invalid e-mail address or a password that is too short. */
export function validateCredentials({ email, password }: Pick<NewOperator, "email" | "password">): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > limits.operator.maxEmailLength)
    throw new Problem("bad_request", "The e-mail must be an address such as ada@example.org.");
  const { minPasswordLength } = limits.operator;
  if (password !== undefined && password.length < minPasswordLength)
    throw new Problem("bad_request", `The password must have at least ${minPasswordLength} characters.`);
}

/**
 * Gives a person a role in a workspace. `password` is in the result only for a new operator: a known one keeps the previous password.
 *
 * @throws {Problem} what {@link validateCredentials} throws, `not_found` for the workspace.
 */
export async function addOperator(
  sql: Sql,
  { workspace, email, role, password = makePassword() }: NewOperator,
) {
  validateCredentials({ email, password });
  const [found] = await sql<{ teamId: string }[]>`
    select team_id from formd.workspaces where id = ${workspace}`;
  if (!found) throw new Problem("not_found", "There is no such workspace.");
  const salt = makeSalt();
  const hash = await hashPassword(password, salt);
  const [joined] = await sql<[{ id: string; created: boolean }]>`
    select * from formd.operator_join(
      p_team => ${found.teamId}, p_workspace => ${workspace}, p_id => ${uuidv7()}, p_email => ${email}, p_salt => ${salt},
      p_hash => ${hash}, p_role => ${role})`;
  return { id: joined.id, email: email.toLowerCase(), ...(joined.created && { password }) };
}
