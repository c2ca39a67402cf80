/** Headers of every response. A route that browsers may keep or embed sets others. */
import type { Config } from "../config.ts";

const reportsTo = "csp";

export const securityHeaders = ({
  BASE_URL,
  HSTS_SUBDOMAINS,
  CSP_REPORT_URL,
}: Config): Record<string, string> => ({
  // Responses hold secrets and submissions.
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Not `no-referrer`: with it browsers send `Origin: null` with form posts.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  // Where CORS lets other sites read, it decides; this is for images, scripts and styles.
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  ...(BASE_URL.startsWith("https:") && {
    "strict-transport-security": `max-age=31536000${HSTS_SUBDOMAINS ? "; includeSubDomains" : ""}`,
  }),
  ...(CSP_REPORT_URL && { "reporting-endpoints": `${reportsTo}="${CSP_REPORT_URL}"` }),
});

/**
 * Sets the headers of an HTML page. Where reports go is in the headers of the response already; `report-uri`
 * is for browsers without the Reporting API.
 */
export function setPageHeaders(headers: Record<string, unknown>, policy: string): void {
  const [, url] = /^\w+="(.*)"$/.exec(String(headers["reporting-endpoints"] ?? "")) ?? [];
  headers["content-type"] = "text/html; charset=utf-8";
  headers["content-security-policy"] = url ? `${policy}; report-to ${reportsTo}; report-uri ${url}` : policy;
}
