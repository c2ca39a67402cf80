/** Shapes of the signing key routes (specification, "AgentKey"). */
import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { DateTime, Timestamp, Uuid } from "../../platform/http/shapes.ts";

const KeyAlg = type("'ed25519' | 'es256'");

export const KeyRequest = documented(
  type({
    publicKeyPem: type.string.atMostLength(limits.signingKey.maxPemLength),
    "alg?": KeyAlg,
    "expiresAt?": DateTime,
  }),
  {
    members: {
      publicKeyPem:
        "An Ed25519 public key, or with `alg: es256` one of P-256: SPKI in PEM, between BEGIN and END PUBLIC KEY lines.",
      alg: "Default: `ed25519`. A key with `es256` verifies assertions of OAuth (`private_key_jwt`), and no signed request.",
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
    alg: KeyAlg,
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

export const KeyRegistration = type({ keyId: "string", status: KeyStatus, alg: KeyAlg });

export const KeyRevocation = type({ keyId: "string", status: "'revoked'" });
