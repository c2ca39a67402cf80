/** Requests as a client sends them; each exchange is held against the OpenAPI document. */
import { assertContract } from "../contract.ts";

/** The random part of every secret that the tests created or received. */
const secrets = new Set<string>();

/** Remembers the secrets in a text. @returns the text */
export function rememberSecrets(text: string): string {
  for (const [, random = ""] of text.matchAll(/fd[kasfo]_[\w-]{22,43}([\w-]{43})(?![\w-])/g))
    secrets.add(random);
  return text;
}

/** The first line of a log that holds one of them, or a password. */
export function findLeak(log: string): string | undefined {
  const holdsOne = (word: string) => {
    for (let i = 0; i + 43 <= word.length; i++) if (secrets.has(word.slice(i, i + 43))) return true;
    return false;
  };
  return log
    .split("\n")
    .find((line) => line.includes("correct horse") || (line.match(/[\w-]{43,}/g) ?? []).some(holdsOne));
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends; expectations say what it should be
  body: any;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown;
  /**
   * The client IP; another one for every request unless given, so that no rate limit is reached by chance.
   */
  ip?: string;
}

let lastIp = Math.floor(Math.random() * 2 ** 24);

/**
 * A client IP that no other request of this process has: of random ones, two of a few thousand would be equal
 * now and then.
 */
export function freshIp(): string {
  lastIp = (lastIp + 1) % 2 ** 24;
  return `10.${lastIp >> 16}.${(lastIp >> 8) & 255}.${lastIp & 255}`;
}

/** One request; a body is JSON unless the headers say otherwise. */
export async function ask(
  { url }: { url: string },
  method: string,
  path: string,
  { headers = {}, body, ip = path === "/metrics" ? "127.0.0.1" : freshIp() }: RequestOptions = {},
): Promise<Reply> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const sent = new Headers({
    "x-forwarded-for": ip,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...headers,
  });
  const reply = await fetch(url + path, {
    method,
    headers: sent,
    ...(body !== undefined && { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = rememberSecrets(await reply.text());
  rememberSecrets(reply.headers.get("set-cookie") ?? "");
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/.test(reply.headers.get("content-type") ?? "");
  const response = {
    status: reply.status,
    headers: reply.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
  assertContract({ method, path, sent, body }, response);
  return response;
}
