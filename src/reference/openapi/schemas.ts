/** The shapes that the server checks, as the schemas of the OpenAPI document (JSON Schema 2020-12). */
import type { Type } from "arktype";
import { type Documentation, documentations } from "../../platform/http/documented.ts";
import type { Schema } from "../../platform/http/operation.ts";
import {
  CountedPagination,
  CursorPagination,
  Deleted,
  FieldError,
  Pagination,
  QueryWarning,
} from "../../platform/http/shapes.ts";
import { problemCodes } from "../../problem.ts";
import { McpMessage } from "../../protocols/mcp/message.ts";
import * as oauth from "../../protocols/oauth/shapes.ts";
import * as agents from "../../resources/agents/shapes.ts";
import * as audit from "../../resources/audit/shapes.ts";
import * as challenges from "../../resources/challenges/shapes.ts";
import * as files from "../../resources/files/shapes.ts";
import { Example as FormExample } from "../../resources/forms/examples.ts";
import * as formImport from "../../resources/forms/import/shapes.ts";
import * as formPage from "../../resources/forms/page-shapes.ts";
import * as forms from "../../resources/forms/shapes.ts";
import * as grants from "../../resources/grants/shapes.ts";
import * as holds from "../../resources/holds/shapes.ts";
import * as invitations from "../../resources/invitations/shapes.ts";
import * as mails from "../../resources/mails/shapes.ts";
import * as operators from "../../resources/operators/shapes.ts";
import * as progress from "../../resources/progress/shapes.ts";
import * as receipts from "../../resources/receipts/shapes.ts";
import * as retention from "../../resources/retention/shapes.ts";
import * as sessions from "../../resources/sessions/shapes.ts";
import * as signingKeys from "../../resources/signing-keys/shapes.ts";
import * as submissions from "../../resources/submissions/shapes.ts";
import * as submit from "../../resources/submit/shapes.ts";
import * as webhooks from "../../resources/webhooks/shapes.ts";
import { fieldSchemas, ref } from "./field-schemas.ts";

const modules = [
  { CountedPagination, CursorPagination, Deleted, FieldError, FormExample, Pagination, QueryWarning },
  forms,
  submissions,
  agents,
  grants,
  signingKeys,
  audit,
  operators,
  sessions,
  oauth,
  { McpMessage },
  submit,
  challenges,
  files,
  webhooks,
  mails,
  invitations,
  holds,
  retention,
  progress,
  receipts,
  formPage,
  formImport,
];

const isShape = (exported: unknown): exported is Type =>
  typeof exported === "function" && "toJsonSchema" in exported;

/** The shapes by the names of their exports. The shape of a query is left out: its members are parameters. */
const shapes = new Map<string, Type>();
for (const [name, exported] of modules.flatMap((module) => Object.entries<unknown>(module)))
  if (isShape(exported) && !name.endsWith("Query")) shapes.set(name, exported);

const nameOf = new Map([...shapes].map(([name, shape]) => [shape, name]));

/** A reference to a named shape. */
export function refTo(shape: Type): Schema {
  const name = nameOf.get(shape);
  if (!name)
    throw new Error("A shape in an operation is not exported by a module that openapi/schemas.ts knows.");
  return ref(name);
}

/** Optional members of every envelope. */
export const links: Record<string, Schema> = {
  _docs: { type: "string", format: "uri", description: "The URL of this reference." },
  _guide: { type: "string", format: "uri", description: "The URL of the guide for agents." },
};

/** The error envelope (specification, "Error envelope"); each response lists its possible codes. */
const ErrorEnvelope: Schema = {
  type: "object",
  description: "Every error response. Branch on `code`; the text of `error` may change.",
  properties: {
    error: {
      type: "string",
      description: "One sentence, for a person to read. Of `/oauth/token`: a code of RFC 6749.",
    },
    error_description: { type: "string", description: "Of `/oauth/token`: the sentence." },
    code: { type: "string", description: "Stable.", enum: Object.keys(problemCodes) },
    apiVersion: { const: "v1" },
    errors: {
      type: "array",
      description: "With `validation_failed`: every field error. With `invitation`: those of its values.",
      items: { $ref: "#/components/schemas/FieldError" },
    },
    current: {
      type: "object",
      description:
        "With `conflict`: the current state of the resource, to rebase on without another request.",
      properties: {
        currentVersion: { type: "integer" },
        updatedAt: { type: "string", format: "date-time" },
        status: { type: "string", description: "Of a submission." },
      },
      additionalProperties: false,
    },
    teams: {
      type: "array",
      description: "With `conflict` at sign-in: the teams of the operator.",
      items: {
        type: "object",
        properties: { id: { type: "string", format: "uuid" }, name: { type: "string" } },
        required: ["id", "name"],
        additionalProperties: false,
      },
    },
    reason: {
      enum: ["not_open", "closed", "full"],
      description: "With `form_closed`: why.",
    },
    opensAt: { type: "string", format: "date-time", description: "With the reason `not_open`." },
    closesAt: { type: "string", format: "date-time", description: "With the reason `closed`." },
    limit: {
      type: "string",
      description: "With `rate_limited`: the name of the limit, as in `RateLimit-Policy`.",
    },
    retryAfter: {
      type: "integer",
      description: "With `rate_limited`: seconds, as in `Retry-After`.",
    },
    operation: {
      type: "integer",
      description: "Of a rejected form PATCH: the zero-based index of the failing operation.",
    },
    invitation: {
      type: "integer",
      description: "Of rejected invitations: the zero-based index of the first that cannot be made.",
    },
    ...links,
  },
  required: ["error", "code", "apiVersion"],
};

