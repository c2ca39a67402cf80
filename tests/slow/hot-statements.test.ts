/**
 * The page's table of the statements that run most: how often they run per request, and how many blocks they
 * read.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../src/platform/database/db.ts";
import { migrate } from "../../src/platform/database/migrations/index.ts";
import { blockOf, readPage } from "../pages.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  server,
  type Team,
} from "../setup.ts";
import { debianPostgres } from "./debian-postgres.ts";

const page = readPage("docs/dba/statements-and-plans.md");
const query = blockOf("docs/dba/statements-and-plans.md", "sql", "select calls");
const [, table = ""] = /\n\| statement \| request .*\n\|-.*\n([\s\S]*?)\n\n/.exec(page) ?? [];
const rows = table.split("\n").map((line) => {
  const [, names = "", request = "", calls = "", blocks = ""] = line.split(/ *\| */);
  return { uses: names.replaceAll("`", ""), request, calls: Number(calls), blocks: Number(blocks) };
});

let app: Service;
let sql: Sql;
let team: Team;
let form: PublishedForm;
const agents: Agent[] = [];

/** Debian's, since the embedded PostgreSQL has no pg_stat_statements. */
beforeAll(async () => {
  const folder = await debianPostgres("-c shared_preload_libraries=pg_stat_statements", [
    ...["create role formd_app nologin", "create role formd_admin nologin", "create role formd_owner login"],
    ...["create role my_server login in role formd_app", "create database formd owner formd_owner"],
  ]);
  const url = (user: string) => `postgres://${user}@localhost/formd?host=${folder}`;
  await migrate(url("formd_owner"), () => {});
  sql = connect(url("postgres"), { poolSize: 1, prepare: true });
  await sql`create extension pg_stat_statements`;
  const settings = { DATABASE_URL: url("my_server"), DATABASE_POOL_SIZE: "1", WEBHOOKS: "false" };
  const database = { url: url("my_server"), ownerUrl: url("formd_owner"), sql };
  app = { ...(await server(settings)), database };
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "message", type: "text", label: "Message" }]);
  for (let count = 0; count < 40; count++) agents.push(await makeAgent(app, team, form));
});
afterAll(async () => {
  await app?.stop();
  await sql?.end();
});

const management = () => `/papi/v1/management/forms/${form.id}`;
const owner = () => ({ headers: { "x-api-key": team.key } });
const body = { data: { message: "x".repeat(900) } };
let turn = 0;
const nextAgent = () => agents[turn++] as Agent;

/** One request of each kind, after its statements were prepared. */
const requests: Record<string, () => Promise<unknown>> = {
  submit: () =>
    ask(app, "POST", "/papi/v1/submitter/form/submissions", { headers: asAgent(form, nextAgent()), body }),
  validate: () =>
    ask(app, "POST", "/papi/v1/submitter/form/validation", {
      headers: asAgent(form, agents[0] as Agent),
      body,
    }),
  "read a form as an agent": () =>
    ask(app, "GET", "/papi/v1/submitter/form", { headers: asAgent(form, agents[0] as Agent) }),
  token: () => ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret: agents[0]?.secret } }),
  "anonymous session": () =>
    ask(app, "POST", "/papi/v1/auth/anonymous", { headers: { "x-form-access-key": form.accessKey } }),
  "get a form": () => ask(app, "GET", management(), owner()),
  "list submissions": () => ask(app, "GET", `${management()}/submissions`, owner()),
  "patch a form": () =>
    ask(app, "PATCH", management(), {
      ...owner(),
      body: { operations: [{ op: "setMeta", name: `Form ${turn++}` }] },
    }),
  "edit a submission": async () => {
    const { submissions } = (await ask(app, "GET", `${management()}/submissions`, owner())).body.data;
    const [{ id, updatedAt }] = submissions;
    const edits = [{ fieldId: "message", value: `Message ${turn++}` }];
    return await ask(app, "PATCH", `${management()}/submissions/${id}`, {
      ...owner(),
      body: { edits, expectedUpdatedAt: updatedAt },
    });
  },
};

test("the page has a row for each kind of request, and its query", () => {
  expect(new Set(rows.map(({ request }) => request))).toEqual(new Set(Object.keys(requests)));
  expect(query).toContain("limit 10");
});

test("each statement runs as often per request as the page says, and reads at most as many blocks", async () => {
  const times = 10;
  const measured: string[] = [];
  const expected: string[] = [];
  for (const [name, send] of Object.entries(requests)) {
    for (let count = 0; count < 6; count++) await send();
    await sql`select pg_stat_statements_reset()`;
    for (let count = 0; count < times; count++) expect(await send()).toMatchObject({ status: 200 });
    const found = await sql.unsafe<{ calls: string; blocks: string; uses: string[] }[]>(query);
    for (const { uses, calls, blocks } of rows.filter(({ request }) => request === name)) {
      const statement = found.find((each) => each.uses.includes(uses));
      const read = Number(statement?.blocks);
      expected.push(`${name}, ${uses}: ${calls} calls of at most ${blocks} blocks`);
      measured.push(
        `${name}, ${uses}: ${Number(statement?.calls) / times} calls of ${read <= blocks ? `at most ${blocks}` : read} blocks`,
      );
    }
  }
  expect(measured).toEqual(expected);
});
