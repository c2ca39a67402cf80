/**
 * One connection, whose plans are made while the tables are empty and kept, with no ANALYZE in between: no
 * request becomes slower than its rows make it while a form grows to a million submissions. And what reads of
 * deliveries cost when a tenth of them is due and new to the planner; FORMD_DELIVERIES is their number.
 */
import { beforeAll, expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { sha256 } from "../../src/platform/auth/secret.ts";
import { connect, connectOnce, oneRow, type Sql, toByteaText } from "../../src/platform/database/db.ts";
import { readableUntil } from "../../src/resources/submissions/changes.ts";
import { threadsCpuMs } from "../bench/cpu.ts";
import { accessKeyHash, digits, seedTarget } from "../bench/seed.ts";
import { until } from "../expect.ts";
import { Browser } from "../http/console/browser.ts";
import { divideSince } from "../setup/months.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeOperator,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
  testOnOneNode,
} from "../setup.ts";
import { newKey } from "../signing.ts";
import { sqlFixture } from "../sql/fixture.ts";
import { fillForm } from "./million.ts";

/**
 * Submissions of the form; of other tables a tenth, at most 20,000 rows. Milliseconds below are per request,
 * of PostgreSQL's CPU.
 */
const sizes = [0, 100, 10_000, 1_000_000];
/** PostgreSQL considers a generic plan from the sixth execution on. */
const calls = 8;
/**
 * Time that a million rows may add to a request. A page's total takes up to 16, since it counts 10,000 to
 * 20,000 rows; a scan of all rows takes at least 150.
 */
const marginMs = 30;

let app: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;
let webhook: string;
let cookie: string;
/** Process id of the server's one connection. */
let backend: number;
const key = newKey();
const webhookPath = "/papi/v1/management/webhooks";
const respondent = uuidv7();

