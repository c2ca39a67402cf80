import { expect, test } from "bun:test";
import { MasterKey } from "../../src/platform/master-key.ts";
import { believedKeys, type ChainedKey, writeStatement } from "../../src/resources/receipts/chain.ts";
import { type NoteKey, type Signer, writeKey } from "../../src/resources/receipts/note.ts";

const base = "https://forms.example.org/receipts";
const masterKey = new MasterKey(new Uint8Array(32).fill(7));
const stranger = new MasterKey(new Uint8Array(32).fill(9));

async function signer(of: MasterKey, name: string, id: string): Promise<Signer> {
  const { privateKey, publicKey } = await of.signingKey("receipt", id);
  return { key: { name, publicKey }, privateKey };
}
const keyOf = (version: number, of = masterKey) => signer(of, `${base}/team`, `team ${version}`);

async function link(version: number, previous: ChainedKey | undefined, by: Signer[], of = masterKey) {
  const { key } = await keyOf(version, of);
  return { ...key, version, statement: await writeStatement(key, version, previous, by) };
}

const server = await signer(masterKey, base, "server");
const foreign = await signer(stranger, base, "server");
const servers = [server.key.publicKey];
const versions = async (keys: ChainedKey[], trusted: Parameters<typeof believedKeys>[1]) =>
  (await believedKeys(keys, trusted)).map(({ version }) => version);

test("keys that the server or the one before has signed are believed", async () => {
  const first = await link(1, undefined, [server]);
  const second = await link(2, first, [await keyOf(1)]);
  const third = await link(3, second, [server, await keyOf(2)]);
  expect(await versions([first, second, third], { servers })).toEqual([1, 2, 3]);
  expect(await versions([first, second, third], { servers: [foreign.key.publicKey] })).toEqual([]);
  expect(await versions([first, second, third], {})).toEqual([]);
});

test("a key that nobody has signed is not, nor what follows from it, and others stay", async () => {
  const first = await link(1, undefined, [server]);
  const own = await link(2, first, [foreign], stranger);
  const next = await link(3, own, [await keyOf(2, stranger)], stranger);
  const fourth = await link(4, first, [server, await keyOf(1)]);
  const keys = [first, own, next, fourth];
  expect(await versions(keys, { servers })).toEqual([1, 4]);
  for (const statement of [
    "",
    "none",
    first.statement,
    own.statement.replace("version: 2", "version: 3"),
    fourth.statement,
  ])
    expect(await versions([first, { ...own, statement }, fourth], { servers })).toEqual([1, 4]);
});

test("the statement of one key is of no use for another key, another version or another team", async () => {
  const first = await link(1, undefined, [server]);
  const other: NoteKey = (await keyOf(2, stranger)).key;
  for (const changed of [
    { ...first, publicKey: other.publicKey },
    { ...first, version: 2 },
    { ...first, name: `${base}/another` },
  ])
    expect(await versions([changed], { servers })).toEqual([]);
});

test("a kept key verifies the keys after it, and the keys that it names", async () => {
  const first = await link(1, undefined, [server]);
  const second = await link(2, first, [await keyOf(1)]);
  const third = await link(3, second, [await keyOf(2)]);
  for (const kept of [first, second, third])
    expect(await versions([first, second, third], { key: writeKey(kept) })).toEqual([1, 2, 3]);
  // After the loss of a master key only the new server's signature is left: it names the key before it.
  const renewed = await link(4, third, [foreign]);
  expect(await versions([first, second, third, renewed], { servers: [foreign.key.publicKey] })).toEqual([
    1, 2, 3, 4,
  ]);
});

test("a signature line of another text is not valid", async () => {
  const first = await link(1, undefined, [server]);
  const second = await link(2, first, [server]);
  const [text] = second.statement.split("\n\n");
  const [, lines] = first.statement.split("\n\n");
  expect(await versions([{ ...second, statement: `${text}\n\n${lines}` }], { servers })).toEqual([]);
});
