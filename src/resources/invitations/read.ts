/** Queries on the invitations of a form for a caller, shared by the routes and the console. */
import { isEmail } from "../../fields/formats.ts";
import { limits } from "../../limits.ts";
import type { SqlCaller } from "../../platform/database/caller-queries.ts";
import type { Deps } from "../../platform/deps.ts";
import type { List } from "../../platform/http/list.ts";
import { jsonOf, type Row } from "../../platform/http/resource.ts";
import { splitAsked } from "../../platform/http/shapes.ts";
import { addressHashes, hashArray, openAddress } from "./addresses.ts";
import { FormInvitation, type InvitationCounts, type InvitationListQuery } from "./shapes.ts";

const invitationJson = jsonOf(FormInvitation, {
  computed: { email: "to_json(encode(sealed_email, 'hex'))" },
});

/** An invitation as formd.invitation_list returns it. {@link withAddresses} opens the address. */
export type InvitationRow = Omit<Row<typeof FormInvitation>, "email"> & { sealedEmail: Uint8Array | null };

const addressIn = async ({ masterKey }: Pick<Deps, "masterKey">, form: string, sealed: Uint8Array | null) =>
  (sealed && (await openAddress(masterKey, form, sealed))?.email) ?? null;

/** The rows of a page with their addresses. */
export const withAddresses = async (
  deps: Pick<Deps, "masterKey">,
  form: string,
  rows: readonly InvitationRow[],
): Promise<Row<typeof FormInvitation>[]> =>
  await Promise.all(
    rows.map(async ({ sealedEmail, ...row }) => ({
      ...row,
      email: await addressIn(deps, form, sealedEmail),
    })),
  );

/** Opens the addresses in items of the list, which are JSON with a comma in between. */
async function withOpenAddresses(deps: Pick<Deps, "masterKey">, form: string, items: string) {
  const rows = JSON.parse(`[${items}]`) as (typeof FormInvitation.infer)[];
  const opened = rows.map(async ({ email, ...row }) => {
    const sealed = email === null ? null : Buffer.from(email, "hex");
    return JSON.stringify({ ...row, email: await addressIn(deps, form, sealed) });
  });
  return (await Promise.all(opened)).join();
}

/** The counts are beside the first page alone: they read all rows of the form. */
export const invitationList = (
  deps: Pick<Deps, "sql" | "masterKey">,
  { team, actor }: Pick<SqlCaller, "team" | "actor">,
  form: string,
  query: typeof InvitationListQuery.infer,
): List => {
  const { sql, masterKey } = deps;
  const { q, state = null, cursor } = query;
  const hashes = q !== undefined && isEmail(q) ? addressHashes(masterKey, form, q) : null;
  const label = hashes === null ? (q ?? null) : null;
  return {
    name: "invitations",
    ...splitAsked(query),
    maxCounted: limits.page.maxCounted,
    item: invitationJson(sql),
    others:
      cursor === undefined
        ? sql`json_build_object('counts', (
          select row_to_json(c) from formd.invitation_counts(p_team => ${team}, p_form => ${form}) as c))`
        : sql`json_build_object('counts', null)`,
    rewrite: (items) => withOpenAddresses(deps, form, items),
    rows: ({ limit, offset, after, order }) => sql`
      formd.invitation_list(p_team => ${team}, p_actor => ${actor}, p_form => ${form}, p_state => ${state},
        p_email_hashes => ${hashArray(sql, hashes)}, p_label => ${label}, p_limit => ${limit}, p_offset => ${offset},
        p_after => ${after}, p_order => ${order})`,
  };
};

export async function countInvitations({ sql }: Pick<Deps, "sql">, team: string, form: string) {
  const [counts] = await sql<[typeof InvitationCounts.infer]>`
    select * from formd.invitation_counts(p_team => ${team}, p_form => ${form})`;
  return counts;
}

/** Revokes an invitation. The result is its id and state, as JSON. */
export const revokeQuery = (
  { sql }: Pick<Deps, "sql">,
  { team, actor }: SqlCaller,
  form: string,
  id: string,
) =>
  sql`
    select json_build_object('id', id, 'state', state)
    from formd.invitation_revoke(p_team => ${team}, p_actor => ${actor}, p_form => ${form}, p_id => ${id})`;
