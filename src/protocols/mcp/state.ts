/**
 * State that an MCP client carries between two rounds of one tool call (`requestState`), encrypted and
 * authenticated, so that it can neither read nor change it, and bound to caller, tool and arguments.
 */

import { limits } from "../../limits.ts";
import { sha256 } from "../../platform/auth/secret.ts";
import type { MasterKey } from "../../platform/master-key.ts";

/** Call for which the state is valid. */
export interface Binding {
  /** Hash of the caller's credential. */
  caller: Uint8Array;
  tool: string;
  arguments: unknown;
}

/** `T`: the remembered data of the tool. */
interface Sealed<T> {
  binding: string;
  expiresAt: number;
  remembered: T;
}

const keyVersion = "1";

const digestOf = ({ caller, tool, arguments: given }: Binding): string =>
  Buffer.from(
    sha256(`${Buffer.from(caller).toString("base64url")}\n${tool}\n${JSON.stringify(given) ?? ""}`),
  ).toString("base64url");

/** Seals for {@link limits.mcp.stateMinutes}. @throws {Problem} `unavailable` without a master key. */
export async function sealState<T>(masterKey: MasterKey, binding: Binding, remembered: T): Promise<string> {
  const expiresAt = Date.now() + limits.mcp.stateMinutes * 60_000;
  const sealed: Sealed<T> = { binding: digestOf(binding), expiresAt, remembered };
  const bytes = Buffer.from(JSON.stringify(sealed));
  return (await masterKey.encrypt("mcp-state", keyVersion, bytes)).toString("base64url");
}

/** Returns the remembered data. @throws {Error} for a state that is foreign, expired or of another call */
export async function openState<T>(masterKey: MasterKey, binding: Binding, text: string): Promise<T> {
  const bytes = await masterKey.decryptByAny("mcp-state", keyVersion, Buffer.from(text, "base64url"));
  if (!bytes) throw new Error("The state is not of this server.");
  const sealed = JSON.parse(new TextDecoder().decode(bytes)) as Sealed<T>;
  if (sealed.binding !== digestOf(binding) || sealed.expiresAt < Date.now())
    throw new Error("The state has expired, or belongs to another call.");
  return sealed.remembered;
}
