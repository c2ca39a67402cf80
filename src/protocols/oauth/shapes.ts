/** Shapes of the OAuth routes (RFC 6749, section 4.4; RFC 7523; RFC 8707). */
import { type } from "arktype";
import { documented } from "../../platform/http/documented.ts";

/** Unknown parameters are ignored (RFC 6749, section 3.2). */
export const ClientCredentialsRequest = documented(
  type({
    grant_type: "string",
    "assertion?": "string",
    "client_id?": "string",
    "client_secret?": "string",
    "client_assertion_type?": "string",
    "client_assertion?": "string",
    "scope?": "string",
    "resource?": "string",
  }),
  {
    text: "An agent's authentication: its secret here or in the header `authorization` (Basic), or an assertion that its signing key signed.",
    members: {
      grant_type: "`client_credentials`, or `urn:ietf:params:oauth:grant-type:jwt-bearer` for a person.",
      assertion:
        "For a person: an ID-JAG of an identity provider that the team trusts for agents. Its `typ` is `oauth-id-jag+jwt`, `aud` the issuer, `client_id` the agent's, `resource` the MCP endpoint, its `jti` is used once.",
      client_id: "The agent's `clientId`. With an assertion, its `iss` says it as well.",
      client_secret: "The agent's secret.",
      client_assertion_type: "`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.",
      client_assertion:
        "A JWT with `alg` EdDSA, Ed25519 or ES256; `iss` and `sub` the `clientId`, `aud` the issuer or the token endpoint, `exp`, and a `jti` that is used once.",
      scope:
        "Scopes of the token, such as `agent:submit`; without it every one. A call needs the scope here and in the grant.",
      resource:
        "The address of the MCP endpoint: the token is then valid there only. That of this server, or none: the token is valid on every route.",
    },
  },
);

export const AccessToken = documented(
  type({
    access_token: "string",
    token_type: "'Bearer'",
    expires_in: "number.integer",
    scope: "string",
  }),
  "The agent's session: a bearer token for `/mcp`, and an `x-respondent-token` elsewhere, unless it was asked for `/mcp`.",
);
