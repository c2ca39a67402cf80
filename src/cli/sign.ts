/** `formd sign`: signs a request, or explains why a signed one fails. */
import type { KeyObject } from "node:crypto";
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import process from "node:process";
import { text as readText } from "node:stream/consumers";
import { type } from "arktype";
import { type BareItem, type InnerList, serializeDictionary } from "structured-headers";
import { limits } from "../limits.ts";
import { explainSignature } from "../platform/auth/explain-signature.ts";
import { type SignedMessage, signatureBase } from "../platform/auth/http-signature.ts";
import { keyIdOf } from "../platform/auth/public-key.ts";
import { Problem } from "../problem.ts";
import { type CliCommand, numberLike, type Printed } from "./options.ts";

type Texts = "key" | "keyId" | "accessKey" | "data" | "explain" | "publicKey";
type Options = Partial<Record<Texts, string>> & { at?: number };

/** The input of `--explain`. */
const Captured = type({
  method: "string",
  url: "string",
  headers: "Record<string, string>",
  "body?": "string | object",
});

export function signCommand(root: CliCommand): void {
  root
    .command("sign")
    .description(
      "sign a request (prints headers, signature base and a curl line), or explain why a signed one fails",
    )
    .argument("[method]", "such as POST")
    .argument("[url]", "an absolute URL")
    .option("--key <file>", "the agent's private key (PEM); it is read, never sent")
    .option("--key-id <id>", "its key id (default: computed from the public key's PEM as OpenSSL writes it)")
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
      numberLike(/^\d{1,12}$/, "whole seconds since 1970"),
    )
    .prints(
      async (method: string | undefined, url: string | undefined, options: Options, command: CliCommand) => {
        if (options.explain) return await explain(options.explain, options);
        if (!method || !url || !options.key)
          return command.error("error: missing METHOD, URL or --key", { exitCode: 2 });
        return await signRequest(method.toUpperCase(), url, options.key, options);
      },
    );
}

/** Signs by the specification's profile of RFC 9421, and prints the headers to send. */
async function signRequest(
  method: string,
  address: string,
  keyFile: string,
  { keyId, accessKey, data }: Options,
): Promise<Printed> {
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
  return [
    { headers, base, curl: curl.join(" ") },
    "# headers",
    ...lines,
    "",
    "# signature base",
    base,
    "",
    `# valid once, for ${limits.signature.maxSkewSeconds / 60} minutes`,
    curl.join(" \\\n  "),
  ];
}

/** Prints the first step at which a captured request fails, as the server would log it. */
async function explain(file: string, { publicKey, at }: Options): Promise<Printed> {
  const captured = Captured(JSON.parse(await readFile(resolve(file), "utf8")));
  if (captured instanceof type.errors)
    throw new Problem("bad_request", `The captured request: ${captured.summary}`);
  const { method, url: address, headers, body = "" } = captured;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const message = messageOf(method.toUpperCase(), urlOf(address), headers, text);
  const pem = publicKey && (await readFile(resolve(publicKey), "utf8"));
  const { step, advice, base } = await explainSignature(message, at ?? Math.floor(Date.now() / 1000), pem);
  const more =
    step === "created"
      ? " Pass --at to check a request of another time."
      : !step && !pem && " Give --public-key to verify the signature.";
  const explanation = advice + (more || "");
  return [
    { ok: step === undefined, step: step ?? null, advice: explanation, base: base ?? null },
    step ? `fails at: ${step}` : "passes",
    explanation,
    ...(base ? ["", "# expected signature base", base] : []),
  ];
}

function urlOf(address: string): URL {
  const url = URL.parse(address);
  if (!url) throw new Problem("bad_request", `${address} is not an absolute URL.`);
  return url;
}

/** The request as the server sees it. Its authority is the Host header, if any, without default port. */
function messageOf(method: string, url: URL, sent: Record<string, string>, body: string): SignedMessage {
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

async function privateKeyOf(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(resolve(file), "utf8"));
  if (key.asymmetricKeyType !== "ed25519")
    throw new Problem(
      "bad_request",
      `${file} holds no Ed25519 key; create one with: openssl genpkey -algorithm ed25519`,
    );
  return key;
}

/** The PEM, as `openssl pkey -pubout` writes it. */
const publicPemOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: "spki", format: "pem" }).toString();

const dataOf = async (data: string): Promise<string> => {
  if (data === "@-") return await readText(process.stdin);
  return data.startsWith("@") ? await readFile(resolve(data.slice(1)), "utf8") : data;
};
