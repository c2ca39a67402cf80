/** The table of field types, the source of the page of field types and of the OpenAPI document. */
import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { compile } from "../../../src/fields/compile.ts";
import { jsonSchemaOf } from "../../../src/fields/json-schema.ts";
import { lint } from "../../../src/fields/lint.ts";
import { type FieldKind, fieldTypes, rulesOf } from "../../../src/fields/types.ts";
import { exampleOf } from "../../../src/reference/guide/field-types.ts";
import { fieldSchemas } from "../../../src/reference/openapi/field-schemas.ts";

const kinds = Object.keys(fieldTypes) as FieldKind[];
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: "formd", components: { schemas: fieldSchemas() } });
const isFormField = ajv.compile({ $ref: "formd#/components/schemas/FormField" });

describe.each(kinds)("the example of %s", (kind) => {
  const { field, value } = exampleOf(kind);

  test("has every rule of the type, can be published, and accepts its value", () => {
    const given = { ...field, ...(field.validation as object) };
    for (const { name, meaning } of rulesOf(kind)) {
      expect(given).toHaveProperty(name);
      expect(meaning).toEndWith(".");
    }
    expect(lint({ fields: [field] })).toEqual([]);
    expect(compile({ fields: [field] }).validateField(kind, value)).toEqual([]);
  });

  test("is a FormField of the document, by each name of the type, and not with a rule of another type", () => {
    for (const type of [kind, ...fieldTypes[kind].aliases])
      expect(isFormField({ ...field, type })).toBe(true);
    expect(isFormField({ ...field, validation: { ...(field.validation as object), min: 1 } })).toBe(false);
    expect(isFormField({ ...field, type: "wibble" })).toBe(false);
  });
});

test("the JSON Schema gives examples within the bounds, which the form accepts", () => {
  const fields = [
    { id: "day", type: "date" },
    { id: "late", type: "date", maximum: "1999-12-31" },
    { id: "hour", type: "time", minimum: "17:00" },
    { id: "moment", type: "datetime", minimum: "2030-01-01T00:00:00Z", maximum: "2030-01-02T00:00:00Z" },
    { id: "phone", type: "phone", country: "DE" },
    { id: "local", type: "phone", pattern: "^0" },
    { id: "home", type: "address", requiredParts: ["region", "line2"] },
    { id: "table", type: "matrix", rows: ["r", "__proto__"], columns: ["c"], allRows: true },
    { id: "name", type: "text" },
  ];
  const { properties } = jsonSchemaOf({ fields }) as { properties: Record<string, { examples?: unknown[] }> };
  const form = compile({ fields });
  const examples = fields.map(({ id }) => [id, properties[id]?.examples?.[0]] as const);
  expect(examples.filter(([, example]) => example === undefined).map(([id]) => id)).toEqual([
    "local",
    "name",
  ]);
  for (const [id, example] of examples) expect(form.validateField(id, example)).toEqual([]);
});
