/**
 * OAuth 2.0 for agents: `POST /oauth/token` with client credentials (RFC 6749, section 4.4) or an assertion
 * about a person (RFC 7523, section 2.1), and two metadata documents that lead an MCP client to it (RFC
 * 8414, RFC 9728). The token is a session with the requested scopes and resource.
 */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { recordedRequestId } from "../../platform/auth/actor.ts";
import { makeSecret, nilUuid, parseSecret, sha256 } from "../../platform/auth/secret.ts";
import { rememberCaller } from "../../platform/auth/unknown-callers.ts";
import type { Config } from "../../platform/config.ts";
import { oneRow } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { assertShape, isStorable, readBytes, requireSize } from "../../platform/http/body.ts";
import * as examples from "../../platform/http/examples.ts";
import { parseForm } from "../../platform/http/form-body.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { admitIp, requireRateLimit } from "../../platform/http/rate-limits.ts";
import { contextOf } from "../../platform/http/request-context.ts";
import { Problem, toProblem } from "../../problem.ts";
import { agentScopes } from "../../resources/grants/shapes.ts";
import { type SessionRow, sessionLimit } from "../../resources/sessions/shapes.ts";
import type { AssertionStep, ClientKey } from "./assertion.ts";
import { assertionAlgorithms, issuerOf, tokenEndpointOf, verifyAssertion } from "./assertion.ts";
import { type ClientAuthentication, clientAuthentication } from "./client.ts";
import { assertedIssuer, personGrant, personProfile, resourceOf, verifyPerson } from "./person.ts";
import { AccessToken, ClientCredentialsRequest } from "./shapes.ts";

const { maxSmallBytes } = limits.body;
const lifetime = `${limits.agentSession.lifetimeDays} days`;

export const resourceMetadataPath = "/.well-known/oauth-protected-resource/mcp";

export const oauthRoutes = (deps: Deps) => {
  const { config } = deps;
  return new Elysia({ name: "/oauth" })
    .get(
      resourceMetadataPath,
      () => resourceMetadata(config),
      metadataOperation(
        "getProtectedResourceMetadata",
        "Read how /mcp is protected",
        "OAuth 2.0 Protected Resource Metadata (RFC 9728).",
      ),
    )
    .get(
      "/.well-known/oauth-authorization-server",
      () => serverMetadata(config),
      metadataOperation(
        "getAuthorizationServerMetadata",
        "Read what the authorization server can do",
        "OAuth 2.0 Authorization Server Metadata (RFC 8414). Client credentials, and assertions of an identity provider (ID-JAG): no browser takes part.",
      ),
    )
    .post(
      "/oauth/token",
      async ({ request, set }) => {
        set.headers.pragma = "no-cache";
        try {
          const ipKey = admitIp(request, "token");
          requireSize(request, maxSmallBytes);
          const asked = clientOf(config, request, await readBytes(request, maxSmallBytes));
          return await createSession(deps, request, ipKey, asked);
        } catch (error) {
          throw toTokenProblem(error);
        }
      },
      operation({
        id: "createAccessToken",
        tag: "protocol",
        summary: "Get an access token",
        description: `A session as that of \`POST /papi/v1/auth/token\`, for ${limits.agentSession.lifetimeDays} days, with the scopes and for the resource that are asked for. By an \`assertion\` it is for the person whom an identity provider names, for ${limits.personAssertion.tokenMinutes} minutes, and valid at \`/mcp\`. In an error, \`error\` is the code of RFC 6749, section 5.2, and \`error_description\` the sentence.`,
        security: [{ clientSecret: [] }, {}],
        body: {
          shape: ClientCredentialsRequest,
          formPost: "only",
          examples: {
            secret: {
              summary: "By secret",
              value: {
                grant_type: "client_credentials",
                client_id: examples.agent.clientId,
                client_secret: examples.agentSecret,
              },
            },
          },
        },
        response: {
          description: "The token.",
          plain: AccessToken,
          example: {
            access_token: examples.sessionToken,
            token_type: "Bearer",
            expires_in: limits.agentSession.lifetimeDays * 86_400,
            scope: agentScopes.join(" "),
          },
        },
        codes: ["unauthorized"],
        limits: [ipLimit("RATE_LIMIT_PAPI_AUTH_PER_MINUTE")],
      }),
    );
};

