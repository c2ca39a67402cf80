/** Holds: no one and no rule deletes held submissions. Only a person places and releases holds. */
import type { Fragment } from "postgres";
import { limits } from "../../limits.ts";
import type { Sql } from "../../platform/database/db.ts";
import { jsonOf, type Row } from "../../platform/http/resource.ts";
import type { FormKey } from "../forms/shapes.ts";
import { Hold } from "./shapes.ts";

export const holdJson = jsonOf(Hold);

export type HoldRow = Row<typeof Hold>;

interface Held {
  team: string;
  actor: Fragment;
  form: string;
  /** Null: the form with all its present and future submissions. */
  submission: string | null;
}

/**
 * Query that places a hold. It raises `not_found`; `unauthorized` for an API key;
 * `insufficient_workspace_role`; `bad_request` for a blank reason; `conflict` if it is held already.
 */
export const placeQuery = (sql: Sql, { team, actor, form, submission }: Held, reason: string) => sql`
  select ${holdJson(sql)} from formd.hold_place(p_team => ${team}, p_actor => ${actor}, p_form => ${form},
    p_submission => ${submission}::uuid, p_reason => ${reason})`;

/** Query that releases a hold. It raises the errors of {@link placeQuery}, and `not_found` without a hold. */
export const releaseQuery = (sql: Sql, { team, actor, form, submission }: Held) => sql`
  select ${holdJson(sql)} from formd.hold_release(p_team => ${team}, p_actor => ${actor}, p_form => ${form},
    p_submission => ${submission}::uuid)`;

/** The holds in effect on a form: its own first, then the holds on its submissions. */
export const readHolds = (sql: Sql, { teamId, id }: FormKey) => sql<HoldRow[]>`
  select id, form_id, submission_id, reason, placed_by, placed_at from ${holdList(sql, teamId, id)}`;

/** The holds in effect on a form and its submissions, as a row source. */
export const holdList = (sql: Sql, team: string, form: string) =>
  sql`formd.hold_list(p_team => ${team}, p_form => ${form}, p_limit => ${limits.hold.maxListed})`;
