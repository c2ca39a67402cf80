import { Buffer } from "node:buffer";
import { type Sql, toCamel } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { keyFor, type TeamReceiptKey } from "./keys.ts";
import { signNote } from "./note.ts";
import { type Accepted, writeReceipt } from "./receipt.ts";

/** Query for {@link parseReceiptData}: receipt data, and the team's keys. It raises `not_found`, `gone`. */
export const receiptQuery = (sql: Sql, team: string, form: string, submission: string) => sql`
  select json_build_object('team', ${team}::text, 'accepted', to_json(r), 'keys', formd.receipt_key_list(p_team => ${team}))
  from formd.receipt_read(p_team => ${team}, p_form => ${form}, p_submission => ${submission}) as r`;

type Json = Record<string, unknown>;

/** The receipt, a signed note, and its salt. @param json of {@link receiptQuery} @throws `unavailable`. */
export async function signedReceipt(deps: Pick<Deps, "sql" | "config" | "masterKey">, json: string) {
  const { team, accepted, keys } = parseReceiptData(json);
  const { key, privateKey } = await keyFor(deps, team, accepted.acceptedAt, keys);
  return { note: await signNote(writeReceipt(accepted), key, privateKey), salt: accepted.salt };
}

function parseReceiptData(json: string) {
  const { team, accepted, keys }: { team: string; accepted: Json; keys: Json[] } = JSON.parse(json);
  return {
    team,
    accepted: toRow<Accepted>(accepted, {
      requestDigest: fromBytea,
      salt: fromBytea,
      acceptedAt: fromInstant,
    }),
    keys: keys.map((key) => toRow<TeamReceiptKey>(key, { publicKey: fromBytea, createdAt: fromInstant })),
  };
}

const fromBytea = (text: string) => Buffer.from(text.slice(2), "hex");
const fromInstant = (text: string) => new Date(text);

const toRow = <Row extends object>(
  json: Json,
  parsers: { [K in keyof Row]?: (text: string) => Row[K] },
): Row =>
  Object.fromEntries(
    Object.entries(json).map(([column, value]) => {
      const name = toCamel(column) as keyof Row;
      return [name, parsers[name]?.(value as string) ?? value];
    }),
  ) as Row;
