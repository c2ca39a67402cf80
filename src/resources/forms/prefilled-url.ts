/** The URL of a form's page with values, for a respondent who fills in the rest. */
import type { CompiledForm } from "../../fields/compile.ts";
import { toControls } from "../../fields/presentation.ts";
import { limits } from "../../limits.ts";
import { rowOf } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { type FormAddress, pagePathOf } from "./page-address.ts";

const { maxPrefilledUrlLength } = limits.formPage;

/**
 * The URL with the values of fields with `prefill: true` that are not sensitive: logs and histories keep
 * URLs. Values beyond {@link limits.formPage.maxPrefilledUrlLength} are left out. One round trip.
 * @returns undefined when the form has no page that can be filled in
 */
export async function prefilledUrl(
  { sql, config }: Deps,
  address: FormAddress,
  form: CompiledForm,
  values: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const { team, form: id } = address;
  const { outcome } = await rowOf(sql<{ outcome: string }[]>`
    select outcome from formd.form_page_read(p_team => ${team}, p_form => ${id}, p_version => null, p_ip_key => null, p_ip_limit => null)`);
  if (outcome !== "allowed") return undefined;
  const allowed = form.fields.filter(
    ({ definition }) => definition.prefill === true && definition.sensitive !== true,
  );
  let url = config.BASE_URL + pagePathOf(address);
  for (const field of allowed) {
    if (!isPlain(values[field.id])) continue;
    const query = toControls([field], values).toString();
    const longer = query && `${url}${url.includes("?") ? "&" : "?"}${query}`;
    if (longer && longer.length <= maxPrefilledUrlLength) url = longer;
  }
  return url;
}

/** Checks whether a value is short and survives JSON unchanged, as an inexact number does not. */
function isPlain(value: unknown): boolean {
  const json = JSON.stringify(value) ?? "null";
  return json.length <= maxPrefilledUrlLength && JSON.stringify(JSON.parse(json)) === json;
}
