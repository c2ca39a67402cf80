/** `formd webhook listen`: shows a webhook's requests to developers. */
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyDelivery } from "../resources/webhooks/signature.ts";
import { report } from "./database.ts";
import { type CliCommand, jsonOption, numberLike, printResult } from "./options.ts";

const requirePort = numberLike(/^\d{1,5}$/, "a port, from 0 to 65535", 0, 65_535);

type Options = { json?: boolean; port: number; secret?: string };

export function webhookCommand(root: CliCommand): void {
  root
    .command("webhook")
    .description("webhooks, for developers of receivers")
    .command("listen")
    .description("receive webhooks on this machine and print one line per event, until Ctrl-C")
    .option("--port <port>", "the port to listen on", requirePort, 9000)
    .option(
      "--secret <secret>",
      "the webhook's secret (whsec_…): verifies each event, and refuses invalid ones",
    )
    .addOption(jsonOption)
    .action((options: Options) => listen(options));
}

async function listen({ json, port, secret }: Options): Promise<void> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const headers = headersOf(request);
    const fault = secret === undefined ? undefined : verifyDelivery(headers, body, secret);
    const verified = secret === undefined ? "not verified" : fault ? `invalid: ${fault}` : "verified";
    const event = { id: headers["webhook-id"], verified, body: parsed(body) };
    printResult(json, event, `${event.id}  ${verified}  ${body.toString()}`);
    response.writeHead(fault ? 400 : 204).end();
  });
  const { promise, reject } = Promise.withResolvers<void>();
  server.on("error", reject);
  server.listen(port, "127.0.0.1", () =>
    report(`listening at http://127.0.0.1:${port}; the server needs OUTGOING_ALLOWED_NETWORKS=127.0.0.1`),
  );
  await promise;
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** Parses the body as JSON, or else returns it as text. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}
