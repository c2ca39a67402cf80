/** A form as JSON Schema, with hints from which the same form can be made again. Pure. */
import { parseFields } from "../../../fields/definition.ts";
import { jsonSchemaOf } from "../../../fields/json-schema.ts";
import { contentOf, type FileContent } from "../file.ts";
import { fileFormat } from "../shapes.ts";

/**
 * JSON Schema of the form's values. `x-formd` of a property is the field without its id; that of the schema
 * has the order of the fields, since some ids are numbers, and the settings.
 */
export function jsonSchemaFileOf(content: FileContent): Record<string, unknown> {
  const { name, description, schema, settings } = contentOf(content);
  const fields = parseFields(schema);
  const { $schema, properties, ...rest } = jsonSchemaOf(schema);
  const hints = new Map(fields.map(({ definition: { id, ...members } }) => [id, members]));
  return {
    ...{ $schema, title: name, ...(description !== null && { description }), ...rest },
    properties: Object.fromEntries(
      Object.entries(properties as object).map(([id, each]) => [id, { ...each, "x-formd": hints.get(id) }]),
    ),
    "x-formd": { format: fileFormat, order: fields.map(({ id }) => id), settings },
  };
}
