// stacks: one
/** Statements of the pages in docs/ are true, and their programs run. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { baseOf } from "../mcp-client.ts";
import { blockOf, readPage, roleStatements, tutorialSteps } from "../pages.ts";
import {
  asAgent,
  ask,
  command,
  emptyDatabase,
  formd,
  makeAgent,
  makeForm,
  makeTeam,
  root,
  run,
  server,
  service,
  settingsFor,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";
import { demoEnvironment, printedBy } from "./demo.ts";
import { generateTypes } from "./generated-client.ts";

testRequiring("bash", "curl", "node", "awk").each(["api-key", "operator"])(
  "the steps of the tutorial, pasted into a shell, end with the submission read by its owner; agents by %s",
  async (AGENT_CREDENTIALS) => {
    const app = await service({ AGENT_CREDENTIALS });
    const script = tutorialSteps()
      .replace(/^formd\(\).*$/m, `formd() { ${command.join(" ")} "$@"; }`)
      .replace(/^BASE=.*$/m, `BASE=${app.url}`);
    const { stdout, code } = await run("bash", ["-euc", script], settingsFor(app.database));
    expect(code).toBe(0);
    expect(stdout).toContain("is published, version 1");
    expect(stdout).toContain('"missingRequired":["name"]');
    const { data } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(data.submissions).toEqual([expect.objectContaining({ data: { name: "Ada" } })]);
  },
  120_000,
);

test("the page of metrics lists exactly the server's metrics", async () => {
  const { body } = await ask(await service(), "GET", "/metrics");
  const served = [...body.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  const listed = [
    ...readPage("docs/operate/metrics-logs.md").matchAll(/`((?:formd|process)_[a-z_]+)`(?=.* \|.* \|$)/gm),
  ].map(([, name]) => name);
  expect(served.length).toBeGreaterThan(5);
  expect(listed.toSorted()).toEqual(served.toSorted());
  const alerts = blockOf("docs/operate/metrics-logs.md", "yaml", "groups:");
  const used = [...alerts.matchAll(/\b(?:formd|process)_[a-z_]+/g)].map(([name]) =>
    name.replace(/_(?:count|bucket)$/, ""),
  );
  expect(used.length).toBeGreaterThan(4);
  expect(used.filter((name) => !served.includes(name))).toEqual([]);
});

test("the roles for an external database: the owner migrates, the server's login serves", async () => {
  const { sql, url } = await emptyDatabase();
  const statements = roleStatements().split(/;.*\n/).filter(Boolean);
  // The test's PostgreSQL has the groups already.
  const created = statements.filter((statement) => !/^create role formd_/.test(statement));
  expect(statements.length - created.length).toBe(2);
  for (const statement of created) await sql.unsafe(statement);
  const asRole = (role: string) => url.replace(/\/\/[^@]*@/, `//${role}@`).replace(/\/test_\w+/, "/my_forms");
  const settings = { DATABASE_URL: asRole("my_server"), MIGRATION_DATABASE_URL: asRole("my_owner") };
  expect(await formd(["migrate"], settings)).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining("let the database's owner run"),
  });
  const { stdout } = await formd(["bootstrap", "--email", "me@example.org", "--json"], settings);
  const app = await server(settings);
  const headers = { "x-api-key": JSON.parse(stdout).apiKey.key };
  const body = { name: "Contact" };
  expect(await ask(app, "POST", "/papi/v1/management/forms", { headers, body })).toMatchObject({
    status: 200,
  });
  await app.stop();
  for (const created of ["database my_forms", "role my_owner", "role my_server"])
    await sql.unsafe(`drop ${created}`);
});

/** A program of a page, in a file of its own beside the packages that it may need. */
function programOf(path: string, language: "ts" | "python", begin = ""): string[] {
  const folder = temporaryFolder();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, language === "ts" ? "program.ts" : "program.py");
  writeFileSync(file, blockOf(path, language, begin));
  return [language === "ts" ? process.execPath : "python3", file];
}

const hasCryptography = spawnSync("python3", ["-c", "import cryptography"]).status === 0;
const testPython = testRequiring("python3");
const testSigningPython = hasCryptography ? testPython : testRequiring("cryptography of python3");

const FILES_URL = String(pathToFileURL(join(temporaryFolder(), "files")));
const app = await service({ FEATURE_AGENT_SIGNING: "true", FILES_URL });

