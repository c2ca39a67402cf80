/** By which clients and identity providers name this server. */
import type { Config } from "../../platform/config.ts";

export const issuerOf = ({ BASE_URL }: Config): string => BASE_URL;
export const tokenEndpointOf = ({ BASE_URL }: Config): string => `${BASE_URL}/oauth/token`;
/** The address of the MCP endpoint, which is the resource that a token is for. */
export const resourceOf = ({ BASE_URL }: Config): string => `${BASE_URL}/mcp`;
