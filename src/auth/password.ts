/**
 * Operators' passwords: scrypt (RFC 7914) by node:crypto. The salt carries its parameters, so that they can be raised later.
 *
 * @module
 */
import { randomBytes, scrypt } from "node:crypto";

/** OWASP's minimum, in the form that takes 32 MiB: N = 2^15, r = 8, p = 3. About 0.2 s of one core, off the event loop. */
const parameters = "scrypt$32768$8$3";

/** A fresh salt with today's parameters. */
export const makeSalt = (): string => `${parameters}$${randomBytes(16).toString("base64url")}`;

/** A salt for an e-mail that nobody has, so that the answer takes as long as for one that somebody has. */
const dummySalt = makeSalt();

/** The 64 bytes that a password comes to with a salt (or with nobody's). */
export function hashPassword(password: string, salt: string | null): Promise<Uint8Array> {
  const [, n, r, p, bytes] = (salt ?? dummySalt).split("$");
  const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: 128 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), Buffer.from(bytes ?? "", "base64url"), 64, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** A password for people to copy once: 128 bits. */
export const makePassword = (): string => randomBytes(16).toString("base64url");