describe("the programs of the agents' pages", () => {
  const resultOf = async (program: string[]) =>
    JSON.parse(await printedBy(program, await demoEnvironment(app)));
  const completed = { status: "completed", missingRequired: [] };

  const shell = testRequiring("bash", "curl", "sed");
  shell("README's lines submit; the page of REST and the start page have them", async () => {
    const { BASE, AGENT_SECRET, ACCESS_KEY } = await demoEnvironment(app);
    const shown = blockOf("docs/agents/rest.md", "bash", "BASE=");
    expect(readPage("README.md")).toContain(shown);
    const { body } = await ask(app, "GET", "/developer");
    expect(/<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(body)?.[1]?.match(/\n/g)).toHaveLength(7);
    const lines = shown
      .replace("http://localhost:8080", BASE)
      .replace("fda_…", AGENT_SECRET)
      .replace("fdf_…", ACCESS_KEY);
    const { stdout } = await run("bash", ["-euc", lines], {});
    expect(stdout).toContain('"missingRequired":["email","topic"]');
    expect(stdout).toContain('"status":"completed"');
  });

  testRequiring("bash", "curl")("REST: a file is sent, and a submission names it", async () => {
    const team = await makeTeam(app);
    const cv = { id: "cv", type: "file", label: "CV" };
    const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }, cv]);
    const agent = await makeAgent(app, team, form);
    const file = join(temporaryFolder(), "cv.txt");
    writeFileSync(file, "Ada Lovelace\n");
    const { stdout } = await run(
      "bash",
      ["-euc", blockOf("docs/agents/rest.md", "sh", "curl").replace("@cv.txt", `@${file}`)],
      { BASE: app.url, ACCESS_KEY: form.accessKey, TOKEN: agent.token },
    );
    const { id } = JSON.parse(stdout).data;
    const shown = JSON.parse(blockOf("docs/agents/rest.md", "json", '{ "data"'));
    const body = { data: { ...shown.data, cv: [{ ...shown.data.cv[0], id }] } };
    const headers = asAgent(form, agent);
    expect(await ask(app, "POST", "/papi/v1/submitter/form/submissions", { headers, body })).toMatchObject({
      body: { data: completed },
    });
  });

  test("the typed client, as the page generates it", async () => {
    const [, file = ""] = programOf("docs/agents/typed-client.md", "ts");
    const document = `${baseOf(app)}/papi/v1/openapi.json`;
    const types = join(dirname(file), "formd.d.ts");
    expect((await generateTypes(document, types)).code).toBe(0);
    expect(await resultOf([process.execPath, file])).toMatchObject(completed);
    const flags =
      "--ignoreConfig --noEmit --strict --skipLibCheck --module preserve --target esnext --lib esnext,dom --types bun-types";
    const checked = await run("node", [join(root, "node_modules/.bin/tsc"), ...flags.split(" "), file], {});
    expect(checked.stdout).toBe("");
  });

  test("a signed submission in TypeScript is tests/examples/sign.ts", () => {
    const example = readFileSync(join(root, "tests/examples/sign.ts"), "utf8");
    expect(blockOf("docs/agents/signing.md", "ts")).toBe(example);
  });
  testRequiring("bash", "curl")("OAuth by secret", async () => {
    const program = ["bash", "-euc", blockOf("docs/agents/oauth.md", "sh")];
    expect(await resultOf(program)).toMatchObject({ token_type: "Bearer" });
  });

  const bearer = { token_type: "Bearer" };
  const signing = { form: "Contact", ...completed };
  const programs: [page: string, language: "ts" | "python", runs: typeof test, result: object][] = [
    ["docs/agents/rest.md", "ts", test, completed],
    ["docs/agents/rest.md", "python", testPython, completed],
    ["docs/agents/signing.md", "python", testSigningPython, signing],
    ["docs/agents/oauth.md", "ts", test, bearer],
    ["docs/agents/oauth.md", "python", testSigningPython, bearer],
    ["docs/agents/mcp.md", "ts", test, completed],
    ["docs/agents/mcp.md", "python", testPython, completed],
  ];
  for (const [page, language, runs, result] of programs)
    runs(`${page} in ${language}`, async () => {
      expect(await resultOf(programOf(page, language))).toMatchObject(result);
    });
});

describe("the programs that verify a webhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const body = JSON.stringify({ type: "form.published", timestamp: "2026-01-01T00:00:00Z", data: {} });
  const sentAt = new Date();
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", sentAt, body),
  };

  test("in TypeScript", async () => {
    const [, file = ""] = programOf("docs/owners/webhooks.md", "ts");
    const { eventOf } = await import(file);
    expect(eventOf(secret, headers, body)).toEqual(JSON.parse(body));
    expect(() => eventOf(secret, headers, `${body} `)).toThrow();
  });

  testPython("in Python", async () => {
    const [, file = ""] = programOf("docs/owners/webhooks.md", "python");
    const call =
      "\nimport sys\nsecret, headers, body = json.load(sys.stdin)\nprint(json.dumps(event_of(secret, headers, body.encode())))\n";
    writeFileSync(file, readFileSync(file, "utf8") + call);
    const verified = (sent: string) =>
      spawnSync("python3", [file], { input: JSON.stringify([secret, headers, sent]) });
    expect(JSON.parse(String(verified(body).stdout))).toEqual(JSON.parse(body));
    expect(String(verified(`${body} `).stderr)).toContain("not a valid event");
  });
});
