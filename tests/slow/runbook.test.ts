/**
 * The runbook, drilled: each symptom is produced on purpose, seen as the page says, and fixed by what the
 * page says, in less than the time that an operator at 3 am has.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SignJWT } from "jose";
import { limits } from "../../src/limits.ts";
import { connect } from "../../src/platform/database/db.ts";
import { outcome, until } from "../expect.ts";
import { Browser } from "../http/console/browser.ts";
import { baseOf } from "../mcp-client.ts";
import { readPage } from "../pages.ts";
import {
  asAgent,
  ask,
  database,
  formd,
  makeAgent,
  makeForm,
  makeTeam,
  onCleanup,
  permissive,
  server,
  service,
  settingsFor,
  temporaryFolder,
} from "../setup.ts";
import { makeSigningAgent } from "../signing.ts";

const fixMs = 10 * 60_000;
setDefaultTimeout(fixMs);

const runbook = ["docs/operate/runbook.md", "docs/operate/leaks.md"]
  .map(readPage)
  .join(" ")
  .replace(/\s+/g, " ");
/** Asserts that the runbook has the text of a step that the test takes. */
function says(text: string): void {
  expect(runbook).toContain(text);
}

const took: [symptom: string, seconds: string][] = [];
/** Fixes, and notes how long that took. */
async function fix(symptom: string, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  took.push([symptom, (ms / 1000).toFixed(1)]);
  expect(ms).toBeLessThan(fixMs);
}
afterAll(() => console.log(took.map(([symptom, seconds]) => `${symptom}: fixed in ${seconds} s`).join("\n")));

const readyz = async (app: { url: string }) => await ask(app, "GET", "/readyz");
const command = async (environment: Record<string, string>, ...args: string[]) => {
  const { code, stdout, stderr } = await formd([...args, "--json"], environment);
  expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return JSON.parse(stdout);
};
const doctor = async (environment: Record<string, string>): Promise<string> => {
  const { stdout, stderr } = await formd(["doctor"], environment);
  return stdout + stderr;
};

/** A team with a form on a server that others share, unless it needs other settings. */
async function scene(settings = permissive) {
  const app = await service(settings);
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
  const asOwner = { headers: { "x-api-key": team.key } };
  const submit = (headers: Record<string, string>) =>
    ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, ...headers },
      body: { data: { name: "Ada" } },
    });
  return { app, team, form, asOwner, submit, environment: settingsFor(app.database) };
}

