/** Shapes of the agent routes (specification, "Agent"). */
import { type } from "arktype";
import { Name, Timestamp, Uuid } from "../http/shapes.ts";

export const AgentCreateRequest = type({ name: Name, "workspaceId?": Uuid });

export const AgentPatchRequest = type({ "name?": Name, "status?": "'active' | 'disabled'" });

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

/** The only responses that hold the secret: registration and rotation. */
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
