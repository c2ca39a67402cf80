// stacks: one
/**
 * The packages of the clients, as `bun run build:clients` writes them, installed without a network in an
 * empty directory. The tutorial's owner and agent are programs that use them; a person publishes in between.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuid } from "../expect.ts";
import { clients, debianPython } from "../http/clients.ts";
import {
  formdHere,
  makeAgent,
  makeTeam,
  permissive,
  rememberSecrets,
  root,
  run,
  service,
  settingsFor,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";

const packages = temporaryFolder();
const named = (pattern: RegExp) =>
  readdirSync(packages)
    .filter((name) => pattern.test(name))
    .map((name) => join(packages, name));

beforeAll(async () => {
  const { code, stderr } = await run(process.execPath, [join(root, ".ci/clients.ts"), packages], {});
  expect([code, stderr]).toEqual([0, ""]);
});

const typescript = (agent: string, owner: string) => `
import { Agent, verifyReceipt } from "${agent}";
import { Owner } from "${owner}";
const { BASE: base = "", API_KEY: apiKey = "", ACCESS_KEY: accessKey = "", SECRET: secret = "", FORM = "" } = process.env;
const owner = new Owner({ base, apiKey });
if (!FORM) {
  const { id } = await owner.createForm({ name: "Contact" });
  await owner.patchForm(id, () => [
    { op: "addField", field: { id: "name", type: "text", label: "Your name", required: true } },
    { op: "addField", field: { id: "email", type: "email", label: "E-mail" } },
    { op: "addField", field: { id: "topic", type: "select", label: "Topic", options: ["sales", "support"] } },
  ]);
  console.log(id);
} else {
  const agent = new Agent({ base, accessKey, secret });
  const { valid, errors } = await agent.validate({ email: "not an address" });
  const { id, body } = await agent.submit({ name: "Ada" });
  const { receipt, key } = await agent.receipt(id);
  const { submission } = await verifyReceipt(receipt, key, body);
  const found: string[] = [];
  for await (const { data } of owner.submissions(FORM)) found.push(String(data.name));
  console.log(JSON.stringify({ valid, codes: errors.map(({ code }: { code: string }) => code), id, submission, found }));
}
`;
/** The same for runtimes without types. */
const javascript = (agent: string, owner: string) =>
  typescript(agent, owner)
    .replace("found: string[]", "found")
    .replace("({ code }: { code: string })", "({ code })");

const python = `
import json, os
from formd_agent import Agent, verify_receipt
from formd_owner import Owner
given = os.environ
owner = Owner(given["BASE"], given["API_KEY"])
if "FORM" not in given:
    form = owner.create_form("Contact")
    owner.patch_form(form["id"], lambda form: [
        {"op": "addField", "field": {"id": "name", "type": "text", "label": "Your name", "required": True}},
        {"op": "addField", "field": {"id": "email", "type": "email", "label": "E-mail"}},
        {"op": "addField", "field": {"id": "topic", "type": "select", "label": "Topic", "options": ["sales", "support"]}},
    ])
    print(form["id"])
else:
    agent = Agent(given["BASE"], given["ACCESS_KEY"], secret=given["SECRET"])
    result = agent.validate({"email": "not an address"})
    stored = agent.submit({"name": "Ada"})
    signed = agent.receipt(stored["id"])
    states = verify_receipt(signed["receipt"], signed["key"], stored["body"])
    print(json.dumps({
        "valid": result["valid"], "codes": [each["code"] for each in result["errors"]], "id": stored["id"],
        "submission": states["submission"], "found": [each["data"]["name"] for each in owner.submissions(given["FORM"])],
    }))
`;

/** Runs a command that must succeed. @returns what it prints */
async function printed(
  [name = "", ...args]: string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(name, args, environment);
  if (code !== 0) throw new Error(`${name} ${args.join(" ")}: exit ${code}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** The tutorial: the owner's program, a person who publishes, and the program again as the agent. */
async function expectTutorial(program: string[]): Promise<void> {
  const app = await service(permissive);
  const team = await makeTeam(app);
  const settings = settingsFor(app.database);
  const environment = { BASE: app.url, API_KEY: team.key };
  const id = await printed(program, environment);
  expect((await formdHere(["form", "publish", id], settings)).code).toBe(0);
  const made = await formdHere(["access-key", "create", id, "--json"], settings);
  const accessKey = rememberSecrets(JSON.parse(made.stdout).key);
  const agent = await makeAgent(app, team, { id, accessKey });
  const submitter = { FORM: id, ACCESS_KEY: accessKey, SECRET: agent.secret };
  const result = JSON.parse(await printed(program, { ...environment, ...submitter }));
  expect(result).toEqual({
    valid: false,
    codes: ["format"],
    id: expect.stringMatching(uuid),
    submission: result.id,
    found: ["Ada"],
  });
}

describe("the packages for npm", () => {
  const folder = temporaryFolder();

  testRequiring("node", "npm")("are installed, run on Node, and have types", async () => {
    const tarballs = named(/\.tgz$/);
    expect(tarballs.length).toBe(2);
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    const options = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder];
    const cache = { npm_config_cache: join(folder, "cache"), HOME: folder };
    await printed(["npm", "install", ...options, ...tarballs], cache);
    const program = join(folder, "program.mjs");
    writeFileSync(program, javascript("formd-agent", "formd-owner"));
    await expectTutorial(["node", program]);
    const typed = join(folder, "program.ts");
    writeFileSync(typed, typescript("formd-agent", "formd-owner"));
    const compiler = [
      process.execPath,
      join(root, "node_modules/typescript/bin/tsc"),
      "--ignoreConfig",
      "--noEmit",
    ];
    const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
    await printed([...compiler, "--strict", "--module", "nodenext", "--target", "es2022", ...types, typed]);
  });
});

describe("the packages for PyPI", () => {
  /** A virtual environment with the packages. @returns its Python */
  async function installed(
    pattern: RegExp,
    environment: string[] = [],
    options: string[] = [],
  ): Promise<string> {
    const folder = temporaryFolder();
    const files = named(pattern);
    expect(files.length).toBe(2);
    await printed([debianPython, "-m", "venv", ...environment, folder]);
    const pip = [join(folder, "bin/pip"), "install", "--no-index", "--disable-pip-version-check", ...options];
    await printed([...pip, ...files], { HOME: folder });
    return join(folder, "bin/python");
  }
  const program = join(temporaryFolder(), "program.py");
  writeFileSync(program, python);

  testRequiring(debianPython)("are wheels, which are installed and run", async () => {
    await expectTutorial([await installed(/\.whl$/, ["--system-site-packages"]), program]);
  });

  const wheel = "/usr/lib/python3/dist-packages/wheel";
  testRequiring(debianPython, ...(existsSync(wheel) ? [] : [wheel]))(
    "are source distributions, which Setuptools builds",
    async () => {
      const path = await installed(/\.tar\.gz$/, ["--system-site-packages"], ["--no-build-isolation"]);
      expect(
        await printed([path, "-c", "import formd_agent, formd_owner; print(formd_agent.__file__)"]),
      ).toContain("site-packages/formd_agent.py");
    },
  );
});

test("the files as they are run on Deno", async () => {
  const program = join(temporaryFolder(), "program.mjs");
  writeFileSync(program, javascript(join(clients, "formd-agent.ts"), join(clients, "formd-owner.ts")));
  await expectTutorial([join(root, "node_modules/.bin/deno"), "run", "-A", program]);
});
