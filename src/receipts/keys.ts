/**
 * The keys that sign a team's receipts. A private key is derived from the master key; the database holds the public ones, so that receipts
 * can be verified after a change of the master key or of BASE_URL, of which the key's name is made.
 */
import type { Deps } from "../deps.ts";
import type { NoteKey } from "./note.ts";

export interface ReceiptKey extends NoteKey {
  version: number;
  createdAt: Date;
}

/** The keys of a team, oldest first. */
export const listReceiptKeys = async ({ sql }: Deps, team: string): Promise<ReceiptKey[]> => [
  ...(await sql<ReceiptKey[]>`
    select version, name, public_key, created_at from formd.receipt_keys where team_id = ${team} order by version`),
];

/** The private key of a version. @throws {Problem} `unavailable` without a master key. */
const privateReceiptKey = async ({ masterKey }: Deps, team: string, version: number) =>
  await masterKey.signingKey("receipt", `${team} ${version}`);

/**
 * The key for a receipt: of those that can be derived, the one of the time when the submission was accepted, so that its receipt is the same
 * text each time. A key is made when none has the name of this BASE_URL or can be derived from this master key.
 *
 * @param keys the team's, as they were read
 * @throws {Problem} `unavailable` without a master key.
 */
export async function keyFor(deps: Deps, team: string, acceptedAt: Date, keys: ReceiptKey[]) {
  const { sql, config } = deps;
  const name = `${config.BASE_URL}/receipts/${team}`;
  let usable = await derivable(deps, team, keys);
  if (!usable.some(({ key }) => key.name === name)) {
    const version = (keys.at(-1)?.version ?? 0) + 1;
    const { publicKey } = await privateReceiptKey(deps, team, version);
    await sql`
      select from formd.receipt_key_add(
        p_team => ${team}, p_version => ${version}, p_name => ${name}, p_public_key => ${publicKey})`;
    usable = await derivable(deps, team, await listReceiptKeys(deps, team));
  }
  const chosen = usable.findLast(({ key }) => key.createdAt <= acceptedAt) ?? usable[0];
  if (!chosen) throw new Error("Another server has added a receipt key with another master key just now.");
  return chosen;
}

/** The keys that are of this master key, with their private keys. */
async function derivable(deps: Deps, team: string, keys: ReceiptKey[]) {
  const derived = keys.map(async (key) => ({ key, ...(await privateReceiptKey(deps, team, key.version)) }));
  return (await Promise.all(derived)).filter(
    ({ key, publicKey }) => Buffer.compare(publicKey, key.publicKey) === 0,
  );
}
