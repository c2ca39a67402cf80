import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";
import { outcome, timestamp, unknownId, uuid } from "../../expect.ts";
import {
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  makeWorkspace,
  permissive,
  type Reply,
  service,
} from "../../setup.ts";
import { askSigned, idOf, type Key, newKey } from "../../signing.ts";
import { makeCallers } from "../callers.ts";

/** A key on a curve of NIST. */
function p256(namedCurve = "P-256") {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve });
  return { publicKey, pem: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const app = await service(permissive);
const [team, other] = [await makeTeam(app), await makeTeam(app)];
const form = await makeForm(app, team, []);
const formOfOthers = await makeForm(app, other, []);
const as = await makeCallers(app, team, other, await makeWorkspace(app, team));
const key: Record<string, string> = { "x-api-key": team.key };

const call = (headers: Record<string, string>, method: string, to: string, body?: unknown) =>
  ask(app, method, `/papi/v1/identity/agents/${to}`, {
    headers: { "content-type": "application/json", ...headers },
    body,
  });
const register = (agent: string, { pem }: { pem: string } = newKey(), more: object = {}, headers = key) =>
  call(headers, "POST", `${agent}/keys`, { publicKeyPem: pem, ...more });
const revoke = (agent: string, keyId: string, headers = key) =>
  call(headers, "DELETE", `${agent}/keys/${keyId}`);
const list = async (agent: string, headers = key) =>
  (await call(headers, "GET", `${agent}/keys`)).body.data.keys;
const freshAgent = async () => (await makeAgent(app, team, form)).id;
const authenticates = async (signer: Key, to = form) =>
  outcome(
    await askSigned(app, "/papi/v1/submitter/form/validation", { key: signer, form: to, body: { data: {} } }),
  );

describe("who may call the routes of keys", () => {
  const columns = ["list", "register", "revoke"] as const;
  const requests: Record<
    (typeof columns)[number],
    (headers: Record<string, string>, id: string, keyId: string) => Promise<Reply>
  > = {
    list: (headers, id) => call(headers, "GET", `${id}/keys`),
    register: (headers, id) => register(id, newKey(), {}, headers),
    revoke: (headers, id, keyId) => revoke(id, keyId, headers),
  };
  const everywhere = (outcome: string) => columns.map(() => outcome);
  const role = "403 insufficient_workspace_role";
  const may: [caller: string, ...outcomes: string[]][] = [
    //                list  register  revoke
    ["no credentials", ...everywhere("401 unauthorized")],
    ["key forms:write", ...everywhere("ok")],
    ["key forms:read", ...everywhere("403 missing_scope")],
    ["key submissions:read", ...everywhere("403 missing_scope")],
    ["key submissions:update", ...everywhere("403 missing_scope")],
    ["key submissions:delete", ...everywhere("403 missing_scope")],
    ["key submissions:write", ...everywhere("403 missing_scope")],
    ["admin", ...everywhere("ok")],
    ["editor", ...everywhere("ok")],
    ["viewer", "ok", role, role],
    ["admin of another workspace", ...everywhere("404 not_found")],
    ["key of another team", ...everywhere("404 not_found")],
    ["admin of another team", ...everywhere("404 not_found")],
  ];
  test.each(may)("%s: %s, %s, %s; and what is refused changes nothing", async (caller, ...outcomes) => {
    for (const [index, column] of columns.entries()) {
      const id = await freshAgent();
      const { keyId } = (await register(id)).body.data;
      const before = await list(id);
      const reply = await requests[column](as[caller] ?? {}, id, keyId);
      expect({ column, outcome: outcome(reply) }).toEqual({ column, outcome: outcomes[index] ?? "" });
      if (reply.status !== 200) expect(await list(id)).toEqual(before);
    }
  });

  test("a change by cookie without a JSON content type or from a foreign Origin is csrf_rejected", async () => {
    const id = await freshAgent();
    const { keyId } = (await register(id)).body.data;
    for (const headers of [{ "content-type": "text/plain" }, { origin: "https://evil.example" }] as Record<
      string,
      string
    >[]) {
      expect(outcome(await register(id, newKey(), {}, { ...as.admin, ...headers }))).toBe(
        "403 csrf_rejected",
      );
      expect(outcome(await revoke(id, keyId, { ...as.admin, ...headers }))).toBe("403 csrf_rejected");
    }
    expect(await list(id)).toHaveLength(1);
  });
});

describe("POST /papi/v1/identity/agents/{agent_id}/keys", () => {
  test("takes a key that works at once, under the id that its PEM makes", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    expect(await authenticates(signer)).toBe("401 unauthorized");
    const { status, body } = await register(id, signer);
    expect([status, body]).toEqual([
      200,
      { apiVersion: "v1", data: { keyId: signer.id, status: "active", alg: "ed25519" } },
    ]);
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

  test("the same PEM again is the key that stands", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    const first = await register(id, signer);
    expect((await register(id, signer, { expiresAt: inAnHour() })).body).toEqual(first.body);
    expect(await list(id)).toMatchObject([{ keyId: signer.id, expiresAt: null }]);
  });

  test("a PEM of another agent of the team is a conflict; one that was revoked stays revoked", async () => {
    const [mine, another, signer] = [await freshAgent(), await freshAgent(), newKey()];
    await register(mine, signer);
    expect(outcome(await register(another, signer))).toBe("409 conflict");
    await revoke(mine, signer.id);
    for (const agent of [mine, another]) expect(outcome(await register(agent, signer))).toBe("409 conflict");
    expect(await authenticates(signer)).toBe("401 unauthorized");
  });

  test("another team neither blocks a key nor borrows it", async () => {
    const [mine, signer] = [await freshAgent(), newKey()];
    const theirs = (await makeAgent(app, other, formOfOthers)).id;
    const byThem = { "x-api-key": other.key };
    expect(outcome(await register(theirs, signer, {}, byThem))).toBe("ok");
    expect(await authenticates(signer)).toBe("401 unauthorized");
    expect(outcome(await register(mine, signer))).toBe("ok");
    expect([await authenticates(signer), await authenticates(signer, formOfOthers)]).toEqual(["ok", "ok"]);
    await revoke(theirs, signer.id, byThem);
    expect([await authenticates(signer), await authenticates(signer, formOfOthers)]).toEqual([
      "ok",
      "401 unauthorized",
    ]);
  });

  test("of 25 at once an agent gets 20; a revoked one makes room", async () => {
    const id = await freshAgent();
    const replies = await Promise.all(Array.from({ length: 25 }, () => register(id)));
    expect(replies.map(outcome).sort()).toEqual([...Array(5).fill("409 conflict"), ...Array(20).fill("ok")]);
    expect(outcome(await register(id))).toBe("409 conflict");
    await revoke(id, replies.find(({ status }) => status === 200)?.body.data.keyId);
    expect([outcome(await register(id)), outcome(await register(id))]).toEqual(["ok", "409 conflict"]);
  });

  test("of 20 agents that register one PEM at once, one gets it", async () => {
    const signer = newKey();
    const agents = await Promise.all(Array.from({ length: 20 }, freshAgent));
    const replies = await Promise.all(agents.map((id) => register(id, signer)));
    expect(replies.map(outcome).sort()).toEqual([...Array(19).fill("409 conflict"), "ok"]);
  });

  test("with expiresAt it works until then", async () => {
    const [id, signer, expiresAt] = [await freshAgent(), newKey(), inAnHour()];
    await register(id, signer, { expiresAt });
    expect(await authenticates(signer)).toBe("ok");
    expect(await list(id)).toMatchObject([{ status: "active", expiresAt }]);
    await app.database.sql`update formd.signing_keys set expires_at = now() where key_id = ${signer.id}`;
    expect(await authenticates(signer)).toBe("401 unauthorized");
    expect(await list(id)).toMatchObject([{ status: "active", revokedAt: null }]);
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
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const spki = (type: "x25519" | "rsa") =>
    (type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 1024 })
      : generateKeyPairSync("x25519")
    ).publicKey.export({ type: "spki", format: "pem" });
  const neutral = `-----BEGIN PUBLIC KEY-----\n${Buffer.from(`302a300506032b657003210001${"00".repeat(31)}`, "hex").toString("base64")}\n-----END PUBLIC KEY-----\n`;
  const faults: [title: string, body: unknown, expected: string][] = [
    [
      "a private key",
      { publicKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }) },
      "400 bad_request",
    ],
    ["a point of small order", { publicKeyPem: neutral }, "400 bad_request"],
    ["X25519", { publicKeyPem: spki("x25519") }, "400 bad_request"],
    ["RSA", { publicKeyPem: spki("rsa") }, "400 bad_request"],
    ["P-256 without alg", { publicKeyPem: p256().pem }, "400 bad_request"],
    ["P-256 as ed25519", { publicKeyPem: p256().pem, alg: "ed25519" }, "400 bad_request"],
    ["Ed25519 as es256", { publicKeyPem: pem, alg: "es256" }, "400 bad_request"],
    ["P-384 as es256", { publicKeyPem: p256("P-384").pem, alg: "es256" }, "400 bad_request"],
    ["a point beside the curve", { publicKeyPem: offCurve(), alg: "es256" }, "400 bad_request"],
    ["another alg", { publicKeyPem: pem, alg: "ES256" }, "400 invalid_body"],
    [
      "two blocks",
      { publicKeyPem: pem + publicKey.export({ type: "spki", format: "pem" }) },
      "400 bad_request",
    ],
    ["trailing garbage", { publicKeyPem: `${pem}x` }, "400 bad_request"],
    ["no PEM", { publicKeyPem: "ssh-ed25519 AAAA" }, "400 bad_request"],
    ["the empty text", { publicKeyPem: "" }, "400 bad_request"],
    ["too long a text", { publicKeyPem: pem + " ".repeat(2000) }, "400 invalid_body"],
    ["U+0000 after it", { publicKeyPem: `${pem}\0` }, "400 invalid_body"],
    ["no PEM at all", {}, "400 invalid_body"],
    ["a list", { publicKeyPem: [pem] }, "400 invalid_body"],
    ["another alg", { publicKeyPem: pem, alg: "rsa-pss-sha512" }, "400 invalid_body"],
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
    expect(outcome(await call(key, "POST", `${id}/keys`, body))).toBe(expected);
    expect(await list(id)).toEqual([]);
  });

  test("alg may be said", async () => {
    expect(outcome(await register(await freshAgent(), newKey(), { alg: "ed25519" }))).toBe("ok");
  });

  test("an agent that is not there is 404, an id that is none 400, a body that is not said to be JSON 415", async () => {
    expect(outcome(await register(unknownId))).toBe("404 not_found");
    expect(outcome(await register("x"))).toBe("400 bad_request");
    expect(
      outcome(await register(await freshAgent(), newKey(), {}, { ...key, "content-type": "text/plain" })),
    ).toBe("415 invalid_content_type");
  });
});

