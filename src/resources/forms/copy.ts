/** Copying a form. */
import { limits } from "../../limits.ts";
import type { Actor } from "../../platform/auth/actor.ts";
import type { Sql } from "../../platform/database/db.ts";
import { createForm } from "./forms.ts";
import type { FormSettings } from "./settings.ts";
import type { FormRow } from "./shapes.ts";

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
 * Makes a draft in the form's workspace with the fields, texts and settings of its draft.
 * @param nameOf makes the copy's name from the form's name, which is cut to fit
 * @returns the copy's id
 * @throws {Problem} `insufficient_workspace_role`.
 */
export async function copyForm(sql: Sql, actor: Actor, form: FormRow, nameOf: (name: string) => string) {
  const name = nameOf(form.name.slice(0, limits.name.maxLength - nameOf("").length));
  return await createForm(sql, actor, { ...form, name, settings: settingsOfCopy(form.settings) });
}
