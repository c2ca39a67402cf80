/**
 * The keys that sign a team's receipts, from the master key. The database has the public ones: they verify
 * after a change of the master key or of BASE_URL, a part of a key's name.
 */
import type { Deps } from "../../platform/deps.ts";
import type { MasterKey, SigningKeyPair } from "../../platform/master-key.ts";
import type { ChainedKey } from "./chain.ts";
import { believedKeys, firstKeysOf, serverKeyName, teamKeyName, writeStatement } from "./chain.ts";
import { type NoteKey, type Signer, writeKey } from "./note.ts";

export interface TeamReceiptKey extends ChainedKey {
  createdAt: Date;
}

type Of = Pick<Deps, "sql" | "config" | "masterKey">;

/** The rows of a team, oldest first. They are not verified: anybody may have inserted them. */
const readKeys = async ({ sql }: Of, team: string): Promise<TeamReceiptKey[]> => [
  ...(await sql<TeamReceiptKey[]>`
    select version, name, public_key, statement, created_at from formd.receipt_keys
    where team_id = ${team} order by version`),
];

/** The keys of a team that a trusted key has signed; oldest first. @throws {Problem} `unavailable`. */
export async function listReceiptKeys(of: Of, team: string): Promise<TeamReceiptKey[]> {
  return await believed(of, await readKeys(of, team));
}

const believed = async ({ masterKey }: Of, keys: TeamReceiptKey[]): Promise<TeamReceiptKey[]> =>
  await believedKeys(keys, { servers: (await serverPairs(masterKey)).map(({ publicKey }) => publicKey) });

/** The version of the server's key pair: another version gives another pair. */
const serverKeyVersion = "1";
/** Cached key pairs: deriving takes a millisecond, and anybody may request a list of keys. */
const pairs = new WeakMap<MasterKey, Promise<SigningKeyPair>>();

/** The server's own keys: of its current master key, and of previous ones. */
async function serverPairs(masterKey: MasterKey): Promise<SigningKeyPair[]> {
  return await Promise.all(
    masterKey.all.map(async (each) => {
      const made = pairs.get(each) ?? each.signingKey("receipt-server", serverKeyVersion);
      pairs.set(each, made);
      return await made;
    }),
  );
}

/** The server's own key, which signs the keys of the teams. @throws {Problem} as {@link listReceiptKeys}. */
export async function serverSigner({
  masterKey,
  config,
}: Omit<Of, "sql">): Promise<Signer & { key: NoteKey }> {
  masterKey.requirePresent();
  const [pair] = (await serverPairs(masterKey)) as [SigningKeyPair];
  return {
    key: { name: serverKeyName(config.BASE_URL), publicKey: pair.publicKey },
    privateKey: pair.privateKey,
  };
}

/** The private key of a version. @throws {Problem} `unavailable` without a master key. */
const privateReceiptKey = async (masterKey: MasterKey, team: string, version: number) =>
  await masterKey.signingKey("receipt", `${team} ${version}`);

/**
 * Returns the key for a receipt: the derivable key at the time of acceptance, so that its receipt always has
 * the same text. Makes a key unless one has both the name of this BASE_URL and the first master key.
 * @param keys the team's keys, if they were read
 * @throws {Problem} `unavailable` without a master key.
 */
export async function keyFor(of: Of, team: string, acceptedAt: Date, keys?: TeamReceiptKey[]) {
  const { config, masterKey } = of;
  const rows = keys ?? (await readKeys(of, team));
  const name = teamKeyName(config.BASE_URL, team);
  let usable = await derivable(of, team, rows);
  if (!usable.some(({ key, of: made }) => key.name === name && made === masterKey)) {
    await addKey(of, team, rows, await believed(of, rows));
    usable = await derivable(of, team, await readKeys(of, team));
  }
  const chosen = usable.findLast(({ key }) => key.createdAt <= acceptedAt) ?? usable[0];
  if (!chosen) throw new Error("Another server has added a receipt key with another master key just now.");
  return chosen;
}

/** @param before the rows that the new key confirms */
async function addKey(of: Of, team: string, rows: TeamReceiptKey[], before: TeamReceiptKey[]): Promise<void> {
  const { sql, config, masterKey } = of;
  const version = (rows.at(-1)?.version ?? 0) + 1;
  const { publicKey } = await privateReceiptKey(masterKey, team, version);
  const key = { name: teamKeyName(config.BASE_URL, team), publicKey };
  const previous = before.at(-1);
  const [predecessor] = previous ? await derivable(of, team, [previous]) : [];
  const signers = [await serverSigner(of), ...(predecessor ? [predecessor] : [])];
  const statement = await writeStatement(key, version, previous, signers);
  await sql`
    select from formd.receipt_key_add(
      p_team => ${team}, p_version => ${version}, p_name => ${key.name}, p_public_key => ${publicKey},
      p_statement => ${statement})`;
}

/** The keys that a master key of this server derives, with their private keys. */
async function derivable({ masterKey }: Of, team: string, keys: TeamReceiptKey[]) {
  const derived = keys.flatMap((key) =>
    masterKey.all.map(async (of) => ({ key, of, ...(await privateReceiptKey(of, team, key.version)) })),
  );
  return (await Promise.all(derived)).filter(
    ({ key, publicKey }) => Buffer.compare(publicKey, key.publicKey) === 0,
  );
}

/**
 * Adds a key to each team whose keys lost their trust with a master key. The new key confirms the first one
 * and its successors. If a team has two first keys, one was inserted without a server, and it is unknown
 * which: that team is unchanged.
 * @returns the teams with a new key, and the teams with two first keys
 */
export async function renewReceiptKeys(of: Of): Promise<{ renewed: string[]; unclear: string[] }> {
  const teams = await of.sql<{ teamId: string }[]>`select distinct team_id from formd.receipt_keys`;
  const renewed: string[] = [];
  const unclear: string[] = [];
  for (const { teamId } of teams) {
    const rows = await readKeys(of, teamId);
    const [first, other] = firstKeysOf(rows);
    if (!first || (await believed(of, rows)).length > 0) continue;
    if (!other) await addKey(of, teamId, rows, await believedKeys(rows, { key: writeKey(first) }));
    (other ? unclear : renewed).push(teamId);
  }
  return { renewed, unclear };
}
