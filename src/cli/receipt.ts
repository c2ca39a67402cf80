/** `formd receipt verify`. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { type } from "arktype";
import { isRecord } from "../fields/values.ts";
import { keyStep } from "../platform/auth/explain-signature.ts";
import { parseSignature } from "../platform/auth/http-signature.ts";
import { believedKeys, type ChainedKey, isServerKey } from "../resources/receipts/chain.ts";
import {
  InvalidNote,
  isSignedByKey,
  type NoteKey,
  openNote,
  parseKey,
  splitNote,
  writeKey,
} from "../resources/receipts/note.ts";
import { commitmentTo, digestOf, readReceipt } from "../resources/receipts/receipt.ts";
import { type CliCommand, jsonOption, printResult } from "./options.ts";

const submitPath = "/papi/v1/submitter/form/submissions";

type Texts = "key" | "keys" | "data" | "salt" | "file" | "agentKey" | "accessKey" | "url";
type Options = Partial<Record<Texts, string>> & { json?: boolean };

const Keys = type({ keys: type({ key: "string", statement: "string" }).array() });
const KeyList = Keys.or({ data: Keys });

interface Check {
  name: "format" | "key" | "signature" | "chain" | "data" | "file" | "agent";
  ok: boolean;
  message: string;
}

export function receiptCommand(root: CliCommand): void {
  root
    .command("receipt")
    .description("receipts of submissions")
    .command("verify")
    .description("verify a receipt, without a network; exit code 1 when a check fails")
    .argument("<file>", "the receipt")
    .option(
      "--key <key>",
      "the public key, as /papi/v1/receipt-keys lists it; without it the signature is not verified, and the receipt is not valid",
    )
    .option(
      "--keys <file>",
      "what /papi/v1/receipt-keys responds: verifies that --key, an earlier key or the server's, has signed the receipt's key",
    )
    .option("--data <file>", "the exact body of the request; with --salt, the stored data as JSON")
    .option("--salt <salt>", "the header receipt-salt that came with the receipt")
    .option("--file <file>", "a file of the submission, whose bytes are compared; with --data and --salt")
    .option("--agent-key <file>", "the agent's public key (PEM): verifies the signature of its request")
    .option("--access-key <key>", "the form's access key, which that signature covers and no receipt has")
    .option(
      "--url <url>",
      "the URL of the signed request (default: the receipt's server and its submit route)",
    )
    .addOption(jsonOption)
    .action(async (file: string, { json, ...options }: Options) => {
      const { checks, text } = await verify(await readFile(file, "utf8"), options);
      const valid = checks.every(({ ok }) => ok);
      const lines = checks.map(({ name, ok, message }) => `${ok ? "ok  " : "FAIL"}  ${name}: ${message}`);
      printResult(json, { valid, checks, receipt: text === undefined ? null : readReceipt(text) }, ...lines);
      const failed = checks.find(({ ok }) => !ok);
      if (failed) throw new Error(`the receipt is not valid: ${failed.name}: ${failed.message}`);
    });
}

/** Runs the checks in order, the others also without a key: no receipt proves who may have signed it. */
async function verify(
  note: string,
  { key, keys, data, salt, file, ...signed }: Options,
): Promise<{ checks: Check[]; text?: string }> {
  if (file !== undefined && (data === undefined || salt === undefined))
    throw new Error("--file needs the stored data: give --data and --salt as well");
  if (keys !== undefined && key === undefined)
    throw new Error("--keys needs a key that you trust: give --key as well");
  try {
    const { text, name } = splitNote(note);
    const checks: Check[] = [{ name: "format", ok: true, message: "it is a signed note" }];
    if (key === undefined)
      checks.push({
        name: "key",
        ok: false,
        message: `the signature is not verified without --key; the receipt says that its key is at ${name}`,
      });
    else checks.push(...(await checkSignature(note, parseKey(key), keys)));
    const receipt = readReceipt(text);
    if (data !== undefined) checks.push(checkData(receipt, await readFile(data), salt));
    if (file !== undefined && data !== undefined) checks.push(await checkFile(file, data));
    if (signed.agentKey !== undefined) checks.push(await checkAgent(receipt, name, signed));
    return { checks, text };
  } catch (error) {
    if (!(error instanceof InvalidNote)) throw error;
    return { checks: [{ name: error.check, ok: false, message: error.message }] };
  }
}

