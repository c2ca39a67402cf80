/** Shapes of the agent routes (specification, "Agent"). */
import { type } from "arktype";
import { documented } from "../../platform/http/documented.ts";
import { Name, Timestamp, Uuid } from "../../platform/http/shapes.ts";

export const AgentCreateRequest = documented(type({ name: Name, "workspaceId?": Uuid }), {
  members: { workspaceId: "Default: the team's oldest workspace." },
});

export const AgentPatchRequest = documented(type({ "name?": Name, "status?": "'active' | 'disabled'" }), {
  text: "`name`, `status` or both.",
  schema: { minProperties: 1 },
});

const AgentStatus = type("'active' | 'disabled' | 'revoked'");

export const Agent = documented(
  type({
    id: Uuid,
    clientId: "string",
    secretPrefix: "string",
    name: "string",
    status: AgentStatus,
    workspaceId: Uuid,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    text: "A non-human identity. It can do nothing before an operator grants it scopes on a form.",
    members: {
      secretPrefix: "The first characters of the secret, to identify it.",
      status: "`revoked` is permanent.",
    },
  },
);

/** The only responses that hold the secret: registration and rotation. */
export const AgentRegistration = documented(
  type({
    id: Uuid,
    clientId: "string",
    secret: "string",
    secretPrefix: "string",
    name: "string",
    status: AgentStatus,
    workspaceId: Uuid,
  }),
  "The secret is shown only here.",
);
export const AgentSecret = documented(
  type({ id: Uuid, secret: "string", secretPrefix: "string" }),
  "The new secret is shown only here; the previous one is no longer valid for new sessions.",
);

export const AgentRotateRequest = documented(type({ "endSessions?": "boolean" }), {
  members: {
    endSessions:
      "True when the previous secret leaked: tokens that were minted before are 401 from now on. Default: false.",
  },
});

export const AgentSessionsEnd = documented(type({ id: Uuid, ended: "number.integer >= 0" }), {
  members: { ended: "How many sessions there were." },
});

export const AgentRevocation = type({ id: Uuid, status: "'revoked'" });
