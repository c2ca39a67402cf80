import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import { outcome, timestamp, uuid } from "../../expect.ts";
import { permissive, service } from "../../setup.ts";
import { askSigned, idOf, type Key, newKey } from "../../signing.ts";
import { agentsFixture } from "../agents/fixture.ts";

/** A key on a curve of NIST. */
function p256(namedCurve = "P-256") {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve });
  return { publicKey, pem: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

const fixture = await agentsFixture(await service(permissive));
const { app, team, form, key, call, keysOf: list } = fixture;

/** An agent with a grant, since without one no signature is good for anything. */
const freshAgent = () => fixture.freshAgent(["agent:validate"]);
const register = (agent: string, { pem }: { pem: string } = newKey(), more: object = {}) =>
  call(key, "POST", `/${agent}/keys`, { publicKeyPem: pem, ...more });
const revoke = (agent: string, keyId: string) => call(key, "DELETE", `/${agent}/keys/${keyId}`);
const authenticates = async (signer: Key) =>
  outcome(
    await askSigned(app, "/papi/v1/submitter/form/validation", { key: signer, form, body: { data: {} } }),
  );

describe("POST /papi/v1/identity/agents/{agent_id}/keys", () => {
  test("takes a key that works at once, under the id that its PEM makes", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    expect(await authenticates(signer)).toBe("401 unauthorized");
    const { status, body } = await register(id, signer);
    const data = { keyId: signer.id, status: "active", alg: "ed25519" };
    expect([status, body]).toEqual([200, { apiVersion: "v1", data }]);
    expect(await authenticates(signer)).toBe("ok");
  });

  test("another spelling of the same key is another key, by the text as it was sent", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    const pems = [signer.pem, signer.pem.trimEnd(), signer.pem.replaceAll("\n", "\r\n")];
    for (const pem of pems) {
      expect((await register(id, { pem })).body.data.keyId).toBe(idOf(pem));
      expect(await authenticates({ ...signer, id: idOf(pem) })).toBe("ok");
    }
    expect(await list(id)).toHaveLength(3);
  });

  test("a key of P-256 is registered as es256, under its thumbprint, and verifies no signed request", async () => {
    const [id, { pem, publicKey }] = [await freshAgent(), p256()];
    const { body } = await register(id, { pem }, { alg: "es256" });
    expect(body.data).toEqual({ keyId: idOf(pem), status: "active", alg: "es256" });
    expect(await list(id)).toMatchObject([{ keyId: idOf(pem), alg: "es256" }]);
    const [row] = await app.database.sql`
      select thumbprint from formd.signing_keys where team_id = ${team.id} and key_id = ${idOf(pem)}`;
    expect(row?.thumbprint).toBe(await calculateJwkThumbprint(publicKey.export({ format: "jwk" }) as JWK));
    // Signed by an Ed25519 key in its name, as no P-256 key makes 64 bytes that Ed25519 takes.
    expect(await authenticates({ ...newKey(), id: idOf(pem) })).toBe("401 unauthorized");
  });

  const pem = newKey().pem;
  const offCurve = () => {
    const der = p256().publicKey.export({ type: "spki", format: "der" });
    der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
    return `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
  };
  const neutral = `-----BEGIN PUBLIC KEY-----\n${Buffer.from(`302a300506032b657003210001${"00".repeat(31)}`, "hex").toString("base64")}\n-----END PUBLIC KEY-----\n`;
  // Parsing of PEM is tested in tests/unit/public-key.test.ts.
  const faults: [title: string, body: unknown, expected: string][] = [
    ["a point of small order", { publicKeyPem: neutral }, "400 bad_request"],
    ["P-256 without alg", { publicKeyPem: p256().pem }, "400 bad_request"],
    ["P-256 as ed25519", { publicKeyPem: p256().pem, alg: "ed25519" }, "400 bad_request"],
    ["Ed25519 as es256", { publicKeyPem: pem, alg: "es256" }, "400 bad_request"],
    ["P-384 as es256", { publicKeyPem: p256("P-384").pem, alg: "es256" }, "400 bad_request"],
    ["a point beside the curve", { publicKeyPem: offCurve(), alg: "es256" }, "400 bad_request"],
    ["the empty text", { publicKeyPem: "" }, "400 bad_request"],
    ["too long a text", { publicKeyPem: pem + " ".repeat(2000) }, "400 invalid_body"],
    ["U+0000 after it", { publicKeyPem: `${pem}\0` }, "400 invalid_body"],
    ["no PEM at all", {}, "400 invalid_body"],
    ["a list", { publicKeyPem: [pem] }, "400 invalid_body"],
    ["the alg of OAuth", { publicKeyPem: pem, alg: "ES256" }, "400 invalid_body"],
    ["an alg of RSA", { publicKeyPem: pem, alg: "rsa-pss-sha512" }, "400 invalid_body"],
    ["alg in capitals", { publicKeyPem: pem, alg: "Ed25519" }, "400 invalid_body"],
    ["expiresAt now", { publicKeyPem: pem, expiresAt: new Date().toISOString() }, "400 bad_request"],
    ["expiresAt long ago", { publicKeyPem: pem, expiresAt: "2020-01-01T00:00:00Z" }, "400 bad_request"],
    ["expiresAt no date", { publicKeyPem: pem, expiresAt: "tomorrow" }, "400 invalid_body"],
    ["expiresAt a number", { publicKeyPem: pem, expiresAt: 1_900_000_000 }, "400 invalid_body"],
    ["a 30th of February", { publicKeyPem: pem, expiresAt: "2099-02-30T00:00:00Z" }, "400 invalid_body"],
    ["no object", [pem], "400 invalid_body"],
  ];
  test.each(faults)("%s: refused, and no key is there", async (_title, body, expected) => {
    const id = await freshAgent();
    expect(outcome(await call(key, "POST", `/${id}/keys`, body))).toBe(expected);
    expect(await list(id)).toEqual([]);
  });

  test("alg may be sent", async () => {
    expect(outcome(await register(await freshAgent(), newKey(), { alg: "ed25519" }))).toBe("ok");
  });
});

describe("GET /papi/v1/identity/agents/{agent_id}/keys", () => {
  test("lists active and revoked keys, newest first, by page, and no PEM", async () => {
    const id = await freshAgent();
    const keyIds: string[] = [];
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    for (const more of [{}, {}, { expiresAt }])
      keyIds.unshift((await register(id, newKey(), more)).body.data.keyId);
    await revoke(id, keyIds[1] ?? "");
    const { keys, pagination } = (await call(key, "GET", `/${id}/keys`)).body.data;
    const active = {
      id: expect.stringMatching(uuid),
      agentId: id,
      alg: "ed25519",
      status: "active",
      createdAt: expect.stringMatching(timestamp),
      revokedAt: null,
      expiresAt: null,
    };
    expect([keys, pagination]).toEqual([
      [
        { ...active, keyId: keyIds[0], expiresAt },
        { ...active, keyId: keyIds[1], status: "revoked", revokedAt: expect.stringMatching(timestamp) },
        { ...active, keyId: keyIds[2] },
      ],
      { page: 1, limit: 100, total: 3 },
    ]);
    const second = (await call(key, "GET", `/${id}/keys?limit=2&page=2`)).body.data;
    expect([second.keys, second.pagination]).toEqual([[keys[2]], { page: 2, limit: 2, total: 3 }]);
  });
});

describe("DELETE /papi/v1/identity/agents/{agent_id}/keys/{key_id}", () => {
  test("counts from the next call on; a second time says the same", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    await register(id, signer);
    expect(await authenticates(signer)).toBe("ok");
    const data = { keyId: signer.id, status: "revoked" };
    for (let i = 0; i < 2; i++) {
      const { status, body } = await revoke(id, signer.id);
      expect([status, body]).toEqual([200, { apiVersion: "v1", data }]);
      expect(await authenticates(signer)).toBe("401 unauthorized");
    }
  });

  test("finds a key under its own agent only, by its id as it is", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    await register(id, signer);
    for (const keyId of ["key_0000000000000000", signer.id.toUpperCase(), "x"])
      expect(outcome(await revoke(id, keyId))).toBe("404 not_found");
    expect(outcome(await revoke(await freshAgent(), signer.id))).toBe("404 not_found");
    expect(await authenticates(signer)).toBe("ok");
  });
});
