/** What a person pastes into an MCP client to connect it: the form that Claude Code, Cursor and others read. */
import type { Config } from "../config.ts";

/** @param token of the agent's session; with an OAuth client no header is needed */
export const clientConfiguration = ({ BASE_URL }: Pick<Config, "BASE_URL">, token = "fds_…") => ({
  mcpServers: {
    formd: { type: "http", url: `${BASE_URL}/mcp`, headers: { authorization: `Bearer ${token}` } },
  },
});
