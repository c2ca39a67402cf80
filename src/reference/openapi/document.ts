/** The OpenAPI 3.1 document: what stands around its paths. */
import { apiKeyScopes } from "../../platform/auth/api-key.ts";
import type { Config } from "../../platform/config.ts";
import { cookieName } from "../../platform/http/cookie.ts";
import type { Schema, SchemeName, Tag } from "../../platform/http/operation.ts";
import { problemCodes } from "../../problem.ts";
import { type DocumentedRoute, errorResponses } from "./operation.ts";
import { components } from "./schemas.ts";
import { webhooks } from "./webhooks.ts";

/** The areas of the API, in reading order. */
export const tags: Record<Tag, string> = {
  management: "Form owners create forms, edit drafts, and read, edit and delete submissions, by API key.",
  identity: "Agents, their grants on forms, and their signing keys.",
  submitter: "Sessions, the published form, the dry run and the submission.",
  challenge: "Proof that an agent knows a field's rules.",
  console:
    "Operators sign in and out. The pages below `/console` and `/setup` are HTML for operators, and not described here.",
  page: "The page of a form, for respondents and for programs that use it as they do.",
  protocol: "Protocols that agents already speak: MCP, OAuth, and Web Bot Auth's directory of keys.",
  reference: "This reference.",
};

const inHeader = (name: string, description: string): Schema => ({
  type: "apiKey",
  in: "header",
  name,
  description,
});

const securitySchemes = (config: Config): Record<SchemeName, Schema> => ({
  apiKey: inHeader(
    "x-api-key",
    `For form owners. Scopes: ${apiKeyScopes.join(", ")} (submissions:write: create only).`,
  ),
  operatorSession: {
    type: "apiKey",
    in: "cookie",
    name: cookieName(config, "session"),
    description:
      "Set by `POST /console/login` for an operator. A request that changes something needs a JSON content type and this site's own Origin.",
  },
  formAccessKey: inHeader("x-form-access-key", "Names the form. It is a capability: never put it in a URL."),
  respondentToken: inHeader("x-respondent-token", "An agent's session token, or a respondent's."),
  requestSignature: inHeader(
    "signature",
    "With `signature-input`: HTTP Message Signatures (RFC 9421), Ed25519, label sig1. It covers @method, @authority, @path, x-form-access-key and, with a body, content-digest; parameters created, keyid, alg, nonce. A signature with tag=web-bot-auth (Web Bot Auth, an IETF draft) has expires, a longer nonce, and may have a JWK thumbprint as keyid. Only where FEATURE_AGENT_SIGNING is on. With an invalid signature a token is not tried.",
  ),
  agentSecret: inHeader(
    "x-agent-secret",
    "To request a session token, for which the body's `clientSecret` is an alternative; and at `/mcp`, where a session stands behind it.",
  ),
  clientSecret: {
    type: "http",
    scheme: "basic",
    description: "The agent's `clientId` and secret, only to request an access token.",
  },
  bearerToken: {
    type: "http",
    scheme: "bearer",
    description: "An agent's session token.",
  },
});

const text = (description: string, example: string): Schema => ({
  description,
  schema: { type: "string" },
  example,
});

const headers: Record<string, Schema> = {
  RequestId: text(
    "Identifies the request in the server's log. A value that the client sends is echoed.",
    "req-1",
  ),
  RateLimit: text(
    "Requests that remain in the window, and the seconds until all are available again.",
    '"ip";r=29;t=60',
  ),
  RateLimitPolicy: text("The rate limit: requests, and the window in seconds.", '"ip";q=30;w=60'),
  Warning: text(
    "Unknown parameters of the query, which have no effect; each `299` with a sentence.",
    '299 formd "stauts is unknown here: is status meant? It has no effect."',
  ),
  Location: text("Where the response is.", "/f/contact-us/sent"),
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 }, example: 5 },
};

const fieldError = {
  field: "email",
  code: "format",
  message: "The value must be an e-mail address.",
  help: "http://localhost:8080/developer/api/validation#format",
  expected: "an e-mail address such as ada@example.org",
};

/** An error envelope per code, except method_not_allowed, which belongs to no operation. */
const examples = Object.fromEntries(
  Object.entries(problemCodes)
    .filter(([code]) => code !== "method_not_allowed")
    .map(([code, [, error]]) => {
      const errors = code === "validation_failed" ? { errors: [fieldError] } : {};
      return [code, { summary: error, value: { error, code, apiVersion: "v1", ...errors } }];
    }),
);

/** The document of a server, in which the plugin puts the paths. */
export const documentation = (config: Config, routes: readonly DocumentedRoute[]) => ({
  openapi: "3.1.0",
  info: {
    title: "formd",
    version: "v1",
    summary: "A self-hosted form service that agents and people can both trust.",
    description: `Forms with rules, submissions that follow them, and agents with grants. The guide is at [/developer/guide](${config.DOCS_URL}/developer/guide), the field types at [/developer/api/fields](${config.DOCS_URL}/developer/api/fields), the codes of invalid values at [/developer/api/validation](${config.DOCS_URL}/developer/api/validation).`,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: config.BASE_URL }],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: {},
  webhooks: webhooks(),
  components: {
    schemas: components(),
    responses: errorResponses(routes),
    securitySchemes: securitySchemes(config),
    headers,
    examples,
  },
});
