// stacks: one
/** The commands of the pages of docs/, pasted into a shell with this run's names in place of the page's. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readConfig } from "../../src/platform/config.ts";
import { outcome, submissionCount } from "../expect.ts";
import { local } from "../http/webhooks/receiver.ts";
import { identityProvider } from "../identity-provider.ts";
import { blockOf, linesOf, type ShellBlock, shellBlock } from "../pages.ts";
import { divideSince } from "../setup/months.ts";
import { masterKey } from "../setup/server.ts";
import {
  asAgent,
  ask,
  database,
  emptyDatabase,
  formd,
  makeAgent,
  makeForm,
  makeTeam,
  manageSubmission,
  permissive,
  service,
  settingsFor,
  submitByKey,
  temporaryFolder,
  testRequiring,
} from "../setup.ts";
import { paste as pasteBlock } from "../shell.ts";

const folder = temporaryFolder();
const FILES_URL = String(pathToFileURL(join(folder, "files")));
const app = await service({ ...permissive, FILES_URL });
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "email", type: "email", label: "E-mail" }]);

const paste = (
  block: ShellBlock,
  places: Record<string, string>,
  environment: Record<string, string> = settingsFor(app.database),
) => pasteBlock(block, places, environment);

const submit = async (): Promise<string> => {
  const { status, body } = await submitByKey(app, team, form, { email: "ada@example.org" });
  expect(status).toBe(200);
  return body.data.id;
};
const manage = (method: string, path: string) => manageSubmission(app, team, form, method, path);
const jsonLines = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test("exports: what changed since the first run is in the second", async () => {
  await submit();
  const since = new Date().toISOString();
  const second = await submit();
  await paste(shellBlock("docs/owners/exports.md", "formd export"), {
    FORM_ID: form.id,
    "submissions-": join(folder, "submissions-"),
    "2026-11-22T08:00:00.000Z": since,
  });
  const [all, later] = [1, 2].map((run) => jsonLines(join(folder, `submissions-${run}.jsonl`)));
  expect(all?.length).toBeGreaterThan(1);
  expect(later?.map(({ id }) => id)).toEqual([second]);
});

testRequiring("psql")("exports: the view of a form", async () => {
  const { sql } = app.database;
  // A database that was made for formd belongs to its owner.
  const [{ database }] = await sql<[{ database: string }]>`select current_database() as database`;
  await sql.unsafe(`alter database ${database} owner to formd_owner`);
  await submit();
  await paste(shellBlock("docs/owners/exports.md", "formd report view"), { FORM_ID: form.id });
  const [{ name }] = await sql<[{ name: string }]>`
    select format('%I.%I', schemaname, viewname) as name from pg_views where schemaname = 'formd_reports'`;
  const rows = await sql.unsafe(`select distinct email from ${name}`);
  expect(rows).toMatchObject([{ email: "ada@example.org" }]);
});

test("a person's data: exported, announced, erased", async () => {
  const id = await submit();
  const file = join(folder, "ada.jsonl");
  const said = await paste(shellBlock("docs/owners/personal-data.md", "formd person export"), {
    FORM_ID: form.id,
    "ada.jsonl": file,
  });
  expect(jsonLines(file).map(({ submissionId }) => submissionId)).toContain(id);
  expect(said).toContain("--confirm");
  expect((await manage("GET", id)).status).toBe(404);
});

test("receipts: verified by a key, and by the list", async () => {
  const id = await submit();
  const { body: note } = await manage("GET", `${id}/receipt`);
  const { body: list } = await ask(app, "GET", `/papi/v1/receipt-keys?team=${team.id}`);
  const [note_, list_] = [join(folder, "receipt"), join(folder, "keys.json")];
  writeFileSync(note_, note);
  writeFileSync(list_, JSON.stringify(list));
  const { key } = list.data.keys[0];
  await paste(shellBlock("docs/owners/receipts.md", "formd receipt verify FILE --key KEY\n"), {
    FILE: note_,
    KEY: `'${key}'`,
  });
  const kept = { FILE: note_, KEPT: `'${key}'`, LIST: list_ };
  const said = await paste(
    shellBlock("docs/owners/receipts.md", "formd receipt verify FILE --key KEPT"),
    kept,
  );
  expect(said).toContain("chain");
});

test("receipts: the data and a file that it names are compared with one", async () => {
  const form = await makeForm(app, team, [{ id: "cv", type: "file", label: "CV" }]);
  const headers = asAgent(form, await makeAgent(app, team, form));
  const bytes = Buffer.from("%PDF-1.4\nAda Lovelace\n%%EOF\n");
  const upload = await fetch(`${app.url}/papi/v1/submitter/form/files?field=cv&name=cv.pdf`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/pdf" },
    body: bytes,
  });
  const { id: file } = ((await upload.json()) as { data: { id: string } }).data;
  const body = { data: { cv: [{ id: file }] } };
  const sent = await ask(app, "POST", "/papi/v1/submitter/form/submissions", { headers, body });
  const { id } = sent.body.data;
  const kept = await manageSubmission(app, team, form, "GET", id);
  const receipt = await manageSubmission(app, team, form, "GET", `${id}/receipt`);
  const { body: list } = await ask(app, "GET", `/papi/v1/receipt-keys?team=${team.id}`);
  const [note, data, cv] = ["note", "data.json", "cv.pdf"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(note, receipt.body);
  writeFileSync(data, JSON.stringify(kept.body.data.submission.data));
  writeFileSync(cv, bytes);
  const said = await paste(
    shellBlock("docs/owners/receipts.md", "formd receipt verify FILE --key KEY --data"),
    {
      "CV.pdf": cv,
      "verify FILE": `verify ${note}`,
      "key KEY": `key '${list.data.keys[0].key}'`,
      "data DATA": `data ${data}`,
      SALT: receipt.headers.get("receipt-salt") ?? "",
    },
  );
  expect(said).toMatch(/^ok +file: /m);
});

test("sign-in: a connection is made, listed and removed; a password lets back in", async () => {
  const file = join(folder, "secret.txt");
  writeFileSync(file, "a client secret of the tests\n");
  const provider = await identityProvider();
  const environment = { ...settingsFor(app.database), ...local, FORMD_SECRET_KEY: masterKey };
  const made = await paste(
    shellBlock("docs/operate/sign-in.md", "formd sign-in-connection create"),
    {
      "https://id.example.org/realms/corp": provider.issuer,
      TEAM: team.id,
      WORKSPACE: team.workspace,
      "secret.txt": file,
    },
    environment,
  );
  expect(made.match(/https?:\/\/\S+/g)).toHaveLength(3);
  const id = /[\da-f]{8}-[\da-f-]{27}/.exec(made)?.[0] ?? "";
  await paste(
    shellBlock("docs/operate/sign-in.md", "formd sign-in-connection change ID --scopes"),
    { ID: id },
    environment,
  );
  await paste(
    shellBlock("docs/operate/sign-in.md", "formd sign-in-connection change ID --required"),
    { ID: id },
    environment,
  );
  expect(
    await paste(
      shellBlock("docs/operate/sign-in.md", "formd sign-in-connection list"),
      { ID: id },
      environment,
    ),
  ).toContain("Corp");
  await paste(shellBlock("docs/operate/sign-in.md", "formd operator set-password"), {
    "ada@example.org": team.operator.email,
  });
});

testRequiring(
  "openssl",
  "awk",
  "curl",
)("signing: a key is made and registered", async () => {
  const { id } = await makeAgent(app, team, form);
  const said = await paste(
    shellBlock("docs/agents/signing.md", "openssl"),
    { "key.pem": join(folder, "key.pem") },
    { BASE: app.url, AGENT_ID: id, API_KEY: team.key },
  );
  expect(JSON.parse(said.slice(said.indexOf("{"))).data.keyId).toBeString();
});

test("backup: erasures are listed, and repeated", async () => {
  const list = join(folder, "erasures.jsonl");
  const id = await submit();
  await manage("DELETE", id);
  const environment = { ...settingsFor(app.database), ERASURES_FILE: list };
  expect((await formd(["erasures", "export"], environment)).code).toBe(0);
  await paste(shellBlock("docs/operate/backup.md", "formd erasures repeat"), {
    "/var/lib/formd-before/erasures.jsonl": list,
  });
});

const major = (program: string) => {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return Number(/\d+/.exec(stdout ?? "")?.[0] ?? 0);
};
test("backup: a database of one's own, dumped and restored into another", async () => {
  const { sql } = app.database;
  const [{ version }] = await sql<[{ version: number }]>`
    select current_setting('server_version_num')::int / 10000 as version`;
  // pg_dump reads servers of its major version and older ones: Debian's, not the embedded one.
  if (Math.min(major("pg_dump"), major("pg_restore")) < version)
    return void console.warn(`no dump is tried here: pg_dump does not read PostgreSQL ${version}`);
  const before = await submissionCount(app, form);
  const other = await emptyDatabase();
  await paste(
    shellBlock("docs/operate/backup.md", "pg_dump"),
    { "formd.dump": join(folder, "formd.dump") },
    { ...settingsFor(app.database), NEW_DATABASE_URL: other.ownerUrl },
  );
  const [{ count }] = await other.sql<[{ count: number }]>`
    select count(*)::int from formd.submissions where form_id = ${form.id}`;
  expect(count).toBe(before);
});

const json = (page: string, begin: string) => JSON.parse(blockOf(`docs/owners/${page}.md`, "json", begin));
const kind = { id: "kind", type: "select", label: "Kind", options: ["person", "company"], required: true };
const country = { id: "country", type: "select", label: "Country", options: ["DE", "FR"] };
test.each([
  [
    "conditions",
    () => [kind, country, { ...json("conditions", '{ "id": "vat"'), required: true }],
    () => ({ examples: [json("conditions", '{ "name"')] }),
  ],
  [
    "limits of options and mail",
    () => [json("availability-captcha", '{ "id": "day"'), { id: "email", type: "email", label: "E-mail" }],
    () => ({ ...json("mail", '{ "notify"'), ...json("mail", '{ "copy"') }),
  ],
])("the JSON about %s makes a form that is published", async (_, fields, settings) => {
  const headers = { "x-api-key": team.key };
  const made = await ask(app, "POST", "/papi/v1/management/forms", { headers, body: { name: "F" } });
  const { id } = made.body.data.form;
  const operations = [
    ...fields().map((field) => ({ op: "addField", field })),
    { op: "setMeta", settings: settings() },
  ];
  const path = `/papi/v1/management/forms/${id}`;
  expect(outcome(await ask(app, "PATCH", path, { headers, body: { operations } }))).toBe("ok");
  const { code, stderr } = await formd(["form", "publish", id], settingsFor(app.database));
  expect([stderr, code]).toEqual([stderr, 0]);
});

test.each([
  ["docs/operate/mail.md", "SMTP_URL"],
  ["docs/operate/files.md", "FILES_URL"],
])("%s: the settings %s and below are read", (page, begin) => {
  const lines = linesOf(page, begin).trim().split("\n");
  const settings = Object.fromEntries(lines.map((line) => line.replaceAll("'", "").split(/=(.*)/)));
  const read: Record<string, unknown> = readConfig(settings);
  for (const name of Object.keys(settings)) expect([name, read[name]]).not.toEqual([name, undefined]);
  expect(read.unknownNames).toEqual([]);
});

test("months: divided, listed, dropped, archived", async () => {
  const plain = await database();
  expect(
    await paste(shellBlock("docs/dba/months.md", "formd partition enable"), {}, settingsFor(plain)),
  ).toContain("submissions");
  const old = await database();
  await divideSince(old, 3);
  const now = new Date();
  const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
  const archive = join(folder, "audit.jsonl");
  await paste(
    shellBlock("docs/dba/months.md", "formd partition list"),
    { "2026-01": before, "audit-2025.jsonl": archive },
    settingsFor(old),
  );
  expect(readdirSync(folder)).toContain("audit.jsonl");
});
