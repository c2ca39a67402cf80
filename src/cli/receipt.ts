/** `formd receipt verify`. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { InvalidNote, openNote, parseKey } from "../receipts/note.ts";
import { commitmentTo, digestOf, readReceipt } from "../receipts/receipt.ts";
import { jsonOption, print } from "./options.ts";

interface Options {
  json?: boolean;
  key: string;
  data?: string;
  salt?: string;
}

interface Check {
  name: "format" | "key" | "signature" | "data";
  ok: boolean;
  message: string;
}

export function receiptCommand(root: Command): void {
  root
    .command("receipt")
    .description("receipts of submissions")
    .command("verify")
    .description("verify a receipt, without a network; exit code 1 when a check fails")
    .argument("<file>", "the receipt")
    .requiredOption("--key <key>", "the public key, as /papi/v1/receipt-keys lists it")
    .option("--data <file>", "the exact body of the request; with --salt, the stored data as JSON")
    .option("--salt <salt>", "the header receipt-salt that came with the receipt")
    .addOption(jsonOption)
    .action(async (file: string, { json, ...options }: Options) => {
      const { checks, text } = await verify(await readFile(file, "utf8"), options);
      const valid = checks.every(({ ok }) => ok);
      const lines = checks.map(({ name, ok, message }) => `${ok ? "ok  " : "FAIL"}  ${name}: ${message}`);
      print(json, { valid, checks, receipt: text === undefined ? null : readReceipt(text) }, ...lines);
      const failed = checks.find(({ ok }) => !ok);
      if (failed) throw new Error(`the receipt is not valid: ${failed.name}: ${failed.message}`);
    });
}

/** The checks in their order; after one that fails, none. */
async function verify(
  note: string,
  { key, data, salt }: Options,
): Promise<{ checks: Check[]; text?: string }> {
  try {
    const noteKey = parseKey(key);
    const text = await openNote(note, noteKey);
    const checks: Check[] = [
      { name: "format", ok: true, message: "it is a signed note" },
      { name: "key", ok: true, message: `of ${noteKey.name}` },
      { name: "signature", ok: true, message: "by this key over this text" },
    ];
    if (data !== undefined) checks.push(checkData(readReceipt(text), await readFile(data), salt));
    return { checks, text };
  } catch (error) {
    if (!(error instanceof InvalidNote)) throw error;
    return { checks: [{ name: error.check, ok: false, message: error.message }] };
  }
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
