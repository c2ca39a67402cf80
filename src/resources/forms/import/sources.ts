/** The tools from whose forms a draft can be made. A new one: a file beside this one, and a line here. */
import { isRecord } from "../../../fields/values.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import type { Imported, ImportSource } from "./draft.ts";
import { formbricks } from "./formbricks.ts";
import { formio } from "./formio.ts";
import { googleForms } from "./google-forms.ts";
import { jsonSchemaForms } from "./json-schema.ts";
import { surveyjs } from "./surveyjs.ts";
import { typeform } from "./typeform.ts";
import { xlsform } from "./xlsform.ts";

/** The first that recognizes a document is taken: the more special ones come first. */
const sources: Readonly<Record<string, ImportSource>> = {
  ...{ formbricks, typeform, googleforms: googleForms, formio, surveyjs, xlsform },
  jsonschema: jsonSchemaForms,
};

export const importSources = Object.entries(sources);

/**
 * Makes a draft of another tool's form.
 * @param document JSON that is parsed, or the sheets of a workbook by their names
 * @param from the name of a source; `auto`: the one that recognizes the document
 * @throws {Problem} `bad_request`: no such source recognizes it
 */
export function importForm(document: unknown, from = "auto"): Imported {
  const named = importSources.filter(([name]) => from === "auto" || name === from);
  const found = isRecord(document) && named.find(([, source]) => source.recognizes(document));
  if (found) return found[1].convert(document);
  const kinds = ["formd", ...importSources.map(([name, { title }]) => `${name} (${title})`)].join(", ");
  const kind = from === "auto" ? "" : from;
  throw new Problem("bad_request", say("no_known_form", { kind, kinds }));
}