describe("all requests are 503", () => {
  test("PostgreSQL refuses the server's login", async () => {
    const { sql, url } = await database();
    const role = `night_${Date.now()}`;
    await sql.unsafe(`create role ${role} login in role formd_app`);
    onCleanup(async () => void (await sql.unsafe(`drop role ${role}`)));
    await sql.unsafe(`
      alter role ${role} set statement_timeout = '10s'; alter role ${role} set lock_timeout = '5s'`);
    const own = { DATABASE_URL: url.replace(/\/\/[^@]*@/, `//${role}@`) };
    const app = await server(own);
    expect((await readyz(app)).status).toBe(200);
    await sql.unsafe(`alter role ${role} nologin`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`;
    await until(async () => (await readyz(app)).status === 503);
    expect((await readyz(app)).body.error).toContain("cannot reach its database");
    says("`formd doctor` says why: PostgreSQL is stopped, or refuses the login");
    await fix("refused login", async () => {
      expect(await doctor(own)).toContain("is not permitted to log in");
      await sql.unsafe(`alter role ${role} login`);
      says("formd reconnects by itself");
      await until(async () => (await readyz(app)).status === 200, 120_000);
    });
    await app.stop();
  });

  test("the schema is absent", async () => {
    const made = await database();
    const { sql } = made;
    const app = await server({ DATABASE_URL: made.url });
    await sql`drop schema formd cascade`;
    // A database that was made for formd belongs to its owner.
    const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
    await sql.unsafe(`alter database ${name} owner to formd_owner`);
    await until(async () => (await readyz(app)).body.schema === "absent");
    await fix("absent schema", async () => {
      says("`formd migrate` with this release");
      expect((await formd(["migrate"], settingsFor(made))).code).toBe(0);
      await until(async () => (await readyz(app)).status === 200, 120_000);
    });
    await app.stop();
  });
});

test("some requests are 500: a function is missing", async () => {
  const made = await database();
  const app = await server({ DATABASE_URL: made.url });
  await made.sql`drop function formd.form_list cascade`;
  await until(async () => (await readyz(app)).body.data?.schema === "damaged");
  const environment = settingsFor(made);
  await fix("missing function", async () => {
    expect(await doctor(environment)).toContain("form_list");
    says("`formd migrate --repair`, while servers run");
    expect((await formd(["migrate", "--repair"], environment)).code).toBe(0);
    await until(async () => (await readyz(app)).body.data?.schema === "current", 120_000);
  });
  await app.stop();
});

test("each request is 400, since the host is not one of the server's", async () => {
  const made = await database();
  const own = { DATABASE_URL: made.url, BASE_URL: "https://forms.example.org" };
  const at = (app: { url: string }) =>
    fetch(`${app.url}/papi/v1/docs`, { headers: { host: "forms.town.example" } });
  const wrong = await server(own);
  expect(await (await at(wrong)).text()).toContain("is not one of this server's");
  await wrong.stop();
  await fix("unknown host", async () => {
    says("add the host to `ALLOWED_HOSTS`");
    const app = await server({ ...own, ALLOWED_HOSTS: "forms.town.example" });
    expect((await at(app)).status).toBe(200);
    await app.stop();
  });
});

test("it is slow: a process holds a lock on a table", async () => {
  const { app, asOwner, environment } = await scene();
  const { sql } = app.database;
  const holding = await sql.reserve();
  await holding`begin`;
  await holding`lock table formd.forms in access exclusive mode`;
  await fix("held table", async () => {
    says("`formd doctor` names the process under `locks`, with the statement that ends it");
    const list = () => ask(app, "GET", "/papi/v1/management/forms", asOwner);
    const waiting = list();
    let ending = "";
    await until(async () => {
      ending = /select pg_terminate_backend\(\d+\)/.exec(await doctor(environment))?.[0] ?? "";
      return ending;
    });
    await sql.unsafe(ending);
    expect([200, 503]).toContain((await waiting).status);
    await until(async () => (await list()).status === 200);
  });
  holding.release();
});

const canMount = process.getuid?.() === 0 && spawnSync("mount", ["--version"]).status === 0;
test("the disk is full: writes are 503 until there is room, and nothing that was acknowledged is lost", async () => {
  const folder = temporaryFolder();
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const isMounted =
    canMount &&
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=400m,mode=0755", "tmpfs", disk], { stdio: "ignore" })
      .status === 0;
  if (!isMounted)
    return void console.warn("the full disk is not drilled: no file system can be mounted here");
  onCleanup(async () => void spawnSync("umount", ["--lazy", disk]));
  const own = { FORMD_DATA_DIR: join(disk, "data") };
  const app = await server({ ...own, FORMD_SECRET_KEY: "" });
  const { form, accessKey, apiKey } = await command(own, "demo");
  const acknowledged: string[] = [];
  const submit = async () => {
    const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": accessKey, "x-api-key": apiKey },
      body: { data: { name: "Ada", email: "ada@example.org", topic: "sales" } },
    });
    if (outcome(reply) === "ok") acknowledged.push(reply.body.data.id);
    return reply;
  };
  expect(outcome(await submit())).toBe("ok");
  const ballast = join(disk, "ballast");
  spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=64k"], { stdio: "ignore" });
  const full = "The database has run out of disk, memory or connections.";
  says(full);
  let refused = await submit();
  await until(async () => {
    // PostgreSQL first uses the free space in its existing files.
    const replies = await Promise.all(Array.from({ length: 20 }, submit));
    refused = replies.find((reply) => outcome(reply) !== "ok") ?? refused;
    return refused.status === 503;
  }, 300_000);
  expect(refused.body.error).toBe(full);
  const list = async () =>
    await ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions`, {
      headers: { "x-api-key": apiKey },
    });
  says("reads go on, and `/readyz` stays 200");
  expect([(await list()).status, (await readyz(app)).status]).toEqual([200, 200]);
  await fix("full disk", async () => {
    rmSync(ballast);
    says("formd goes on by itself");
    await until(async () => (await submit()).status === 200, 120_000);
  });
  const { body } = await list();
  expect(body.data.pagination.total).toBe(acknowledged.length);
  await app.stop();
});

test("the only operator is locked out", async () => {
  const { app, team, environment } = await scene();
  const { email, password } = team.operator;
  const from = { "x-forwarded-for": "203.0.113.7" };
  const person = new Browser(app);
  const signIn = (with_: string) => person.post("/console/sign-in", { email, password: with_ }, from);
  await until(async () => (await signIn("forgotten")).status === 429, 120_000);
  expect((await signIn(password)).status).toBe(429);
  await fix("operator locked out", async () => {
    says("on the machine: `formd operator list`, then `formd operator reset-link`");
    const { operators } = await command(environment, "operator", "list", "--team", team.id);
    expect(operators.map((each: { email: string }) => each.email)).toEqual([email]);
    const { link } = await command(environment, "operator", "reset-link", "--email", email);
    const { pathname } = new URL(link);
    expect((await person.get(pathname)).html).toContain("password");
    expect((await person.post(pathname, { password: "a sentence for the night" })).status).toBe(200);
    expect((await person.get("/console")).status).toBe(200);
    says("A sign-in that is still 429 waits for `retryAfter`, at most a minute");
    const other = new Browser(app);
    const again = () => other.post("/console/sign-in", { email, password: "a sentence for the night" }, from);
    await until(async () => (await again()).status === 303, 120_000);
    says("`formd operator set-password` prints a new password");
    const printed = await command(environment, "operator", "set-password", "--email", email);
    expect(
      (await new Browser(app).signIn(email, printed.operator?.password ?? printed.password)).status,
    ).toBe(303);
  });
});

test("an agent's secret, its key, an API key and an access key leaked: each ends at the next request", async () => {
  const { app, team, form, environment } = await scene();
  const agent = await makeAgent(app, team, form);
  const read = async (headers: Record<string, string>) =>
    outcome(await ask(app, "GET", "/papi/v1/submitter/form", { headers }));
  expect(await read(asAgent(form, agent))).toBe("ok");
  await fix("leaked secrets", async () => {
    says("`DELETE /papi/v1/identity/agents/{agent_id}/sessions` ends the sessions alone");
    const create = ["api-key", "create", "--team", team.id, "--scopes", "forms:write,forms:read"];
    const { key } = await command(environment, ...create);
    const ended = await ask(app, "DELETE", `/papi/v1/identity/agents/${agent.id}/sessions`, {
      headers: { "x-api-key": key },
    });
    expect([outcome(ended), await read(asAgent(form, agent))]).toEqual(["ok", "401 unauthorized"]);
    says("`formd api-key list`, `formd api-key revoke`, `formd api-key create`");
    const { apiKeys } = await command(environment, "api-key", "list", "--team", team.id);
    for (const { id } of apiKeys) await command(environment, "api-key", "revoke", id);
    const list = await ask(app, "GET", "/papi/v1/management/forms", { headers: { "x-api-key": key } });
    expect(outcome(list)).toBe("401 unauthorized");
    says("make another one, give it to those who submit, revoke the leaked one");
    const other = await makeAgent(app, team, form);
    const made = await command(environment, "access-key", "create", form.id);
    const { accessKeys } = await command(environment, "access-key", "list", form.id);
    for (const { id } of accessKeys)
      if (id !== made.id) await command(environment, "access-key", "revoke", id);
    expect([
      await read(asAgent(form, other)),
      await read(asAgent({ ...form, accessKey: made.key }, other)),
    ]).toEqual(["401 unauthorized", "ok"]);
  });
});

test("the clock was ahead: callers counted then are limited until the owner deletes their counts", async () => {
  const { app, team, form, submit: send } = await scene();
  const agent = await makeAgent(app, team, form);
  const submit = async () => outcome(await send(asAgent(form, agent)));
  expect(await submit()).toBe("ok");
  // The same submit would have left these rows if the clock had been an hour ahead.
  await app.database.sql`
    update formd.rate_limits set expires_at = expires_at + interval '1 hour',
      times = array(select time + 3600000000 from unnest(times) with ordinality as t (time, place) order by place)`;
  await Bun.sleep(limits.agentSubmit.windowMs + 1_000);
  expect(await submit()).toBe("429 rate_limited");
  await fix("clock that was ahead", async () => {
    says("unless the database's owner runs `delete from formd.rate_limits`");
    const owner = connect(app.database.ownerUrl, { poolSize: 1, prepare: false });
    await owner`delete from formd.rate_limits`;
    await owner.end();
    expect(await submit()).toBe("ok");
  });
});

test("a backup must be restored: the drill of its page, with the master key, its times and its receipt", async () => {
  const page = readPage("docs/operate/backup.md").replace(/\s+/g, " ");
  const folder = temporaryFolder();
  const [from, to, file] = ["from", "to", "backup.sql.gz"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const embedded = (FORMD_DATA_DIR: string) => ({ FORMD_DATA_DIR });
  const start = (FORMD_DATA_DIR: string, more: Record<string, string> = {}) =>
    server({ FORMD_DATA_DIR, FORMD_SECRET_KEY: "", ...more });
  const first = await start(from);
  const { form, accessKey, apiKey, operator } = await command(embedded(from), "demo");
  const stored = await ask(first, "POST", "/papi/v1/submitter/form/submissions", {
    headers: { "x-form-access-key": accessKey, "x-api-key": apiKey },
    body: { data: { name: "Ada", email: "ada@example.org", topic: "sales" } },
  });
  const { id } = stored.body.data;
  const receipt = async (app: { url: string }) =>
    (
      await ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions/${id}/receipt`, {
        headers: { "x-api-key": apiKey },
      })
    ).body as string;
  const before = await receipt(first);
  const BASE_URL = first.url;
  expect((await formd(["backup", file], embedded(from))).code).toBe(0);
  await first.stop();
  await fix("restore", async () => {
    const { code, stdout, stderr } = await formd(["restore", file], embedded(to));
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining("secret.key")]);
    says("do step 2 of the drill first: the master key");
    // Another key, as the first start would make one.
    writeFileSync(join(to, "secret.key"), `${Buffer.alloc(32, 9).toString("base64")}\n`, { mode: 0o600 });
    const refused = await start(to).then(
      async (app) => {
        await app.stop();
        return "it started";
      },
      (error: Error) => error.message,
    );
    expect(refused).toContain("another master key");
    copyFileSync(join(from, "secret.key"), join(to, "secret.key"));
    expect(page).toContain(
      "with `ALLOWED_HOSTS=localhost:8080` and `WEBHOOKS=false`, and without `SMTP_URL`",
    );
    expect(page).toContain("and `ERASURES_FILE` another file, since");
    const app = await start(to, {
      BASE_URL,
      ALLOWED_HOSTS: "localhost,127.0.0.1",
      WEBHOOKS: "false",
      FILES_URL: String(pathToFileURL(join(to, "files"))),
      ERASURES_FILE: join(folder, "drill.jsonl"),
    });
    expect((await formd(["doctor"], embedded(to))).stdout).not.toMatch(/^wrong/m);
    expect((await new Browser(app).signIn(operator.email, operator.password)).status).toBe(303);
    expect(await receipt(app)).toBe(before);
    await app.stop();
  });
});

test("a receiver fails until it is disabled: what waits is sent once it is enabled", async () => {
  const networks = { OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8" };
  const { app, form, asOwner, submit, environment } = await scene({ ...permissive, ...networks });
  let status = 410;
  let arrived = 0;
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      if (status === 204) arrived++;
      return new Response(null, { status });
    },
  });
  onCleanup(async () => await receiver.stop(true));
  const { body } = await ask(app, "POST", "/papi/v1/management/webhooks", {
    ...asOwner,
    body: { formId: form.id, url: `http://127.0.0.1:${receiver.port}/`, eventTypes: ["submission.created"] },
  });
  const path = `/papi/v1/management/webhooks/${body.data.webhook.id}`;
  const isDisabled = async () =>
    (await ask(app, "GET", path, asOwner)).body.data.webhook.status === "disabled";
  await submit(asOwner.headers);
  await until(isDisabled);
  await submit(asOwner.headers);
  await fix("failing receiver", async () => {
    says("`formd doctor` names the receivers that fail");
    expect(await doctor(environment)).toContain(`note  webhooks: Receivers fail: 127.0.0.1:${receiver.port}`);
    says("enable it, and what waits is sent; what happens meanwhile is not recorded for it");
    status = 204;
    await ask(app, "PATCH", path, { ...asOwner, body: { status: "active" } });
    await until(() => arrived === 1, 120_000);
    expect((await ask(app, "GET", `${path}/deliveries`, asOwner)).body.data.pagination.total).toBe(1);
  });
});

test("an agent's private key leaked: a token that it got lives on until the sessions are ended", async () => {
  const { app, team, form, asOwner } = await scene();
  const { id, key } = await makeSigningAgent(app, team, form);
  const [{ clientId }] = await app.database.sql<[{ clientId: string }]>`
    select client_id from formd.agents where id = ${id}`;
  const claims = { iss: clientId, sub: clientId, aud: baseOf(app), jti: crypto.randomUUID() };
  const assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg: "EdDSA" })
    .setExpirationTime("1 minute")
    .sign(key.privateKey);
  const minted = await ask(app, "POST", "/oauth/token", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
    }).toString(),
  });
  expect(minted.body).toMatchObject({ token_type: "Bearer" });
  const asThief = asAgent(form, { token: minted.body.access_token });
  const read = async () => outcome(await ask(app, "GET", "/papi/v1/submitter/form", { headers: asThief }));
  const agentPath = `/papi/v1/identity/agents/${id}`;
  expect(await read()).toBe("ok");
  await fix("leaked private key", async () => {
    says("revoke the signing key");
    expect(outcome(await ask(app, "DELETE", `${agentPath}/keys/${key.id}`, asOwner))).toBe("ok");
    expect(await read()).toBe("ok");
    says("Then end the agent's sessions");
    expect(outcome(await ask(app, "DELETE", `${agentPath}/sessions`, asOwner))).toBe("ok");
    expect(await read()).toBe("401 unauthorized");
  });
});