describe("GET /papi/v1/identity/agents/{agent_id}/keys", () => {
  test("lists active and revoked keys, newest first, by page, and no PEM", async () => {
    const id = await freshAgent();
    const keyIds: string[] = [];
    for (let i = 0; i < 3; i++) keyIds.unshift((await register(id)).body.data.keyId);
    await revoke(id, keyIds[1] ?? "");
    const { keys, pagination } = (await call(key, "GET", `${id}/keys`)).body.data;
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
        { ...active, keyId: keyIds[0] },
        { ...active, keyId: keyIds[1], status: "revoked", revokedAt: expect.stringMatching(timestamp) },
        { ...active, keyId: keyIds[2] },
      ],
      { page: 1, limit: 100, total: 3 },
    ]);
    const second = (await call(key, "GET", `${id}/keys?limit=2&page=2`)).body.data;
    expect([second.keys, second.pagination]).toEqual([[keys[2]], { page: 2, limit: 2, total: 3 }]);
  });

  test("of an agent without keys is empty, of one that is not there 404", async () => {
    expect(await list(await freshAgent())).toEqual([]);
    expect(outcome(await call(key, "GET", `${unknownId}/keys`))).toBe("404 not_found");
    expect(outcome(await call(key, "GET", "x/keys"))).toBe("400 bad_request");
  });
});

