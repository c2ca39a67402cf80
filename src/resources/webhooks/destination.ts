/** The URLs of webhooks, which owners choose. */
import { limits } from "../../limits.ts";
import { say } from "../../messages.ts";
import { type Networks, requireAllowedHost } from "../../platform/outgoing/guard.ts";
import { Problem } from "../../problem.ts";

/**
 * Checks the URL of a webhook when it is set. Names are not resolved: each delivery checks its address.
 * @throws {Problem} `invalid_body` with the reason.
 */
export function requireDestination(text: string, networks: Networks): string {
  const url = URL.parse(text);
  const invalid = (said: ReturnType<typeof say>) => new Problem("invalid_body", said);
  const notHttps = say("url_not_https", { member: "url" });
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid(notHttps);
  if (url.username || url.password) throw invalid(say("url_with_user"));
  if (url.hash) throw invalid(say("url_with_fragment"));
  if (url.protocol === "http:" && networks.length === 0) throw invalid(notHttps);
  const max = limits.webhook.maxUrlLength;
  if (url.href.length > max) throw invalid(say("url_too_long", { max }));
  requireAllowedHost(url, networks, "url", "invalid_body");
  return url.href;
}
