/** Shapes of the identity routes, what they take and what they answer (specification, "Resources and their fields"). @module */
import { type } from "arktype";
import { DateTime, JsonObject, Name, Timestamp, Uuid } from "../http/shapes.ts";

export const AgentCreateRequest = type({ name: Name, "workspaceId?": Uuid });

export const AgentPatchRequest = type({ "name?": Name, "status?": "'active' | 'disabled'" });

const AgentScope = type("'agent:read' | 'agent:validate' | 'agent:submit'");

export const GrantRequest = JsonObject.and({
  formId: Uuid,
  scopes: AgentScope.array(),
  "respondentId?": Uuid.or("null"),
  "bindingRequired?": "boolean",
});

export const KeyRequest = type({
  publicKeyPem: "string <= 2000",
  "alg?": "'ed25519'",
  "expiresAt?": DateTime,
});

const AgentStatus = type("'active' | 'disabled' | 'revoked'");

export const Agent = type({
  id: Uuid,
  clientId: "string",
  secretPrefix: "string",
  name: "string",
  status: AgentStatus,
  workspaceId: Uuid,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** The only answers that hold the secret: registration and rotation. */
export const AgentRegistration = type({
  id: Uuid,
  clientId: "string",
  secret: "string",
  secretPrefix: "string",
  name: "string",
  status: AgentStatus,
  workspaceId: Uuid,
});
export const AgentSecret = type({ id: Uuid, secret: "string", secretPrefix: "string" });

export const AgentRevocation = type({ id: Uuid, status: "'revoked'" });

export const Grant = type({
  id: Uuid,
  agentId: Uuid,
  formId: Uuid,
  scopes: AgentScope.array(),
  respondentId: Uuid.or("null"),
  bindingRequired: "boolean",
  createdAt: Timestamp,
  updatedAt: Timestamp,
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
