/**
 * A route as the tables of this folder describe it, and the OpenAPI operation that it makes.
 *
 * @module
 */
import type { Type } from "arktype";
import type { Scope } from "../auth/credentials.ts";
import type { Config } from "../config.ts";
import { type ProblemCode, problemCodes } from "../problem.ts";
import { links, ref, type Schema, type ShapeName, schemaOf } from "./schemas.ts";

export type Tag = "management" | "identity" | "submitter" | "challenge";

/** Schemes that are sent together; the names beside one are the scopes that it needs. */
export type Requirement = Partial<Record<SchemeName, readonly string[]>>;
export type SchemeName =
  | "apiKey"
  | "operatorSession"
  | "formAccessKey"
  | "respondentToken"
  | "requestSignature"
  | "agentSecret";

/** What an answer's `data` holds: a shape, or members that are a shape each, a list of it, or that or null. */
export type Data =
  | ShapeName
  | { [member: string]: ShapeName | readonly [ShapeName] | { orNull: ShapeName } | Schema };

/** A throttle of a route: `requests` in any span of `seconds` for each agent or each client address. */
export interface Limit {
  scope: "agent" | "ip";
  seconds: number;
  /** Where no setting says. */
  requests?: number;
  setting?: { [K in keyof Config]: K extends `RATE_LIMIT_${string}` ? K : never }[keyof Config];
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface Operation {
  method: "get" | "post" | "patch" | "delete";
  /** With its parameters in braces. */
  path: string;
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** Any one of them; an empty one says that none is needed. */
  security: readonly Requirement[];
  query?: { shape: Type; notes?: Record<string, string> };
  headers?: Record<string, Schema>;
  body?: { shape: ShapeName; optional?: boolean; examples: Record<string, Example> };
  response: { description: string; data?: Data; example?: unknown; media?: Record<string, Schema> };
  /** Codes beyond those that every route has and those that follow from the rest. */
  codes: readonly ProblemCode[];
  limits?: readonly Limit[];
}

/** Any route may answer with these: an unknown Host, a fault of ours, no database. */
const commonCodes: ProblemCode[] = ["bad_request", "internal_error", "unavailable"];
const withBody: ProblemCode[] = ["invalid_body", "payload_too_large", "invalid_content_type"];

/** Every code that a route can answer with. */
function codesOf({ codes, body, limits }: Operation): ProblemCode[] {
  return [...commonCodes, ...(body ? withBody : []), ...(limits ? ["rate_limited" as const] : []), ...codes];
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const requestId = { "x-request-id": header("RequestId") };
const rateHeaders = { ratelimit: header("RateLimit"), "ratelimit-policy": header("RateLimitPolicy") };

const reasons: Record<number, string> = {
  400: "Bad input",
  401: "Missing or invalid credential",
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  413: "Body too large",
  415: "Not JSON",
  422: "Refused payload",
  429: "Throttled: retry after `Retry-After`, with exponential backoff",
  500: "Our fault",
  503: "Unavailable for now",
};

/** The responses of refusals, by status; each lists its codes, with an example of each. */
function refusals(operation: Operation): Record<string, Schema> {
  const byStatus = Map.groupBy([...new Set(codesOf(operation))].sort(), (code) => problemCodes[code][0]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, some]) => [
        String(status),
        {
          description: `${reasons[status]}: ${some.map((code) => `\`${code}\``).join(", ")}.`,
          headers: {
            ...requestId,
            ...(status === 429 && rateHeaders),
            ...((status === 429 || status === 503) && { "retry-after": header("RetryAfter") }),
          },
          content: {
            "application/json": {
              schema: { ...ref("Error"), properties: { code: { enum: some } } },
              examples: Object.fromEntries(
                some.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
              ),
            },
          },
        },
      ]),
  );
}

/** The success envelope around the data. */
function envelope(data: Schema): Schema {
  return {
    type: "object",
    properties: { data, apiVersion: { const: "v1" }, ...links },
    required: ["data", "apiVersion"],
  };
}

function dataSchema(data: Data): Schema {
  if (typeof data === "string") return ref(data);
  const members = Object.entries(data).map(([name, shape]): [string, Schema] => {
    if (typeof shape === "string") return [name, ref(shape)];
    if (Array.isArray(shape)) return [name, { type: "array", items: ref(shape[0]) }];
    if ("orNull" in shape) return [name, { anyOf: [ref(shape.orNull as ShapeName), { type: "null" }] }];
    return [name, shape as Schema];
  });
  return {
    type: "object",
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
  };
}

function content({ response: { data, example, media } }: Operation): Record<string, Schema> {
  if (media) return media;
  const value = { data: example, apiVersion: "v1" };
  return { "application/json": { schema: envelope(dataSchema(data ?? {})), example: value } };
}

/** Parameters of path, query and header. */
function parameters({ path, query, headers = {} }: Operation): Schema[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema:
      name === "key_id"
        ? { type: "string", description: "The canonical `key_…` id." }
        : { type: "string", format: "uuid" },
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
  page: "Which page, from 1. A page past the end is empty, with the true total.",
  limit: "Items a page.",
};

/** The operation, ready to stand under its path and method. */
export function operationOf(operation: Operation, config: Config): Schema {
  const { id, tag, summary, description, security, body, response, limits } = operation;
  const listed = parameters(operation);
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
    ...(body && {
      requestBody: {
        required: !body.optional,
        content: { "application/json": { schema: ref(body.shape), examples: body.examples } },
      },
    }),
    responses: {
      200: {
        description: response.description,
        headers: { ...requestId, ...(limits && rateHeaders) },
        content: content(operation),
      },
      ...refusals(operation),
    },
  };
}

/** An API key with the scope. */
export const apiKeySecurity = (scope: Scope): Requirement[] => [{ apiKey: [scope] }];
