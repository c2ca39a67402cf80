/**
 * Trust in keys of receipts. The statement of a key is a note signed by the previous key and by the server's
 * own key, which is derived from the master key. Write access to the database gives neither key, so that a
 * key inserted without a server is detected. Pure.
 *
 * The statement names the previous one by its digest, so that a key also confirms the earlier keys: after the
 * loss of a master key nothing else does.
 */
import { InvalidNote, type NoteKey, openNote, type Signer, signNote, writeKey } from "./note.ts";
import { digestOf } from "./receipt.ts";

export interface ChainedKey extends NoteKey {
  version: number;
  /** A signed note of {@link textOf}. */
  statement: string;
}

const serverKeySuffix = "/receipts";

/** The name of the server's own key, which signs the keys of its teams. */
export const serverKeyName = (baseUrl: string): string => `${baseUrl}${serverKeySuffix}`;
export const teamKeyName = (baseUrl: string, team: string): string => `${serverKeyName(baseUrl)}/${team}`;
/** Checks whether a key is the server's own, not a key of a team. */
export const isServerKey = ({ name }: NoteKey): boolean => name.endsWith(serverKeySuffix);

const heading = "formd receipt key\n";
const none = "none";

const textOf = (key: NoteKey, version: number, previous: string): string =>
  `${heading}key: ${writeKey(key)}\nversion: ${version}\nprevious: ${previous}\n`;

function split(statement: string): { text: string; lines: string[] } {
  const [text = "", signatures = ""] = statement.split("\n\n");
  return { text: `${text}\n`, lines: signatures.split("\n").filter(Boolean) };
}

/** Digest by which the next statement names this one. */
const digestOfStatement = (statement: string): string => digestOf(Buffer.from(split(statement).text));

/**
 * @param previous the newest trusted key; undefined for the first one
 * @param signers the server's key, and the key of `previous` if the server has it
 */
export async function writeStatement(
  key: NoteKey,
  version: number,
  previous: ChainedKey | undefined,
  signers: readonly Signer[],
): Promise<string> {
  const text = textOf(key, version, previous ? digestOfStatement(previous.statement) : none);
  const notes = await Promise.all(signers.map((signer) => signNote(text, signer.key, signer.privateKey)));
  return `${text}\n${notes.map((note) => `${split(note).lines[0]}\n`).join("")}`;
}

async function isSignedBy(statement: string, key: NoteKey): Promise<boolean> {
  const { text, lines } = split(statement);
  for (const line of lines)
    try {
      await openNote(`${text}\n${line}\n`, key);
      return true;
    } catch (error) {
      if (!(error instanceof InvalidNote)) throw error;
    }
  return false;
}

/** The digest of the previous statement; undefined: the statement is of another key. */
const previousOf = (key: ChainedKey): string | undefined => {
  const [, previous = ""] = /\nprevious: (\S+)\n$/.exec(split(key.statement).text) ?? [];
  return split(key.statement).text === textOf(key, key.version, previous) ? previous : undefined;
};

/** Keys of a team whose statement names no previous key. Servers make one such key per team. */
export const firstKeysOf = <Key extends ChainedKey>(keys: readonly Key[]): Key[] =>
  keys.filter((key) => previousOf(key) === none);

/** The trusted `keys`, oldest first: signed by the server or a trusted key, or named by a trusted key. */
export async function believedKeys<Key extends ChainedKey>(
  keys: readonly Key[],
  { servers = [], key: trusted }: { servers?: readonly Uint8Array[]; key?: string },
): Promise<Key[]> {
  const byDigest = new Map(keys.map((key) => [digestOfStatement(key.statement), key]));
  const believed = new Set<Key>();
  for (const key of keys) {
    const previous = previousOf(key);
    const predecessor = byDigest.get(previous ?? "");
    // The server's name contains the BASE_URL at that time.
    const name = key.name.slice(0, key.name.lastIndexOf("/"));
    const signers = [
      ...servers.map((publicKey) => ({ name, publicKey })),
      ...(predecessor && believed.has(predecessor) ? [predecessor] : []),
    ];
    const signed = await Promise.all(signers.map((signer) => isSignedBy(key.statement, signer)));
    if (previous !== undefined && (writeKey(key) === trusted || signed.includes(true))) believed.add(key);
  }
  for (const key of keys.toReversed()) {
    const predecessor = believed.has(key) && byDigest.get(previousOf(key) ?? "");
    if (predecessor && previousOf(predecessor) !== undefined) believed.add(predecessor);
  }
  return keys.filter((key) => believed.has(key));
}
