/** The texts for agents: the guide, and the overview for language models. */
import { limits } from "../../limits.ts";
import type { Config } from "../../platform/config.ts";
import { clientConfiguration } from "../../platform/http/mcp-configuration.ts";
import { problemCodes } from "../../problem.ts";
import { fieldTypeRows } from "./field-types.ts";
import guideText from "./guide.md" with { type: "text" };
import llmsText from "./llms.md" with { type: "text" };

const table = (rows: (string | number)[][]): string => rows.map((row) => `| ${row.join(" | ")} |`).join("\n");

/** The values of `{NAME}` in the texts. */
const placeholders = (config: Config): Record<string, unknown> => ({
  BASE_URL: config.BASE_URL,
  DOCS_URL: config.DOCS_URL,
  CHALLENGE_PASS_MINUTES: config.CHALLENGE_PASS_MINUTES,
  MAX_BODY_BYTES: config.MAX_BODY_BYTES,
  MAX_BODY_DEPTH: limits.body.maxDepth,
  MAX_BODY_VALUES: limits.body.maxValues,
  SMALL_BODY_KIB: limits.body.maxSmallBytes / 1024,
  CHALLENGE_MINUTES: limits.challenge.lifetimeMs / 60_000,
  CHALLENGE_ATTEMPTS: limits.challenge.maxAttempts,
  IDEMPOTENCY_HOURS: limits.idempotency.lifetimeHours,
  SIGNATURE_SECONDS: limits.signature.maxSkewSeconds,
  ASSERTION_SECONDS: limits.clientAssertion.maxLifetimeSeconds,
  MCP_CONFIGURATION: JSON.stringify(clientConfiguration(config), null, 2),
  MCP_FORM_TOOLS: limits.mcp.maxFormTools,
  MCP_STATE_MINUTES: limits.mcp.stateMinutes,
  BOT_HOURS: limits.webBotAuth.maxLifetimeHours,
  BOT_MIN_NONCE: limits.webBotAuth.minNonceBytes,
  BOT_MAX_NONCE: limits.webBotAuth.maxNonceBytes,
  SESSION_DAYS: limits.agentSession.lifetimeDays,
  SUBMIT_SECONDS: limits.agentSubmit.windowMs / 1000,
  FIELD_TYPES: table([["type", "value", "example"], ["---", "---", "---"], ...fieldTypeRows]),
  PROBLEM_CODES: table([
    ["code", "status", "meaning"],
    ["---", "---", "---"],
    ...Object.entries(problemCodes).map(([code, [status, message]]) => [`\`${code}\``, status, message]),
  ]),
});

function fill(text: string, values: Record<string, unknown>): string {
  return text.replace(/(?<!\$)\{([A-Z_]+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`The placeholder {${name}} has no value.`);
    return String(values[name]);
  });
}

/** The guide for agents. */
export const guideMarkdown = (config: Config): string => fill(guideText, placeholders(config));

/** `/llms.txt` (https://llmstxt.org). @param pages items of a list */
export const llmsOverview = (config: Config, pages: readonly string[]): string =>
  fill(llmsText, { ...placeholders(config), PAGES: pages.join("\n- ") });
