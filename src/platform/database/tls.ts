/** TLS as in libpq: `sslmode` and `sslrootcert` of the URL (PostgreSQL documentation, section 34.19). */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

/** TLS option of postgres.js. False: none. "prefer": if the server has it, without a certificate check. */
export type Tls = false | "prefer" | "require" | ConnectionOptions;

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

/** The message completes "it must be …". */
export class TlsError extends Error {
  override name = "TlsError";
}

/**
 * Removes `sslmode` and `sslrootcert` from a URL's parameters.
 *
 * `allow` is treated as `prefer`, which tries TLS first. `require` with a root certificate is `verify-ca`, as
 * in libpq. Without a root certificate, the runtime's own are trusted.
 *
 * @param isSocket a Unix socket has no TLS
 * @throws {TlsError} for an unknown mode, or a file that cannot be read
 */
export function takeTls(parameters: URLSearchParams, isSocket: boolean): Tls {
  const mode = parameters.get("sslmode") ?? "prefer";
  const file = parameters.get("sslrootcert");
  for (const name of ["sslmode", "sslrootcert"]) parameters.delete(name);
  if (!modes.some((each) => each === mode))
    throw new TlsError(`a URL with an sslmode of ${modes.join(", ")}`);
  if (isSocket || mode === "disable") return false;
  if (mode === "allow" || mode === "prefer") return "prefer";
  if (mode === "require" && !file) return "require";
  const ca = file && file !== "system" ? { ca: readCertificate(file) } : {};
  if (mode === "verify-full") return ca;
  return { ...ca, checkServerIdentity: () => undefined };
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new TlsError("a URL whose sslrootcert is a file that can be read", { cause });
  }
}
