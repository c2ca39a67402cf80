/** PostgreSQL's own log of requests has no line per problem, and no submitted value. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { roleStatements } from "../pages.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Server,
  type Service,
  server,
  type Team,
  temporaryFolder,
} from "../setup.ts";

const folder = temporaryFolder();
const url = (user: string) => `postgres://${user}@localhost/formd?host=${folder}/socket`;
const settings = { FORMD_DATA_DIR: folder, RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1000" };
let first: Server;
let app: Service;
let sql: Sql;
let team: Team;
let form: PublishedForm;

beforeAll(async () => {
  first = await server(settings);
  sql = connect(url("postgres"), { poolSize: 2, prepare: false });
  // Resets PostgreSQL to its own defaults, with the settings that the page about roles asks for.
  await sql`alter system set log_min_messages = 'warning'`;
  await sql`alter system set log_line_prefix = '%e %u '`;
  await sql`select pg_reload_conf()`;
  while ((await sql`show log_min_messages`)[0]?.logMinMessages !== "warning") await Bun.sleep(20);
  app = { ...first, database: { url: url("formd"), ownerUrl: url("formd_owner"), sql } };
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "name", type: "text", label: "Name" }]);
});
afterAll(async () => {
  await sql?.end();
});

/** Length of the log at the last call. `errors` returns the error lines since then. */
let seen = 0;
async function errors(): Promise<string[]> {
  const [row] = await sql<[{ text: string }]>`select pg_read_file('postgres.log') as text`;
  const lines = row.text.slice(seen).split("\n");
  seen = row.text.length;
  return lines.filter((line) => / formd (?:ERROR|WARNING|DETAIL|CONTEXT|STATEMENT): /.test(line));
}

/** Every operation of the document, with ids that nothing has. */
async function requests(headers: Record<string, string>): Promise<Set<number>> {
  const { paths } = (await ask(app, "GET", "/papi/v1/openapi.json")).body;
  const statuses = new Set<number>();
  for (const [path, operations] of Object.entries<Record<string, object>>(paths)) {
    for (const method of Object.keys(operations)) {
      const options = {
        headers,
        ...(["post", "patch"].includes(method) && { body: { data: { name: "Ada" } } }),
      };
      const { status } = await ask(app, method.toUpperCase(), path.replace(/\{\w+\}/g, uuidv7()), options);
      statuses.add(status);
    }
  }
  return statuses;
}

/** Problems that functions raise, and the codes of the responses. */
async function problems(): Promise<string[]> {
  const owner = { headers: { "x-api-key": team.key } };
  const patch = (body: object) =>
    ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, { ...owner, body });
  const operations = [{ op: "setMeta", name: "Ada" }];
  return [
    (await ask(app, "GET", `/papi/v1/management/forms/${uuidv7()}/audit`, owner)).body.code,
    (await patch({ operations, expectedVersion: 9 })).body.code,
    (await patch({ operations: [{ op: "removeField", fieldId: "Ada" }] })).body.code,
  ];
}
const refused = ["not_found", "conflict", "not_found"];

describe("with PostgreSQL's own settings", () => {
  test("a caller without credentials, or with ones that nothing has, causes no line", async () => {
    await errors();
    const wrong = (kind: Parameters<typeof makeSecret>[0]) => makeSecret(kind, team.id).secret;
    const headers = {
      "x-api-key": wrong("fdk"),
      "x-form-access-key": wrong("fdf"),
      "x-respondent-token": wrong("fds"),
      "x-agent-secret": wrong("fda"),
      cookie: `formd_session=${wrong("fdo")}`,
    };
    expect([...(await requests({})), ...(await requests(headers))]).toContain(401);
    expect(await errors()).toEqual([]);
  });

  test("a submitter whose submission is refused causes no line", async () => {
    const agent = await makeAgent(app, team, form, ["agent:read"]);
    const path = "/papi/v1/submitter/form/submissions";
    await errors();
    for (const headers of [asAgent(form, agent), { ...asAgent(form, agent), "x-form-access-key": "fdf_x" }])
      expect((await ask(app, "POST", path, { headers, body: { data: { other: 1 } } })).status).toBeOneOf([
        401, 403,
      ]);
    expect(await errors()).toEqual([]);
  });

  test("a problem of an owner's request is a line with SQLSTATE ZFORM", async () => {
    expect(await problems()).toEqual(refused);
    const lines = (await errors()).filter((line) => line.includes("ERROR:"));
    expect(lines).toHaveLength(refused.length);
    for (const line of lines) expect(line).toStartWith("ZFORM formd ERROR: ");
  });
});

describe("with the page's settings of the server's login", () => {
  let second: Server;
  beforeAll(async () => {
    const statements = roleStatements().match(/^alter role my_server set .+?;/gm) ?? [];
    expect(statements.length).toBeGreaterThan(3);
    for (const statement of statements) await sql.unsafe(statement.replace("my_server", "formd"));
    await first.stop();
    second = await server(settings);
    app = { ...second, database: app.database };
  });
  afterAll(() => second?.stop());

  test("a problem causes no line", async () => {
    await errors();
    expect(await problems()).toEqual(refused);
    expect(await errors()).toEqual([]);
  });

  test("a row that PostgreSQL refuses is in neither log; formd's has the SQLSTATE", async () => {
    await sql`alter table formd.submissions add constraint fault check (data ->> 'name' <> 'Lovelace')`;
    const agent = await makeAgent(app, team, form);
    const { status } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: asAgent(form, agent),
      body: { data: { name: "Lovelace" } },
    });
    await sql`alter table formd.submissions drop constraint fault`;
    expect([status, await errors()]).toEqual([500, []]);
    const [row] = await sql<[{ text: string }]>`select pg_read_file('postgres.log') as text`;
    expect(row.text).not.toContain("Lovelace");
    while (!second.log().includes('"code":"23514"')) await Bun.sleep(10);
    expect(second.log()).not.toContain("Lovelace");
  });
});
