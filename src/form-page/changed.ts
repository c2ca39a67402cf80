/** What has changed since a respondent opened the form. */
import type { Deps } from "../deps.ts";
import { isRecord } from "../fields/definition.ts";
import type { PublishedPage } from "./read.ts";

/** The ids of the fields that the version of the respondent's page had otherwise, or not at all; all of them, when there was no such version. */
export async function changedSince(
  { sql }: Deps,
  { team, form: { fields }, formId }: PublishedPage,
  version: string,
): Promise<ReadonlySet<string>> {
  const [row] = /^[1-9]\d{0,8}$/.test(version)
    ? await sql<{ schema: { fields: unknown[] } }[]>`
        select schema from formd.form_versions where team_id = ${team} and form_id = ${formId} and version = ${Number(version)}`
    : [];
  const before = new Map(
    (row?.schema.fields ?? []).filter(isRecord).map((field) => [field.id, JSON.stringify(field)]),
  );
  return new Set(
    fields.filter(({ id, definition }) => before.get(id) !== JSON.stringify(definition)).map(({ id }) => id),
  );
}
