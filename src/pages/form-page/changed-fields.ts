/** Fields that changed after a respondent opened the form. */
import { type Field, isRecord } from "../../fields/definition.ts";
import type { Deps } from "../../platform/deps.ts";
import { schemaOfVersion } from "../../resources/forms/form-view.ts";
import { ownNames } from "../../resources/forms/page-shapes.ts";
import type { PublishedPage } from "./page-request.ts";

/** Returns the ids of changed fields that the respondent had not seen when the page was sent. */
export function unseenIn(fields: readonly Field[], sent: URLSearchParams): ReadonlySet<string> {
  const unseen = new Set(sent.getAll(ownNames.unseen));
  return new Set(fields.map(({ id }) => id).filter((id) => unseen.has(id)));
}

/**
 * Returns the ids of fields that changed since the version that the respondent filled in: all of them, if
 * that version is unknown. Fields that changed earlier are included until the respondent has seen them.
 */
export async function changedSince(
  { sql }: Deps,
  { team: teamId, form: { fields }, formId: id }: PublishedPage,
  sent: URLSearchParams,
): Promise<ReadonlySet<string>> {
  const version = sent.get(ownNames.version) ?? "";
  const schema = /^[1-9]\d{0,8}$/.test(version)
    ? await schemaOfVersion(sql, { teamId, id }, Number(version))
    : undefined;
  const before = new Map(schema?.fields.filter(isRecord).map((field) => [field.id, JSON.stringify(field)]));
  const changed = fields.filter(({ id, definition }) => before.get(id) !== JSON.stringify(definition));
  return unseenIn(fields, sent).union(new Set(changed.map(({ id }) => id)));
}
