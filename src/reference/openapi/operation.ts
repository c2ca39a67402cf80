/** The OpenAPI operation of a route, from its documentation. */
import type { Type } from "arktype";
import { limits } from "../../limits.ts";
import type { Config } from "../../platform/config.ts";
import type { Limit, Members, Operation, Route, Schema } from "../../platform/http/operation.ts";
import { operationIn, pathParameters } from "../../platform/http/operation.ts";
import { hasWarnings, isWarned } from "../../platform/http/query-warnings.ts";
import { QueryWarning } from "../../platform/http/shapes.ts";
import { type ProblemCode, problemCodes } from "../../problem.ts";
import { links, refTo, schemaOf } from "./schemas.ts";

/** Codes of every route: an unknown Host, an internal error, no database. */
const commonCodes: ProblemCode[] = ["bad_request", "internal_error", "unavailable"];
const withBody: ProblemCode[] = ["invalid_body", "payload_too_large", "invalid_content_type"];

/** The limit on writes; the check of the credentials counts it (auth/api-key.ts). */
const writeLimit: Limit = {
  scope: "caller",
  seconds: limits.rateLimit.windowMs / 1000,
  setting: "RATE_LIMIT_MANAGEMENT_PER_MINUTE",
};

export interface DocumentedRoute extends Route {
  operation: Operation;
}

/** The documented routes. Writes have their limit and its code: the body is read even if none is needed. */
export const documentedIn = (routes: readonly Route[]): DocumentedRoute[] =>
  routes.flatMap((route) => {
    const operation = operationIn(route);
    if (!operation) return [];
    const isLimited = route.method !== "GET" && ["management", "identity"].includes(operation.tag);
    const codes = [...operation.codes, "payload_too_large" as const];
    return [{ ...route, operation: isLimited ? { ...operation, limits: [writeLimit], codes } : operation }];
  });

