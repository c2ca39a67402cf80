/** The official MCP client, connected to a server under test. */
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from "@modelcontextprotocol/client";
import { freshIp } from "./setup.ts";

/** The server's address as its BASE_URL has it, which the metadata names. */
export const baseOf = ({ url }: { url: string }): string => url.replace("127.0.0.1", "localhost");

/** Response of a person to an elicitation: values of a form, or the outcome at the page. */
export type Answer = (request: {
  mode?: string;
  message: string;
  url?: string;
  requestedSchema?: { properties: Record<string, Record<string, unknown>>; required?: string[] };
}) => unknown;

/**
 * Connects a client of revision 2026-07-28.
 *
 * @param answer with this the client declares elicitation in both modes
 */
export async function connect(
  to: { url: string },
  transport: StreamableHTTPClientTransportOptions,
  { answer, ...options }: ClientOptions & { answer?: Answer } = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      capabilities: answer ? { elicitation: { form: {}, url: {} } } : {},
      ...options,
    },
  );
  if (answer)
    client.setRequestHandler("elicitation/create", ({ params }) => answer(params as never) as never);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseOf(to)}/mcp`), transport));
  return client;
}

/** The headers of a request, as the client's options have them; each client has an IP of its own. */
export const withHeaders = (headers: Record<string, string>): StreamableHTTPClientTransportOptions => ({
  requestInit: {
    headers: {
      "x-forwarded-for": freshIp(),
      ...headers,
    },
  },
});

export const asAgentToken = ({ token }: { token: string }) =>
  withHeaders({ authorization: `Bearer ${token}` });
export const asOwner = (key: string) => withHeaders({ "x-api-key": key });
