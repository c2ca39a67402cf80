/** The shape of a request to `/mcp`. */
import { type } from "arktype";
import { documented } from "../../platform/http/documented.ts";

export const McpMessage = documented(
  type({ jsonrpc: "'2.0'", method: "string", "id?": "string | number", "params?": "object" }),
  "One JSON-RPC message of the Model Context Protocol.",
);
