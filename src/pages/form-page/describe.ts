/** The page for programs: the published form, and how it is sent. */
import { namesOf } from "../../fields/presentation.ts";
import type { Deps } from "../../platform/deps.ts";
import { pagePathOf } from "../../resources/forms/page-address.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import { jsonSchemaFor } from "../../resources/submit/read-form.ts";
import { tokenNameOf } from "./captcha.tsx";
import type { PublishedPage } from "./page-request.ts";

export function describePage({ config }: Deps, page: PublishedPage) {
  const { name, description, version, form } = page;
  const schema = { fields: form.fields.map(({ definition }) => definition) };
  return {
    form: { id: page.formId, name, description, version, schema },
    jsonSchema: jsonSchemaFor(page.formId, version, schema),
    submit: {
      method: "POST",
      url: config.BASE_URL + pagePathOf({ team: page.team, form: page.formId }),
      contentType: form.fileFields.length > 0 ? "multipart/form-data" : "application/x-www-form-urlencoded",
      /** The names by which each field's value is sent. */
      names: Object.fromEntries(form.fields.map((field) => [field.id, namesOf(field)])),
      /** Both are optional: the version that was read, and a key that makes a retry safe. */
      version: ownNames.version,
      key: ownNames.key,
      /** Required if present. */
      ...(page.captcha && { captcha: { ...page.captcha, name: tokenNameOf(page.captcha) } }),
    },
  };
}
