/**
 * Documentation of a route, beside its handler as the hook's `operation`: src/reference/openapi makes the
 * OpenAPI operation of it, MCP the tool of an owner, and the search its entry.
 */
import type { Type } from "arktype";
import { limits } from "../../limits.ts";
import type { ProblemCode } from "../../problem.ts";
import type { Config } from "../config.ts";
import { queryHooks } from "./query-warnings.ts";

/** A JSON Schema, or another object of the OpenAPI document. */
export type Schema = { [keyword: string]: unknown };

export type Tag =
  | "management"
  | "identity"
  | "submitter"
  | "challenge"
  | "console"
  | "page"
  | "protocol"
  | "reference";

export type SchemeName =
  | "apiKey"
  | "operatorSession"
  | "formAccessKey"
  | "respondentToken"
  | "requestSignature"
  | "agentSecret"
  | "clientSecret"
  | "bearerToken";

/** Schemes that are sent together, each with the scopes that it needs. */
export type Requirement = Partial<Record<SchemeName, readonly string[]>>;

/** Members of `data`: each is a shape, a list of one or several, a shape or null, or a schema. */
export type Members = {
  [member: string]:
    | Type
    | readonly [Type, ...Type[]]
    | { orNull: Type }
    | { schema: Schema; isOptional?: true }
    | { list: Type; isOptional: true };
};

/** A rate limit of a route: `requests` in any span of `seconds`, per `scope`. */
export interface Limit {
  scope: "agent" | "ip" | "caller" | "account" | "account-everywhere";
  seconds: number;
  /** The limit, if no setting has it. */
  requests?: number;
  setting?: { [K in keyof Config]: K extends `RATE_LIMIT_${string}` ? K : never }[keyof Config];
}

interface Example {
  summary: string;
  value: unknown;
}

export interface Operation {
  id: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** Alternatives. An empty one means that no credential is needed. */
  security: readonly Requirement[];
  query?: { shape: Type; notes?: Record<string, string> };
  headers?: Record<string, Schema>;
  /** The body is the bytes of a file, or a form with one file. */
  takesFile?: true;
  /**
   * `formPost`: an HTML form is accepted besides JSON, or only that. `hasFiles`: also files. `fileType`:
   * bytes of this type are accepted besides JSON.
   */
  body?: {
    shape: Type;
    fileType?: string;
    optional?: boolean;
    formPost?: "too" | "only";
    hasFiles?: true;
    examples: Record<string, Example>;
  };
  /** `data`, `members`, or alone `plain` or `media`. `isPage`: browsers get HTML. `redirect`: of a 303. */
  response: {
    description: string;
    isPage?: true;
    redirect?: string;
    data?: Type;
    members?: Members;
    plain?: Type;
    example?: unknown;
    media?: Record<string, Schema>;
  };
  /** Codes besides the ones of every route and the ones that follow from other members. */
  codes: readonly ProblemCode[];
  limits?: readonly Limit[];
}

/** The hook of a route. Elysia keeps the members that it does not know. */
export const operation = (operation: Operation): object => ({ operation, ...queryHooks(operation) });

/** A mounted route. */
export interface Route {
  method: string;
  path: string;
  hooks?: unknown;
}

/** The operation of a mounted route, if it has one. */
export const operationIn = ({ hooks }: Route): Operation | undefined =>
  (hooks as { operation?: Operation } | undefined)?.operation;

/** Names of the parameters of a route's path, where they are written as `:name`. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);

/** The name of a path's parameter where arguments are named as members are: `formId` for `form_id`. */
export const argumentName = (parameter: string): string =>
  parameter.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Makes a JSON Schema (2020-12) of a route's input: arguments by name, and the body as `body`. */
export type InputSchemaOf = (
  path: string,
  operation: Operation,
) => Schema & { type: "object"; properties: Record<string, Schema> };

/** The paths of the routes that have a rate limit. */
export const limitedRoutes = (routes: readonly Route[]): string[] => [
  ...new Set(routes.filter((route) => operationIn(route)?.limits).map(({ path }) => path)),
];

/** A rate limit per client IP and minute. */
export const ipLimit = (setting: NonNullable<Limit["setting"]>): Limit => ({
  scope: "ip",
  seconds: limits.rateLimit.windowMs / 1000,
  setting,
});
