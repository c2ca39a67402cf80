/** ALTCHA: a proof of work as a CAPTCHA (https://altcha.org/docs/v2/). A challenge is not stored. */
import { createChallenge, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import { type } from "arktype";
import { Elysia } from "elysia";
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { ipLimit, operation } from "../../platform/http/operation.ts";
import { admitIp, requireRateLimit, takeRateLimit } from "../../platform/http/rate-limits.ts";
import { Problem } from "../../problem.ts";
import { AltchaChallenge } from "./shapes.ts";

/** A client makes 256 derivations on average, about 1 s of a desktop; the server one, about 1 ms. */
const work = { algorithm: "PBKDF2/SHA-256", cost: 5_000, keyPrefix: "00" } as const;

const lifetimeMs = limits.altcha.lifetimeMinutes * 60_000;

export const altchaPath = "/papi/v1/auth/altcha";

export const altchaRoute = (deps: Deps) =>
  new Elysia({ name: altchaPath }).get(
    altchaPath,
    async ({ request }) => {
      if (deps.config.CAPTCHA_PROVIDER !== "altcha")
        throw new Problem("not_found", "This server's CAPTCHA provider is not altcha.");
      const maxRequests = deps.config.RATE_LIMIT_PAPI_AUTH_PER_MINUTE;
      const rate = await takeRateLimit(deps.sql, admitIp(request, "altcha"), maxRequests);
      const outcome = rate.allowed ? "allowed" : "rate_limited";
      requireRateLimit(request, outcome, { limitName: "ip", maxRequests, ...rate });
      const expiresAt = new Date(Date.now() + lifetimeMs);
      return await createChallenge({
        ...work,
        deriveKey,
        expiresAt,
        hmacSignatureSecret: secretsOf(deps)[0] as string,
      });
    },
    operation({
      id: "createAltchaChallenge",
      tag: "submitter",
      summary: "Get a proof-of-work challenge",
      description: `For servers whose CAPTCHA provider is \`altcha\`; others respond 404. The response is what the widget and \`altcha-lib\` take. Send the solution as \`captchaToken\`: base64 of \`{"challenge": …, "solution": {"counter": …, "derivedKey": …}}\`, once, within ${limits.altcha.lifetimeMinutes} minutes.`,
      security: [{}],
      response: { description: "The challenge.", plain: AltchaChallenge },
      codes: ["not_found", "captcha_unavailable"],
      limits: [ipLimit("RATE_LIMIT_PAPI_AUTH_PER_MINUTE")],
    }),
  );

const Solution = type("string").pipe.try(
  (text) => JSON.parse(Buffer.from(text, "base64").toString()),
  type({
    challenge: {
      parameters: { nonce: "string", salt: "string", "[string]": "unknown" },
      signature: "string",
    },
    solution: { counter: "number", derivedKey: "string" },
  }),
);

/**
 * Verifies and consumes a solution, its signature first: only our own challenges cost a derivation.
 * @throws {Problem} `captcha_failed`: not ours, expired or used; `captcha_unavailable`: no master key.
 */
export async function verifyAltcha(deps: Deps, token: string): Promise<void> {
  const secrets = secretsOf(deps);
  const payload = Solution(token);
  if (payload instanceof type.errors) throw new Problem("captcha_failed");
  const { challenge, solution } = payload;
  const verify = (hmacSignatureSecret: string) =>
    verifySolution({
      challenge: challenge as never,
      solution: { ...solution, time: 0 },
      deriveKey,
      hmacSignatureSecret,
    });
  const verified = (await Promise.all(secrets.map(verify))).some((result) => result.verified);
  // Each use is a request with a rate limit of one: atomic, and kept until the challenge has surely expired.
  const key = `altcha:used:${challenge.parameters.nonce}`;
  if (!verified || !(await takeRateLimit(deps.sql, key, 1, lifetimeMs)).allowed)
    throw new Problem("captcha_failed");
}

/** The first key makes challenges, all keys verify. @throws {Problem} `captcha_unavailable`. */
function secretsOf({ masterKey }: Deps): string[] {
  if (!masterKey.isPresent)
    throw new Problem("captcha_unavailable", {
      message: "The CAPTCHA needs FORMD_SECRET_KEY, which is not set on this server.",
      headers: { "retry-after": "60" },
    });
  return masterKey.all.map((key) => Buffer.from(key.derive("altcha", "")).toString("hex"));
}
