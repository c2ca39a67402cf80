/** Forms that are written in a format of other programs, and made again of it. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseField } from "../../../src/fields/definition.ts";
import { jsonSchemaFileOf } from "../../../src/resources/forms/export/json-schema.ts";
import { xlsformRows } from "../../../src/resources/forms/export/xlsform.ts";
import type { FileContent } from "../../../src/resources/forms/file.ts";
import { importForm, importSources } from "../../../src/resources/forms/import/sources.ts";
import { conditionalForms } from "../../conditional-forms.ts";
import { samples } from "../../form-arbitraries.ts";

const forms = fc.oneof(samples(8), conditionalForms(2)).map(
  ({ fields }): FileContent => ({
    ...{ name: "Form", description: null, settings: {} },
    schema: { fields: fields as FileContent["schema"]["fields"] },
  }),
);
const hasSource = (wanted: string) => importSources.some(([name]) => name === wanted);

test.skipIf(!hasSource("jsonschema"))("JSON Schema makes the same fields again", () => {
  fc.assert(
    fc.property(forms, (form) => {
      const { file } = importForm(JSON.parse(JSON.stringify(jsonSchemaFileOf(form))), "jsonschema");
      expect(file.schema.fields).toEqual(form.schema.fields);
    }),
  );
});

/** Types of formd that XLSForm has. */
const shared = /^(?:text|textarea|number|integer|consent|select|multi_select|ranking|date|time|datetime)$/;

test.skipIf(!hasSource("xlsform"))("XLSForm keeps ids, types, what is required, and conditions", () => {
  fc.assert(
    fc.property(forms, (form) => {
      const { survey, choices, settings } = xlsformRows(form);
      const document = JSON.parse(JSON.stringify({ survey, choices, settings }));
      const again = new Map(
        importForm(document, "xlsform").file.schema.fields.map((field) => [field.id, field] as const),
      );
      for (const definition of form.schema.fields) {
        const { id, kind = "", required } = parseField(definition);
        const row = survey.find(({ name }) => name === id);
        if (!row || !shared.test(kind)) continue;
        const { type, required: isRequired = false, showIf } = again.get(id) ?? { id: "" };
        expect({ id, type, isRequired }).toEqual({ id, type: kind, isRequired: required });
        if (row.relevant !== undefined) expect(showIf).toBeString();
      }
    }),
  );
});
