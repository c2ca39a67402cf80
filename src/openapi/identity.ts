/** The identity routes, for the OpenAPI document. @module */

import { FullPageQuery } from "../http/shapes.ts";
import type { ProblemCode } from "../problem.ts";
import { agent, agentSecret, expiresAt, ids, keyId, pagination, publicKeyPem, times } from "./examples.ts";
import type { Operation, Requirement } from "./operation.ts";

const agents = "/papi/v1/identity/agents";
const one = `${agents}/{agent_id}`;
const grants = `${one}/grants`;
const keys = `${one}/keys`;

/** An API key with forms:write, or an operator; an operator sees the agents of its own workspaces. */
const keyOrOperator: Requirement[] = [{ apiKey: ["forms:write"] }, { operatorSession: [] }];
const reading: ProblemCode[] = ["unauthorized", "missing_scope"];
const writing: ProblemCode[] = [...reading, "csrf_rejected", "insufficient_workspace_role"];
const common = { tag: "identity", security: keyOrOperator } as const;
const paged = { ...pagination, limit: 100 };

const grant = {
  id: ids.grant,
  agentId: ids.agent,
  formId: ids.form,
  scopes: ["agent:read", "agent:validate"],
  respondentId: null,
  bindingRequired: false,
  ...times,
};
const { createdAt } = times;
const signingKey = {
  id: ids.key,
  agentId: ids.agent,
  keyId,
  alg: "ed25519",
  status: "active",
  createdAt,
  revokedAt: null,
  expiresAt: null,
};
const { id, clientId, secretPrefix, name, status, workspaceId } = agent;

export const identity: readonly Operation[] = [
  {
    ...common,
    method: "post",
    path: agents,
    id: "createAgent",
    summary: "Register an agent",
    description: "The secret is in this answer only.",
    body: {
      shape: "AgentCreateRequest",
      examples: { named: { summary: "In the team's oldest workspace", value: { name } } },
    },
    response: {
      description: "The agent and its secret.",
      data: "AgentRegistration",
      example: { id, clientId, secret: agentSecret, secretPrefix, name, status, workspaceId },
    },
    codes: [...writing, "not_found"],
  },
  {
    ...common,
    method: "get",
    path: agents,
    id: "listAgents",
    summary: "List agents",
    description: "Newest first, revoked ones included.",
    query: { shape: FullPageQuery },
    response: {
      description: "A page of agents.",
      data: { agents: ["Agent"], pagination: "Pagination" },
      example: { agents: [agent], pagination: paged },
    },
    codes: reading,
  },
  {
    ...common,
    method: "get",
    path: one,
    id: "getAgent",
    summary: "Read an agent",
    response: { description: "The agent.", data: { agent: "Agent" }, example: { agent } },
    codes: [...reading, "not_found"],
  },
  {
    ...common,
    method: "patch",
    path: one,
    id: "patchAgent",
    summary: "Rename, disable or enable an agent",
    description: "A disabled agent's calls fail with `agent_inactive` from the next one on.",
    body: {
      shape: "AgentPatchRequest",
      examples: {
        disable: { summary: "Disable it", value: { status: "disabled" } },
        enable: { summary: "Enable and rename it", value: { status: "active", name: "Intake agent 2" } },
      },
    },
    response: { description: "The agent as it is now.", data: { agent: "Agent" }, example: { agent } },
    codes: [...writing, "not_found", "conflict"],
  },
  {
    ...common,
    method: "delete",
    path: one,
    id: "deleteAgent",
    summary: "Revoke an agent",
    description: "For good; its grants and sessions stop at once. It stays readable.",
    response: { description: "It is revoked.", data: "AgentRevocation", example: { id, status: "revoked" } },
    codes: [...writing, "not_found"],
  },
  {
    ...common,
    method: "post",
    path: `${one}/rotate-secret`,
    id: "rotateAgentSecret",
    summary: "Give an agent a new secret",
    description: "Sessions that were minted with the old one live on; disable the agent to cut them.",
    response: {
      description: "The new secret, in this answer only.",
      data: "AgentSecret",
      example: { id, secret: agentSecret, secretPrefix },
    },
    codes: [...writing, "not_found", "conflict"],
  },
  {
    ...common,
    method: "get",
    path: grants,
    id: "listGrants",
    summary: "List an agent's grants",
    query: { shape: FullPageQuery },
    response: {
      description: "A page of grants.",
      data: { grants: ["Grant"], pagination: "Pagination" },
      example: { grants: [grant], pagination: paged },
    },
    codes: [...reading, "not_found"],
  },
  {
    ...common,
    method: "post",
    path: grants,
    id: "putGrant",
    summary: "Grant an agent scopes on a form",
    description:
      "One grant an agent and form: granting again replaces the scopes. `agent:submit` and the binding of a respondent take an operator with the role of admin or editor in the form's workspace.",
    body: {
      shape: "GrantRequest",
      examples: {
        validate: {
          summary: "Read and validate",
          value: { formId: ids.form, scopes: grant.scopes },
        },
      },
    },
    response: { description: "The grant.", data: { grant: "Grant" }, example: { grant } },
    codes: [
      ...writing,
      "not_found",
      "conflict",
      "workspace_mismatch",
      "submit_not_grantable_by_api_key",
      "respondent_binding_requires_session",
    ],
  },
  {
    ...common,
    method: "delete",
    path: `${grants}/{grant_id}`,
    id: "deleteGrant",
    summary: "Take a grant away",
    description: "From the agent's next call on.",
    response: { description: "It is gone.", data: "Deleted", example: { id: ids.grant, deleted: true } },
    codes: [...writing, "not_found", "conflict"],
  },
  {
    ...common,
    method: "get",
    path: keys,
    id: "listKeys",
    summary: "List an agent's signing keys",
    description: "Active and revoked ones.",
    query: { shape: FullPageQuery },
    response: {
      description: "A page of keys.",
      data: { keys: ["AgentKey"], pagination: "Pagination" },
      example: { keys: [signingKey], pagination: paged },
    },
    codes: [...reading, "not_found"],
  },
  {
    ...common,
    method: "post",
    path: keys,
    id: "createKey",
    summary: "Register a signing key",
    description:
      "Usable at once. The same PEM again answers the key that is there. At most 20 active keys an agent.",
    body: {
      shape: "KeyRequest",
      examples: {
        spki: { summary: "What openssl pkey -pubout writes", value: { publicKeyPem } },
        expiring: { summary: "Until a moment", value: { publicKeyPem, alg: "ed25519", expiresAt } },
      },
    },
    response: {
      description: "The key's id.",
      data: "KeyRegistration",
      example: { keyId, status: "active", alg: "ed25519" },
    },
    codes: [...writing, "not_found", "conflict"],
  },
  {
    ...common,
    method: "delete",
    path: `${keys}/{key_id}`,
    id: "deleteKey",
    summary: "Revoke a signing key",
    description: "It stops authenticating at once.",
    response: { description: "It is revoked.", data: "KeyRevocation", example: { keyId, status: "revoked" } },
    codes: [...writing, "invalid_body", "not_found", "conflict"],
  },
];
