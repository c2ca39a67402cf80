/** What can be done with signing keys, as queries for a caller: for the routes and the console. */
import { v7 as uuidv7 } from "uuid";
import type { QueryCaller } from "../auth/authenticate.ts";
import { keyIdOf, spkiOf } from "../auth/public-key.ts";
import type { Deps } from "../deps.ts";
import { jsonOf } from "../http/resource.ts";
import { Problem } from "../problem.ts";
import { KeyRegistration, type KeyRequest, KeyRevocation } from "./shapes.ts";

/** Registers a key; the result is a KeyRegistration as JSON. @throws {Problem} `bad_request` (not a key, or its end has passed). */
export function addQuery(
  { sql, config }: Deps,
  { team, actor }: QueryCaller,
  agent: string,
  request: typeof KeyRequest.infer,
) {
  const { publicKeyPem, expiresAt = null } = request;
  spkiOf(publicKeyPem);
  if (expiresAt && expiresAt.getTime() <= Date.now())
    throw new Problem("bad_request", "expiresAt must be in the future.");
  return sql`
    select ${jsonOf(sql, KeyRegistration)} from formd.signing_key_add(
      p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_id => ${uuidv7()}, p_key_id => ${keyIdOf(publicKeyPem)},
      p_pem => ${publicKeyPem}, p_expires_at => ${expiresAt}, p_require_operator => ${config.AGENT_CREDENTIALS === "operator"})`;
}

/** Revokes a key; the result is a KeyRevocation as JSON. */
export const revokeQuery = ({ sql }: Deps, { team, actor }: QueryCaller, agent: string, keyId: string) => sql`
  select ${jsonOf(sql, KeyRevocation)} from formd.signing_key_delete(
    p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_key_id => ${keyId})`;
