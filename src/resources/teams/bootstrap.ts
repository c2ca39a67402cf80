/** The first objects of a tenant: a team with a workspace, an admin and an API key with every scope. */
import { v7 as uuidv7 } from "uuid";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { apiKeyScopes } from "../../platform/auth/api-key.ts";
import type { Sql } from "../../platform/database/db.ts";
import { Problem } from "../../problem.ts";
import { createApiKey } from "../api-keys/api-keys.ts";
import { addOperator, isKnown, requireNewForPassword, validateCredentials } from "../operators/operators.ts";
import { findEntries } from "../operators/passwords.ts";

export interface Bootstrap {
  email: string;
  password?: string;
  team: string;
  workspace: string;
  /** Needed for a known e-mail address: otherwise a second run counts as a mistake. */
  anotherTeam?: boolean;
}

/**
 * Creates a team with its first objects. @returns for a known e-mail also `entries`: what enters its account
 * @throws {Problem} `bad_request` for e-mail, password or a blank name; `conflict` if the e-mail address is
 * known, unless `anotherTeam`.
 */
export async function bootstrap(
  sql: Sql,
  actor: Actor,
  { email, password, team: teamName, workspace: name, anotherTeam = false }: Bootstrap,
) {
  // All checks precede the creation of the team, which would otherwise remain without an operator.
  await validateCredentials({ email, password });
  if (!anotherTeam && (await isKnown(sql, email)))
    throw new Problem(
      "conflict",
      `${email} is an operator already. --another-team makes one more team; "formd api-key create" makes an API key for an existing team, which "formd team list" shows.`,
    );
  await requireNewForPassword(sql, email, password);
  const [team, workspace] = [uuidv7(), uuidv7()];
  await sql`select formd.team_create(
    p_team => ${team}, p_actor => ${toSql(sql, actor)}, p_name => ${teamName}, p_workspace => ${workspace}, p_workspace_name => ${name})`;
  const operator = await addOperator(sql, actor, team, { workspace, email, role: "admin", password });
  const apiKey = await createApiKey(sql, actor, team, { name: "bootstrap", scopes: apiKeyScopes });
  const entries = operator.password === undefined ? await findEntries(sql, email) : undefined;
  return { team: { id: team }, workspace: { id: workspace }, operator, apiKey, ...(entries && { entries }) };
}
