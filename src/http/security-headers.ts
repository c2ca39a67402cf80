/** Headers of every response. A route that browsers may keep or embed sets others. */
import type { Config } from "../config.ts";

export const securityHeaders = ({ BASE_URL }: Config): Record<string, string> => ({
  // Responses hold secrets and submissions.
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Not `no-referrer`: with it browsers send `Origin: null` with form posts.
  "referrer-policy": "same-origin",
  ...(BASE_URL.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
});