const metadataOperation = (id: string, summary: string, description: string) =>
  operation({
    ...{ id, tag: "protocol", summary, description, security: [{}], codes: [] },
    response: {
      description: "The metadata.",
      media: { "application/json": { schema: { type: "object", additionalProperties: {} } } },
    },
  });

/** Omits `scopes_supported`: the official client would request all of them, and not its own scope. */
const resourceMetadata = (config: Config) => ({
  resource: resourceOf(config),
  authorization_servers: [issuerOf(config)],
  bearer_methods_supported: ["header"],
  resource_name: "formd",
  resource_documentation: `${config.DOCS_URL}/developer/guide`,
});

const serverMetadata = (config: Config) => ({
  issuer: issuerOf(config),
  token_endpoint: tokenEndpointOf(config),
  // Not needed here, but the schema of the official MCP client requires both. The guide lists the grants.
  authorization_endpoint: `${config.DOCS_URL}/developer/guide`,
  response_types_supported: [],
  grant_types_supported: ["client_credentials", personGrant],
  authorization_grant_profiles_supported: [personProfile],
  scopes_supported: agentScopes,
  token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "private_key_jwt"],
  token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  service_documentation: `${config.DOCS_URL}/developer/guide`,
  protected_resources: [resourceOf(config)],
});

/** Scopes and resource that a client requests. */
interface TokenScope {
  scopes: (typeof agentScopes)[number][];
  /** `mcp`: the token is valid at /mcp only. */
  resource: "mcp" | null;
}

interface Asked extends TokenScope {
  client: ClientAuthentication;
  /** Assertion about a person. */
  assertion: string | undefined;
  /** Problem of a malformed request, reported after the request is counted. `client` is then empty. */
  problem?: Problem;
}

/** Parses the credentials of the client, and the requested token. */
function clientOf(config: Config, request: Request, bytes: Uint8Array): Asked {
  try {
    const parameters = parseParameters(request, bytes);
    const scope = requireSupported(config, parameters);
    const client = clientAuthentication(request, parameters);
    if (!isStorable(client.clientId))
      throw new Problem("bad_request", "A client_id has no U+0000 and no half of a surrogate pair.");
    const isForPerson = parameters.grant_type === personGrant;
    return { client, assertion: isForPerson ? parameters.assertion : undefined, ...scope };
  } catch (error) {
    if (error instanceof Problem)
      return {
        client: { method: "secret", clientId: "", secret: "" },
        ...{ assertion: undefined, scopes: [], resource: null, problem: error },
      };
    throw error;
  }
}

/**
 * The parameters of a token request.
 * @throws {Problem} `invalid_content_type`; `bad_request`, also if one is repeated (RFC 6749, section 3.2).
 */
function parseParameters(request: Request, bytes: Uint8Array): typeof ClientCredentialsRequest.infer {
  const parameters = [...parseForm(request, bytes)];
  const values = new Map(parameters);
  if (values.size < parameters.length)
    throw new Problem("bad_request", "A parameter may be there once only.");
  return assertShape(Object.fromEntries(values), ClientCredentialsRequest, "bad_request");
}

/**
 * Returns the requested scopes and resource. Default: all scopes and all routes; the resource of MCP
 * restricts the token to its route.
 * @throws {Problem} `bad_request` for a grant, a scope or a resource that is not supported.
 */
function requireSupported(
  config: Config,
  { grant_type, assertion, scope = "", resource = "" }: typeof ClientCredentialsRequest.infer,
): TokenScope {
  const refused = (error: string, message: string) =>
    new Problem("bad_request", { message, extras: { error } });
  const isForPerson = grant_type === personGrant;
  if (!isForPerson && grant_type !== "client_credentials")
    throw refused("unsupported_grant_type", `grant_type must be client_credentials or ${personGrant}.`);
  if (isForPerson && assertion === undefined) throw refused("invalid_request", "assertion is missing.");
  const named = new Set(scope.split(" ").filter(Boolean));
  const scopes = named.size === 0 ? [...agentScopes] : agentScopes.filter((name) => named.has(name));
  if (scopes.length < named.size) throw refused("invalid_scope", `scope may have ${agentScopes.join(", ")}.`);
  const target = resource.replace(/\/$/, "");
  const targets = isForPerson ? [resourceOf(config)] : [config.BASE_URL, resourceOf(config)];
  if (resource !== "" && !targets.includes(target))
    throw refused("invalid_target", `resource must be ${resourceOf(config)} or ${config.BASE_URL}.`);
  return { scopes, resource: target === resourceOf(config) ? "mcp" : null };
}

