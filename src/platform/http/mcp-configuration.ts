/** Configuration of an MCP client, to paste, as Claude Code, Cursor and others read it. */
import type { Config } from "../config.ts";

/** Uses the agent's secret, which is valid until it is rotated. An OAuth client needs no header. */
export const clientConfiguration = ({ BASE_URL }: Pick<Config, "BASE_URL">) => ({
  mcpServers: {
    formd: { type: "http", url: `${BASE_URL}/mcp`, headers: { "x-agent-secret": "fda_…" } },
  },
});