describe("DELETE /papi/v1/identity/agents/{agent_id}/keys/{key_id}", () => {
  test("counts from the next call on; a second time says the same", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    await register(id, signer);
    expect(await authenticates(signer)).toBe("ok");
    for (let i = 0; i < 2; i++) {
      const { status, body } = await revoke(id, signer.id);
      expect([status, body]).toEqual([
        200,
        { apiVersion: "v1", data: { keyId: signer.id, status: "revoked" } },
      ]);
      expect(await authenticates(signer)).toBe("401 unauthorized");
    }
  });

  test("finds a key under its own agent only", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    await register(id, signer);
    for (const keyId of ["key_0000000000000000", signer.id.toUpperCase(), "x"])
      expect(outcome(await revoke(id, keyId))).toBe("404 not_found");
    expect(outcome(await revoke(await freshAgent(), signer.id))).toBe("404 not_found");
    expect(await authenticates(signer)).toBe("ok");
  });

  test("of a revoked agent: the keys can be read, and neither added nor revoked", async () => {
    const [id, signer] = [await freshAgent(), newKey()];
    await register(id, signer);
    await call(key, "DELETE", id);
    expect(await list(id)).toMatchObject([{ keyId: signer.id, status: "active" }]);
    expect([
      outcome(await register(id)),
      outcome(await revoke(id, signer.id)),
      await authenticates(signer),
    ]).toEqual(["409 conflict", "409 conflict", "403 agent_inactive"]);
  });
});
