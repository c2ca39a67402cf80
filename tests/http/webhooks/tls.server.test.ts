// stacks: one deno
/** TLS of deliveries: the certificate must be one that is trusted, for the name in the webhook's URL. */
import { beforeAll, describe, expect } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { until } from "../../expect.ts";
import { ask, makeForm, makeTeam, onCleanup, service, temporaryFolder, testRequiring } from "../../setup.ts";
import { local } from "./receiver.ts";

const folder = temporaryFolder();
const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
let port: number;
let received = 0;

beforeAll(async () => {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-new", "-x509", "-days", "2", "-nodes", ...subject, ...files], {
    stdio: "ignore",
  });
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (_, response) => {
    received++;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onCleanup(async () => {
    server.close();
  });
  port = (server.address() as AddressInfo).port;
});

/** The delivery of a submission to a host, by a server with this environment. */
async function deliveryTo(host: string, environment: Record<string, string>) {
  const app = await service({ ...local, ...environment });
  const team = await makeTeam(app);
  const form = await makeForm(app, team, []);
  const headers = { "x-api-key": team.key };
  const webhooks = "/papi/v1/management/webhooks";
  const body = { url: `https://${host}:${port}/`, eventTypes: ["submission.created"], formId: form.id };
  const { webhook } = (await ask(app, "POST", webhooks, { headers, body })).body.data;
  await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { ...headers, "x-form-access-key": form.accessKey },
    body: { data: {} },
  });
  const read = async () =>
    (await ask(app, "GET", `${webhooks}/${webhook.id}/deliveries`, { headers })).body.data.deliveries[0];
  await until(async () => (await read())?.lastStatus ?? (await read())?.lastError);
  return await read();
}

const trusting = { NODE_EXTRA_CA_CERTS: certificate, DENO_CERT: certificate };
const test = testRequiring("openssl");

describe("a delivery over TLS", () => {
  test("goes to a server whose certificate is trusted and has its name, and to no other", async () => {
    expect(await deliveryTo("localhost", trusting)).toMatchObject({ state: "delivered", lastStatus: 204 });
    expect(received).toBe(1);
    // The same server by a name that the certificate does not have; and a certificate of which nothing is
    // known.
    for (const [host, environment] of [
      ["127.0.0.1", trusting],
      ["localhost", {}],
    ] as const)
      expect(await deliveryTo(host, environment)).toMatchObject({
        state: "due",
        lastStatus: null,
        lastError: expect.any(String),
      });
    expect(received).toBe(1);
  });
});
