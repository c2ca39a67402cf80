/** Input of a route as one object, for the tools of `/mcp`. */
import { plainSchema } from "../../fields/plain-schema.ts";
import {
  argumentName,
  type InputSchemaOf,
  pathParameters,
  type Schema,
} from "../../platform/http/operation.ts";
import { toolField } from "./field-schemas.ts";
import { components, refTo, schemaOf } from "./schemas.ts";

const prefix = "#/components/schemas/";

const object = (properties: Record<string, Schema>, required: string[]): Schema => ({
  ...{ type: "object", properties, required },
});
const text: Schema = { type: "string" };

/** Shapes that tools have shortly, or with one type per member. */
const shorter: Record<string, Schema> = {
  // The name of every object of any members: its description fits a single one of them.
  ForeignForm: { type: "object" },
  FormField: toolField,
  DraftField: toolField,
  FormExample: object(
    { name: text, data: { type: "object" }, expect: object({ valid: { type: "boolean" } }, ["valid"]) },
    ["name", "data", "expect"],
  ),
  SubmissionPatchRequest: object(
    {
      edits: {
        type: "array",
        items: object(
          {
            fieldId: text,
            value: { ...text, description: "A text that the field accepts." },
            valueJson: {
              ...text,
              description: 'Any other value, as JSON: `5`, `true`, `["a"]`; `null` removes the field.',
            },
          },
          ["fieldId"],
        ),
        description: "Edits of different fields, each with one of value and valueJson.",
      },
      expectedUpdatedAt: { ...text, description: "The instant of the `updatedAt` of the most recent GET." },
    },
    ["edits", "expectedUpdatedAt"],
  ),
};

/** Leaves out what a model takes for granted: a list of all tools is long. */
const withoutTheObvious = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (name, value) => {
    if (/^min(?:imum|Items|Length)$/.test(name) && (value === 0 || value === 1)) return undefined;
    return name === "cursor" ? text : value;
  });

/** The schema of a route's parameters and body, written plainly. Of fields it has what all types share. */
export const inputSchemaOf: InputSchemaOf = (path, { query, body }) => {
  const all: Record<string, Schema> = { ...components(), ...shorter };
  const inPath = pathParameters(path).map(argumentName);
  const inQuery = query ? (schemaOf(query.shape).properties as Record<string, Schema>) : {};
  const properties: Record<string, Schema> = {
    ...Object.fromEntries(inPath.map((name) => [name, { type: "string" }])),
    ...inQuery,
    ...(body && { body: refTo(body.shape) }),
  };
  const required = [...inPath, ...(body && !body.optional ? ["body"] : [])];
  const input = { type: "object", properties, required };
  const find = (reference: string) => all[reference.slice(prefix.length)] as Schema;
  return withoutTheObvious(plainSchema(input, find)) as ReturnType<InputSchemaOf>;
};
