/** Shapes of the grant routes (specification, "Grant"). */
import { type } from "arktype";
import { JsonObject, Timestamp, Uuid } from "../http/shapes.ts";
import { limits } from "../limits.ts";

/** The scopes of grants. tests/sql/scopes.test.ts compares them with the table's check. */
export const agentScopes = ["agent:read", "agent:validate", "agent:submit"] as const;

const AgentScope = type.enumerated(...agentScopes);

export const GrantRequest = JsonObject.and({
  formId: Uuid,
  scopes: AgentScope.array().atMostLength(limits.grant.maxScopes),
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
