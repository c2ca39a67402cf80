/**
 * The first hour of three newcomers, each with what the pages say and nothing else: a developer on
 * the embedded database, an operations person on PostgreSQL with two roles and two instances, and an agent's
 * developer with two secrets and a URL.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createGenerator } from "json-schema-faker";
import { until } from "../expect.ts";
import { roleStatements, tutorialSteps } from "../pages.ts";
import {
  ask,
  command,
  emptyDatabase,
  formd,
  freePort,
  root,
  run,
  type Server,
  server,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";

/** An emulated machine takes long. */
setDefaultTimeout(process.env.FORMD_TEST_START_SECONDS ? 400_000 : 120_000);
const submissions = "/papi/v1/submitter/form/submissions";
const validation = "/papi/v1/submitter/form/validation";

const began = performance.now();
/** Printed beside the results: how long the way took so far. */
const reached = (what: string, since = began) =>
  console.log(`${((performance.now() - since) / 1000).toFixed(1)} s  ${what}`);

describe("a developer, from the start command to the signed submission", () => {
  let app: Server;
  let settings: Record<string, string>;
  let output: string;
  let key: Record<string, string>;
  let formId: string;

  beforeAll(async () => {
    const home = temporaryFolder();
    settings = {
      HOME: home,
      PORT: String(await freePort()),
      FORMD_DATA_DIR: join(home, "data"),
      FEATURE_AGENT_SIGNING: "true",
      FORMD_SECRET_KEY: "",
    };
    app = await server(settings);
    delete settings.FORMD_SECRET_KEY;
    reached("the server responds");
  });
  afterAll(() => app?.stop());

  test("the start says where the database is, and where to go on", async () => {
    for (const line of [
      `the database is in ${settings.FORMD_DATA_DIR}`,
      `formd is listening at http://localhost:${settings.PORT}`,
    ])
      await until(() => app.log().includes(line));
  });

  testRequiring(
    "bash",
    "curl",
    "node",
    "awk",
  )("the tour, with the port and the data directory exported in both terminals", async () => {
    const script = tutorialSteps().replace(/^formd\(\).*$/m, `formd() { ${command.join(" ")} "$@"; }`);
    const ran = await run("bash", ["-euc", `${script}\necho "\n$KEY\n$FORM\n$ACCESS\n$AGENT"`], settings);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("is published, version 1")]);
    output = ran.stdout;
    const [apiKey = "", form = ""] = output.trimEnd().split("\n").slice(-4);
    key = { "x-api-key": apiKey.replace("x-api-key: ", "") };
    formId = form;
    expect(output).toContain('"status":"completed"');
    reached("the tour has ended");
  });

  test("a second bootstrap, and one for another database, are noticed", async () => {
    const again = await formd(["bootstrap", "--email", "me@example.org"], settings);
    // The server has PostgreSQL started, so that the problem is all that there is to say.
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/^formd: [^\n]*--another-team[^\n]*\n$/),
    ]);
    const elsewhere = { ...settings, FORMD_DATA_DIR: join(settings.HOME ?? "", "other") };
    const listed = await formd(["team", "list"], elsewhere);
    expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining("FORMD_DATA_DIR")]);
  });

  test("a form of one's own: wrong types and rules are refused by name, the right ones are on the page", async () => {
    const fields = [
      { id: "name", type: "text", label: "Name", validation: { min: 2 } },
      { id: "count", type: "int", label: "Count" },
      { id: "tags", type: "multiselect", label: "Tags", options: ["a", "b"] },
      { id: "day", type: "date", label: "Day", validation: { minimum: "2026-01-01" } },
    ];
    const created = await ask(app, "POST", "/papi/v1/management/forms", {
      headers: key,
      body: { name: "Own", schema: { fields } },
    });
    const { id } = created.body.data.form;
    const refused = await formd(["form", "publish", id], settings);
    for (const meant of ["minLength", "integer", "multi_select"])
      expect(refused.stderr).toContain(`is "${meant}" meant?`);
    const page = (await ask(app, "GET", "/developer/api/fields")).body;
    const operations = [
      { op: "updateField", fieldId: "name", set: { validation: { minLength: 2 } } },
      { op: "updateField", fieldId: "count", set: { type: "integer" } },
      { op: "updateField", fieldId: "tags", set: { type: "multi_select" } },
    ];
    for (const word of ["minLength", "integer", "multi_select"]) expect(page).toContain(`>${word}<`);
    await ask(app, "PATCH", `/papi/v1/management/forms/${id}`, { headers: key, body: { operations } });
    expect((await formd(["form", "publish", id], settings)).code).toBe(0);
    reached("a form of one's own is published");
  });

  test("an edit with the lock in another spelling of the instant, the audit, and the CSV", async () => {
    const path = `/papi/v1/management/forms/${formId}/submissions`;
    const [submission] = (await ask(app, "GET", path, { headers: key })).body.data.submissions;
    const edit = (expectedUpdatedAt: string) =>
      ask(app, "PATCH", `${path}/${submission.id}`, {
        headers: key,
        body: { edits: [{ fieldId: "name", value: "Ada L." }], expectedUpdatedAt },
      });
    expect((await edit("yesterday")).status).toBe(400);
    const spelling = submission.updatedAt.replace(/Z$/, "000+00:00");
    expect((await edit(spelling)).status).toBe(200);
    expect((await edit(spelling)).body.code).toBe("conflict");
    const audit = await formd(["audit", "list", submission.id], settings);
    expect(audit.stdout).toContain('"Ada" → "Ada L."');
    const csv = await ask(app, "GET", `${path}/export?format=csv`, { headers: key });
    expect([csv.status, csv.body]).toEqual([200, expect.stringContaining("Ada L.")]);
    reached("edited, audited, exported");
  });

  testRequiring("openssl", "curl")("the guide's program signs for the tutorial's form", async () => {
    const [access = "", agent = ""] = output.trimEnd().split("\n").slice(-2);
    const { id, secret } = JSON.parse(agent).data;
    expect(secret).toStartWith("fda_");
    const folder = temporaryFolder();
    const file = join(folder, "key.pem");
    await run("openssl", ["genpkey", "-algorithm", "ed25519", "-out", file]);
    const { stdout: publicKeyPem } = await run("openssl", ["pkey", "-in", file, "-pubout"]);
    const registered = await ask(app, "POST", `/papi/v1/identity/agents/${id}/keys`, {
      headers: key,
      body: { publicKeyPem },
    });
    const environment = {
      BASE: `http://localhost:${settings.PORT}`,
      ACCESS_KEY: access.replace("x-form-access-key: ", ""),
      KEY_ID: registered.body.data.keyId,
      KEY_FILE: file,
    };
    await Bun.sleep(5_000); // an agent submits once in 5 seconds, and the tour has just done so
    const { stdout } = await run("sh", [join(root, "tests/examples/sign.sh")], environment);
    expect(JSON.parse(stdout).data.status).toBe("completed");
    reached("signed and submitted");
  });
});

