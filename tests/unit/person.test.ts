import { expect, spyOn, test } from "bun:test";
import { generateKeyPair, SignJWT } from "jose";
import type { Config } from "../../src/platform/config.ts";
import { verifyPerson } from "../../src/protocols/oauth/person.ts";

test("an issuer that no connection trusts names no person, even by a signature that verifies", async () => {
  const pair = await generateKeyPair("RS256", { extractable: true });
  const made = spyOn(crypto.subtle, "generateKey").mockResolvedValue(pair as never);
  const base = "https://forms.example.org";
  const sign = () =>
    new SignJWT({ client_id: "agent_a", resource: `${base}/mcp` })
      .setProtectedHeader({ alg: "RS256", typ: "oauth-id-jag+jwt" })
      .setIssuer("")
      .setSubject("ada")
      .setAudience(base)
      .setJti("1")
      .setIssuedAt()
      .setExpirationTime("5 minutes")
      .sign(pair.privateKey);
  const verified = await verifyPerson({ BASE_URL: base } as Config, {
    ...{ clientId: "agent_a", assertion: await sign(), issuer: null },
  });
  expect(made).toHaveBeenCalledTimes(1);
  expect(verified).toEqual({ reason: "No connection accepts agents of this issuer." });
  made.mockRestore();
});
