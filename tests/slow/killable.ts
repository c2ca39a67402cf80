/** A server and an embedded PostgreSQL that a test may kill, and a form to submit to. */
import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, formd, type Server, server } from "../setup.ts";

/** The directory of the cluster in a data directory. */
export const clusterIn = (dataDir: string): string =>
  join(dataDir, readdirSync(dataDir).find((name) => /^postgres-\d+$/.test(name)) ?? "");

export const postmasterIn = (dataDir: string): number =>
  Number(readFileSync(join(clusterIn(dataDir), "postmaster.pid"), "utf8").split("\n")[0]);

export interface Killable {
  /** Another one once the first was killed. */
  app: Server;
  restart(): Promise<void>;
  /** An API key, the form and its access key. */
  key: string;
  form: string;
  accessKey: string;
}

export async function killable(
  settings: Record<string, string> & { FORMD_DATA_DIR: string },
  field: object,
): Promise<Killable> {
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await formd([...args, "--json"], settings);
    expect([code, stderr.includes("Error")]).toEqual([0, false]);
    return JSON.parse(stdout);
  };
  const app = await server(settings);
  const { key } = (await command("bootstrap", "--email", "a@example.org")).apiKey;
  const { body } = await ask(app, "POST", "/papi/v1/management/forms", {
    headers: { "x-api-key": key },
    body: { name: "Killed", schema: { fields: [field] } },
  });
  const { id: form } = body.data.form;
  await command("form", "publish", form);
  const { key: accessKey } = await command("access-key", "create", form);
  const made: Killable = {
    ...{ app, key, form, accessKey },
    async restart() {
      made.app = await server(settings);
    },
  };
  return made;
}
