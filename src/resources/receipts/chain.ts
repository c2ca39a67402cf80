/**
 * Why a key of receipts can be believed: its statement, a signed note by the key before it and by the
 * server's own key, which is derived from the master key. Who writes to the database has neither, so that a
 * key that was put there without a server is found out. Pure.
 *
 * The statement names the one before it by its digest, so that a key also vouches for those from before it:
 * after the loss of a master key nothing else would.
 */
import { InvalidNote, type NoteKey, openNote, type Signer, signNote, writeKey } from "./note.ts";
import { digestOf } from "./receipt.ts";

export interface ChainedKey extends NoteKey {
  version: number;
  /** A signed note of {@link textOf}. */
  statement: string;
}

/** What a verifier believes. */
interface Trusted {
  /** Public keys of the server. */
  servers?: readonly Uint8Array[];
  /** A key of receipts, as {@link writeKey} has it. */
  key?: string;
}

const serverKeySuffix = "/receipts";

/** The name of the server's own key, which signs those of its teams. */
export const serverKeyName = (baseUrl: string): string => `${baseUrl}${serverKeySuffix}`;
/** The name of a team's key. */
export const teamKeyName = (baseUrl: string, team: string): string => `${serverKeyName(baseUrl)}/${team}`;
/** Whether a key is the server's own, not that of a team. */
export const isServerKey = ({ name }: NoteKey): boolean => name.endsWith(serverKeySuffix);

const heading = "formd receipt key\n";
const none = "none";

/** What a statement states. */
const textOf = (key: NoteKey, version: number, previous: string): string =>
  `${heading}key: ${writeKey(key)}\nversion: ${version}\nprevious: ${previous}\n`;

/** The text of a statement, and its signature lines. */
function split(statement: string): { text: string; lines: string[] } {
  const [text = "", signatures = ""] = statement.split("\n\n");
  return { text: `${text}\n`, lines: signatures.split("\n").filter(Boolean) };
}

/** What a later statement calls this one. */
const digestOfStatement = (statement: string): string => digestOf(Buffer.from(split(statement).text));

/**
 * @param previous the newest key that is believed; undefined for the first one
 * @param signers the server's key, and that of `previous` if the server has it
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

/** The digest of the statement before that of a key; undefined: the statement is of another key. */
const previousOf = (key: ChainedKey): string | undefined => {
  const [, previous = ""] = /\nprevious: (\S+)\n$/.exec(split(key.statement).text) ?? [];
  return split(key.statement).text === textOf(key, key.version, previous) ? previous : undefined;
};

/** Those of a team's keys that say that none was before. Of keys that servers have made, one does. */
export const firstKeysOf = <Key extends ChainedKey>(keys: readonly Key[]): Key[] =>
  keys.filter((key) => previousOf(key) === none);

/**
 * Those of a team's keys that can be believed, oldest first: signed by the server, by one that is believed,
 * or named by one.
 *
 * @param keys oldest first
 */
export async function believedKeys<Key extends ChainedKey>(
  keys: readonly Key[],
  { servers = [], key: trusted }: Trusted,
): Promise<Key[]> {
  const byDigest = new Map(keys.map((key) => [digestOfStatement(key.statement), key]));
  const believed = new Set<Key>();
  for (const key of keys) {
    const previous = previousOf(key);
    const predecessor = byDigest.get(previous ?? "");
    // The server's name was made of the BASE_URL of the time.
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
