/** Environment of the examples of pages: the secrets of `formd demo`, and a key of its agent. */
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { baseOf } from "../mcp-client.ts";
import { ask, formd, run, type Service, settingsFor, temporaryFolder } from "../setup.ts";

/** A new demo, by the names that the pages give it in the environment. */
export async function demoEnvironment(app: Service) {
  const { stdout } = await formd(["demo", "--json"], settingsFor(app.database));
  const { accessKey, apiKey, agent } = JSON.parse(stdout);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { body } = await ask(app, "POST", `/papi/v1/identity/agents/${agent.id}/keys`, {
    headers: { "x-api-key": apiKey },
    body: { publicKeyPem: publicKey.export({ type: "spki", format: "pem" }) },
  });
  const file = join(temporaryFolder(), "key.pem");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
  return {
    BASE: baseOf(app),
    ACCESS_KEY: accessKey as string,
    API_KEY: apiKey as string,
    AGENT_ID: agent.id as string,
    AGENT_SECRET: agent.secret as string,
    CLIENT_ID: `agent_${agent.id.replaceAll("-", "")}`,
    KEY_ID: body.data.keyId as string,
    KEY_FILE: file,
  };
}

/** Runs a program to its end, without a warning of what is deprecated. @returns what it printed */
export async function printedBy([name = "", ...args]: string[], environment: Record<string, string>) {
  const { stdout, stderr, code } = await run(name, args, environment);
  if (code !== 0 || /deprecated/i.test(stderr)) throw new Error(`exit ${code}: ${stdout}${stderr}`);
  return stdout;
}
