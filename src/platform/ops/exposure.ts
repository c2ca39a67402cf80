/** Checks the settings for a proxy in front, and for access to the port that bypasses it. */
import { advises, type CheckResult, failsBy } from "../check.ts";
import type { Config } from "../config.ts";

/** Checks whether an address, or a URL's host, is reachable only from this machine. */
const isLocal = (host: string) => /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);

/** Checks the proxy settings. formd has no TLS of its own, so that https implies a proxy. */
export function checkProxies({ BASE_URL, HOST, METRICS_TOKEN, TRUSTED_PROXY_HOPS: hops }: Config) {
  const { protocol, hostname } = new URL(BASE_URL);
  if (protocol === "https:" && hops === 0)
    return failsBy(
      "BASE_URL is https, so a proxy is in front, and TRUSTED_PROXY_HOPS is 0: all clients share the rate limits of the proxy's IP. Set it to the number of proxies.",
    );
  const doubts = [
    hops > 0 &&
      !isLocal(HOST) &&
      `HOST is ${HOST}: who reaches the port past the proxy can write any X-Forwarded-For. Set HOST=127.0.0.1, or let only the proxy reach the port.`,
    hops > 0 &&
      protocol === "http:" &&
      "BASE_URL is http and a proxy is in front: if it has TLS, make it https, so that cookies are Secure.",
    METRICS_TOKEN === undefined &&
      hops === 0 &&
      !isLocal(hostname) &&
      "If a proxy is on this machine, /metrics is open to its clients: set METRICS_TOKEN.",
  ].filter(Boolean);
  const state = `TRUSTED_PROXY_HOPS is ${hops}.`;
  return advises(doubts.length > 0 && [state, ...doubts].join(" "), state);
}

/** Checks AGENT_CREDENTIALS. By default, as specified, an API key may act as any agent: for a trial only. */
export function checkAgents({ BASE_URL, AGENT_CREDENTIALS: who }: Config): CheckResult {
  return advises(
    BASE_URL.startsWith("https:") &&
      who === "api-key" &&
      "Who has an API key with forms:write can act as any agent. AGENT_CREDENTIALS=operator lets only a person give a secret or a key to an agent that may submit.",
    `AGENT_CREDENTIALS is ${who}.`,
  );
}
