/** Operators' passwords: scrypt (RFC 7914). The salt has its parameters, so that they can be raised. */
import { randomBytes, scrypt } from "node:crypto";
import pLimit from "p-limit";
import { unavailable } from "../../problem.ts";

/** OWASP's minimum with 32 MiB: N = 2^15, r = 8, p = 3. About 0.2 s of a core, off the event loop. */
const parameters = "scrypt$32768$8$3";

/** Limits of password hashes for sign-ins: computed at a time, and queued. */
const maxInFlight = 2;
const maxQueued = 20;

/** Sender of a password: a stranger, or a browser or session that has proved it before. */
type Asker = "stranger" | "known";

/** A fresh salt with today's parameters. */
export const makeSalt = (): string => `${parameters}$${randomBytes(16).toString("base64url")}`;

/** Salt for an unknown e-mail, so that the response takes as long as for a known one. */
const dummySalt = makeSalt();

/** Derives 64 bytes from a password and a salt (null: a dummy). */
export function hashPassword(password: string, salt: string | null): Promise<Uint8Array> {
  const [, n, r, p, bytes] = (salt ?? dummySalt).split("$");
  const options = { N: Number(n), r: Number(r), p: Number(p), maxmem: 128 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), Buffer.from(bytes ?? "", "base64url"), 64, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** One additional hash at a time for known senders, so that a flood of strangers does not delay them. */
const queues = { stranger: pLimit(maxInFlight), known: pLimit(1) };

/** {@link hashPassword}, in a queue. @throws {Problem} `unavailable` if the queue is full. */
export async function hashPasswordInTurn(password: string, salt: string | null, asker: Asker = "stranger") {
  const hashing = queues[asker];
  if (hashing.pendingCount >= maxQueued) throw unavailable("Too many sign-ins are in progress.", 5);
  return await hashing(hashPassword, password, salt);
}

/** Generates a password of 128 bits, to be copied once. */
export const makePassword = (): string => randomBytes(16).toString("base64url");
