/** Shapes of the signing key routes (specification, "AgentKey"). */
import { type } from "arktype";
import { documented } from "../http/documented.ts";
import { DateTime, Timestamp, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";

export const KeyRequest = documented(
  type({
    publicKeyPem: type.string.atMostLength(limits.signingKey.maxPemLength),
    "alg?": "'ed25519'",
    "expiresAt?": DateTime,
  }),
  {
    members: {
      publicKeyPem: "An Ed25519 public key: SPKI in PEM, between BEGIN and END PUBLIC KEY lines.",
      expiresAt: "In the future. Default: never.",
    },
  },
);

const KeyStatus = type("'active' | 'revoked'");

export const AgentKey = documented(
  type({
    id: Uuid,
    agentId: Uuid,
    keyId: "string",
    alg: "'ed25519'",
    status: KeyStatus,
    createdAt: Timestamp,
    revokedAt: Timestamp.or("null"),
    expiresAt: Timestamp.or("null"),
  }),
  {
    members: {
      keyId: "`key_` and the first 16 hex characters of the SHA-256 of the PEM text as it was sent.",
    },
  },
);

export const KeyRegistration = type({ keyId: "string", status: KeyStatus, alg: "'ed25519'" });

export const KeyRevocation = type({ keyId: "string", status: "'revoked'" });
