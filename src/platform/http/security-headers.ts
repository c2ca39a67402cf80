/** Security headers of every response. A route whose responses browsers may cache or embed sets others. */
import type { Config } from "../config.ts";

const reportsTo = "csp";

export const securityHeaders = ({ BASE_URL, HSTS_SUBDOMAINS, CSP_REPORT_URL }: Config) => ({
  // Responses hold secrets and submissions.
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // `no-referrer` would make browsers send `Origin: null` with form posts.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  // Protects images, scripts and styles. CORS decides for routes that other sites may read.
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  ...(BASE_URL.startsWith("https:") && {
    "strict-transport-security": `max-age=31536000${HSTS_SUBDOMAINS ? "; includeSubDomains" : ""}`,
  }),
  ...(CSP_REPORT_URL && { "reporting-endpoints": `${reportsTo}="${CSP_REPORT_URL}"` }),
});

/** Sets the headers of an HTML page. `report-uri` is for browsers without the Reporting API. */
export function setPageHeaders(headers: Record<string, unknown>, policy: string): void {
  const [, url] = /^\w+="(.*)"$/.exec(String(headers["reporting-endpoints"] ?? "")) ?? [];
  headers["content-type"] = "text/html; charset=utf-8";
  headers["content-security-policy"] = url ? `${policy}; report-to ${reportsTo}; report-uri ${url}` : policy;
}
