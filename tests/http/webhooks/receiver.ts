/** A receiver of webhooks on this machine. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { assertWebhook } from "../../contract.ts";
import { onCleanup } from "../../setup.ts";

export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the expectations say what it should be
  body: any;
  at: number;
}

export interface Receiver {
  url: string;
  received: Received[];
  responded: number;
  /** Requests that have not been responded to, at most at a time. */
  maxConcurrent: number;
}

/** The settings of a server that may send to receivers. */
export const local = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8" };

type Response = [status: number, headers?: Record<string, string>, body?: string];

/** Starts a receiver; `respond` gives status, headers and body, at once or later. */
export async function receiver(
  respond: (received: Received, count: number) => Response | Promise<Response> = () => [204],
): Promise<Receiver> {
  let concurrent = 0;
  const made: Receiver = { url: "", received: [], responded: 0, maxConcurrent: 0 };
  const server = createServer(async (request, response) => {
    made.maxConcurrent = Math.max(made.maxConcurrent, ++concurrent);
    const text = (await buffer(request)).toString();
    const received = { headers: request.headers, text, body: JSON.parse(text), at: Date.now() };
    made.received.push(received);
    assertWebhook(received.body);
    const [status, headers, body] = await respond(received, made.received.length);
    concurrent--;
    response.writeHead(status, headers).end(body, () => made.responded++);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return made;
}
