/** Results of `formd receipt verify`. */
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formd, temporaryFolder } from "../../setup.ts";

/** Options of the command; an option that names a file has its content here. */
interface VerifyOptions {
  key?: string;
  keys?: string;
  data?: string;
  salt?: string;
  file?: Uint8Array;
  "agent-key"?: string;
  "access-key"?: string;
  url?: string;
}
const namesOfFiles = ["keys", "data", "file", "agent-key"];

interface Check {
  name: string;
  ok: boolean;
  message: string;
}

/** Verifies a receipt: exit status 0 if it is valid, and 1 if not; `failed` names the checks that fail. */
export async function verifyReceipt(note: string, options: VerifyOptions) {
  const folder = temporaryFolder();
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const list = Object.entries(options).flatMap(([name, value]) => [
    `--${name}`,
    namesOfFiles.includes(name) ? write(name, value) : value,
  ]);
  const { code, stdout, stderr } = await formd(["receipt", "verify", write("note", note), ...list, "--json"]);
  if (stdout === "") throw new Error(`${code}: ${stderr}`);
  const { valid, checks }: { valid: boolean; checks: Check[] } = JSON.parse(stdout);
  expect([code, stderr.includes("the receipt is not valid")]).toEqual(valid ? [0, false] : [1, true]);
  return { valid, checks, stderr, failed: checks.flatMap(({ name, ok }) => (ok ? [] : name)) };
}
