/** CAPTCHA verification: three providers share one protocol, "siteverify"; ALTCHA needs no provider. */
import type { Deps } from "../../platform/deps.ts";
import { requestIdsOf } from "../../platform/http/request-context.ts";
import { Problem } from "../../problem.ts";
import { verifyAltcha } from "./altcha.ts";

const verifyUrls = {
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
  hcaptcha: "https://api.hcaptcha.com/siteverify",
  recaptcha: "https://www.google.com/recaptcha/api/siteverify",
} as const;

const timeoutMs = 5_000;

/** Error codes for an invalid token. All other codes mean that our request or the provider failed. */
const tokenErrors = new Set([
  "missing-input-response",
  "invalid-input-response",
  "timeout-or-duplicate",
  "expired-input-response",
  "already-seen-response",
  "invalid-or-already-seen-response",
]);

/**
 * Verifies a token, once. @throws {Problem} `captcha_required` without one; `captcha_failed`: the provider
 * refuses it; `captcha_unavailable`: no provider or master key, time-out, 5xx, 429, a malformed response.
 */
export async function verifyCaptcha(deps: Deps, request: Request, token: string | null | undefined) {
  if (!token) throw new Problem("captcha_required");
  const { config, log } = deps;
  if (config.CAPTCHA_PROVIDER === "altcha") return await verifyAltcha(deps, token);
  const unavailable = (reason: string) => {
    log.warn({ ...requestIdsOf(request), reason }, "CAPTCHA cannot be verified");
    return new Problem("captcha_unavailable", { headers: { "retry-after": "5" } });
  };
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SECRET: secret } = config;
  if (!provider || !secret) throw unavailable("no CAPTCHA_PROVIDER is set");
  const url = config.CAPTCHA_VERIFY_URL ?? verifyUrls[provider];
  const result = await siteverify(url, new URLSearchParams({ secret, response: token })).catch(
    (error: Error) => {
      throw unavailable(error.message);
    },
  );
  if (result.success === true) return;
  const errors = Array.isArray(result["error-codes"]) ? result["error-codes"] : [];
  if (result.success === false && errors.every((error) => tokenErrors.has(error)))
    throw new Problem("captcha_failed");
  throw unavailable(`the provider's error codes: ${JSON.stringify(errors).slice(0, 200)}`);
}

async function siteverify(url: string, body: URLSearchParams): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: "POST",
    body,
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`the provider's response has status ${response.status}`);
  const result: unknown = await response.json();
  if (typeof result !== "object" || result === null)
    throw new Error("the provider's response is not an object");
  return result as Record<string, unknown>;
}
