/** Master keys in the database: fingerprints to refuse others; previous keys, sealed, for old signatures. */
import { MasterKey, type MasterKeyBytes } from "../master-key.ts";
import { oneRow, type Sql } from "./db.ts";

type KnownKey = { fingerprint: string; state: "current" | "sealed" | "lost"; sealed: Buffer | null };

/** Consequences of replacing a lost master key. */
export const givenUp =
  "the secrets of all webhooks change (rotate each, and give its receiver the new one), and receipts get new keys";

/**
 * Returns a server's master key: the given key that is the database's current one, with all keys that verify.
 * The first use of a database records the first key. While servers are restarted with an additional new key,
 * all still derive from the previous one, which every server knows, until `secret rotate`.
 *
 * @param given empty: a server without a master key, which any database accepts
 * @param source where the keys are set, for the error's sentence
 * @throws {Error} with one line: the database was used with another key
 */
export async function useMasterKey(
  sql: Sql,
  given: readonly MasterKeyBytes[],
  source: string,
  { acceptsNew = false } = {},
): Promise<MasterKey> {
  const [first] = given;
  if (!first) return new MasterKey(undefined);
  const keys = new MasterKey(first, given).all;
  const own = keys.map(({ fingerprint }) => fingerprint);
  const known = await sql<KnownKey[]>`
    select * from formd.master_key_use(
      p_fingerprints => ${own}, p_accepts_new => ${acceptsNew})`;
  const current = known.find(({ state }) => state === "current")?.fingerprint ?? "";
  if (!own.includes(current)) throw new Error(otherKeyMessage(current, own, source));
  const maker = given.find((each) => new MasterKey(each).fingerprint === current) ?? first;
  const previous: MasterKeyBytes[] = [];
  const lost: string[] = [];
  for (const { fingerprint, state, sealed } of known) {
    const opened = sealed && (await openWith(keys, fingerprint, sealed));
    if (opened) previous.push(opened);
    // A key that a lost key has sealed is lost too.
    else if (state !== "current") lost.push(fingerprint);
  }
  return new MasterKey(maker, [...given, ...previous], lost);
}

/** Returns the error if none of the configured master keys is the database's; otherwise undefined. */
export async function otherMasterKey(sql: Sql, given: readonly MasterKeyBytes[], source: string) {
  const [current] = await sql<{ fingerprint: string }[]>`
    select fingerprint from formd.master_keys where state = 'current'`;
  const own = given.map((each) => new MasterKey(each).fingerprint);
  return current && !own.includes(current.fingerprint)
    ? otherKeyMessage(current.fingerprint, own, source)
    : undefined;
}

const otherKeyMessage = (current: string, [own]: string[], source: string) =>
  `the database was used with another master key (${current}; this one is ${own}): put that one into ${source}, or take this one with serve --accept-new-master-key, by which ${givenUp}`;

async function openWith(keys: MasterKey[], fingerprint: string, sealed: Uint8Array) {
  const opened = await Promise.all(keys.map((key) => key.open(fingerprint, sealed)));
  return opened.find((each) => each !== undefined);
}

/**
 * Makes this key the database's current one, and seals the others by it.
 * @param to one of `masterKey`
 * @returns the number of keys that were sealed or resealed
 */
export async function rotateMasterKey(sql: Sql, masterKey: MasterKey, to: MasterKeyBytes): Promise<number> {
  const first = masterKey.of(new MasterKey(to).fingerprint);
  const others = masterKey.all.filter((each) => each !== first);
  const { current, sealed } = oneRow(
    await sql<{ current: boolean; sealed: { fingerprint: string; sealed: string }[] }[]>`
      select bool_or(fingerprint = ${first.fingerprint} and state = 'current') as current,
        coalesce(json_agg(json_build_object('fingerprint', fingerprint, 'sealed', encode(sealed, 'base64')))
          filter (where state = 'sealed'), '[]') as sealed
      from formd.master_keys`,
  );
  const isSealed = async ({ fingerprint }: MasterKey) => {
    const found = sealed.find((each) => each.fingerprint === fingerprint);
    return found && (await first.open(fingerprint, Buffer.from(found.sealed, "base64"))) !== undefined;
  };
  const done = await Promise.all(others.map(isSealed));
  const toSeal = others.filter((_, index) => !done[index]);
  if (current && toSeal.length === 0) return 0;
  await sql`
    select from formd.master_key_rotate(
      p_current => ${first.fingerprint}, p_fingerprints => ${toSeal.map(({ fingerprint }) => fingerprint)},
      p_sealed => ${await Promise.all(toSeal.map(async (key) => Buffer.from(await first.seal(key)).toString("base64")))})`;
  return toSeal.length;
}