/** Replacements for rules that JSON Schema cannot express, which the descriptions state. */
const fallback = {
  date: () => ({ type: "string", format: "date-time" }),
  morph: ({ base, out }: { base: Schema; out: Schema | null }) => out ?? base,
  default: ({ base }: { base: Schema }) => base,
};

/** A shape's own schema, without references. */
export function schemaOf(shape: Type): Schema {
  const { $schema, ...schema } = shape.toJsonSchema({ fallback } as never) as Schema;
  return normalize(schema) as Schema;
}

/**
 * Converts arktype's output to the document's style: a format for a UUID's pattern, one type list for "or
 * null", and no descriptions, since arktype's are parts of error messages.
 */
function normalize(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(normalize);
  if (typeof node !== "object" || node === null) return node;
  const { description, properties, ...rest } = node as Schema;
  if (description === "a UUID") return { type: "string", format: "uuid" };
  const schema: Schema = mapped(rest);
  if (properties) schema.properties = mapped(constantsFirst(properties));
  // A query has its default as text, before it is parsed.
  if (schema.type === "integer" && typeof schema.default === "string")
    schema.default = Number(schema.default);
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [first, second] = anyOf as Schema[];
  const nullable = anyOf.length === 2 && second?.type === "null" && typeof first?.type === "string";
  return nullable ? { ...others, ...first, type: [first.type, "null"] } : schema;
}

/** Members with one value come first: they tell the schemas of an `anyOf` apart. */
const constantsFirst = (properties: object): object =>
  Object.fromEntries(
    Object.entries(properties).toSorted(
      ([, a], [, b]) => Number(Object.hasOwn(b, "const")) - Number(Object.hasOwn(a, "const")),
    ),
  );

const mapped = (record: object): Schema =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, normalize(value)]));

/** `components.schemas`: the shapes with references to each other and their descriptions. */
export function components(): Record<string, Schema> {
  const own = [...shapes].map(([name, shape]) => [name, schemaOf(shape)] as const);
  const names = new Map(own.map(([name, schema]) => [JSON.stringify(schema), name]));
  // A schema that accepts any value never becomes a reference.
  names.delete("{}");
  const schemas = Object.fromEntries(
    own.map(([name, schema]) => [name, withReferences(schema, names, true) as Schema]),
  );
  for (const [name, shape] of shapes) {
    const documentation = documentations.get(shape);
    const schema = schemas[name] as Schema;
    if (documentation) describe(schema, documentation);
    if (isClosed(name)) schema.additionalProperties = false;
  }
  return { ...schemas, ...fieldSchemas(), Error: ErrorEnvelope };
}

/** Checks whether a shape is closed: all bodies (known-members.ts), except possible form posts. */
const isClosed = (name: string): boolean =>
  name.endsWith("Request") && name !== "ClientCredentialsRequest" && name !== "LoginRequest";

/** Replaces each named shape within another by a reference. */
function withReferences(node: unknown, names: Map<string, string>, isRoot = false): unknown {
  if (Array.isArray(node)) return node.map((item) => withReferences(item, names));
  if (typeof node !== "object" || node === null) return node;
  const name = isRoot ? undefined : names.get(JSON.stringify(node));
  if (name) return ref(name);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withReferences(value, names)]));
}

/** Adds the documentation of a shape to its schema. */
function describe(schema: Schema, documentation: Documentation<unknown>): void {
  if (typeof documentation === "string") {
    schema.description = documentation;
    return;
  }
  const { text, schema: keywords, members = {}, items } = documentation;
  Object.assign(schema, text && { description: text }, keywords);
  for (const [name, member] of Object.entries(members))
    describe((schema.properties as Record<string, Schema>)[name] as Schema, member as Documentation<unknown>);
  if (items) describe(schema.items as Schema, items);
}
