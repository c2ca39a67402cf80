/** CAPTCHA verification: Turnstile, hCaptcha and reCAPTCHA share one protocol, "siteverify". @module */
import type { Deps } from "../deps.ts";
import { contextOf } from "../http/request-context.ts";
import { Problem } from "../problem.ts";

const verifyUrls = {
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
  hcaptcha: "https://api.hcaptcha.com/siteverify",
  recaptcha: "https://www.google.com/recaptcha/api/siteverify",
} as const;

/** How long the provider may take, in milliseconds. */
const timeoutMs = 5_000;

/** Error codes that are about the token. Any other is about us (a wrong secret, a malformed request) or about the provider. */
const tokenFaults = new Set([
  "missing-input-response",
  "invalid-input-response",
  "timeout-or-duplicate",
  "expired-input-response",
  "already-seen-response",
  "invalid-or-already-seen-response",
]);

/**
 * Asks the provider about a token, once. Returns when it says yes.
 *
 * @throws {Problem} `captcha_failed` when the provider refuses the token; `captcha_unavailable` for everything that is not the visitor's
 * doing: no provider configured, time-out, 5xx, 429, an answer that is none, our own wrong secret. Doubt is never a pass.
 */
export async function verifyCaptcha({ config, log }: Deps, request: Request, token: string): Promise<void> {
  const unavailable = (reason: string) => {
    log.warn({ requestId: contextOf(request).requestId, reason }, "CAPTCHA cannot be verified");
    return new Problem("captcha_unavailable", { headers: { "retry-after": "5" } });
  };
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SECRET: secret } = config;
  if (!provider || !secret) throw unavailable("no CAPTCHA_PROVIDER is set");
  const url = config.CAPTCHA_VERIFY_URL ?? verifyUrls[provider];
  const answer = await siteverify(url, new URLSearchParams({ secret, response: token })).catch(
    (error: Error) => {
      throw unavailable(error.message);
    },
  );
  if (answer.success === true) return;
  const faults = Array.isArray(answer["error-codes"]) ? answer["error-codes"] : [];
  if (answer.success === false && faults.every((fault) => tokenFaults.has(fault)))
    throw new Problem("captcha_failed");
  throw unavailable(`the provider says ${JSON.stringify(faults).slice(0, 200)}`);
}

async function siteverify(url: string, body: URLSearchParams): Promise<Record<string, unknown>> {
  const reply = await fetch(url, {
    method: "POST",
    body,
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!reply.ok) throw new Error(`the provider answers ${reply.status}`);
  const answer: unknown = await reply.json();
  if (typeof answer !== "object" || answer === null) throw new Error("the provider's answer is no object");
  return answer as Record<string, unknown>;
}
