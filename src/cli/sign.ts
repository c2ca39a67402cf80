/** `formd sign`: signs a request, or explains why a signed one fails. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import process from "node:process";
import { text as textOf } from "node:stream/consumers";
import { type } from "arktype";
import { type Command, InvalidArgumentError } from "commander";
import { type BareItem, type InnerList, serializeDictionary } from "structured-headers";
import {
  type FailureStep,
  importKey,
  type Message,
  type ParsedSignature,
  parseSignature,
  signatureBase,
  verifyWithKey,
} from "../auth/http-signature.ts";
import { jwkOf, keyIdOf, spkiOf } from "../auth/public-key.ts";
import { limits } from "../limits.ts";
import { Problem } from "../problem.ts";
import { jsonOption, print } from "./options.ts";

interface Options {
  json?: boolean;
  key?: string;
  keyId?: string;
  accessKey?: string;
  data?: string;
  explain?: string;
  publicKey?: string;
  at?: number;
}

/** The input of `--explain`. */
const Captured = type({
  method: "string",
  url: "string",
  headers: "Record<string, string>",
  "body?": "string | object",
});

/** What to check, by the step that failed. */
const advice: Record<FailureStep, string> = {
  "signature-input":
    "Signature-Input must be a dictionary (RFC 8941) with the member sig1, once, whose value is a list of components in parentheses.",
  signature:
    "Signature must be a dictionary with the member sig1, once: 64 bytes in base64 between colons, with S below the group's order.",
  components:
    "Covered must be @method, @authority, @path and x-form-access-key (lower case, no parameters, none twice), and every covered header must be in the request.",
  parameters: `Needed are created (whole seconds), keyid, alg="ed25519" and nonce (16 bytes in base64url: 22 characters). With tag="web-bot-auth": created, expires at most ${limits.webBotAuth.maxLifetimeHours} hours later, keyid and nonce (${limits.webBotAuth.minNonceBytes} to ${limits.webBotAuth.maxNonceBytes} bytes in base64).`,
  created: `created must be within ${limits.signature.maxSkewSeconds} seconds of the server's clock, and expires, if there, not past. Pass --at to check a request of another time.`,
  "content-digest":
    "A request with a body must cover content-digest, and its sha-256 must be that of the body's exact bytes.",
  key: 'The key id is not the one of this public key: it is key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was registered, or with tag="web-bot-auth" the key\'s JWK thumbprint.',
  verify:
    "The signature is not by this key over the expected signature base; compare the base below with what was signed, byte for byte.",
};

export function signCommand(root: Command): void {
  root
    .command("sign")
    .description(
      "sign a request (prints headers, signature base and a curl line), or explain why a signed one fails",
    )
    .argument("[method]", "such as POST")
    .argument("[url]", "an absolute URL")
    .option("--key <file>", "the agent's private key (PEM); it is read, never sent")
    .option("--key-id <id>", "its key id (default: the one of the public key's PEM as OpenSSL writes it)")
    .option("--access-key <key>", "the form's access key")
    .option("--data <json>", "the body; @file reads a file, @- standard input")
    .option(
      "--explain <file>",
      'a captured request {"method","url","headers","body"} as JSON: print which step fails',
    )
    .option("--public-key <file>", "with --explain: the registered public key (PEM), to verify with")
    .option(
      "--at <seconds>",
      "with --explain: the server's clock, in seconds since 1970 (default: now)",
      requireSeconds,
    )
    .addOption(jsonOption)
    .action(
      async (method: string | undefined, url: string | undefined, options: Options, command: Command) => {
        if (options.explain) return await explain(options.explain, options);
        if (!method || !url || !options.key)
          return command.error("error: missing METHOD, URL or --key", { exitCode: 2 });
        await signRequest(method.toUpperCase(), url, options.key, options);
      },
    );
}

