/** Shapes of the grant routes (specification, "Grant"). */
import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { JsonObject, Timestamp, Uuid } from "../../platform/http/shapes.ts";

/** The scopes of grants. tests/sql/scopes.test.ts compares them with the table's check. */
export const agentScopes = ["agent:read", "agent:validate", "agent:submit"] as const;

const AgentScope = type.enumerated(...agentScopes);

export const GrantRequest = documented(
  JsonObject.and({
    formId: Uuid,
    scopes: AgentScope.array().atMostLength(limits.grant.maxScopes),
    "respondentId?": Uuid.or("null"),
    "bindingRequired?": "boolean",
    "respondent?": "'asserted' | null",
  }),
  {
    members: {
      scopes: {
        text: "They replace the scopes of an earlier grant. `agent:submit` requires an operator.",
        schema: { minItems: 1 },
      },
      respondentId: "Binds the grant to one respondent; requires an operator. Null unbinds.",
      respondent:
        "`asserted`: the agent submits for the person of its session, whom an identity provider has named; requires an operator. Null takes it back.",
    },
  },
);

export const Grant = documented(
  type({
    id: Uuid,
    agentId: Uuid,
    formId: Uuid,
    scopes: AgentScope.array(),
    respondentId: Uuid.or("null"),
    bindingRequired: "boolean",
    respondent: "'asserted' | null",
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    text: "The scopes of an agent on one form, checked at every request.",
    members: {
      respondentId: "The respondent that the grant is bound to.",
      bindingRequired: "True: a submission must name that respondent.",
      respondent:
        "`asserted`: submits for the person of the session, by an assertion of an identity provider, and without one not at all.",
    },
  },
);