/** @throws {InvalidNote} */
async function checkSignature(note: string, trusted: NoteKey, keys: string | undefined): Promise<Check[]> {
  const listed = keys === undefined ? [] : readKeyList(await readFile(keys, "utf8"));
  const noteKey = listed.find((each) => isSignedByKey(note, each)) ?? trusted;
  await openNote(note, noteKey);
  return [
    { name: "key", ok: true, message: `of ${noteKey.name}` },
    { name: "signature", ok: true, message: "by this key over this text" },
    ...(keys === undefined ? [] : [await checkChain(noteKey, trusted, listed)]),
  ];
}

/** Parses the keys in a response, or in its `data`. @throws {InvalidNote} `key` */
function readKeyList(json: string): ChainedKey[] {
  const found = KeyList(JSON.parse(json));
  if (found instanceof type.errors)
    throw new InvalidNote("key", "The file of --keys is not what /papi/v1/receipt-keys responds.");
  return ("data" in found ? found.data : found).keys.map(({ key, statement }) => {
    const version = Number(/^version: (\d+)$/m.exec(statement)?.[1]);
    return { ...parseKey(key), version, statement };
  });
}

/** Checks whether the trusted key vouches for a receipt's key, directly or through other keys. */
async function checkChain(of: NoteKey, trusted: NoteKey, listed: ChainedKey[]): Promise<Check> {
  const believed = await believedKeys(
    listed,
    isServerKey(trusted) ? { servers: [trusted.publicKey] } : { key: writeKey(trusted) },
  );
  const ok = believed.some((each) => writeKey(each) === writeKey(of));
  return {
    name: "chain",
    ok,
    message: ok
      ? `its key follows from ${trusted.name}`
      : `neither ${trusted.name} nor a key after it has signed its key`,
  };
}

function checkData(
  receipt: ReturnType<typeof readReceipt>,
  bytes: Uint8Array,
  salt: string | undefined,
): Check {
  if (salt === undefined) {
    const ok = digestOf(bytes) === receipt["request-digest"];
    return { name: "data", ok, message: `the file is ${ok ? "" : "not "}the body of the request` };
  }
  const data = JSON.parse(Buffer.from(bytes).toString());
  const ok = commitmentTo(data, Buffer.from(salt, "base64url")) === receipt["data-commitment"];
  return {
    name: "data",
    ok,
    message: `the file is ${ok ? "" : "not "}the data that was accepted, with this salt`,
  };
}

/** Checks whether the data names a file with these bytes. `data` compares the data with the receipt. */
async function checkFile(path: string, dataPath: string): Promise<Check> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  const sha256 = hash.digest("hex");
  const data: unknown = JSON.parse(await readFile(dataPath, "utf8"));
  const named = Object.entries(isRecord(data) ? data : {}).flatMap(([field, value]) =>
    Array.isArray(value) ? value.map((each: unknown) => ({ field, each })) : [],
  );
  const found = named.find(({ each }) => isRecord(each) && each.sha256 === sha256);
  return {
    name: "file",
    ok: found !== undefined,
    message: found ? `it is a file of the field ${found.field}` : "the data names no file with these bytes",
  };
}

/** Checks the agent's signature. The receipt has all that it covers, except access key and URL. */
async function checkAgent(
  receipt: ReturnType<typeof readReceipt>,
  keyName: string,
  { agentKey = "", accessKey = "", url }: Pick<Options, "agentKey" | "accessKey" | "url">,
): Promise<Check> {
  const { "agent-signature-input": input, "agent-signature": signature, accepted = "" } = receipt;
  if (input === undefined) return { name: "agent", ok: false, message: "the request was not signed" };
  const server = keyName.slice(0, keyName.lastIndexOf("/receipts/"));
  const { host: authority, pathname: path, search } = new URL(url ?? `${server}${submitPath}`);
  const headers = new Headers({
    "content-type": "application/json",
    "content-digest": receipt["request-digest"] ?? "",
    "x-form-access-key": accessKey,
    "signature-input": `sig1=${input}`,
    signature: `sig1=${signature}`,
  });
  const message = { method: "POST", authority, path, query: search || "?", headers };
  const parsed = parseSignature(message, Math.floor(Date.parse(accepted) / 1000));
  const step = parsed.step ?? (await keyStep(parsed, await readFile(agentKey, "utf8")));
  return step === undefined
    ? { name: "agent", ok: true, message: "its signature is by this key over this request" }
    : { name: "agent", ok: false, message: `its signature fails at: ${step}` };
}
