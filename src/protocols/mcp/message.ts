/** The body of a request to `/mcp`: one JSON-RPC message. */
import { type } from "arktype";
import { isRecord } from "../../fields/definition.ts";
import { isExact } from "../../fields/values.ts";
import { limits } from "../../limits.ts";
import {
  decodeBody,
  parseWith,
  type Reviver,
  requireBounded,
  requireJson,
} from "../../platform/http/body.ts";
import { documented } from "../../platform/http/documented.ts";
import { notJson } from "../../platform/http/json-fault.ts";
import { Problem } from "../../problem.ts";

/** The shape of a request, for the OpenAPI document. */
export const McpMessage = documented(
  type({ jsonrpc: "'2.0'", method: "string", "id?": "string | number", "params?": "object" }),
  "One JSON-RPC message of the Model Context Protocol.",
);

/** Members of a message that formd reads before the SDK does. */
export interface JsonRpcMessage {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: {
    name?: unknown;
    arguments?: unknown;
    inputResponses?: unknown;
    _meta?: unknown;
  };
}

/** The levels that a message has around the arguments of a tool. */
const envelopeLevels = 3;

/** ECMAScript, JSON.parse source text access: a number's literal, which JSON.stringify writes as is. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** Checks for a number that {@link parseMessage} has kept as a literal. */
export const isLiteral = (value: unknown): boolean => isRawJSON(value);

/** Numbers that are not exact as a double stay literals, so that the route gets them as sent. */
const keepLiterals: Reviver = (_key, value, { source }) =>
  typeof value === "number" && !isExact(value, source) ? rawJSON(source) : value;

/** Without any of these, a text has no such number. */
const suspicious = /\d{16}|\d[eE]/;

/** @throws {Problem} `invalid_content_type`; `invalid_body` unless an object (2025-06-18: no batches). */
export function parseMessage(request: Request, bytes: Uint8Array): JsonRpcMessage {
  requireJson(request);
  const text = decodeBody(bytes);
  requireBounded(text, "The message", limits.body.maxDepth + envelopeLevels);
  let message: unknown;
  try {
    message = suspicious.test(text) ? parseWith(text, keepLiterals) : JSON.parse(text);
  } catch {
    throw new Problem("invalid_body", notJson(text));
  }
  if (!isRecord(message)) throw new Problem("invalid_body", "The body must be one JSON-RPC message.");
  const { params = {} } = message;
  if (!isRecord(params)) throw new Problem("invalid_body", "The params of a message must be an object.");
  requireShortEnvelope(message);
  return message;
}

/** @throws {Problem} `invalid_body` beyond `limits.mcp.maxEnvelopeValues`: the SDK takes 4 µs per value. */
function requireShortEnvelope(message: JsonRpcMessage): void {
  const { maxEnvelopeValues } = limits.mcp;
  const left: unknown[] = [{ ...message, params: { ...message.params, arguments: undefined } }];
  for (let count = 0; left.length > 0; count++) {
    const value = left.pop();
    if (typeof value === "object" && value !== null)
      for (const member of Object.values(value)) left.push(member);
    if (count + left.length > maxEnvelopeValues)
      throw new Problem(
        "invalid_body",
        `Without its arguments, the message may have at most ${maxEnvelopeValues} values.`,
      );
  }
}
