/** Reads forms for API keys. */
import type { Caller, Credential } from "../../platform/auth/authenticate.ts";
import { createBatcher } from "../../platform/database/batch.ts";
import { jsonb, toByteaText } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { isUuid } from "../../platform/http/shapes.ts";
import { FormWithPublished } from "./shapes.ts";

/** Forms per call: a draft may have 512 KiB. */
const maxItems = 16;

/** The form as JSON; null: the caller is not allowed, or the form does not exist. */
interface FormRow extends Caller {
  form: string | null;
}

/**
 * Makes the function that reads a form for an API key. Requests that arrive while calls are in progress share
 * the next one: a round trip takes more than twice the CPU of reading a form. A list is sorted by API key,
 * which is then authenticated once.
 * @returns a function of an API key and the id in the path
 */
export function createFormReader({ sql, isDistributed }: Deps) {
  const json = jsonOf(sql, FormWithPublished, { prefix: "(form)." });
  const read = createBatcher(
    (team, items: { team_id: string; key_hash: string; form_id: string | null }[]) => sql<FormRow[]>`
      select outcome, caller_id, remaining, reset_ms, case when (form).id is not null then ${json} end as form
      from formd.forms_read(p_team => ${team}, p_items => ${jsonb(sql, items)})`,
    ({ key_hash }) => key_hash,
    { isDistributed, maxItems },
  );
  return ({ team, hash }: Credential, form: string): Promise<FormRow> =>
    read({ team_id: team, key_hash: toByteaText(hash), form_id: isUuid(form) ? form : null }, 0);
}