/** Every code of a route's error responses. */
function codesOf({ codes, body, limits }: Operation): ProblemCode[] {
  return [...commonCodes, ...(body ? withBody : []), ...(limits ? ["rate_limited" as const] : []), ...codes];
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const requestId = { "x-request-id": header("RequestId") };
const rateHeaders = { ratelimit: header("RateLimit"), "ratelimit-policy": header("RateLimitPolicy") };

/** The header of a response whose data has no warnings. */
const warningHeader = (operation: Operation) =>
  isWarned(operation) && !hasWarnings(operation) ? { warning: header("Warning") } : {};

/** Header of a 415 for a body with `Content-Encoding`; others do not have it. */
const acceptEncoding = {
  description: "If the body had a `Content-Encoding`: none is unpacked.",
  schema: { const: "identity" },
};

const reasons: Record<number, string> = {
  400: "Invalid input",
  401: "Missing or invalid credential",
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  410: "Deleted",
  413: "Body too large",
  415: "Another type, or compressed",
  422: "Invalid data",
  429: "Too many requests: retry after `Retry-After`, with exponential backoff",
  500: "Internal server error",
  503: "Temporarily unavailable",
};

/** The possible codes of each error status. */
const codesByStatus = (operation: Operation): [status: number, codes: ProblemCode[]][] =>
  [...Map.groupBy([...new Set(codesOf(operation))].sort(), (code) => problemCodes[code][0])].sort(
    ([a], [b]) => a - b,
  );

/** The name of an error response among the components: routes share those with the same codes. */
const responseName = (codes: ProblemCode[]) => codes.join("-");

const errorResponse = (status: number, codes: ProblemCode[]): Schema => ({
  description: `${reasons[status]}: ${codes.map((code) => `\`${code}\``).join(", ")}.`,
  headers: {
    ...requestId,
    ...(status === 415 && { "accept-encoding": acceptEncoding }),
    ...(status === 429 && rateHeaders),
    ...((status === 429 || status === 503) && { "retry-after": header("RetryAfter") }),
  },
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error", properties: { code: { enum: codes } } },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

/** `components.responses`: the error responses of all routes. */
export const errorResponses = (routes: readonly DocumentedRoute[]): Record<string, Schema> =>
  Object.fromEntries(
    routes
      .flatMap(({ operation }) => codesByStatus(operation))
      .map(([status, codes]) => [responseName(codes), errorResponse(status, codes)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The warnings of the query in the data of a response. */
const warnings = (): Schema => ({
  type: "array",
  items: refTo(QueryWarning),
  maxItems: limits.query.maxWarnings,
  description: "Unknown parameters of the query, which have no effect. Absent: none.",
});

/** The data with the warnings that it may have. */
const withWarnings = (data: Schema): Schema =>
  data.$ref
    ? { allOf: [data, { type: "object", properties: { warnings: warnings() } }] }
    : { ...data, properties: { warnings: warnings(), ...(data.properties as object) } };

/** The success envelope around the data. */
function envelope(data: Schema): Schema {
  return {
    type: "object",
    properties: { data, apiVersion: { const: "v1" }, ...links },
    required: ["data", "apiVersion"],
  };
}

function membersSchema(members: Members): Schema {
  const properties = Object.entries(members).map(([name, member]): [string, Schema] => {
    if (Array.isArray(member)) {
      const [first, ...others] = member.map(refTo);
      return [name, { type: "array", items: others.length > 0 ? { anyOf: [first, ...others] } : first }];
    }
    if ("list" in member) return [name, { type: "array", items: refTo(member.list as Type) }];
    if ("orNull" in member) return [name, { anyOf: [refTo(member.orNull), { type: "null" }] }];
    return [name, "schema" in member ? member.schema : refTo(member as Type)];
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: Object.entries(members).flatMap(([name, member]) =>
      "isOptional" in member && member.isOptional ? [] : [name],
    ),
  };
}

function content(operation: Operation): Record<string, Schema> {
  const { response } = operation;
  const { data, members, plain, example, media, isPage } = response;
  const page = isPage && { "text/html": { schema: { type: "string" } } };
  if (media || !(plain || data || members)) return { ...page, ...media };
  if (plain) return { "application/json": { schema: refTo(plain), example } };
  const value = { data: example, apiVersion: "v1" };
  const own = data ? refTo(data) : membersSchema(members ?? {});
  return {
    ...page,
    "application/json": {
      schema: envelope(hasWarnings(operation) ? withWarnings(own) : own),
      example: value,
    },
  };
}

/** Schemas of path parameters that are not a UUID. */
const pathSchemas: Record<string, Schema> = {
  key_id: { type: "string", description: "The canonical `key_…` id." },
  id: { type: "string", description: "43 characters that name the team and the form, or the form's alias." },
};

function parameters(path: string, { query, headers = {} }: Operation): Schema[] {
  const inPath = pathParameters(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: pathSchemas[name] ?? { type: "string", format: "uuid" },
  }));
  const schema = query ? schemaOf(query.shape) : {};
  const required = (schema.required ?? []) as string[];
  const inQuery = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
    ([name, schema]) => ({
      name,
      in: "query",
      required: required.includes(name),
      description: query?.notes?.[name] ?? queryNotes[name],
      schema,
    }),
  );
  const inHeader = Object.entries(headers).map(([name, { description, ...rest }]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: rest,
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

const queryNotes: Record<string, string> = {
  page: "Page number, from 1. A page past the end is empty, with the actual total.",
  limit: "Items per page.",
};

const fileSchema: Schema = { type: "string", format: "binary" };

/** The OpenAPI operation of a route. */
export function operationOf({ path, operation }: DocumentedRoute, config: Config): Schema {
  const { id, tag, summary, description, security, body, response, limits } = operation;
  const listed = parameters(path, operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security,
    ...(limits && {
      "x-ratelimit": limits.map(({ setting, requests, ...limit }) => ({
        ...limit,
        requests: setting ? config[setting] : requests,
        ...(setting && { setting }),
      })),
    }),
    ...(listed.length > 0 && { parameters: listed }),
    ...(operation.takesFile && {
      requestBody: {
        required: true,
        content: {
          "application/octet-stream": { schema: fileSchema },
          "multipart/form-data": {
            schema: { type: "object", properties: { file: fileSchema }, required: ["file"] },
          },
        },
      },
    }),
    ...(body && {
      requestBody: {
        required: !body.optional,
        content: {
          ...(body.formPost !== "only" && {
            "application/json": { schema: refTo(body.shape), examples: body.examples },
          }),
          ...(body.formPost && {
            "application/x-www-form-urlencoded": {
              schema: refTo(body.shape),
              ...(body.formPost === "only" && { examples: body.examples }),
            },
          }),
          ...(body.fileType && { [body.fileType]: { schema: fileSchema } }),
          ...(body.hasFiles && { "multipart/form-data": { schema: refTo(body.shape) } }),
        },
      },
    }),
    responses: {
      200: {
        description: response.description,
        headers: { ...requestId, ...(limits && rateHeaders), ...warningHeader(operation) },
        content: content(operation),
      },
      ...(response.redirect && {
        303: { description: response.redirect, headers: { ...requestId, location: header("Location") } },
      }),
      ...Object.fromEntries(
        codesByStatus(operation).map(([status, codes]) => [
          status,
          { $ref: `#/components/responses/${responseName(codes)}` },
        ]),
      ),
    },
  };
}
