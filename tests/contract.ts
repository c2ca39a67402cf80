/**
 * The contract: every exchange of the black-box tests is held against tests/openapi.json, which
 * openapi.test.ts keeps equal to what the server serves. A response must be described: its status, its media
 * type, its shape, with no member that is not. A request that the document does not allow must not succeed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape; redocly checks what is read from it
type Json = any;

interface Described {
  pattern: RegExp;
  operation: Json;
  pointer: string;
}

export interface Sent {
  method: string;
  /** With the query. */
  path: string;
  sent: Headers;
  /** A value that is sent as JSON, or the text or bytes themselves. */
  body: unknown;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: unknown;
}

let contract: ReturnType<typeof load> | undefined;

function load() {
  const document: Json = JSON.parse(readFileSync(join(import.meta.dir, "openapi.json"), "utf8"));
  const open = ajvOf(document);
  const closed = ajvOf(close(document, document));
  const described: Record<string, Described[]> = {};
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    for (const [method, operation] of Object.entries<Json>(item)) {
      const pointer = `paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/${method}`;
      described[method.toUpperCase()] ??= [];
      described[method.toUpperCase()]?.push({ pattern, operation, pointer });
    }
  }
  // A literal path comes before one with a parameter in the same place.
  for (const list of Object.values(described)) {
    list.sort((a, b) => a.pattern.source.split("[^/]+").length - b.pattern.source.split("[^/]+").length);
  }
  return { document, open, closed, described };
}

/** Asserts that a webhook's body matches the document for its type, and has no undocumented member. */
export function assertWebhook(body: unknown): void {
  contract ??= load();
  const { type } = body as { type: string };
  if (!contract.document.webhooks[type]) throw new Error(`contract: there is no webhook ${type}`);
  const pointer = `webhooks/${type}/post/requestBody/content/application~1json/schema`;
  const validate = contract.closed(pointer);
  if (!validate(body)) throw new Error(`contract: ${type}: ${JSON.stringify([body, validate.errors])}`);
}

type Validators = (pointer: string) => ValidateFunction;

/** Compiled when first needed, once. */
function ajvOf(document: Json, options = {}): Validators {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ...options });
  addFormats(ajv);
  ajv.addSchema({ $id: "formd", ...document });
  return (pointer) => {
    const found = ajv.getSchema(`formd#/${pointer}`);
    if (!found) throw new Error(`the document has no ${pointer}`);
    return found as ValidateFunction;
  };
}

/**
 * The document with every object shut that does not say that it is open: what a response adds undocumented is
 * an error.
 */
function close(node: Json, document: Json): Json {
  if (Array.isArray(node)) return node.map((each) => close(each, document));
  if (typeof node !== "object" || node === null) return node;
  // A named shape with one more member is one object, since each half would refuse the other.
  if (node.allOf?.[0]?.$ref) {
    const [{ $ref }, { properties }] = node.allOf;
    const shape = document.components.schemas[$ref.split("/").at(-1)];
    return close({ ...shape, properties: { ...shape.properties, ...properties } }, document);
  }
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, close(value, document)]));
  const isShape = typeof node.properties === "object" && node.type !== undefined;
  return isShape && node.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}

const mediaTypeOf = (headers: Headers) => (headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";

/** @throws {Error} when the exchange is not one that the document describes. */
export function assertContract(request: Sent, answer: Answered): void {
  const { method, path } = request;
  // The router takes a slash at the end for none.
  const plainPath = path.split("?")[0]?.replace(/(?<=.)\/$/, "") ?? "";
  if (
    !/^\/(?:papi\/v1|console|oauth|\.well-known|f)\//.test(plainPath) ||
    ["HEAD", "OPTIONS"].includes(method)
  )
    return;
  // The document describes errors as programs get them; a browser gets pages.
  if (plainPath.startsWith("/f/") && !request.sent.get("accept")?.includes("application/json")) return;
  if (plainPath === "/papi/v1/docs/reference.js") return;
  contract ??= load();
  const found = contract.described[method]?.find(({ pattern }) => pattern.test(plainPath));
  const fail = (why: string): never => {
    throw new Error(`contract: ${method} ${path} → ${answer.status}: ${why}\n${JSON.stringify(answer.body)}`);
  };
  if (!found) {
    if (![400, 404, 405].includes(answer.status)) fail("the document has no such operation");
    check(contract.closed("components/schemas/Error"), answer.body, fail);
    return;
  }
  assertResponse(contract.closed, found, answer, fail);
  if (answer.status < 300) assertRequest(contract.open, found, request, fail);
}

type Fail = (why: string) => never;

function check(validate: ValidateFunction, value: unknown, fail: Fail, what = "the body"): void {
  if (validate(value)) return;
  fail(
    (validate.errors ?? [])
      .map(
        ({ instancePath, message, params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
      )
      .join("; "),
  );
}

function assertResponse(
  validators: Validators,
  found: Described,
  { status, headers, body }: Answered,
  fail: Fail,
): void {
  const described = found.operation.responses[status];
  if (!described) fail("the status is not described");
  const pointer = described.$ref?.slice(2) ?? `${found.pointer}/responses/${status}`;
  const response = described.$ref
    ? contract?.document.components.responses[described.$ref.split("/").at(-1)]
    : described;
  const media = mediaTypeOf(headers);
  if (!response.content[media]) fail(`the media type ${media} is not described`);
  for (const [name, { $ref }] of Object.entries<Json>(response.headers ?? {})) {
    // Only a query with an unknown parameter is warned of.
    if ($ref && name !== "warning" && !headers.has(name)) fail(`the header ${name} is missing`);
  }
  check(validators(`${pointer}/content/${media.replace("/", "~1")}/schema`), body, fail);
}

const coercing = new Ajv2020({ strict: false, coerceTypes: true });
addFormats(coercing);
const parameterChecks = new WeakMap<object, ValidateFunction>();

/** A request that was granted must be one that the document allows. */
function assertRequest(
  validators: Validators,
  { operation, pointer }: Described,
  { path, sent, body }: Sent,
  fail: Fail,
): void {
  const query = new URLSearchParams(path.split("?")[1]);
  const listed: Json[] = (operation.parameters ?? []).filter(({ in: place }: Json) => place !== "path");
  const values = Object.fromEntries(
    listed
      .map(({ name, in: place }) => [name, place === "query" ? query.get(name) : sent.get(name)])
      .filter(([, value]) => value !== null),
  );
  const shape = parameterChecks.get(operation) ?? coercing.compile(objectOf(listed));
  parameterChecks.set(operation, shape);
  check(shape, values, fail, "parameters");
  if (!operation.security.some((needed: object) => Object.keys(needed).every((s) => has(s, sent))))
    fail("the request carries no credential of those described");
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  if (text === undefined || text === "") {
    if (operation.requestBody?.required) fail("the request has no body");
    return;
  }
  if (!operation.requestBody || mediaTypeOf(sent) === "application/x-www-form-urlencoded") return;
  if (operation.requestBody.content["application/octet-stream"]) return;
  const value = typeof text === "string" ? JSON.parse(text) : JSON.parse(JSON.stringify(text));
  check(validators(`${pointer}/requestBody/content/application~1json/schema`), value, fail);
}

const objectOf = (parameters: Json[]) => ({
  type: "object",
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

function has(scheme: string, headers: Headers): boolean {
  const { in: place, name } = contract?.document.components.securitySchemes[scheme] ?? {};
  return place === "cookie"
    ? (headers.get("cookie") ?? "").includes(`${name.replace("__Host-", "")}=`)
    : headers.has(name);
}
