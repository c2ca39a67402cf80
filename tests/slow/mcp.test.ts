// stacks: one deno
/**
 * The official client and conformance suite of MCP against two instances behind a round robin: whatever a
 * request needs, it brings along.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { type Client, ClientCredentialsProvider, PrivateKeyJwtProvider } from "@modelcontextprotocol/client";
import { asAgentToken, baseOf, connect } from "../mcp-client.ts";
import { readPage } from "../pages.ts";
import { freePort, makeAgent, makeForm, makeTeam, permissive, root, server, service } from "../setup.ts";
import { makeSigner } from "../signing.ts";

/** Sends each request to the next instance. The suite knows of no authorization: the balancer adds it. */
function balance(instances: { url: string }[], { port = 0, authorization = "" }) {
  let next = 0;
  return Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const instance = instances[next++ % instances.length]?.url ?? "";
      const headers = new Headers(request.headers);
      if (authorization) headers.set("authorization", authorization);
      const response = await fetch(instance + pathname + search, {
        method: request.method,
        headers,
        redirect: "manual",
        ...(request.body && { body: await request.bytes() }),
      });
      return new Response(response.body, response);
    },
  });
}

const app = await service(permissive);
// Both name the balancer as the server's address: the token is for the resource that the client sees.
const port = await freePort();
const settings = { DATABASE_URL: app.database.url, ...permissive, BASE_URL: `http://localhost:${port}` };
const instances = [await server(settings), await server(settings)];
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail", required: true }]);
const agent = await makeAgent(app, team, form);
/** For the suite, and for clients that have a credential. */
const balancer = balance(instances, { authorization: `Bearer ${agent.token}` });
const plain = balance(instances, { port });
afterAll(async () => {
  await balancer?.stop(true);
  await plain?.stop(true);
});

const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const run = promisify(execFile);

describe("the official conformance suite", () => {
  const expectedFailures = join(import.meta.dir, "mcp-expected-failures.yml");

  test.each(["2025-11-25", "2026-07-28"])(
    "all server scenarios of revision %s, except the checks that are listed with their reason",
    async (revision) => {
      const url = `http://localhost:${balancer.port}/mcp`;
      const scope = ["--suite", "all", "--spec-version", revision];
      const args = ["server", "--url", url, ...scope, "--expected-failures", expectedFailures];
      const { stdout, stderr, code } = await run(process.execPath, [suite, ...args]).then(
        (ended) => ({ ...ended, code: 0 }),
        (error) => error,
      );
      const text = stripVTControlCharacters(stdout + stderr);
      const summary = text.slice(text.indexOf("=== SUMMARY ==="));
      expect(summary).toContain("✓ tools-list");
      const [, passed, failed] = /^Total: (\d+) passed, (\d+) failed$/m.exec(summary) ?? [];
      expect(readPage("docs/agents/mcp-clients.md")).toContain(`| ${revision} | ${passed} | ${failed} |`);
      expect([summary, code]).toEqual([summary, 0]);
    },
  );
});

describe("the official client, each request to the next instance", () => {
  const submitTool = async (client: Client) =>
    (await client.listTools()).tools.find(({ name }) => name.startsWith("submit_"))?.name ?? "";
  /** An agent of its own, since one may submit every 5 seconds, and a balancer that adds no credential. */
  const freshAgent = async () => {
    const fresh = await makeAgent(app, team, form);
    const [{ clientId }] = await app.database.sql<[{ clientId: string }]>`
      select client_id from formd.agents where team_id = ${team.id} and id = ${fresh.id}`;
    return { ...fresh, clientId };
  };
  const stored = expect.objectContaining({ status: "completed" });

  test.each(["secret", "key that it signs with"])("gets its token by the %s", async (credential) => {
    const { id, clientId, secret } = await freshAgent();
    const ofClient = { clientId, expectedIssuer: baseOf({ url: plain.url.origin }) };
    const privateKey = async () =>
      (await makeSigner(app, team, id)).privateKey.export({ format: "jwk" }) as Record<string, unknown>;
    const authProvider =
      credential === "secret"
        ? new ClientCredentialsProvider({ ...ofClient, clientSecret: secret })
        : new PrivateKeyJwtProvider({ ...ofClient, privateKey: await privateKey(), algorithm: "EdDSA" });
    const client = await connect({ url: plain.url.origin }, { authProvider });
    const name = await submitTool(client);
    const result = await client.callTool({ name, arguments: { email: "a@example.org" } });
    expect(result.structuredContent).toEqual(stored);
  });

  test("carries what a person was asked for from one instance to the other", async () => {
    const { token } = await freshAgent();
    const answer = () => ({ action: "accept", content: { email: "ada@example.org" } });
    const client = await connect({ url: plain.url.origin }, asAgentToken({ token }), { answer });
    const result = await client.callTool({ name: await submitTool(client), arguments: {} });
    expect(result.structuredContent).toEqual(stored);
  });
});
