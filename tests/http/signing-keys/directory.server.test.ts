// stacks: one months
import { expect, test } from "bun:test";
import { createPublicKey, verify } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import { until } from "../../expect.ts";
import { ask, server, service } from "../../setup.ts";

const path = "/.well-known/http-message-signatures-directory";

test("the server's own keys are published, and each has signed the authority that was asked", async () => {
  const app = await service();
  const { headers, body } = await ask(app, "GET", path);
  expect(headers.get("content-type")).toBe("application/http-message-signatures-directory+json");
  const [key] = body.keys;
  expect(key).toMatchObject({ kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig" });
  expect(key.kid).toBe(await calculateJwkThumbprint(key));

  const input = headers.get("signature-input")?.replace("binding0=", "") ?? "";
  const now = Math.floor(Date.now() / 1000);
  const [, created, expires, tag] =
    /^\("@authority";req\);created=(\d+);expires=(\d+);keyid="[\w-]{43}";alg="ed25519";tag="([\w-]+)"$/.exec(
      input,
    ) ?? [];
  expect(tag).toBe("http-message-signatures-directory");
  expect(Number(created)).toBeWithin(now - 5, now + 1);
  expect(Number(expires)).toBe(Number(created) + 300);
  const base = `"@authority";req: ${new URL(app.url).host}\n"@signature-params": ${input}`;
  const signature = Buffer.from(headers.get("signature")?.slice("binding0=:".length, -1) ?? "", "base64");
  expect(verify(null, Buffer.from(base), createPublicKey({ key, format: "jwk" }), signature)).toBe(true);
});

test("the keys are those of the master key: the same on every instance, and 503 without one", async () => {
  const app = await service();
  const DATABASE_URL = app.database.url;
  const there = await server({ DATABASE_URL });
  const without = await server({ DATABASE_URL, FORMD_SECRET_KEY: undefined as never });
  expect((await ask(there, "GET", path)).body).toEqual((await ask(app, "GET", path)).body);
  const refused = await ask(without, "GET", path);
  expect([refused.status, refused.body.error]).toEqual([503, expect.stringContaining("FORMD_SECRET_KEY")]);
});

test("a response is made once per host and half a minute, for strangers pay nothing for it", async () => {
  const app = await service();
  const signedFor = async (host: string) => {
    const { headers } = await fetch(`http://${host}:${new URL(app.url).port}${path}`);
    return headers.get("signature");
  };
  const first = await signedFor("127.0.0.1");
  const other = await signedFor("localhost");
  // In another second another signature would be made.
  const begun = Math.floor(Date.now() / 1000);
  await until(() => Math.floor(Date.now() / 1000) > begun);
  expect([await signedFor("127.0.0.1"), await signedFor("localhost")]).toEqual([first, other]);
  expect(other).not.toBe(first);
});
