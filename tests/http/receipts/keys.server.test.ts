// stacks: one
/** A key of receipts is one that the server or an earlier key has signed. */
import { expect, test } from "bun:test";
import { connect } from "../../../src/platform/database/db.ts";
import { MasterKey } from "../../../src/platform/master-key.ts";
import { writeStatement } from "../../../src/resources/receipts/chain.ts";
import { signNote, writeKey } from "../../../src/resources/receipts/note.ts";
import {
  ask,
  database,
  formd,
  makeForm,
  makeTeam,
  permissive,
  type Service,
  server,
  settingsFor,
} from "../../setup.ts";
import { verifyReceipt } from "./fixture.ts";

const mallory = new MasterKey(new Uint8Array(32).fill(66));
const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");

async function fixture() {
  const made = await database();
  const settings = { DATABASE_URL: made.url, BASE_URL: "http://localhost:1", ...permissive };
  const start = (key: string, args: string[] = []) =>
    server({ ...settings, FORMD_SECRET_KEY: key }, { args });
  const app = await start(keyOf(7));
  const service = { ...app, database: made } as Service;
  const team = await makeTeam(service);
  const form = await makeForm(service, team, []);
  const headers = { "x-api-key": team.key };
  const submit = async (to: { url: string }) => {
    const reply = await ask(to, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, ...headers },
      body: { data: {} },
    });
    const path = `/papi/v1/management/forms/${form.id}/submissions/${reply.body.data.id}/receipt`;
    return (await ask(to, "GET", path, { headers })).body as string;
  };
  const list = async (of: { url: string }) =>
    (await ask(of, "GET", `/papi/v1/receipt-keys?team=${team.id}`)).body.data;
  /** The first check that fails. */
  const verify = async (note: string, key: string, keys: object) =>
    (await verifyReceipt(note, { key, keys: JSON.stringify(keys) })).failed[0] ?? "valid";
  return { made, app, start, team, submit, list, verify };
}

test("one that the server's login inserted by SQL alone is not listed, signs no receipt, and fails the chain", async () => {
  const { made, app, team, submit, list, verify } = await fixture();
  const genuine = await submit(app);
  const before = await list(app);
  expect(await verify(genuine, before.serverKey, before)).toBe("valid");

  // All that a server's login can write: a key of one's own, signed by itself and by a false server.
  const { privateKey, publicKey } = await mallory.signingKey("receipt", "own");
  const own = { name: before.keys[0].name, publicKey };
  const falseServer = { key: { name: "http://localhost:1/receipts", publicKey }, privateKey };
  const statement = await writeStatement(own, 2, undefined, [falseServer, { key: own, privateKey }]);
  const login = connect(made.url, { poolSize: 1, prepare: false });
  await login`select formd.receipt_key_add(${team.id}, 2, ${own.name}, ${publicKey}, ${statement})`;
  for (const [index, text] of ["", "none", before.keys[0].statement].entries())
    await login`select formd.receipt_key_add(${team.id}, ${3 + index}, ${own.name}, ${publicKey}, ${text})`;
  await login.end();

  expect(await list(app)).toEqual(before);
  const forged = await signNote(`${genuine.split("\n\n")[0]}\n`, own, privateKey);
  const planted = { keys: [...before.keys, { key: writeKey(own), statement }] };
  expect(await verify(forged, before.serverKey, planted)).toBe("chain");
  expect(await verify(forged, before.keys[0].key, { data: planted })).toBe("chain");
  expect(await verify(forged, before.serverKey, before)).toBe("key");
  expect(await verify(genuine, before.serverKey, planted)).toBe("valid");

  // Receipts go on with the genuine key, and a later one follows from it.
  expect(await submit(app)).toContain(genuine.trimEnd().split(" ").at(-1)?.slice(0, 5) as string);
});

test("through a rotation each key follows from the one before, and from the server's", async () => {
  const { made, app, start, submit, list, verify } = await fixture();
  const old = await submit(app);
  const first = await list(app);
  const keys = `${keyOf(8)},${keyOf(7)}`;
  expect((await formd(["secret", "rotate"], { ...settingsFor(made), FORMD_SECRET_KEY: keys })).code).toBe(0);
  const rotated = await start(keyOf(8));
  const recent = await submit(rotated);
  const listed = await list(rotated);
  expect([listed.keys.length, listed.keys[0].key]).toEqual([2, first.keys[0].key]);
  expect(listed.serverKey).not.toBe(first.serverKey);
  for (const note of [old, recent])
    for (const trusted of [first.keys[0].key, first.serverKey, listed.serverKey, listed.keys[1].key])
      expect(await verify(note, trusted, listed)).toBe("valid");
  expect(await verify(recent, first.keys[0].key.replace(/^/, "http://x/"), listed)).toBe("key");
});

test("after the loss of a master key the new server's key vouches for those from before", async () => {
  const { app, start, submit, list, verify } = await fixture();
  const old = await submit(app);
  const first = await list(app);
  await app.stop();
  const other = await start(keyOf(9), ["--accept-new-master-key"]);
  expect(other.log()).toContain("receipts of 1 teams have a new key");
  const keys = await list(other);
  expect(keys.keys.map(({ key }: { key: string }) => key)).toEqual([first.keys[0].key, expect.any(String)]);
  expect(await verify(old, keys.serverKey, keys)).toBe("valid");
  expect(await verify(await submit(other), keys.serverKey, keys)).toBe("valid");
  await other.stop();
  expect((await start(keyOf(9), ["--accept-new-master-key"])).log()).not.toContain("have a new key");
});

test("one that was inserted before the team's first is not vouched for after the loss of the master key, nor is any of that team", async () => {
  const { made, app, start, team, submit, list, verify } = await fixture();
  const { privateKey, publicKey } = await mallory.signingKey("receipt", "own");
  const own = { name: `http://localhost:1/receipts/${team.id}`, publicKey };
  const statement = await writeStatement(own, 1, undefined, [{ key: own, privateKey }]);
  const login = connect(made.url, { poolSize: 1, prepare: false });
  await login`select formd.receipt_key_add(${team.id}, 1, ${own.name}, ${publicKey}, ${statement})`;
  await login.end();
  const genuine = await submit(app);
  const before = await list(app);
  expect(before.keys.map(({ key }: { key: string }) => key)).not.toContain(writeKey(own));
  await app.stop();
  const other = await start(keyOf(9), ["--accept-new-master-key"]);
  expect(other.log()).toContain(`the receipt keys of teams ${team.id} have two first ones`);
  const recent = await submit(other);
  const after = await list(other);
  const forged = await signNote(`${genuine.split("\n\n")[0]}\n`, own, privateKey);
  expect(await verify(forged, after.serverKey, after)).not.toBe("valid");
  expect(await verify(recent, after.serverKey, after)).toBe("valid");
  expect(await verify(genuine, before.keys[0].key, before)).toBe("valid");
});