/** Creates the session. One round trip by secret, two by an assertion. @throws {Problem} `problem` */
async function createSession(
  deps: Deps,
  request: Request,
  ipKey: string,
  { client, assertion, problem, ...scope }: Asked,
): Promise<typeof AccessToken.infer> {
  if (assertion !== undefined)
    return await createForPerson(deps, request, ipKey, { client, assertion, ...scope });
  const { secret, row, expected } =
    client.method === "secret"
      ? await createBySecret(deps, request, ipKey, client, scope)
      : await createByAssertion(deps, request, ipKey, client, scope);
  if (problem) throw problem;
  if (row.outcome !== "minted")
    throw new Problem(
      "unauthorized",
      `The client's authentication is not valid.${expected ? ` ${expected}` : ""}`,
    );
  return accessTokenOf(secret, row.expiresAt, scope.scopes);
}

function accessTokenOf(secret: string, expiresAt: Date, scopes: string[]): typeof AccessToken.infer {
  rememberCaller(sha256(secret));
  const expires_in = Math.round((expiresAt.getTime() - Date.now()) / 1000);
  return { access_token: secret, token_type: "Bearer", expires_in, scope: scopes.join(" ") };
}

async function createBySecret(
  { sql, config }: Deps,
  request: Request,
  ipKey: string,
  client: { clientId: string; secret: string },
  { scopes, resource }: TokenScope,
) {
  const { team, hash } = parseSecret("fda", client.secret);
  const { secret, hash: tokenHash } = makeSecret("fds", team);
  const row = oneRow(
    await sql<SessionRow[]>`
      select * from formd.oauth_secret_session_create(p_team => ${team}, p_client_id => ${client.clientId}, p_secret_hash => ${hash},
        p_id => ${uuidv7()}, p_token_hash => ${tokenHash}, p_lifetime => ${lifetime}, p_ip_key => ${ipKey},
        p_ip_limit => ${config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE}, p_scopes => ${scopes}, p_resource => ${resource})`,
  );
  requireRateLimit(request, row.outcome, sessionLimit(config, row));
  return { secret, row, expected: undefined };
}

/** Counts the request before the costly step. The client learns nothing about clients or keys. */
async function createByAssertion(
  { sql, config }: Deps,
  request: Request,
  ipKey: string,
  client: { clientId: string; assertion: string },
  { scopes, resource }: TokenScope,
) {
  const found = oneRow(
    await sql<(SessionRow & { team: string | null; keys: ClientKey[] })[]>`
      select * from formd.oauth_client_admit(
        p_client_id => ${client.clientId}, p_ip_key => ${ipKey}, p_ip_limit => ${config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE})`,
  );
  requireRateLimit(request, found.outcome, sessionLimit(config, found));
  const assertion = await verifyAssertion(config, client, found.keys);
  const verified = assertion.step === undefined ? assertion : undefined;
  const team = found.team ?? nilUuid;
  const { secret, hash: tokenHash } = makeSecret("fds", team);
  const row = oneRow(
    await sql<(Pick<SessionRow, "expiresAt"> & { outcome: AssertionStep | "minted" | "unauthorized" })[]>`
      select * from formd.oauth_key_session_create(p_team => ${team}, p_key_id => ${verified?.keyId ?? null},
        p_nonce => ${verified?.nonce ?? null}, p_nonce_expires_at => ${verified?.nonceExpiresAt ?? null}, p_id => ${uuidv7()},
        p_token_hash => ${tokenHash}, p_lifetime => ${lifetime}, p_scopes => ${scopes}, p_resource => ${resource})`,
  );
  const step = assertion.step ?? row.outcome;
  if (step !== "minted") contextOf(request).cause = { step: `assertion-${step}` };
  return { secret, row, expected: assertion.step && assertion.expected };
}

/**
 * Creates a session for the person in an assertion, which is verified for an authenticated client only:
 * strangers cause no request to an identity provider. A refused one gets the same response after the same
 * calls.
 */
