/** A form as pages read it. */
import { type Field, parseFields } from "../../fields/definition.ts";
import type { Deps } from "../../platform/deps.ts";
import type { FormRow } from "./shapes.ts";

/** The fields of the published version, or else of the draft. */
export async function publishedFields(
  { sql }: Deps,
  form: Pick<FormRow, "teamId" | "id" | "schema" | "currentVersion"> & {
    publishedSchema: FormRow["schema"] | null;
  },
  version = form.currentVersion,
): Promise<Field[]> {
  if (version === form.currentVersion) return parseFields(form.publishedSchema ?? form.schema);
  const [row] = await sql<{ schema: { fields: unknown[] } }[]>`
    select schema from formd.form_versions
    where team_id = ${form.teamId} and form_id = ${form.id} and version = ${version}`;
  return parseFields(row?.schema ?? form.schema);
}
