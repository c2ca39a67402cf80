/** The shapes that the server checks with, as the OpenAPI document's schemas (JSON Schema 2020-12). */
import type { Type } from "arktype";
import * as agents from "../agents/shapes.ts";
import * as challenges from "../challenges/shapes.ts";
import { fieldCodes } from "../fields/codes.ts";
import * as forms from "../forms/shapes.ts";
import * as grants from "../grants/shapes.ts";
import type { Schema } from "../http/operation.ts";
import { Deleted, FieldError, Pagination } from "../http/shapes.ts";
import { problemCodes } from "../problem.ts";
import * as sessions from "../sessions/shapes.ts";
import * as signingKeys from "../signing-keys/shapes.ts";
import * as submissions from "../submissions/shapes.ts";
import * as submit from "../submit/shapes.ts";
import { descriptions } from "./descriptions.ts";

/** Every shape that has a name in the document. */
const shapes = {
  Form: forms.Form,
  FormField: forms.FormField,
  FormCreateRequest: forms.FormCreateRequest,
  FormDiffRequest: forms.FormDiffRequest,
  Submission: submissions.Submission,
  SubmissionPatchRequest: submissions.SubmissionPatchRequest,
  SubmissionEdit: submissions.SubmissionEdit,
  SubmissionErasure: submissions.SubmissionErasure,
  Deleted: Deleted,
  Agent: agents.Agent,
  AgentCreateRequest: agents.AgentCreateRequest,
  AgentPatchRequest: agents.AgentPatchRequest,
  AgentRegistration: agents.AgentRegistration,
  AgentSecret: agents.AgentSecret,
  AgentRevocation: agents.AgentRevocation,
  Grant: grants.Grant,
  GrantRequest: grants.GrantRequest,
  AgentKey: signingKeys.AgentKey,
  KeyRequest: signingKeys.KeyRequest,
  KeyRegistration: signingKeys.KeyRegistration,
  KeyRevocation: signingKeys.KeyRevocation,
  TokenRequest: sessions.TokenRequest,
  AnonymousRequest: sessions.AnonymousRequest,
  SessionToken: sessions.SessionToken,
  PublishedForm: submit.PublishedForm,
  SubmissionRequest: submit.SubmissionRequest,
  SubmissionReceipt: submit.SubmissionReceipt,
  ValidateResult: submit.ValidateResult,
  Challenge: challenges.Challenge,
  ChallengeRespondRequest: challenges.ChallengeRespondRequest,
  ChallengeResult: challenges.ChallengeResult,
  FieldError: FieldError,
  Pagination,
} as const satisfies Record<string, Type>;

type ShapeName = keyof typeof shapes;

const nameOf = new Map<unknown, ShapeName>(
  Object.entries(shapes).map(([name, shape]) => [shape, name as ShapeName]),
);

const ref = (name: ShapeName): Schema => ({ $ref: `#/components/schemas/${name}` });

/** A reference to a shape that has a name. */
export function refTo(shape: Type): Schema {
  const name = nameOf.get(shape);
  if (!name) throw new Error("A shape in an operation has no name in openapi/schemas.ts.");
  return ref(name);
}

/** The members that every envelope may carry beside its own. */
export const links: Record<string, Schema> = {
  _docs: { type: "string", format: "uri", description: "Where this reference is." },
  _guide: { type: "string", format: "uri", description: "Where the guide for agents is." },
};

/** The error envelope (specification, "Error envelope"); a response says which codes it can carry. */
const ErrorEnvelope: Schema = {
  type: "object",
  description: "Every refusal. Branch on `code`; `error` is for people and may change.",
  properties: {
    error: { type: "string", description: "One sentence for people." },
    code: { type: "string", description: "Stable.", enum: Object.keys(problemCodes) },
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
    ...links,
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
  return normalize(schema) as Schema;
}

/**
 * arktype's output in the document's manner: format for a UUID's pattern, one type list for "or null", and no words: arktype's are the ends of
 * error messages.
 */
function normalize(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(normalize);
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
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, normalize(value)]));

/** `components.schemas`: shapes refer to each other by name, and carry the notes. */
export function components(): Record<string, Schema> {
  const own = Object.entries(shapes).map(([name, shape]) => [name, schemaOf(shape as Type)] as const);
  const names = new Map(own.map(([name, schema]) => [JSON.stringify(schema), name as ShapeName]));
  const schemas = Object.fromEntries(
    own.map(([name, schema]) => [name, withReferences(schema, names, true) as Schema]),
  );
  for (const [path, note] of Object.entries(descriptions)) describe(schemas, path, note);
  describe(schemas, "FieldError.code", { examples: Object.keys(fieldCodes) });
  return { ...schemas, Error: ErrorEnvelope };
}

/** Puts a reference wherever a named shape stands in another. */
function withReferences(node: unknown, names: Map<string, ShapeName>, isRoot = false): unknown {
  if (Array.isArray(node)) return node.map((item) => withReferences(item, names));
  if (typeof node !== "object" || node === null) return node;
  const name = isRoot ? undefined : names.get(JSON.stringify(node));
  if (name) return ref(name);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withReferences(value, names)]));
}

/** Lays a note on the schema at a path such as `Form`, `Form.status` or `FormDiffRequest.operations[]`. */
function describe(schemas: Record<string, Schema>, path: string, note: string | Schema): void {
  let node: Schema | undefined = { properties: schemas };
  for (const part of path.split(".")) {
    const [name = "", items] = part.split("[]");
    node = (node?.properties as Record<string, Schema> | undefined)?.[name];
    if (items !== undefined) node = node?.items as Schema | undefined;
  }
  if (!node) throw new Error(`a note on what is not there: ${path}`);
  Object.assign(node, typeof note === "string" ? { description: note } : note);
}