beforeAll(async () => {
  app = await service({
    ...permissive,
    DATABASE_POOL_SIZE: "1",
    WEBHOOKS: "false",
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: "1000000",
  });
  const tables = await app.database.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'formd'::regnamespace and relkind = 'r'`;
  for (const { name } of tables)
    await app.database.sql.unsafe(`alter table formd.${name} set (autovacuum_enabled = false)`);
  team = await makeTeam(app);
  form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  agent = await makeAgent(app, team, form);
  const made = await owner("POST", webhookPath, {
    url: "https://hooks.example.org/",
    formId: form.id,
    eventTypes: ["form.published"],
  });
  webhook = made.body.data.webhook.id;
  // Each of these tables gets a row, which `grow` copies.
  const { body } = await owner("POST", `${submitter}/submissions`, { data: { a: "x" } });
  await edit(body.data.id);
  await owner("POST", `${webhookPath}/${webhook}/test`);
  await owner("POST", `/papi/v1/identity/agents/${agent.id}/keys`, { publicKeyPem: key.pem });
  cookie = await makeOperator(app, team, "admin");
  await app.database.sql`analyze`;
});

/** Requests by API key so far. */
let sent = 0;

/** A request by API key, and by the form's access key where the route takes one. */
const owner = (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
  sent++;
  return ask(app, method, path, {
    headers: {
      "x-api-key": team.key,
      ...(path.startsWith(submitter) && { "x-form-access-key": form.accessKey }),
      ...headers,
    },
    ...(body && { body }),
  });
};

/** Edits a submission, after a read of what is current. */
async function edit(id: string) {
  const path = `${management}/${form.id}/submissions/${id}`;
  const { body } = await owner("GET", path);
  const expectedUpdatedAt = body.data.submission.updatedAt;
  return await owner("PATCH", path, { expectedUpdatedAt, edits: [{ fieldId: "a", value: uuidv7() }] });
}

/** These, too, are many: copies of one row, with ids, secrets and addresses of their own. */
const copied = [
  ...["forms", "form_access_keys", "form_versions", "agents", "grants", "sessions", "api_keys", "teams"],
  ...["operators", "operator_sessions", "workspace_roles", "rate_limits", "signing_keys", "audit_events"],
  ...["submission_edits", "webhook_events", "webhook_deliveries"],
];

/**
 * The columns that unique indexes are on. A copy has one id in all of them, so that a delivery has its event.
 */
const distinct = [
  ...["id", "key", "email", "client_id", "secret_hash", "key_hash", "token_hash", "operator_id"],
  ...["submission_id", "event_id", "key_id", "thumbprint"],
];
/**
 * Columns that are distinct in one table only. In other tables the copies belong to the team, the form and
 * the agent of the requests.
 */
const distinctIn: Record<string, string> = {
  grants: "agent_id",
  signing_keys: "agent_id",
  teams: "team_id",
  form_versions: "form_id",
};

/**
 * Adds rows until the form has `size` submissions. They are older than the newest submission, and of a
 * hundred one is the agent's.
 */
async function grow(from: number, size: number) {
  const others = (count: number) => Math.min(Math.floor(count / 10), 20_000);
  await app.database.sql.begin(async (sql) => {
    // No foreign keys for rows that only add to the number.
    await sql`set local session_replication_role = replica`;
    await fillForm(sql, { team, form: form.id, agent: agent.id, respondent }, from, size);
    for (const table of copied) {
      const columns = [...distinct, distinctIn[table]].filter((column) => column !== undefined);
      await sql`
        insert into ${sql(`formd.${table}`)}
        select made.* from (select t from ${sql(`formd.${table}`)} as t limit 1) as source (example),
          generate_series(${others(from) + 1}::int, ${others(size)}::int) as n,
          jsonb_populate_record(example, jsonb_object(${columns}::text[],
            array_fill('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), array[${columns.length}::int]))) as made`;
    }
  });
}

const management = `/papi/v1/management/forms`;
const submitter = "/papi/v1/submitter/form";

/** The console's lists, and the pages that show several rows of another table. */
function consolePages(latest: string): Record<string, () => Promise<{ status: number }>> {
  const browser = new Browser(app, cookie);
  const ofForm = ["", "/publish", "/submissions", "/submissions?state=waiting", `/submissions/${latest}`];
  const pages = [
    "",
    ...[...ofForm, "/review", "/review/several", "/charts", "/access-keys"].map(
      (page) => `/forms/${form.id}${page}`,
    ),
    ...["/agents", `/agents/${agent.id}`, "/api-keys", "/webhooks", `/webhooks/${webhook}`, "/webhooks/new"],
    ...["/operators", "/audit", "/account"],
  ];
  return Object.fromEntries(
    pages.map((page) => [
      `console${page.replaceAll(/[0-9a-f-]{36}/g, "…")}`,
      () => browser.get(`/console${page}`),
    ]),
  );
}

/** The requests, by name. Each is sent with the rights that it needs. */
function requests(latest: string): Record<string, () => Promise<{ status: number }>> {
  const get = (path: string) => () => owner("GET", path);
  const submissions = `${management}/${form.id}/submissions`;
  const data = { data: { a: "x" } };
  return {
    "first page": get(submissions),
    "page of a status": get(`${submissions}?status=completed`),
    "page of a rare status": get(`${submissions}?status=pending`),
    "page of an agent": get(`${submissions}?agentId=${agent.id}`),
    "page of a respondent": get(`${submissions}?respondentId=${respondent}`),
    "page of a day": get(`${submissions}?from=2026-01-01T00:00:00Z&to=2026-01-01T00:01:00Z`),
    submission: get(`${submissions}/${latest}`),
    edits: get(`${submissions}/${latest}/edits`),
    form: get(`${management}/${form.id}`),
    agent: get(`/papi/v1/identity/agents/${agent.id}`),
    grants: get(`/papi/v1/identity/agents/${agent.id}/grants`),
    keys: get(`/papi/v1/identity/agents/${agent.id}/keys`),
    "published form": () => ask(app, "GET", submitter, { headers: asAgent(form, agent) }),
    token: () =>
      ask(app, "POST", "/papi/v1/auth/token", { headers: { "x-agent-secret": agent.secret }, body: {} }),
    anonymous: () =>
      ask(app, "POST", "/papi/v1/auth/anonymous", {
        headers: { "x-form-access-key": form.accessKey },
        body: {},
      }),
    validation: () =>
      ask(app, "POST", `${submitter}/validation`, { headers: asAgent(form, agent), body: data }),
    submit: () => owner("POST", `${submitter}/submissions`, data, { "idempotency-key": uuidv7() }),
    edit: () => edit(latest),
    forms: get(management),
    "new form": () => owner("POST", management, { name: "New" }),
    "patch of a form": () =>
      owner("PATCH", `${management}/${form.id}`, { operations: [{ op: "setMeta", name: "x" }] }),
    "audit of the team": get("/papi/v1/management/audit"),
    "audit of an object": get(`/papi/v1/management/audit?objectId=${latest}`),
    "audit of a form": get(`${management}/${form.id}/audit`),
    "export of none": get(`${submissions}/export?format=csv&respondentId=${uuidv7()}`),
    "export of a day": get(`${submissions}/export?format=jsonl&createdBefore=2026-01-01T00:00:30Z`),
    receipt: get(`${submissions}/${latest}/receipt`),
    "own receipt": () =>
      owner("GET", `/papi/v1/submitter/receipts/${latest}`, undefined, {
        "x-form-access-key": form.accessKey,
      }),
    "receipt keys": get(`/papi/v1/receipt-keys?team=${team.id}`),
    deletion: async () => {
      const { body } = await owner("POST", `${submitter}/submissions`, data);
      return await owner("DELETE", `${submissions}/${body.data.id}`);
    },
    review: async () => {
      const { body } = await owner("POST", `${submitter}/submissions`, data);
      const [row] = await app.database.sql<{ updatedAt: Date }[]>`
        update formd.submissions set status = 'pending', completed_at = null
        where team_id = ${team.id} and form_id = ${form.id} and id = ${body.data.id} returning updated_at`;
      for (const [status, change] of [
        ["completed", -1],
        ["pending", 1],
      ] as const)
        await app.database
          .sql`select formd.submission_count_add(${team.id}, ${form.id}, ${status}, ${change})`;
      const expectedUpdatedAt = row?.updatedAt.toISOString();
      return await owner("POST", `${submissions}/${body.data.id}/review`, {
        decision: "approve",
        expectedUpdatedAt,
      });
    },
    agents: get("/papi/v1/identity/agents"),
    "agents, by cookie": () => ask(app, "GET", "/papi/v1/identity/agents", { headers: { cookie } }),
    "new agent, its secret, its end": async () => {
      const { body } = await owner("POST", "/papi/v1/identity/agents", { name: "New" });
      const path = `/papi/v1/identity/agents/${body.data.id}`;
      await owner("POST", `${path}/rotate-secret`, undefined, { "content-type": "application/json" });
      await owner("PATCH", path, { name: "Newer" });
      return await owner("DELETE", path);
    },
    "grant and its end": async () => {
      const other = await owner("POST", management, { name: "New" });
      const path = `/papi/v1/identity/agents/${agent.id}/grants`;
      const made = await owner("POST", path, { formId: other.body.data.form.id, scopes: ["agent:read"] });
      return await owner("DELETE", `${path}/${made.body.data.grant.id}`);
    },
    "key again": () => owner("POST", `/papi/v1/identity/agents/${agent.id}/keys`, { publicKeyPem: key.pem }),
    "key and its end": async () => {
      const { id, pem } = newKey();
      await owner("POST", `/papi/v1/identity/agents/${agent.id}/keys`, { publicKeyPem: pem });
      return await owner("DELETE", `/papi/v1/identity/agents/${agent.id}/keys/${id}`);
    },
    webhooks: get(webhookPath),
    webhook: get(`${webhookPath}/${webhook}`),
    "patch of a webhook": () => owner("PATCH", `${webhookPath}/${webhook}`, { status: "active" }),
    "secret of a webhook": () => owner("POST", `${webhookPath}/${webhook}/rotate-secret`),
    "test, delivery and replay": async () => {
      const { eventId } = (await owner("POST", `${webhookPath}/${webhook}/test`)).body.data;
      await owner("GET", `${webhookPath}/${webhook}/deliveries/${eventId}`);
      return await owner("POST", `${webhookPath}/${webhook}/replay`, { eventId });
    },
    "new webhook and its end": async () => {
      const request = { url: "https://hooks.example.org/", formId: form.id, eventTypes: ["form.archived"] };
      const made = await owner("POST", webhookPath, request);
      return await owner("DELETE", `${webhookPath}/${made.body.data.webhook.id}`);
    },
    deliveries: get(`${webhookPath}/${webhook}/deliveries`),
    ...consolePages(latest),
  };
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

test("plans made on empty tables stay good up to a million rows", async () => {
  const [connection, ...others] = await app.database.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where usename = 'formd' and datname = current_database()`;
  backend = connection?.pid ?? 0;
  expect(others).toEqual([]);
  const took = new Map<string, number[]>();
  const statuses = new Map<string, number>();
  for (const [index, size] of sizes.entries()) {
    if (size > 0) await grow(sizes[index - 1] ?? 0, size);
    const { body } = await owner("POST", `${submitter}/submissions`, { data: { a: "x" } });
    for (const [name, send] of Object.entries(requests(body.data.id))) {
      const times: number[] = [];
      for (let call = 0; call < calls; call++) {
        const from = threadsCpuMs(backend);
        const sentBefore = sent;
        statuses.set(name, (await send()).status);
        times.push((threadsCpuMs(backend) - from) / Math.max(1, sent - sentBefore));
      }
      took.set(name, [...(took.get(name) ?? []), median(times)]);
    }
  }
  console.log(
    [...took].map(([name, times]) => `${name}: ${times.map((ms) => ms.toFixed(1)).join(", ")} ms`).join("\n"),
  );
  expect([...statuses].filter(([, status]) => status >= 400)).toEqual([]);
  const slow = [...took].filter(([, times]) => (times.at(-1) ?? 0) > 3 * (times[1] ?? 0) + marginMs);
  expect(slow).toEqual([]);
}, 300_000);

const deliveries = Number(process.env.FORMD_DELIVERIES ?? 100_000);
const webhooksOfTeam = 5;

/** Runs a statement. @returns the blocks that it read, and its milliseconds */
async function explained(sql: Sql, statement: string): Promise<{ buffers: number; ms: number }> {
  const row = oneRow(await sql.unsafe(`explain (analyze, buffers, format json) ${statement}`));
  const [[{ Plan: plan, "Execution Time": ms }]] = Object.values(row) as [
    [{ Plan: Record<string, number>; "Execution Time": number }],
  ];
  return { buffers: Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]), ms };
}

/** Leaves each table to this test, whose rows an autovacuum on its own time would mark or analyze. */
async function withoutAutovacuum(sql: Sql, tables: readonly string[]): Promise<void> {
  for (const table of tables) await sql.unsafe(`alter table formd.${table} set (autovacuum_enabled = false)`);
}

/**
 * Vacuums until every page is visible to all: a snapshot that is older than the rows, as of autovacuum's
 * ANALYZE of another table, leaves pages that an index-only scan then reads, a buffer for each row. The few
 * dead rows, which PostgreSQL would leave for a later time, are removed from the indexes too.
 */
async function vacuumWhole(sql: Sql, tables: readonly string[], option = "analyze false"): Promise<void> {
  for (const table of tables) {
    const isWhole = async () => {
      await sql.unsafe(`vacuum (index_cleanup on, ${option}) formd.${table}`);
      const [row] = await sql<[{ isWhole: boolean }]>`
        select bool_and(relallvisible = relpages) as is_whole from pg_class
        where relkind = 'r' and (oid = ${`formd.${table}`}::regclass
          or oid in (select inhrelid from pg_inherits where inhparent = ${`formd.${table}`}::regclass))`;
      return row.isWhole;
    };
    await until(isWhole, 60_000);
  }
}

/** Returns the cost of a statement at its second run on a connection of the server's login. */
async function cost(url: string, statement: string): Promise<{ buffers: number; ms: number }> {
  const sql = connect(url, { poolSize: 1, prepare: false });
  try {
    await explained(sql, statement);
    return await explained(sql, statement);
  } finally {
    await sql.end();
  }
}

testOnOneNode(
  "a list of submits reads as few buffers when its form has thousands of grants, among many teams",
  async () => {
    const { app, sql } = await sqlFixture();
    for (let n = 0; n < 100; n++) await seedTarget(sql, { agents: 5, anonymous: 0 });
    const target = await seedTarget(sql, { agents: 5_000, anonymous: 0 });
    await sql`analyze`;
    const items = Array.from({ length: 12 }, (_, n) => ({
      team_id: target.team,
      form_id: target.form,
      version: 1,
      credentials: {
        access_key_hash: accessKeyHash(target),
        credential: "session",
        credential_hash: toByteaText(sha256(target.prefixes.token + String(n + 1).padStart(digits, "0"))),
      },
      ip_key: `ip:${n}`,
      ip_limit: 30,
      id: uuidv7(),
      validation: "accepted",
      data: {},
      partial: false,
      missing_required: [],
    }));
    const list = `'${JSON.stringify(items)}'`;
    const found = await cost(
      app.database.url,
      `select * from formd.submissions_submit_set(p_team => null, p_items => ${list})`,
    );
    const { count } = oneRow(await sql`select count(*)::integer from formd.submissions`);
    expect([count, found.buffers < 100 * items.length ? "few" : found]).toEqual([items.length, "few"]);
  },
  60_000,
);

testOnOneNode(
  "a page of deliveries and the look-up of due ones read few buffers, with a tenth due and not analyzed",
  async () => {
    const { app, sql, team } = await sqlFixture();
    const { id: form } = await makeForm(app, team, []);
    const [{ id: webhook }] = await sql<[{ id: string }]>`
      insert into formd.webhooks (team_id, id, workspace_id, url, event_types, payload, secret_key, created_at, updated_at)
      select ${team.id}, formd.uuid_make(), ${team.workspace}, 'https://hooks.example.org/',
        '{form.published}', 'thin', '', now(), now()
      from generate_series(1, ${webhooksOfTeam}::int) returning id`;
    await withoutAutovacuum(sql, ["webhook_deliveries", "webhook_events"]);
    const add = async (count: number, state: string) => {
      await sql`
        insert into formd.webhook_events
          (team_id, id, type, workspace_id, form_id, subject_id, created_at, expires_at)
        select ${team.id}, formd.uuid_make(), 'form.published', ${team.workspace}, ${form}, ${form}, now(),
          now() + interval '30 days'
        from generate_series(1, ${count / webhooksOfTeam}::int)`;
      await sql`
        insert into formd.webhook_deliveries (team_id, event_id, webhook_id, state, due_at, delivered_at)
        select team_id, e.id, w.id, ${state}, now(), case when ${state} = 'delivered' then now() end
        from formd.webhooks w join formd.webhook_events e using (team_id)
        where not exists (select from formd.webhook_deliveries d where d.event_id = e.id)
        order by e.id, w.id`;
    };
    await add(deliveries * 0.9, "delivered");
    await vacuumWhole(sql, ["webhook_deliveries", "webhook_events"], "analyze");
    await add(deliveries * 0.1, "due");
    const page = (state: string) =>
      `select * from formd.webhook_delivery_list('${team.id}', '${webhook}', ${state}, 20, 0, null, 'newest')`;
    const costs: Record<string, { buffers: number; ms: number }> = {};
    for (const [name, statement, maxBuffers] of [
      ["page", page("null"), 300],
      ["page of what is due", page("'due'"), 300],
      ["page of failures, of which there are none", page("'failed'"), 50],
      ["teams with due deliveries", "select * from formd.webhook_due_after(null, 64)", 100],
    ] as const) {
      const found = await cost(app.database.url, statement);
      costs[name] = found;
      expect([name, found.buffers > maxBuffers ? found : "few"]).toEqual([name, "few"]);
    }
    console.log(`${deliveries} deliveries: ${JSON.stringify(costs)}`);
  },
  600_000,
);

/** Combinations of the values that the filters of a list may have. */
const combinations = (filters: Record<string, readonly (string | null)[]>): Record<string, string | null>[] =>
  Object.entries(filters).reduce<Record<string, string | null>[]>(
    (all, [name, values]) => all.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );

/** Rows of the list, of which each filter has many, and two together have few or none. */
const listed = 400_000;
/** Places of cursors, as arguments: before all rows, in either order. */
const places = [
  "'ffffffff-ffff-ffff-ffff-ffffffffffff', 'newest'",
  "'00000000-0000-0000-0000-000000000000', 'rising'",
];
/** A look-up by an index reads a page for each of the 10,000 rows that it may look at. */
const maxBuffersOfList = 10_500;

testOnOneNode(
  "no list reads a form or a team whole, whatever its filters",
  async () => {
    const { app, sql, team } = await sqlFixture();
    const tables = ["submissions", "audit_events", "mails"];
    await withoutAutovacuum(sql, tables);
    const { id: form } = await makeForm(app, team, []);
    const [agent, respondent, actor, object] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
    const idOf = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n::bigint), 12, '0'))::uuid`;
    const moments = `select n, now() - (${listed} - n) * interval '1 second' as at from generate_series(1, ${listed}) as n`;
    await sql`
      insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id,
        respondent_id, data, metadata, created_at, updated_at, completed_at)
      select ${team.id}, ${form}, ${sql.unsafe(idOf)}, 1, status, case provenance when 'agent' then 'agent' else 'anonymous' end,
        provenance, case provenance when 'agent' then ${agent}::uuid else ${object}::uuid end,
        case when n % 20 = 3 then ${respondent}::uuid end, jsonb_build_object('a', repeat('answer ', 30)),
        jsonb_build_object('language', case when n % 20 = 4 then 'de' else 'en' end), at, at,
        case status when 'completed' then at end
      from (select *, case when n % 25 = 2 then 'pending' else 'completed' end as status,
        case when n % 20 = 1 then 'agent' else 'person' end as provenance from (${sql.unsafe(moments)}) as m) as s`;
    const { id: waiting } = await makeForm(app, team, []);
    await sql`
      insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id,
        data, created_at, updated_at, completed_at)
      select ${team.id}, ${waiting}, ${sql.unsafe(idOf)}, 1, case n when ${listed} - 60000 then 'completed' else 'pending' end,
        'anonymous', 'person', ${object}, jsonb_build_object('a', repeat('answer ', 30)), at, at,
        case n when ${listed} - 60000 then at end
      from (${sql.unsafe(moments)}) as m where n > ${listed / 2}`;
    for (const id of [form, waiting]) await sql`select formd.submission_counts_repair(${team.id}, ${id})`;
    await sql`
      insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, actor_id, details, created_at)
      select ${team.id}, ${sql.unsafe(idOf)}, case n % 10 when 1 then 'form.opened' else 'form.closed' end,
        case when n % 5 = 2 then ${form}::uuid end, 'form', case n % 10 when 3 then ${object}::uuid else gen_random_uuid() end,
        'operator', case n % 10 when 4 then ${actor}::uuid else gen_random_uuid() end, '{}', at
      from (${sql.unsafe(moments)}) as m`;
    await sql`
      insert into formd.mails (team_id, id, kind, form_id, recipient_hash, state, due_at, gives_up_at, created_at, expires_at)
      select ${team.id}, ${sql.unsafe(idOf)}, 'submissions', ${form}, '', 'sent', at, at, at, at
      from (${sql.unsafe(moments)}) as m where n % 10 = 0`;
    // Without statistics: the plan is made for each call, and has to hold at any age of the table.
    await vacuumWhole(sql, tables);
    const text = (value: string | null | undefined) => (value ? `'${value}'` : "null");
    const statements = [
      ...combinations({
        status: [null, "completed", "pending"],
        review: [null, "open", "rejected"],
        agent: [null, agent],
        respondent: [null, respondent],
        provenance: [null, "person", "owner"],
        language: [null, "de"],
        place: ["null, 'newest'", ...places],
      }).map(
        ({ status, review, agent, respondent, provenance, language, place }) =>
          `select * from formd.submission_page('${team.id}', '${form}', ${[status, review, agent, respondent, provenance, language].map(text)}, null, null, 20, 0, ${place}, 10000)`,
      ),
      `select * from formd.submission_page('${team.id}', '${waiting}', 'completed', null, null, null, null, null, null, null, 20, 0, null, 'newest', 10000)`,
      ...combinations({
        form: [null, form],
        kind: [null, "form.opened", "form.archived"],
        actor: [null, actor],
        object: [null, object],
        place: ["null, 'newest'", ...places],
      }).map(
        ({ form, kind, actor, object, place }) =>
          `select * from formd.audit_list('${team.id}', '(operator,${team.operator.id},r)', ${[form, kind, actor, object].map(text)}, null, null, 20, 0, ${place})`,
      ),
      ...[null, "due", "sent", "failed", "dropped"].map(
        (state) =>
          `select * from formd.mail_list('${team.id}', '${form}', ${text(state)}, 20, 0, null, 'newest')`,
      ),
    ];
    const many: unknown[] = [];
    await using reader = connectOnce(app.database.url);
    for (const statement of statements) {
      const { buffers } = await explained(reader, statement);
      if (buffers > maxBuffersOfList) many.push([statement, buffers]);
    }
    expect(many).toEqual([]);

    // The form has 80,000 events, and the newest 50,000 of each filter are looked at.
    const ids: string[] = [];
    for (let after: string | null = "ffffffff-ffff-ffff-ffff-ffffffffffff"; after !== null; ) {
      const events: { id: string | null; nextId: string | null }[] = await sql`
        select id, next_id from formd.audit_list(${team.id}, '(cli,,)', ${form}, 'form.closed', null, null, null, null, 100000, 0, ${after}, 'newest')`;
      ids.push(...events.flatMap(({ id }) => id ?? []));
      after = events.at(-1)?.nextId ?? null;
    }
    expect([ids.length, new Set(ids).size]).toEqual([listed / 5, listed / 5]);
  },
  600_000,
);

/** Rows of each list that cursors go on in, and the maximum of buffers of a page of 20. */
const cursorRows = Number(process.env.FORMD_CURSOR_ROWS ?? 1_000_000);
const maxBuffersOfPage = 25;

testOnOneNode.each([["plain"], ["months"]])(
  "a page by a cursor reads as few buffers at any depth: %s tables",
  async (kind) => {
    const { app, sql, team } = await sqlFixture();
    if (kind === "months") await divideSince(app.database, 20, { audit_events: -1 });
    const { id: form } = await makeForm(app, team, []);
    const idOf = "overlay(formd.uuid_floor(at)::text placing '7000-8000' from 15 for 9)";
    const moments = `
      select n, (${idOf} || '')::uuid as id, at from (
        select n, now() - (${cursorRows} - n) * ${50_000_000 / cursorRows} * interval '1 second' as at from generate_series(1, ${cursorRows}) as n) as t`;
    await sql`
      insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data,
        created_at, updated_at, completed_at)
      select ${team.id}, ${form}, id, 1, status, 'anonymous', 'person', id, jsonb_build_object('a', repeat('answer ', 30)), at, at,
        case status when 'completed' then at end
      from (select *, case when n % 100 = 2 then 'pending' else 'completed' end as status from (${sql.unsafe(moments)}) as m) as s`;
    await sql`
      insert into formd.submission_changes (team_id, form_id, id, submission_id, kind, expires_at)
      select ${team.id}, ${form}, id, id, 'edited', at from (${sql.unsafe(moments)}) as m where n % 1000 = 0`;
    await sql`
      insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, actor_id, details, created_at)
      select ${team.id}, id, 'form.opened', ${form}, 'form', ${form}, 'operator', ${team.operator.id}, '{}', at
      from (${sql.unsafe(moments)}) as m`;
    await sql`
      insert into formd.mails (team_id, id, kind, form_id, recipient_hash, state, due_at, gives_up_at, created_at, expires_at)
      select ${team.id}, id, 'submissions', ${form}, '', 'sent', at, at, at, at from (${sql.unsafe(moments)}) as m`;
    // A tenth: a team, a submission and a webhook have fewer of these.
    const [edited, webhook, workspace] = [uuidv7(), uuidv7(), team.workspace];
    await sql`
      insert into formd.submission_edits (team_id, form_id, submission_id, id, field_id, actor_type, actor_id, request_id, created_at)
      select ${team.id}, ${form}, ${edited}, id, 'a', 'api_key', id, '', at from (${sql.unsafe(moments)}) as m where n % 10 = 0`;
    await sql`
      insert into formd.submission_erasures (team_id, form_id, submission_id, field_ids, actor_type, request_id, created_at)
      values (${team.id}, ${form}, ${edited}, '{}', 'cli', '', now())`;
    await sql`
      insert into formd.forms (team_id, id, workspace_id, name, created_at, updated_at)
      select ${team.id}, id, ${workspace}, 'A form', at, at from (${sql.unsafe(moments)}) as m where n % 10 = 0`;
    await sql`
      insert into formd.webhooks (team_id, id, workspace_id, url, event_types, payload, secret_key, created_at, updated_at)
      values (${team.id}, ${webhook}, ${workspace}, 'https://hooks.example.org/', '{form.published}', 'thin', '', now(), now())`;
    await sql`
      insert into formd.webhook_events (team_id, id, type, workspace_id, subject_id, created_at, expires_at)
      select ${team.id}, id, 'form.published', ${workspace}, id, at, at from (${sql.unsafe(moments)}) as m where n % 10 = 0`;
    await sql`
      insert into formd.webhook_deliveries (team_id, event_id, webhook_id, state, due_at, delivered_at)
      select team_id, id, ${webhook}, 'delivered', created_at, created_at from formd.webhook_events`;
    await vacuumWhole(
      sql,
      [
        ...["submissions", "audit_events", "mails", "submission_changes", "submission_edits", "forms"],
        ...["webhook_events", "webhook_deliveries"],
      ],
      "analyze",
    );
    await readableUntil(sql);
    const depths = await sql<{ id: string }[]>`
      select id from (${sql.unsafe(moments)}) as m where n in (30, ${cursorRows / 2}, ${cursorRows * 0.9}) order by id`;
    const start = "00000000-0000-0000-0000-000000000000";
    await using reader = connectOnce(app.database.url);
    const costs = new Map<string, number[]>();
    for (const order of ["newest", "oldest", "rising"])
      for (const after of [
        ...depths.map(({ id }) => id),
        order === "newest" ? start.replaceAll("0", "f") : start,
      ]) {
        const place = `'${after}', '${order}'`;
        const nulls = (count: number) => Array(count).fill("null").join(", ");
        for (const [name, statement] of Object.entries({
          submissions: `formd.submission_page('${team.id}', '${form}', ${nulls(8)}, 20, 0, ${place}, 10000)`,
          audit: `formd.audit_list('${team.id}', '(operator,${team.operator.id},r)', ${nulls(6)}, 20, 0, ${place})`,
          mails: `formd.mail_list('${team.id}', '${form}', null, 20, 0, ${place})`,
          edits: `formd.submission_edits_list('${team.id}', '${form}', '${edited}', 20, 0, ${place})`,
          forms: `formd.form_list('${team.id}', null, 20, 0, ${place})`,
          "forms of a workspace": `formd.form_list('${team.id}', '${workspace}', 20, 0, ${place})`,
          // Their first page plans every month.
          ...(order === "oldest" &&
            (kind === "plain" || after !== start) && {
              changes: `formd.submission_change_list('${team.id}', '${form}', 20, '${after}', null)`,
            }),
          deliveries: `formd.webhook_delivery_list('${team.id}', '${webhook}', null, 20, 0, ${place})`,
        })) {
          await explained(reader, `select * from ${statement}`);
          const { buffers } = await explained(reader, `select * from ${statement}`);
          costs.set(`${name} ${order}`, [...(costs.get(`${name} ${order}`) ?? []), buffers]);
        }
      }
    console.log(`${kind}, ${cursorRows} rows: ${JSON.stringify([...costs])}`);
    const many = [...costs].filter(([, all]) => Math.max(...all) > maxBuffersOfPage);
    expect(many).toEqual([]);
  },
  900_000,
);
