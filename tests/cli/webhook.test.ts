// stacks: one deno
import { expect, test } from "bun:test";
import { MasterKey, parseMasterKey } from "../../src/platform/master-key.ts";
import { DeliverySigner, secretsOf } from "../../src/resources/webhooks/signature.ts";
import { until } from "../expect.ts";
import { background, freePort } from "../setup.ts";

test("webhook listen prints each event as one line, and refuses events that are not signed by the secret", async () => {
  const masterKey = new MasterKey(parseMasterKey(Buffer.alloc(32, 7).toString("base64")));
  const id = { team: "t", webhook: "w", version: 1, key: masterKey.fingerprint };
  const { secret } = await secretsOf(masterKey, id);
  const port = await freePort();
  const listen = ["webhook", "listen", "--port", `${port}`, "--secret", secret, "--json"];
  const { printed } = background(listen, {});
  await until(() => printed.stderr.includes("listening"));
  const body = '{"type":"webhook.test"}';
  const timestamp = Math.floor(Date.now() / 1000);
  const send = async (text: string) =>
    await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: {
        "webhook-id": "e",
        "webhook-timestamp": String(timestamp),
        "webhook-signature": await new DeliverySigner(masterKey).sign([id], "e", timestamp, body),
      },
      body: text,
    });
  expect((await send(body)).status).toBe(204);
  expect((await send(`${body} `)).status).toBe(400);
  await until(() => printed.stdout.split("\n").length > 2);
  expect(
    printed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { id: "e", verified: "verified", body: JSON.parse(body) },
    { id: "e", verified: expect.stringContaining("no v1 signature"), body: JSON.parse(body) },
  ]);
});
