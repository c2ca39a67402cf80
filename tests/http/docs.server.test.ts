// stacks: one
/** Statements of the pages in docs/ are true, and their programs run. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { outcome, until } from "../expect.ts";
import { baseOf } from "../mcp-client.ts";
import { blockOf, readPage, roleStatements, shellBlock, shellBlocksOf, tutorialSteps } from "../pages.ts";
import {
  asAgent,
  ask,
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
import { paste, runShell } from "../shell.ts";
import { demoEnvironment, printedBy } from "./demo.ts";
import { generateTypes } from "./generated-client.ts";
import { local, receiver } from "./webhooks/receiver.ts";

testRequiring("bash", "curl", "node", "awk").each(["api-key", "operator"])(
  "the steps of the tutorial, pasted into a shell, end with the submission read by its owner, and a second run with a sentence; agents by %s",
  async (AGENT_CREDENTIALS) => {
    const app = await service({ AGENT_CREDENTIALS });
    const script = tutorialSteps()
      .replace(/^formd\(\).*$/m, "")
      .replace(/^BASE=.*$/m, `BASE=${app.url}`);
    const { stdout, code } = await runShell("bash", script, settingsFor(app.database));
    expect(code).toBe(0);
    expect(stdout).toContain("is published, version 1");
    expect(stdout).toContain('"missingRequired":["name"]');
    const { data } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(data.submissions).toEqual([expect.objectContaining({ data: { name: "Ada" } })]);
    const again = await runShell("bash", script, settingsFor(app.database));
    expect(again).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^formd: [^\n]* is an operator already[^\n]*\n$/),
    });
  },
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
const app = await service({ FEATURE_AGENT_SIGNING: "true", FILES_URL, ...local });

testRequiring(
  "dash",
  "curl",
  "grep",
  "cut",
)(
  "the owner's page leads from a key to an export by its blocks alone, and has every operation and both kinds of 409",
  async () => {
    const page = "docs/owners/rest.md";
    const { BASE, API_KEY } = await demoEnvironment(app);
    const { received, url } = await receiver();
    const file = join(temporaryFolder(), "submissions.csv");
    const person = "formd form publish $FORM; ACCESS_KEY=$(formd access-key create $FORM --json | first key)";
    const places = {
      "http://localhost:8080": BASE,
      "fdk_…": API_KEY,
      "ACCESS_KEY='fdf_…'": person,
      "https://example.org/formd": url,
      "submissions.csv": file,
    };
    const blocks = shellBlocksOf("docs/owners/rest.md");
    const whole = { path: page, shell: "sh" as const, text: blocks.map(({ text }) => text).join("") };
    expect(blocks.map(({ shell }) => shell)).toEqual(blocks.map(() => whole.shell));
    const printed = await paste(whole, places, settingsFor(app.database));
    expect(printed).not.toContain('"error":');
    const [row, ...more] = readFileSync(file, "utf8").trim().split("\r\n").slice(1);
    expect([row, more]).toEqual([expect.stringMatching(/,owner,.*,Ada King,$/), []]);
    await until(() => received.map(({ body }) => body.type).includes("webhook.test"));

    const [, id] = /"formId":"([\da-f-]+)"/.exec(printed) ?? [];
    const patch = (operations: object[], guard = {}) =>
      ask(app, "PATCH", `/papi/v1/management/forms/${id}`, {
        headers: { "x-api-key": API_KEY },
        body: { operations, ...guard },
      });
    const rows = [...readPage(page).matchAll(/^\| `(\w+)` \|.*\| `(\{"op".*\})` \|$/gm)];
    const shown = rows.map(([, op, example = ""]) => ({ op, example: JSON.parse(example) }));
    expect(shown.map(({ op }) => op)).toEqual(shown.map(({ example }) => example.op));
    expect(shown).toHaveLength(5);
    const applied = await patch(shown.map(({ example }) => example));
    expect(outcome(applied)).toBe("ok");
    const field = { id: "name", type: "text", label: "Your name" };
    expect(await patch([{ op: "addField", field }])).toMatchObject({ status: 409, body: { operation: 0 } });
    const stale = { expectedUpdatedAt: applied.body.data.form.createdAt };
    const { status, body } = await patch([{ op: "setMeta", name: "Contact" }], stale);
    expect([status, body.current.updatedAt, "operation" in body]).toEqual([
      409,
      applied.body.data.form.updatedAt,
      false,
    ]);
  },
);

testRequiring("dash", "curl")("the owner's page of invitations makes two, and lists them", async () => {
  const team = await makeTeam(app);
  const name = { id: "name", type: "text", label: "Name", prefill: true };
  const { id } = await makeForm(app, team, [name], { settings: { page: { enabled: true } } });
  const places = { "http://localhost:8080": app.url, "fdk_…": team.key, "FORM='…'": `FORM=${id}` };
  const printed = await paste(shellBlock("docs/owners/coming-back.md", "BASE="), places, {});
  const [made, listed] = printed.split(/(?<=\})(?=\{"data")/).map((text) => JSON.parse(text).data);
  expect(made.invitations.map(({ link }: { link: string }) => link)).toEqual(
    Array(2).fill(expect.stringMatching(/^http:\/\/localhost:\d+\/f\/[^/]+\/i\/[\w-]{22}$/)),
  );
  expect(listed.counts).toEqual({ open: 2, submitted: 0, revoked: 0, mailed: 0 });
});

describe("the programs of the agents' pages", () => {
  const resultOf = async (program: string[]) =>
    JSON.parse(await printedBy(program, await demoEnvironment(app)));
  const completed = { status: "completed", missingRequired: [] };
  const bearer = { token_type: "Bearer" };

  const shell = testRequiring("bash", "curl", "sed");
  shell("README's lines submit; the page of REST and the start page have them", async () => {
    const { BASE, AGENT_SECRET, ACCESS_KEY } = await demoEnvironment(app);
    const places = { "http://localhost:8080": BASE, "fda_…": AGENT_SECRET, "fdf_…": ACCESS_KEY };
    const lines = shellBlock("docs/agents/rest.md", "BASE=");
    expect(shellBlock("README.md", "BASE=").text).toBe(lines.text);
    const { body } = await ask(app, "GET", "/developer");
    expect(/<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(body)?.[1]?.match(/\n/g)).toHaveLength(7);
    const printed = await paste(lines, places, {});
    expect(printed).toContain('"missingRequired":["email","topic"]');
    expect(printed).toContain('"status":"completed"');
  });

  testRequiring("dash", "curl")("REST: a file is sent, and a submission names it", async () => {
    const team = await makeTeam(app);
    const cv = { id: "cv", type: "file", label: "CV" };
    const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }, cv]);
    const agent = await makeAgent(app, team, form);
    const file = join(temporaryFolder(), "cv.txt");
    writeFileSync(file, "Ada Lovelace\n");
    const printed = await paste(
      shellBlock("docs/agents/rest.md", "curl"),
      { "@cv.txt": `@${file}` },
      { BASE: app.url, ACCESS_KEY: form.accessKey, TOKEN: agent.token },
    );
    const { id } = JSON.parse(printed).data;
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
  testRequiring("dash", "curl")("OAuth by secret", async () => {
    const printed = await paste(shellBlock("docs/agents/oauth.md", "curl"), {}, await demoEnvironment(app));
    expect(JSON.parse(printed)).toMatchObject(bearer);
  });

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

  for (const [language, runs] of [
    ["ts", test],
    ["python", testPython],
  ] as const)
    runs(`docs/agents/rest.md in ${language} waits 1 s if a proxy says 0, a date or no number`, async () => {
      const environment = await demoEnvironment(app);
      const after = ["0", new Date().toUTCString(), "-5"];
      // Imitates a proxy that is busy for the first requests.
      using proxy = Bun.serve({
        port: 0,
        async fetch({ url, method, headers, body }) {
          const wait = after.shift();
          if (wait) return Response.json({}, { status: 503, headers: { "retry-after": wait } });
          return fetch(environment.BASE + new URL(url).pathname, { method, headers, body });
        },
      });
      const BASE = `http://localhost:${proxy.port}`;
      const begin = performance.now();
      const printed = await printedBy(programOf("docs/agents/rest.md", language), { ...environment, BASE });
      expect(JSON.parse(printed)).toMatchObject(completed);
      expect(performance.now() - begin).toBeGreaterThan(3000);
    });
});

/** Programs of pages by the file name that the page gives them, for Node, which removes types and no more. */
const nodePrograms = { agent: "rest", mcp: "mcp", oauth: "oauth", sign: "signing", typed: "typed-client" };

testRequiring("node")(
  "the TypeScript of the pages runs on Node under the name that the page gives, without its types",
  async () => {
    const folder = temporaryFolder();
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), "{}");
    await generateTypes(`${baseOf(app)}/papi/v1/openapi.json`, join(folder, "formd.d.ts"));
    const files = Object.entries(nodePrograms).map(([name, page]) => {
      const path = `docs/agents/${page}.md`;
      expect(readPage(path)).toContain(`\`${name}.mts\``);
      const file = join(folder, `${name}.mts`);
      writeFileSync(file, blockOf(path, "ts"));
      return file;
    });
    const flags =
      "--ignoreConfig --erasableSyntaxOnly --strict --skipLibCheck --module nodenext --target esnext --lib esnext,dom --types bun-types --allowImportingTsExtensions --rewriteRelativeImportExtensions";
    const built = await run("node", [join(root, "node_modules/.bin/tsc"), ...flags.split(" "), ...files]);
    expect(built).toEqual({ code: 0, stdout: "", stderr: "" });
    for (const file of files) {
      const printed = await printedBy(["node", file.replace(/mts$/, "mjs")], await demoEnvironment(app));
      expect(printed).toMatch(/"status":"completed"|"token_type":"Bearer"/);
    }
  },
);

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
