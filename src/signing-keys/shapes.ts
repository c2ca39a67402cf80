/** Shapes of the signing key routes (specification, "AgentKey"). */
import { type } from "arktype";
import { DateTime, Timestamp, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";

export const KeyRequest = type({
  publicKeyPem: type.string.atMostLength(limits.signingKey.maxPemLength),
  "alg?": "'ed25519'",
  "expiresAt?": DateTime,
});

const KeyStatus = type("'active' | 'revoked'");

export const AgentKey = type({
  id: Uuid,
  agentId: Uuid,
  keyId: "string",
  alg: "'ed25519'",
  status: KeyStatus,
  createdAt: Timestamp,
  revokedAt: Timestamp.or("null"),
  expiresAt: Timestamp.or("null"),
});

export const KeyRegistration = type({ keyId: "string", status: KeyStatus, alg: "'ed25519'" });

export const KeyRevocation = type({ keyId: "string", status: "'revoked'" });
