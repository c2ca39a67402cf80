/** Writes drafts of forms, for the routes and the console. */
import type { Fragment } from "postgres";
import { limits } from "../../limits.ts";
import { type Actor, toSql } from "../../platform/auth/actor.ts";
import { jsonb, rowOf, type Sql } from "../../platform/database/db.ts";
import { type FormSettings, withNamedSwitches } from "./settings.ts";
import type { FormDiffRequest, FormKey, FormRow } from "./shapes.ts";

/**
 * Creates a draft, by default with the settings of a new form. @returns its id
 * @throws {Problem} `bad_request`, `not_found` for the workspace, `insufficient_workspace_role`.
 */
export async function createForm(
  sql: Sql,
  actor: Actor,
  form: Pick<FormRow, "teamId" | "workspaceId" | "name"> & Partial<FormRow>,
): Promise<string> {
  const caller = { team: form.teamId, actor: toSql(sql, actor) };
  const { id } = await rowOf(sql<{ id: string }[]>`select id from ${createdForm(sql, caller, form)}`);
  return id;
}

/** Creates a draft. The result is the form, as a row source. @param draft without a workspace: the oldest */
export const createdForm = (
  sql: Sql,
  { team, actor }: { team: string; actor: Fragment },
  draft: Pick<FormRow, "name"> & Partial<FormRow>,
) => {
  const { workspaceId = null, name, description = null, schema = { fields: [] }, settings } = draft;
  return sql`
    formd.form_create(p_team => ${team}, p_actor => ${actor}, p_workspace => ${workspaceId},
      p_name => ${name}, p_description => ${description}, p_schema => ${jsonb(sql, schema)},
      p_settings => ${settings ? jsonb(sql, settings) : null})`;
};

type Settings = typeof FormSettings.infer;

/** Omits settings for one form and one occasion: its address, and when it opens and closes. */
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
 * Copies a draft in its workspace. @returns the id @throws {Problem} `insufficient_workspace_role`.
 * @param nameOf makes the copy's name from the form's name, which is cut to fit
 */
export async function copyForm(sql: Sql, actor: Actor, form: FormRow, nameOf: (name: string) => string) {
  const name = nameOf(form.name.slice(0, limits.name.maxLength - nameOf("").length));
  return await createForm(sql, actor, { ...form, name, settings: settingsOfCopy(form.settings) });
}

const withNamedSwitchesIn = <Operation extends object>(operation: Operation): Operation =>
  "settings" in operation ? { ...operation, settings: withNamedSwitches(operation.settings) } : operation;

/** Applies the operations of a request to a draft. The result is the changed form, as a row source. */
export const patchedForm = (
  sql: Sql,
  { team, actor }: { team: string; actor: Fragment },
  id: string,
  { operations, expectedVersion, expectedUpdatedAt }: typeof FormDiffRequest.infer,
) => sql`
  formd.form_patch(p_team => ${team}, p_actor => ${actor}, p_form => ${id},
    p_operations => ${jsonb(sql, operations.map(withNamedSwitchesIn))}, p_expected_version => ${expectedVersion ?? null},
    p_expected_updated_at => ${expectedUpdatedAt ?? null})`;

/** Applies a request to a draft. @returns its new `updatedAt`. @throws {Problem} as form_patch. */
export async function patchDraft(
  sql: Sql,
  actor: Actor,
  { teamId: team, id }: FormKey,
  request: typeof FormDiffRequest.infer,
): Promise<Date> {
  const caller = { team, actor: toSql(sql, actor) };
  const { updatedAt } = await rowOf(
    sql<{ updatedAt: Date }[]>`select updated_at from ${patchedForm(sql, caller, id, request)}`,
  );
  return updatedAt;
}
