/** Queries on signing keys for a caller, shared by the routes and the console. */
import { v7 as uuidv7 } from "uuid";
import { keyIdOf, p256SpkiOf, spkiOf } from "../../platform/auth/public-key.ts";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Deps } from "../../platform/deps.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { requireFuture } from "../../platform/http/shapes.ts";
import { KeyRegistration, type KeyRequest, KeyRevocation } from "./shapes.ts";

const registrationJson = jsonOf(KeyRegistration);
const revocationJson = jsonOf(KeyRevocation);

/** Registers a key; the result is JSON. @throws {Problem} `bad_request` (not a key, or expired). */
export function addQuery(
  { sql, config }: Deps,
  { team, actor }: SqlCaller,
  agent: string,
  request: typeof KeyRequest.infer,
) {
  const { publicKeyPem, alg = "ed25519", expiresAt = null } = request;
  if (alg === "es256") p256SpkiOf(publicKeyPem);
  else spkiOf(publicKeyPem);
  requireFuture(expiresAt);
  return sql`
    select ${registrationJson(sql)} from formd.signing_key_add(
      p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_id => ${uuidv7()}, p_key_id => ${keyIdOf(publicKeyPem)},
      p_pem => ${publicKeyPem}, p_expires_at => ${expiresAt}, p_require_operator => ${config.AGENT_CREDENTIALS === "operator"}, p_alg => ${alg})`;
}

/** Revokes a key; the result is a KeyRevocation as JSON. */
export const revokeSigningKeyQuery = (
  { sql }: Deps,
  { team, actor }: SqlCaller,
  agent: string,
  keyId: string,
) => sql`
  select ${revocationJson(sql)} from formd.signing_key_delete(
    p_team => ${team}, p_actor => ${actor}, p_agent => ${agent}, p_key_id => ${keyId})`;
