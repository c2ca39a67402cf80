/** Request shapes of the identity routes (specification, "Resources and their fields"). @module */
import { type } from "arktype";
import { DateTime, JsonObject, Name, Uuid } from "../http/shapes.ts";

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