async function createForPerson(
  deps: Deps,
  request: Request,
  ipKey: string,
  { client, assertion, scopes: asked }: TokenScope & { client: ClientAuthentication; assertion: string },
): Promise<typeof AccessToken.infer> {
  const { sql, config } = deps;
  const { clientId } = client;
  const secretHash = client.method === "secret" ? parseSecret("fda", client.secret).hash : null;
  const found = oneRow(
    await sql<(SessionRow & AdmittedPerson)[]>`
      select * from formd.oauth_person_admit(p_client_id => ${clientId}, p_secret_hash => ${secretHash},
        p_issuer => ${assertedIssuer(assertion)}, p_ip_key => ${ipKey}, p_ip_limit => ${config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE})`,
  );
  requireRateLimit(request, found.outcome, sessionLimit(config, found));
  const key = client.method === "assertion" ? await verifyAssertion(config, client, found.keys) : undefined;
  const byKey = key?.step === undefined ? key : undefined;
  const isClient = byKey !== undefined || found.isAuthenticated;
  const { issuer } = found;
  const verified = isClient ? await verifyPerson(config, { clientId, assertion, issuer }) : undefined;
  const person = verified?.reason === undefined ? verified : undefined;
  const scopes = agentScopes.filter((name) => asked.includes(name) && person?.scopes.includes(name));
  const isNarrow = person !== undefined && scopes.length === 0;
  const team = found.team ?? nilUuid;
  const { secret, hash } = makeSecret("fds", team);
  const row = oneRow(
    await sql<{ outcome: string; expiresAt: Date }[]>`
      select * from formd.oauth_person_session_create(p_team => ${team}, p_client_id => ${clientId}, p_secret_hash => ${secretHash},
        p_key_id => ${byKey?.keyId ?? null}, p_key_nonce => ${byKey?.nonce ?? null}, p_key_nonce_expires_at => ${byKey?.nonceExpiresAt ?? null},
        p_connection => ${found.connection}, p_issuer => ${person?.issuer ?? null}, p_subject => ${isNarrow ? null : (person?.subject ?? null)},
        p_nonce => ${person?.nonce ?? null}, p_nonce_expires_at => ${person?.nonceExpiresAt ?? null}, p_respondent => ${uuidv7()},
        p_id => ${uuidv7()}, p_token_hash => ${hash}, p_lifetime => ${`${limits.personAssertion.tokenMinutes} minutes`},
        p_scopes => ${scopes}, p_request_id => ${recordedRequestId(request)})`,
  );
  if (row.outcome !== "minted") {
    const reason = verified?.reason ?? (isNarrow ? "It has no scope that was asked for." : row.outcome);
    contextOf(request).cause = isClient
      ? { step: "id-jag", reason }
      : { step: `assertion-${key?.step ?? "unauthorized"}` };
    if (isClient && row.outcome !== "unauthorized")
      throw new Problem("bad_request", {
        message: "The assertion is not valid.",
        extras: { error: "invalid_grant" },
      });
    throw new Problem("unauthorized", "The client's authentication is not valid.");
  }
  return accessTokenOf(secret, row.expiresAt, scopes);
}

/** Result of formd.oauth_person_admit, beside the rate limit. */
interface AdmittedPerson {
  team: string | null;
  keys: ClientKey[];
  isAuthenticated: boolean;
  /** Connection through which the team trusts the assertion's issuer for agents; null: none. */
  connection: string | null;
  issuer: string | null;
}

/** The codes of RFC 6749, section 5.2, by status; the specification has none for the last two. */
const errorNames: Record<number, string> = {
  401: "invalid_client",
  429: "temporarily_unavailable",
  500: "server_error",
  503: "temporarily_unavailable",
};

/** Converts a problem for the token endpoint: `error` is a code, and `error_description` the sentence. */
function toTokenProblem(error: unknown): Problem {
  const { code, status, message, extras, headers, cause } = toProblem(error);
  const challenge = status === 401 && { "www-authenticate": 'Basic realm="formd", charset="UTF-8"' };
  return new Problem(code, {
    message,
    headers: { ...headers, ...challenge },
    extras: { error: errorNames[status] ?? "invalid_request", error_description: message, ...extras },
    cause,
  });
}
