/** Callers of the owners' routes, for tests of their permissions. */
import { apiKeyScopes } from "../../src/platform/auth/api-key.ts";
import { makeKey, makeOperator, type Service, type Team } from "../setup.ts";

/**
 * The headers of an API key for each scope, of operators in each role, and of a key and an operator that
 * another team has.
 *
 * @param secondWorkspace the team's, whose admin has no role in the first
 */
export async function makeCallers(
  app: Service,
  team: Team,
  other: Team,
  secondWorkspace: string,
): Promise<Record<string, Record<string, string>>> {
  const callers: Record<string, Record<string, string>> = { "no credentials": {} };
  for (const scope of apiKeyScopes)
    callers[`key ${scope}`] = { "x-api-key": (await makeKey(app, team, scope)).key };
  for (const role of ["admin", "editor", "viewer"] as const)
    callers[role] = { cookie: await makeOperator(app, team, role) };
  callers["admin of another workspace"] = { cookie: await makeOperator(app, team, "admin", secondWorkspace) };
  callers["key of another team"] = { "x-api-key": other.key };
  callers["admin of another team"] = { cookie: await makeOperator(app, other, "admin") };
  return callers;
}
