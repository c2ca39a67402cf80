// stacks: one months
import { describe, expect, test } from "bun:test";
import { signatureHeaders } from "web-bot-auth";
import { signerFromJWK } from "web-bot-auth/crypto";
import { jwkOf, spkiOf } from "../../src/platform/auth/public-key.ts";
import { outcome } from "../expect.ts";
import { ask, makeForm, makeTeam, permissive, service } from "../setup.ts";
import { type Key, makeSigningAgent, type Unsigned, unsigned } from "../signing.ts";

const app = await service(permissive);
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);
const agent = await makeSigningAgent(app, team, form);
const identity = (method: string, to: string, body: object) =>
  ask(app, method, `/papi/v1/identity/agents/${to}`, { headers: { "x-api-key": team.key }, body });

const path = "/papi/v1/submitter/form/validation";
const components = ["@method", "@authority", "@path", "x-form-access-key", "content-digest"];

/** A request that the package signs, with the key's thumbprint, a nonce of 64 bytes and the tag. */
async function signedByPackage(key: Key, covered = components, more: Record<string, string> = {}) {
  const request = unsigned(app, path, form, { data: {} });
  const headers = { ...request.headers, ...more };
  const created = new Date();
  const signed = await signatureHeaders(
    { method: "POST", url: app.url + path, headers },
    await signerFromJWK(key.privateKey.export({ format: "jwk" }) as JsonWebKey),
    { created, expires: new Date(created.getTime() + 300_000), components: covered },
  );
  return {
    ...request,
    headers: { ...headers, "signature-input": signed["Signature-Input"], signature: signed.Signature },
  };
}

const send = ({ method, headers, body }: Unsigned) => ask(app, method, path, { headers, body });

describe("a request signed by the web-bot-auth package", () => {
  test("is the agent's whose key has the thumbprint; a second time it is refused", async () => {
    const request = await signedByPackage(agent.key);
    expect(request.headers["signature-input"]).toContain(`keyid="${jwkOf(spkiOf(agent.key.pem)).kid}"`);
    expect(outcome(await send(request))).toBe("ok");
    expect(outcome(await send(request))).toBe("401 unauthorized");
  });

  test("may name the agent's directory, which it then covers", async () => {
    const directory = { "signature-agent": '"https://agent.example"' };
    const request = await signedByPackage(agent.key, [...components, "signature-agent"], directory);
    expect(outcome(await send(request))).toBe("ok");
    const headers = { ...request.headers, "signature-agent": '"https://other.example"' };
    expect(outcome(await send({ ...request, headers }))).toBe("401 unauthorized");
  });

  test("must cover what the specification requires", async () => {
    const request = await signedByPackage(agent.key, ["@authority"]);
    expect(outcome(await send(request))).toBe("401 unauthorized");
  });

  test("is refused once the key is revoked", async () => {
    const { id, key } = await makeSigningAgent(app, team, form);
    expect(outcome(await send(await signedByPackage(key)))).toBe("ok");
    await identity("DELETE", `${id}/keys/${key.id}`, {});
    expect(outcome(await send(await signedByPackage(key)))).toBe("401 unauthorized");
  });

  test("is the first agent's where two registered the key, in different PEM texts", async () => {
    const first = await makeSigningAgent(app, team, form);
    const second = await makeSigningAgent(app, team, form);
    const publicKeyPem = first.key.pem.replaceAll("\n", "\r\n");
    expect((await identity("POST", `${second.id}/keys`, { publicKeyPem })).status).toBe(200);
    await identity("PATCH", first.id, { status: "disabled" });
    expect(outcome(await send(await signedByPackage(first.key)))).toBe("403 agent_inactive");
    await identity("PATCH", first.id, { status: "active" });
    expect(outcome(await send(await signedByPackage(first.key)))).toBe("ok");
  });
});
