/** Copying a form. */
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../limits.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { jsonb, type Sql } from "../../platform/database/db.ts";
import type { FormSettings } from "./settings.ts";
import type { FormRow } from "./shapes.ts";

type Settings = typeof FormSettings.infer;

/** What belongs to one form and one occasion stays behind: its address, and when it opens and closes. */
function settingsOfCopy({ page, availability, ...others }: Settings): Settings {
  const { alias: _alias, ...pageOfCopy } = page ?? {};
  const { opensAt: _opensAt, closesAt: _closesAt, ...availabilityOfCopy } = availability ?? {};
  return {
    ...others,
    ...(page && { page: pageOfCopy }),
    ...(availability && { availability: availabilityOfCopy }),
  };
}

/**
 * Makes a draft in the form's workspace with the fields, texts and settings of its draft.
 *
 * @param nameOf the copy's name, of the form's, which is cut to fit
 * @returns the copy's id
 * @throws {Problem} `insufficient_workspace_role`.
 */
export async function copyForm(
  sql: Sql,
  actor: Actor,
  { teamId, workspaceId, name, description, schema, settings }: FormRow,
  nameOf: (name: string) => string,
): Promise<string> {
  const id = uuidv7();
  const copyName = nameOf(name.slice(0, limits.name.maxLength - nameOf("").length));
  await sql`
    select from formd.form_create(
      p_team => ${teamId}, p_actor => ${toSql(sql, actor)}, p_id => ${id}, p_workspace => ${workspaceId},
      p_name => ${copyName}, p_description => ${description}, p_schema => ${jsonb(sql, schema)},
      p_settings => ${jsonb(sql, settingsOfCopy(settings))})`;
  return id;
}
