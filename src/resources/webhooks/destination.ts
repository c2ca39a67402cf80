/** The URLs of webhooks, which owners choose. */
import { limits } from "../../limits.ts";
import { type Networks, requireReachableHost } from "../../platform/outgoing/guard.ts";
import { Problem } from "../../problem.ts";

/**
 * Checks the URL of a webhook when it is set. Names are not resolved: what counts is the address at each
 * delivery.
 *
 * @throws {Problem} `invalid_body`, saying what is wrong.
 */
export function requireDestination(text: string, networks: Networks): string {
  const url = URL.parse(text);
  const invalid = (sentence: string) => new Problem("invalid_body", `url: ${sentence}`);
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid("it must be an https URL.");
  if (url.username || url.password) throw invalid("it must not contain a user or password.");
  if (url.hash) throw invalid("it must not contain a fragment.");
  if (url.protocol === "http:" && networks.length === 0) throw invalid("it must be an https URL.");
  if (url.href.length > limits.webhook.maxUrlLength)
    throw invalid(`it must have at most ${limits.webhook.maxUrlLength} characters.`);
  try {
    requireReachableHost(url, networks);
  } catch (error) {
    throw invalid((error as Error).message);
  }
  return url.href;
}
