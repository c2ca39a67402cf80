/** `formd sign`: help for people who sign requests. @module */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { text as textOf } from "node:stream/consumers";
import { type } from "arktype";
import { type Command, InvalidArgumentError } from "commander";
import {
  type FailureStep,
  importKey,
  type Message,
  type ParsedSignature,
  parseSignature,
  verifyWithKey,
} from "../auth/http-signature.ts";
import { keyIdOf, spkiOf } from "../auth/public-key.ts";
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

/** A captured request, as `--explain` reads it. */
const Captured = type({
  method: "string",
  url: "string",
  headers: "Record<string, string>",
  "body?": "string | object",
});

/** What to look at, by the step that failed. */
const advice: Record<FailureStep, string> = {
  "signature-input":
    "Signature-Input must be a dictionary (RFC 8941) with the member sig1, once, whose value is a list of components in parentheses.",
  signature:
    "Signature must be a dictionary with the member sig1, once: 64 bytes in base64 between colons, with S below the group's order.",
  components:
    "Covered must be @method, @authority, @path and x-form-access-key (lower case, no parameters, none twice), and every covered header must be in the request.",
  parameters:
    'Needed are created (whole seconds), keyid, alg="ed25519" and nonce (16 bytes in base64url: 22 characters).',
  created: `created must be within ${limits.signature.maxSkewSeconds} seconds of the server's clock, and expires, if there, not past. Pass --at to judge a request of another time.`,
  "content-digest":
    "A request with a body must cover content-digest, and its sha-256 must be that of the body's very bytes.",
  key: "The key id is not the one of this public key: it is key_ and the first 16 hex characters of the SHA-256 of the PEM text as it was registered.",
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
    .argument("[url]", "the whole address")
    .option("--key <file>", "the agent's private key (PEM); it is read, never sent")
    .option("--key-id <id>", "its key id (default: that of the public key's PEM as OpenSSL writes it)")
    .option("--access-key <key>", "the form's access key")
    .option("--data <json>", "the body; @file reads a file, @- standard input")
    .option(
      "--explain <file>",
      'a captured request {"method","url","headers","body"} as JSON: say which step fails',
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
  const url = URL.parse(address);
  if (!url) throw new Problem("bad_request", `${address} is not an address.`);
  const privateKey = await privateKeyOf(keyFile);
  const body = data === undefined ? "" : await dataOf(data);
  const components = ["@method", "@authority", "@path"];
  const headers: Record<string, string> = {};
  if (accessKey) {
    headers["x-form-access-key"] = accessKey;
    components.push("x-form-access-key");
  }
  if (body) {
    headers["content-type"] = "application/json";
    headers["content-digest"] = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
    components.push("content-digest");
  }
  const id = keyId ?? keyIdOf(publicPemOf(privateKey));
  const parameters = `(${components.map((name) => `"${name}"`).join(" ")});created=${Math.floor(Date.now() / 1000)};keyid="${id}";alg="ed25519";nonce="${randomBytes(16).toString("base64url")}"`;
  const values: Record<string, string> = {
    "@method": method,
    "@authority": url.host,
    "@path": url.pathname,
    ...headers,
  };
  const base = [
    ...components.map((name) => `"${name}": ${values[name]}`),
    `"@signature-params": ${parameters}`,
  ].join("\n");
  headers["signature-input"] = `sig1=${parameters}`;
  headers.signature = `sig1=:${sign(null, Buffer.from(base), privateKey).toString("base64")}:`;
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const curl = [
    `curl -X ${method} ${quoted(url.href)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ];
  if (body) curl.push(`--data-binary ${quoted(body)}`);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  print(
    json,
    { headers, base, curl: curl.join(" ") },
    "# headers",
    ...lines,
    "",
    "# signature base",
    base,
    "",
    "# good once, for 5 minutes",
    curl.join(" \\\n  "),
  );
}

/** Says the first step that a captured request fails at, as the server would log it. */
async function explain(file: string, { json, publicKey, at }: Options): Promise<void> {
  const captured = Captured(JSON.parse(await readFile(file, "utf8")));
  if (captured instanceof type.errors)
    throw new Problem("bad_request", `The captured request: ${captured.summary}`);
  const { method, url: address, headers, body = "" } = captured;
  if (!URL.canParse(address)) throw new Problem("bad_request", `${address} is not an address.`);
  const url = new URL(address);
  const given = new Headers(headers);
  const message: Message = {
    method: method.toUpperCase(),
    authority: new URL(`${url.protocol}//${given.get("host") ?? url.host}`).host,
    path: url.pathname,
    query: url.search || "?",
    headers: given,
    bytes: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
  };
  const isResponse = /\/challenges\/[^/]+\/responses$/.test(url.pathname);
  const examined = parseSignature(message, at ?? Math.floor(Date.now() / 1000), isResponse);
  const step =
    examined.step ?? (publicKey ? await keyStep(examined, await readFile(publicKey, "utf8")) : undefined);
  const said = step
    ? advice[step]
    : publicKey
      ? "Every step passes."
      : "Every step passes that needs no key; give --public-key to verify.";
  print(
    json,
    { ok: step === undefined, step: step ?? null, advice: said, base: examined.base ?? null },
    step ? `fails at: ${step}` : "passes",
    said,
    ...(examined.base ? ["", "# expected signature base", examined.base] : []),
  );
}

async function keyStep(examined: ParsedSignature, pem: string): Promise<FailureStep | undefined> {
  const key = await importKey(spkiOf(pem));
  if (examined.keyId !== keyIdOf(pem)) return "key";
  return (await verifyWithKey(key, examined)) ? undefined : "verify";
}

function requireSeconds(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError("It must be whole seconds since 1970.");
  return Number(text);
}

async function privateKeyOf(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file, "utf8"));
  if (key.asymmetricKeyType !== "ed25519")
    throw new Problem(
      "bad_request",
      `${file} holds no Ed25519 key; make one with: openssl genpkey -algorithm ed25519`,
    );
  return key;
}

/** The PEM that `openssl pkey -pubout` writes. */
const publicPemOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: "spki", format: "pem" }).toString();

const dataOf = async (data: string): Promise<string> => {
  if (data === "@-") return await textOf(process.stdin);
  return data.startsWith("@") ? await readFile(data.slice(1), "utf8") : data;
};
