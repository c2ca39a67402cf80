/** Queries on the mails of a form for a caller, shared by the routes and the console. */
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Deps } from "../../platform/deps.ts";
import type { List } from "../../platform/http/list.ts";
import { jsonOf } from "../../platform/http/resource.ts";
import { splitAsked } from "../../platform/http/shapes.ts";
import { hasOutbox } from "../../platform/mail/smtp.ts";
import { FormMail, type MailListQuery } from "./shapes.ts";

const mailJson = jsonOf(FormMail);

export const mailList = (
  { sql }: Deps,
  { team }: Pick<SqlCaller, "team">,
  form: string,
  query: typeof MailListQuery.infer,
): List => ({
  name: "mails",
  ...splitAsked(query),
  item: mailJson(sql),
  rows: ({ limit, offset, after, order }) => sql`
    formd.mail_list(p_team => ${team}, p_form => ${form}, p_state => ${query.state ?? null},
      p_limit => ${limit}, p_offset => ${offset}, p_after => ${after}, p_order => ${order})`,
});

/** Makes a mail due again. The result is its id. */
export const resendQuery = (deps: Deps, { team, actor }: SqlCaller, form: string, id: string) => deps.sql`
  select json_build_object('id', ${id}::text)
  from formd.mail_resend(
    p_team => ${team}, p_actor => ${actor}, p_form => ${form}, p_id => ${id}, p_is_mailed => ${hasOutbox(deps)})`;