describe("an operations person, with two roles and two instances", () => {
  test("the statements of the page of roles, migrate, two instances, a roll without an error, metrics", async () => {
    const start = performance.now();
    const { sql, url } = await emptyDatabase();
    const statements = roleStatements().split(/;.*\n/).filter(Boolean);
    const ownerOf = (text: string) => text.replaceAll("my_", "ops_");
    for (const statement of statements.filter((each) => !/^create role formd_/.test(each)))
      await sql.unsafe(ownerOf(statement));
    const asRole = (role: string) =>
      url.replace(/\/\/[^@]*@/, `//${role}@`).replace(/\/test_\w+/, "/ops_forms");
    const owner = { MIGRATION_DATABASE_URL: asRole("ops_owner") };
    // The owner's URL is enough to migrate: the server's login need not work yet.
    const migrated = await formd(["migrate"], { ...owner, DATABASE_URL: asRole("nobody_yet") });
    expect([migrated.code, migrated.stderr]).toEqual([0, expect.any(String)]);
    const settings = { ...owner, DATABASE_URL: asRole("ops_server"), DRAIN_SECONDS: "1" };
    const { stdout } = await formd(["bootstrap", "--email", "ops@example.org", "--json"], settings);
    const created = JSON.parse(stdout);
    const teams = JSON.parse((await formd(["team", "list", "--json"], settings)).stdout).teams;
    expect(teams.map(({ id }: { id: string }) => id)).toEqual([created.team.id]);
    const instances = [await server(settings), await server(settings)];
    reached("two instances are ready", start);
    const headers = { "x-api-key": created.apiKey.key };
    const statuses: number[] = [];
    let isRolling = true;
    const traffic = (async () => {
      while (isRolling) {
        const [first, second] = instances as [Server, Server];
        // A balancer: the other instance, once /readyz of this one is no longer 200.
        const target = (await fetch(`${first.url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ))
          ? first
          : second;
        statuses.push((await ask(target, "GET", "/papi/v1/management/forms", { headers })).status);
      }
    })();
    await Bun.sleep(300);
    await instances[0]?.stop("SIGTERM");
    await Bun.sleep(300);
    isRolling = false;
    await traffic;
    expect(new Set(statuses)).toEqual(new Set([200]));
    const metrics = (await ask(instances[1] as Server, "GET", "/metrics")).body;
    for (const name of ["formd_build_info", "process_start_time_seconds", "formd_submissions_total"])
      expect(metrics).toMatch(new RegExp(`^${name}`, "m"));
    await instances[1]?.stop();
    reached(`${statuses.length} requests during a roll, none failed`, start);
    for (const made of ["database ops_forms", "role ops_owner", "role ops_server"])
      await sql.unsafe(`drop ${made}`);
  });
});

describe("an agent's developer, with two secrets and a URL", () => {
  test("from llms.txt to a submission, by what the responses say", async () => {
    const start = performance.now();
    const home = temporaryFolder();
    const settings = { FORMD_DATA_DIR: join(home, "data"), FORMD_SECRET_KEY: "" };
    const app = await server(settings);
    const { stdout } = await formd(["demo", "--json"], { FORMD_DATA_DIR: settings.FORMD_DATA_DIR });
    const { agent, accessKey } = JSON.parse(stdout);
    const overview = (await ask(app, "GET", "/llms.txt")).body as string;
    const [agentHeader = "", tokenHeader = "", formHeader = ""] = [
      ...overview.matchAll(/`(x-[a-z-]+)`/g),
    ].map(([, name]) => name);
    // The commonest mistake: the secret as token. The response says what to do.
    const mistaken = await ask(app, "GET", "/papi/v1/submitter/form", {
      headers: { [formHeader]: accessKey, [tokenHeader]: agent.secret },
    });
    expect(mistaken.body.error).toContain("Exchange it for a token at POST /papi/v1/auth/token.");
    const minted = await ask(app, "POST", "/papi/v1/auth/token", {
      headers: { [agentHeader]: agent.secret },
    });
    const headers = { [formHeader]: accessKey, [tokenHeader]: minted.body.data.token };
    const { form, jsonSchema } = (await ask(app, "GET", "/papi/v1/submitter/form", { headers })).body.data;
    reached(`read the form "${form.name}"`, start);
    const bad = await ask(app, "POST", validation, {
      headers,
      body: { data: { name: "A", topic: "gossip" } },
    });
    expect(bad.body.data.valid).toBe(false);
    // The one-shot payload of a tool that makes values for a JSON Schema.
    const data = await createGenerator({ seed: 1, alwaysFakeOptionals: true }).generate(jsonSchema);
    const dry = await ask(app, "POST", validation, { headers, body: { data } });
    expect(dry.body.data).toMatchObject({ valid: true, errors: [], missingRequired: [] });
    expect((await ask(app, "POST", submissions, { headers, body: { data } })).status).toBe(200);
    await app.stop();
    reached("submitted a payload made from the JSON Schema", start);
  });
});
