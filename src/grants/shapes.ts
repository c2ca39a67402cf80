/** Shapes of the grant routes (specification, "Grant"). @module */
import { type } from "arktype";
import { JsonObject, Timestamp, Uuid } from "../http/shapes.ts";

const AgentScope = type("'agent:read' | 'agent:validate' | 'agent:submit'");

export const GrantRequest = JsonObject.and({
  formId: Uuid,
  scopes: AgentScope.array(),
  "respondentId?": Uuid.or("null"),
  "bindingRequired?": "boolean",
});

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
