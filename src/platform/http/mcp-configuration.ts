/**
 * What a person pastes into an MCP client to connect it: the form that Claude Code, Cursor and others read.
 */
import type { Config } from "../config.ts";

/** With the agent's secret, which lasts until it is rotated; with an OAuth client no header is needed. */
export const clientConfiguration = ({ BASE_URL }: Pick<Config, "BASE_URL">) => ({
  mcpServers: {
    formd: { type: "http", url: `${BASE_URL}/mcp`, headers: { "x-agent-secret": "fda_…" } },
  },
});