/** Signs by the specification's profile of RFC 9421 and prints what to send. */
async function signRequest(
  method: string,
  address: string,
  keyFile: string,
  { json, keyId, accessKey, data }: Options,
): Promise<void> {
  const url = urlOf(address);
  const privateKey = await privateKeyOf(keyFile);
  const body = data === undefined ? "" : await dataOf(data);
  const headers: Record<string, string> = {};
  if (accessKey) headers["x-form-access-key"] = accessKey;
  if (body) {
    headers["content-type"] = "application/json";
    const digest = createHash("sha256").update(body).digest();
    headers["content-digest"] = serializeDictionary({ "sha-256": digest });
  }
  const covered = ["@method", "@authority", "@path"];
  covered.push(...Object.keys(headers).filter((name) => name !== "content-type"));
  const input: InnerList = [
    covered.map((name) => [name, new Map()]),
    new Map<string, BareItem>([
      ["created", Math.floor(Date.now() / 1000)],
      ["keyid", keyId ?? keyIdOf(publicPemOf(privateKey))],
      ["alg", "ed25519"],
      ["nonce", randomBytes(16).toString("base64url")],
    ]),
  ];
  const base = signatureBase(messageOf(method, url, headers, body), input);
  if (base === undefined) throw new Problem("bad_request", "The access key may hold ASCII characters only.");
  headers["signature-input"] = serializeDictionary({ sig1: input });
  headers.signature = serializeDictionary({ sig1: sign(null, Buffer.from(base), privateKey) });
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const curl = [`curl -X ${method} ${quoted(url.href)}`, ...lines.map((line) => `-H ${quoted(line)}`)];
  if (body) curl.push(`--data-binary ${quoted(body)}`);
  print(
    json,
    { headers, base, curl: curl.join(" ") },
    "# headers",
    ...lines,
    "",
    "# signature base",
    base,
    "",
    `# valid once, for ${limits.signature.maxSkewSeconds / 60} minutes`,
    curl.join(" \\\n  "),
  );
}

/** Prints the first step at which a captured request fails, as the server would log it. */
async function explain(file: string, { json, publicKey, at }: Options): Promise<void> {
  const captured = Captured(JSON.parse(await readFile(resolve(file), "utf8")));
  if (captured instanceof type.errors)
    throw new Problem("bad_request", `The captured request: ${captured.summary}`);
  const { method, url: address, headers, body = "" } = captured;
  const url = urlOf(address);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const isResponse = /\/challenges\/[^/]+\/responses$/.test(url.pathname);
  const message = messageOf(method.toUpperCase(), url, headers, text);
  const parsed = parseSignature(message, at ?? Math.floor(Date.now() / 1000), {
    accessKeyIsOptional: isResponse,
  });
  const step =
    parsed.step ??
    (publicKey ? await keyStep(parsed, await readFile(resolve(publicKey), "utf8")) : undefined);
  const passed = publicKey
    ? "Every step passes."
    : "Every step that needs no key passes; give --public-key to verify the signature.";
  const explanation = step ? advice[step] : passed;
  print(
    json,
    { ok: step === undefined, step: step ?? null, advice: explanation, base: parsed.base ?? null },
    step ? `fails at: ${step}` : "passes",
    explanation,
    ...(parsed.base ? ["", "# expected signature base", parsed.base] : []),
  );
}

function urlOf(address: string): URL {
  const url = URL.parse(address);
  if (!url) throw new Problem("bad_request", `${address} is not an absolute URL.`);
  return url;
}

/** A request as the server sees it: its authority is the Host header, if there is one, without a default port. */
function messageOf(method: string, url: URL, sent: Record<string, string>, body: string): Message {
  const headers = new Headers(sent);
  return {
    method,
    authority: urlOf(`${url.protocol}//${headers.get("host") ?? url.host}`).host,
    path: url.pathname,
    query: url.search || "?",
    headers,
    bytes: new TextEncoder().encode(body),
  };
}

/** The step at which a parsed signature fails by the key of a PEM, undefined when it is by that key. */
export async function keyStep(parsed: ParsedSignature, pem: string): Promise<FailureStep | undefined> {
  const spki = spkiOf(pem);
  const key = await importKey(spki);
  if (parsed.keyId !== keyIdOf(pem) && parsed.keyId !== jwkOf(spki).kid) return "key";
  return (await verifyWithKey(key, parsed)) ? undefined : "verify";
}

function requireSeconds(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError("It must be whole seconds since 1970.");
  return Number(text);
}

async function privateKeyOf(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(resolve(file), "utf8"));
  if (key.asymmetricKeyType !== "ed25519")
    throw new Problem(
      "bad_request",
      `${file} holds no Ed25519 key; create one with: openssl genpkey -algorithm ed25519`,
    );
  return key;
}

/** The PEM that `openssl pkey -pubout` writes. */
const publicPemOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: "spki", format: "pem" }).toString();

const dataOf = async (data: string): Promise<string> => {
  if (data === "@-") return await textOf(process.stdin);
  return data.startsWith("@") ? await readFile(resolve(data.slice(1)), "utf8") : data;
};
