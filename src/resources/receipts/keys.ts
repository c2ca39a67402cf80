/**
 * The keys that sign a team's receipts. A private key is derived from the master key; the database holds the
 * public ones, so that receipts can be verified after a change of the master key or of BASE_URL, of which the
 * key's name is made.
 */
import type { Deps } from "../../platform/deps.ts";
import type { MasterKey, SigningKeyPair } from "../../platform/master-key.ts";
import {
  believedKeys,
  type ChainedKey,
  firstKeysOf,
  serverKeyName,
  teamKeyName,
  writeStatement,
} from "./chain.ts";
import { type NoteKey, type Signer, writeKey } from "./note.ts";

export interface TeamReceiptKey extends ChainedKey {
  createdAt: Date;
}

type Of = Pick<Deps, "sql" | "config" | "masterKey">;

/** The rows of a team, oldest first: those that anybody could have written as well. */
const readKeys = async ({ sql }: Of, team: string): Promise<TeamReceiptKey[]> => [
  ...(await sql<TeamReceiptKey[]>`
    select version, name, public_key, statement, created_at from formd.receipt_keys
    where team_id = ${team} order by version`),
];

/**
 * The keys of a team that this server, or a key that it believes, has signed; oldest first.
 * @throws {Problem} `unavailable` without a master key.
 */
export async function listReceiptKeys(of: Of, team: string): Promise<TeamReceiptKey[]> {
  return await believed(of, await readKeys(of, team));
}

const believed = async ({ masterKey }: Of, keys: TeamReceiptKey[]): Promise<TeamReceiptKey[]> =>
  await believedKeys(keys, { servers: (await serverPairs(masterKey)).map(({ publicKey }) => publicKey) });

/** The version of the server's key pair: another version gives another pair. */
const serverKeyVersion = "1";
/** Deriving takes a millisecond, and a list of keys is anybody's to ask for. */
const pairs = new WeakMap<MasterKey, Promise<SigningKeyPair>>();

/** The server's own keys: of its master key, and of those from before. */
async function serverPairs(masterKey: MasterKey): Promise<SigningKeyPair[]> {
  return await Promise.all(
    masterKey.all.map(async (each) => {
      const made = pairs.get(each) ?? each.signingKey("receipt-server", serverKeyVersion);
      pairs.set(each, made);
      return await made;
    }),
  );
}

/** The server's own key, which signs those of the teams. @throws {Problem} as {@link listReceiptKeys}. */
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
 * The key for a receipt: of those that can be derived, the one of the time when the submission was accepted,
 * so that its receipt is the same text each time. A key is made when none has the name of this BASE_URL or
 * none of those is of the first master key.
 *
 * @param keys the team's, as they were read; undefined: not yet
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

/** @param before those of the rows that the new key vouches for */
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

/** The keys that are of a master key of this server, with their private keys. */
async function derivable({ masterKey }: Of, team: string, keys: TeamReceiptKey[]) {
  const derived = keys.flatMap((key) =>
    masterKey.all.map(async (of) => ({ key, of, ...(await privateReceiptKey(of, team, key.version)) })),
  );
  return (await Promise.all(derived)).filter(
    ({ key, publicKey }) => Buffer.compare(publicKey, key.publicKey) === 0,
  );
}

/**
 * After the loss of a master key nothing vouches for the keys from before. Adds a key to each team that has
 * such: it vouches for the first one and for those that follow from it. Where two are first, one was written
 * to the database without a server, and nothing tells which: such a team is left as it is.
 *
 * @returns the teams that have a new key, and those of which nothing tells the first one
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
