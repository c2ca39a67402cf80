/**
 * The shapes that the server checks with, as the OpenAPI document's schemas (JSON Schema 2020-12).
 *
 * @module
 */
import type { Type } from "arktype";
import { perFieldCodes } from "../fields/codes.ts";
import * as identity from "../agents/shapes.ts";
import * as management from "../forms/shapes.ts";
import { codes } from "../problem.ts";
import * as sessions from "../sessions/shapes.ts";
import * as submitter from "../submit/shapes.ts";
import { FieldErrorShape, Pagination } from "../http/shapes.ts";
import { notes } from "./descriptions.ts";

export type Schema = { [keyword: string]: unknown };

/** Every shape that has a name in the document. */
export const shapes = {
  Form: management.Form,
  FormField: management.FieldDraft,
  FormCreateRequest: management.FormCreateRequest,
  FormDiffRequest: management.FormDiffRequest,
  Submission: management.Submission,
  SubmissionPatchRequest: management.SubmissionPatchRequest,
  SubmissionEdit: management.SubmissionEdit,
  SubmissionErasure: management.SubmissionErasure,
  Deleted: management.Deleted,
  Agent: identity.Agent,
  AgentCreateRequest: identity.AgentCreateRequest,
  AgentPatchRequest: identity.AgentPatchRequest,
  AgentRegistration: identity.AgentRegistration,
  AgentSecret: identity.AgentSecret,
  AgentRevocation: identity.AgentRevocation,
  Grant: identity.Grant,
  GrantRequest: identity.GrantRequest,
  AgentKey: identity.AgentKey,
  KeyRequest: identity.KeyRequest,
  KeyRegistration: identity.KeyRegistration,
  KeyRevocation: identity.KeyRevocation,
  TokenRequest: sessions.TokenRequest,
  AnonymousRequest: sessions.AnonymousRequest,
  SessionToken: sessions.SessionToken,
  PublishedForm: submitter.PublishedForm,
  SubmissionRequest: submitter.SubmissionRequest,
  SubmissionReceipt: submitter.SubmissionReceipt,
  ValidateResult: submitter.ValidateResult,
  Challenge: submitter.Challenge,
  ChallengeRespondRequest: submitter.AnswerRequest,
  ChallengeResult: submitter.ChallengeResult,
  FieldError: FieldErrorShape,
  Pagination,
} as const satisfies Record<string, Type>;

export type ShapeName = keyof typeof shapes;

/** A reference to a named schema. */
export const ref = (name: ShapeName | "Error"): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The members that every envelope may carry beside its own. */
export const pointers: Record<string, Schema> = {
  _docs: { type: "string", format: "uri", description: "Where this reference is." },
  _guide: { type: "string", format: "uri", description: "Where the guide for agents is." },
};

/** The error envelope (specification, "Error envelope"); a response says which codes it can carry. */
const ErrorEnvelope: Schema = {
  type: "object",
  description: "Every refusal. Branch on `code`; `error` is for people and may change.",
  properties: {
    error: { type: "string", description: "One sentence for people." },
    code: { type: "string", description: "Stable.", enum: Object.keys(codes) },
    apiVersion: { const: "v1" },
    errors: {
      type: "array",
      description: "With `validation_failed`: every finding.",
      items: { $ref: "#/components/schemas/FieldError" },
    },
    current: {
      type: "object",
      description: "With `conflict`: what the resource is at now, to rebase on in one trip.",
      properties: {
        currentVersion: { type: "integer" },
        updatedAt: { type: "string", format: "date-time" },
      },
      additionalProperties: false,
    },
    operation: {
      type: "integer",
      description: "Of a refused form PATCH: the zero-based index of the operation at fault.",
    },
    ...pointers,
  },
  required: ["error", "code", "apiVersion"],
};

/** What JSON Schema cannot say of a shape is said by words: a rule among members, a text that is read as something else. */
const fallback = {
  date: () => ({ type: "string", format: "date-time" }),
  morph: ({ base, out }: { base: Schema; out: Schema | null }) => out ?? base,
  default: ({ base }: { base: Schema }) => base,
};

/** A shape's own schema, with nothing named in it yet. */
export function schemaOf(shape: Type): Schema {
  const { $schema, ...schema } = shape.toJsonSchema({ fallback } as never) as Schema;
  return plain(schema) as Schema;
}

/**
 * arktype's output in the document's manner: format for a UUID's pattern, one type list for "or null", and no words: arktype's are the ends of
 * error messages.
 */
function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain);
  if (typeof node !== "object" || node === null) return node;
  const { description, properties, ...rest } = node as Schema;
  if (description === "a UUID") return { type: "string", format: "uuid" };
  const schema: Schema = mapped(rest);
  if (properties) schema.properties = mapped(properties);
  // A query's default is a text before it is read.
  if (schema.type === "integer" && typeof schema.default === "string")
    schema.default = Number(schema.default);
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const [first, second] = anyOf as Schema[];
  const nullable = anyOf.length === 2 && second?.type === "null" && typeof first?.type === "string";
  return nullable ? { ...others, ...first, type: [first.type, "null"] } : schema;
}

const mapped = (record: object): Schema =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, plain(value)]));

/** `components.schemas`: shapes refer to each other by name, and carry the notes. */
export function components(): Record<string, Schema> {
  const own = Object.entries(shapes).map(([name, shape]) => [name, schemaOf(shape as Type)] as const);
  const names = new Map(own.map(([name, schema]) => [JSON.stringify(schema), name as ShapeName]));
  const schemas = Object.fromEntries(
    own.map(([name, schema]) => [name, named(schema, names, true) as Schema]),
  );
  for (const [path, note] of Object.entries(notes)) annotate(schemas, path, note);
  annotate(schemas, "FieldError.code", { examples: Object.keys(perFieldCodes) });
  return { ...schemas, Error: ErrorEnvelope };
}

/** Puts a reference wherever a named shape stands in another. */
function named(node: unknown, names: Map<string, ShapeName>, isRoot = false): unknown {
  if (Array.isArray(node)) return node.map((item) => named(item, names));
  if (typeof node !== "object" || node === null) return node;
  const name = isRoot ? undefined : names.get(JSON.stringify(node));
  if (name) return ref(name);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, named(value, names)]));
}

/** Lays a note on the schema at a path such as `Form`, `Form.status` or `FormDiffRequest.operations[]`. */
function annotate(schemas: Record<string, Schema>, path: string, note: string | Schema): void {
  let node: Schema | undefined = { properties: schemas };
  for (const part of path.split(".")) {
    const [name = "", items] = part.split("[]");
    node = (node?.properties as Record<string, Schema> | undefined)?.[name];
    if (items !== undefined) node = node?.items as Schema | undefined;
  }
  if (!node) throw new Error(`a note on what is not there: ${path}`);
  Object.assign(node, typeof note === "string" ? { description: note } : note);
}
