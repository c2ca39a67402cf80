/**
 * Writes docs' pictures of the console, of made-up data in a database of its own. It needs Debian's
 * chromium-headless-shell.
 *
 *     bun .ci/screenshots.ts                    writes the two pictures of docs/images
 *     bun .ci/screenshots.ts --every DIRECTORY  writes each page at three widths, light, dark
 *                                               and in forced colours; with --only PATTERN those
 *                                               whose file name, such as
 *                                               console-agents-320-dark, matches it;
 *                                               with --locale de-DE in German
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { v7 as uuidv7 } from "uuid";
import { cliActor, toSql } from "../src/platform/auth/actor.ts";
import { makeSecret } from "../src/platform/auth/secret.ts";
import { connect, type Sql } from "../src/platform/database/db.ts";
import { embedded } from "../src/platform/database/embedded/index.ts";
import { migrate } from "../src/platform/database/migrations/index.ts";
import { createApiKey } from "../src/resources/api-keys/api-keys.ts";
import { createAccessKey } from "../src/resources/forms/access-keys.ts";
import { pagePathOf } from "../src/resources/forms/page-address.ts";
import { publishForm } from "../src/resources/forms/publish.ts";
import { agentScopes } from "../src/resources/grants/shapes.ts";
import { inviteOperator } from "../src/resources/operators/invitations.ts";
import { addOperator } from "../src/resources/operators/operators.ts";
import { makeResetLink } from "../src/resources/operators/passwords.ts";
import { provenances } from "../src/resources/submissions/shapes.ts";
import { bootstrap } from "../src/resources/teams/bootstrap.ts";

const root = join(import.meta.dir, "..");
const { every, only, locale } = parseArgs({
  options: {
    every: { type: "string" },
    only: { type: "string", default: "" },
    locale: { type: "string", default: "en-GB" },
  },
}).values;
const port = 8089;
/** Uses a host name: browsers have no passkeys for an IP address. */
const baseUrl = `http://localhost:${port}`;
const credentials = { email: "ada@example.org", password: "correct horse" };
const dayMs = 86_400_000;

type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Json>;
// biome-ignore lint/suspicious/noExplicitAny: the data of a response
type Json = any;

const registration = [
  {
    id: "name",
    type: "text",
    label: "Your name",
    required: true,
    validation: { minLength: 2, maxLength: 80 },
  },
  { id: "email", type: "email", label: "E-mail", required: true },
  {
    id: "workshop",
    type: "select",
    label: "Workshop",
    required: true,
    options: [
      { value: "Signed requests", label: "Signed requests", limit: 40 },
      { value: "Forms", label: "Forms", limit: 60 },
      { value: "PostgreSQL", label: "PostgreSQL" },
    ],
  },
  { id: "arrival", type: "date", label: "Day of arrival", help: "The hall opens at nine." },
  { id: "guests", type: "integer", label: "Guests", validation: { minimum: 0, maximum: 4 } },
  { id: "terms", type: "consent", label: "I accept the terms", required: true },
];
/** The last one has most. `scale`: submissions per day. */
const forms = [
  { name: "Newsletter", scale: 12 },
  { name: "Volunteers", scale: 0, isDraft: true },
  { name: "Support request", scale: 30 },
  { name: "Contact", scale: 45 },
  { name: "Event registration", scale: 90 },
];
const people = [
  "Grace Hopper",
  "Alan Turing",
  "Edsger Dijkstra",
  "Barbara Liskov",
  "Donald Knuth",
  "Frances Allen",
];

/** The same numbers in each run. */
const randomOf = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

/** Submissions of the last 30 days, and what the charts count. */
async function fillDays(
  sql: Sql,
  of: { team: string; form: string; agents: string[]; scale: number },
): Promise<void> {
  const { team, form, agents, scale } = of;
  const random = randomOf(scale);
  const today = Math.floor(Date.now() / dayMs);
  for (let day = today - 29; day <= today; day++) {
    const weekend = [2, 3].includes(day % 7) ? 0.3 : 1;
    const growth = (day - today + 45) / 45;
    const total = Math.round(scale * weekend * growth * (0.6 + 0.8 * random()));
    const of = { team_id: team, form_id: form, day, expires_at: new Date(Date.now() + dayMs) };
    const shares: [string, string, number][] = [
      ["completed", "agent", 0.35],
      ["completed", "agent_signed", 0.2],
      ["completed", "person", 0.35],
      ["pending", "person", 0.06],
      ["partial", "agent", 0.04],
    ];
    for (const [status, provenance, share] of shares)
      await sql`insert into formd.submission_days ${sql({ ...of, status, provenance, total: Math.round(total * share) })}`;
    await sql`insert into formd.submission_counts ${sql({ team_id: team, form_id: form, status: "completed", slot: day % 64, total })}
      on conflict (team_id, form_id, status, slot) do update set total = formd.submission_counts.total + excluded.total`;
    for (const [index, agent_id] of agents.entries())
      await sql`insert into formd.agent_days ${sql({ ...of, agent_id, outcome: "stored", total: Math.round((total * 0.36) / (index + 1)), last_at: new Date() })}`;
    const errors: [string, string, number][] = [
      ["workshop", "invalid_option", day > today - 12 ? 0.16 : 0.03],
      ["arrival", "format", 0.08],
      ["terms", "required", 0.05],
      ["email", "format", 0.03],
      ["guests", "max_value", 0.02],
    ];
    for (const [field_id, code, share] of errors)
      await sql`insert into formd.validation_errors ${sql({ ...of, form_version: 2, field_id, code, total: Math.round(total * share * (0.5 + random())) })}`;
  }
}

interface Filled {
  team: string;
  form: string;
  agent: string;
  webhook: string;
  submission: string;
  call: Call;
}

/**
 * Data that only the pictures of every page need: an event for the webhook, an empty form, pages of forms,
 * more keys and operators.
 */
interface Furnished extends Filled {
  event: string;
  empty: string;
  /** Paths of forms' pages by their state. */
  pages: Record<string, string>;
  /** Paths of invitations and of links to a password. */
  links: Record<string, string>;
  /** Changes the session of the operator. */
  change: (of: "proof" | "passkey" | "nothing") => Promise<unknown>;
  /** The cookie of an account of the connection. */
  member: string;
  connection: string;
}

/** Forms, agents, a webhook, and submissions that wait for a review. */
async function fill(sql: Sql): Promise<Filled> {
  const { team, workspace, apiKey } = await bootstrap(sql, cliActor, {
    ...credentials,
    team: "Conference",
    workspace: "Communications",
  });
  const call: Call = async (method, path, body, headers = {}) => {
    const response = await fetch(`${baseUrl}/papi/v1${path}`, {
      method,
      headers: { "x-api-key": apiKey.key, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return ((await response.json()) as Json).data;
  };
  const agents: Json[] = [];
  for (const name of ["Scribe", "Travel assistant"])
    agents.push(await call("POST", "/identity/agents", { name, workspaceId: workspace.id }));
  let form = "";
  for (const { name, scale, isDraft } of forms) {
    form = (await call("POST", "/management/forms", { name, workspaceId: workspace.id })).form.id;
    const page = { enabled: true, introduction: "Two days of talks and workshops, 14 and 15 March." };
    const settings = { review: { required: true }, page };
    await call("PATCH", `/management/forms/${form}`, {
      operations: [{ op: "setMeta", settings }, ...registration.map((field) => ({ op: "addField", field }))],
    });
    if (isDraft) continue;
    await publishForm(sql, cliActor, team.id, form);
    await fillDays(sql, { team: team.id, form, agents: agents.map(({ id }) => id), scale });
  }
  for (const { id } of agents) await grant(sql, team.id, id, form);
  const { key: accessKey } = await createAccessKey(sql, cliActor, team.id, form);
  let submission = "";
  for (const [index, name] of people.entries()) {
    const email = `${name.split(" ")[0]?.toLowerCase()}@example.org`;
    const data = { name, email, workshop: "Forms", arrival: "2027-03-14", guests: index % 3, terms: true };
    const headers = { "x-form-access-key": accessKey };
    submission = (await call("POST", "/submitter/form/submissions", { data }, headers)).id;
  }
  const event = { url: "https://hooks.example.org/formd", formId: form, eventTypes: ["submission.created"] };
  const { webhook } = await call("POST", "/management/webhooks", event);
  await call("PATCH", `/management/forms/${form}`, {
    operations: [
      { op: "removeField", fieldId: "guests" },
      { op: "updateField", fieldId: "arrival", set: { required: true } },
      {
        op: "addField",
        field: { id: "diet", type: "multi_select", label: "Diet", options: ["Vegetarian", "Vegan"] },
      },
    ],
  });
  return { team: team.id, form, agent: agents[0].id, webhook: webhook.id, submission, call };
}

/** A field of each type. */
const everyField = [
  { id: "intro", type: "heading", label: "About you", help: "We use it for this event only." },
  ...registration,
  { id: "story", type: "textarea", label: "What do you expect?", validation: { maxLength: 500 } },
  { id: "phone", type: "phone", label: "Telephone", placeholder: "+49 30 123456" },
  { id: "home", type: "address", label: "Address", required: true, validation: { requiredParts: ["city"] } },
  {
    id: "topics",
    type: "multi_select",
    label: "Topics",
    options: ["Signatures", "Queues"],
    validation: { allowOther: true },
  },
  {
    id: "order",
    type: "ranking",
    label: "Put the days in your order",
    options: ["Friday", "Saturday", "Sunday"],
  },
  {
    id: "grid",
    type: "matrix",
    label: "How was it?",
    rows: ["Talks", "Food"],
    columns: ["Good", "Fair", "Poor"],
    required: true,
  },
  { id: "score", type: "rating", label: "Would you recommend us?", validation: { minimum: 0, maximum: 10 } },
  { id: "first", type: "boolean", label: "Is this your first time?" },
  { id: "at", type: "datetime", label: "When did you arrive?" },
  { id: "source", type: "hidden", label: "Source", prefill: true },
];

async function furnish(sql: Sql, filled: Filled): Promise<Furnished> {
  const { team, webhook, call } = filled;
  const make = async (name: string, fields: object[], settings: object, isPublished = true) => {
    const { form } = await call("POST", "/management/forms", { name });
    const operations = [{ op: "setMeta", settings }, ...fields.map((field) => ({ op: "addField", field }))];
    await call("PATCH", `/management/forms/${form.id}`, { operations });
    if (isPublished) await publishForm(sql, cliActor, team, form.id);
    return form.id as string;
  };
  const page = { enabled: true, introduction: "The conference is on 14 March.\n\nThank you for coming!" };
  const theme = {
    accent: "#b3261e",
    corners: "round",
    scheme: "light",
    privacyUrl: "https://example.org/privacy",
    imprintUrl: "https://example.org/imprint",
    contact: "help@example.org",
  };
  const steps = registration.flatMap((field, index) =>
    index === 3 ? [{ id: "more", type: "page_break", label: "Your visit" }, field] : [field],
  );
  const paths: Record<string, string> = {};
  for (const [name, fields, settings] of [
    ["single", everyField, { page }],
    ["german", everyField, { page: { ...page, language: "de" } }],
    ["steps", steps, { page: { ...page, layout: "steps" } }],
    ["themed", registration, { page: { ...page, theme } }],
    ["closed", registration, { page, availability: { closesAt: "2026-01-01T12:00:00Z" } }],
    ["captcha", registration.slice(0, 1), { page, captcha: { enabled: true } }],
  ] as const)
    paths[name] = pagePathOf({ team, form: await make(`Registration, ${name}`, [...fields], settings) });
  paths.sent = `${paths.single}/sent?reference=${uuidv7()}`;
  paths.missing = "/f/nothing";
  for (let index = 0; index < 60; index++)
    await createApiKey(sql, cliActor, team, { name: `Import of ${index}`, scopes: ["forms:read"] });
  const [{ id: workspace } = { id: "" }] = await sql<{ id: string }[]>`
    select id from formd.workspaces where team_id = ${team}`;
  for (const [email, role] of [
    ["grace@example.org", "editor"],
    ["a.very.long.name.of.a.person@department.university.example.org", "viewer"],
  ] as const)
    await addOperator(sql, cliActor, team, { workspace, email, role });
  const groups = [
    { group: "forms-admins", workspaceId: workspace, role: "admin" },
    { group: "*", workspaceId: workspace, role: "viewer" },
  ];
  const connection = uuidv7();
  await sql`
    select formd.sign_in_connection_create(${team}, '(cli,,)', ${connection}, 'Example Corp', 'https://id.example.org/realms/corp',
      'formd', 'secret', 'key', '{example.org,example.com}', 'groups', ${sql.json(groups)}, true, true)`;
  const { eventId } = await call("POST", `/management/webhooks/${webhook}/test`);
  return {
    ...filled,
    ...(await furnishAccounts(sql, { team, workspace, connection })),
    event: eventId,
    empty: await make("Feedback", [], {}, false),
    pages: paths,
    connection,
  };
}

/** Adds the data of account pages: passkeys, invitations, links, an account of the connection. */
async function furnishAccounts(sql: Sql, of: { team: string; workspace: string; connection: string }) {
  const { team, workspace, connection } = of;
  for (const [index, name] of ["Laptop", "Security key in the drawer of the desk"].entries())
    await sql`
      insert into formd.operator_passkeys (id, operator_id, credential_id, public_key, counter, name, created_at, last_used_at)
      select ${uuidv7()}, id, ${randomBytes(16)}, 'key', 0, ${name}, now() - interval '9 days', ${index === 0 ? new Date() : null}
      from formd.operators where email = ${credentials.email}`;
  const { secret, hash } = makeSecret("fdo", team);
  await sql`
    select formd.operator_login_connection(${connection}, ${team}, '(anonymous,,)', ${uuidv7()}, 'linus', 'linus@example.org',
      '{forms-admins}', '1 day', null, ${uuidv7()}, ${hash}, '12 hours', 'Firefox, Linux', null)`;
  const links: Record<string, string> = {};
  const baseUrl = "";
  for (const [name, email] of [
    ["invitation", "new@elsewhere.example"],
    ["invitation-required", "new@example.org"],
    ["invitation-in-already", "linus@example.org"],
  ] as const)
    links[name] =
      (await inviteOperator(sql, cliActor, { team, baseUrl }, { workspace, email, role: "editor" })).link ??
      "";
  await sql`update formd.operators set password_allowed_until_at = now() + interval '1 day' where email = ${credentials.email}`;
  const [grace] = await sql<
    { id: string }[]
  >`select id from formd.operators where email = 'grace@example.org'`;
  links["reset-required"] = (
    await makeResetLink(sql, cliActor, { team: null, baseUrl }, grace?.id ?? "")
  ).link;
  for (const [index, provenance] of provenances.entries())
    await sql`
      update formd.submissions set provenance = ${provenance},
        declared_agent = ${provenance === "declared_agent" ? "https://assistant.example.com" : null}
      where id = (select id from formd.submissions where team_id = ${team} order by id desc offset ${index} limit 1)`;
  const change = (what: "proof" | "passkey" | "nothing") => sql`
    with asked as (update formd.workspaces set requires_passkey = ${what === "passkey"} where id = ${workspace})
    update formd.operator_sessions set proved_at = now() - ${what === "proof" ? "1 hour" : "0"}::interval
    where operator_id = (select id from formd.operators where email = ${credentials.email})`;
  return { links, change, member: `formd_session=${secret}` };
}

const grant = (sql: Sql, team: string, agent: string, form: string) => sql`
  select from formd.grant_upsert(
    p_team => ${team}, p_actor => ${toSql(sql, cliActor)}, p_agent => ${agent}, p_id => ${uuidv7()}, p_form => ${form},
    p_scopes => ${[...agentScopes]}, p_respondent_given => false, p_respondent => null, p_binding_required => null)`;

/** A server on a database that is removed afterwards. */
async function withServer(work: (sql: Sql) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "formd-screenshots-"));
  chmodSync(folder, 0o711); // PostgreSQL's unprivileged user passes through it
  const database = await embedded(folder, () => {});
  await migrate(database.ownerUrl, () => {});
  const sql = connect(database.ownerUrl, { poolSize: 2, prepare: true });
  const server = spawn(process.execPath, ["src/main.ts", "serve", "--no-migrate"], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      BASE_URL: baseUrl,
      DATABASE_URL: database.url,
      LOG_LEVEL: "error",
      FORMD_SECRET_KEY: randomBytes(32).toString("base64"),
      WEBHOOKS: "false",
      CAPTCHA_PROVIDER: "altcha",
      RATE_LIMIT_MANAGEMENT_PER_MINUTE: "100000",
      RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    while (!(await fetch(`${baseUrl}/readyz`).catch(() => ({ ok: false }))).ok) await Bun.sleep(100);
    await work(sql);
  } finally {
    server.kill();
    await new Promise((resolve) => server.on("close", resolve));
    await sql.end();
    await database.release();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Signs in: an operator may do so ten times per minute. */
async function signIn(): Promise<string> {
  const response = await fetch(`${baseUrl}/console/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(credentials),
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

interface Screen {
  width: number;
  height?: number;
  colorScheme: "light" | "dark";
  /** Uses the colours of the operating system. */
  isForced?: boolean;
}

/** A browser window in which the operator is signed in. */
async function windowOf(
  browser: Browser,
  { width, height = 800, colorScheme, isForced = false }: Screen,
  cookie: string,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width, height },
    colorScheme,
    forcedColors: isForced ? "active" : "none",
    locale,
    timezoneId: "UTC",
  });
  await useCookie(context, cookie);
  return context;
}

async function useCookie(context: BrowserContext, cookie: string): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: baseUrl }]);
}

/** A picture of the top of a page. */
async function picture(browser: Browser, path: string, file: string, screen: Screen, cookie: string) {
  const context = await windowOf(browser, screen, cookie);
  const page = await context.newPage();
  await page.goto(path);
  await page.screenshot({ path: file });
  await context.close();
}

const nameOf = (path: string) =>
  path
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
    .replaceAll(/[^\w]+/g, "-")
    .replace(/^-|-$/g, "");

/** A state of a page: where it is, and what is done there first. */
type State = [name: string, path: string, act?: (page: Page) => Promise<unknown>];

const send = (page: Page) =>
  Promise.all([page.waitForEvent("load"), page.click("main button[type=submit]:not(.secondary)")]);
const openAll = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });

function statesOf({ form, agent, webhook, submission, event, pages, empty, change }: Furnished): State[] {
  const ofForm = `/console/forms/${form}`;
  const sendNameAs = (of: "proof" | "passkey") => async (page: Page) => {
    await change(of);
    await sendName(page);
    await change("nothing");
  };
  const plain = [
    ...["/console", "/console?archived=true", "/console/new-form", "/console/nothing"],
    ...[
      "",
      "?edit=workshop",
      "?after=email&type=matrix",
      "?several",
      "/preview",
      "/settings",
      "/publish",
      "/share",
      "/submissions",
    ].map((page) => ofForm + page),
    ...[`/submissions/${submission}`, `/submissions/${submission}/edit`, "/review", "/review/several"].map(
      (page) => ofForm + page,
    ),
    ...["/answers", "/charts", "/mails", "/access-keys"].map((page) => ofForm + page),
    ...["", "/submissions", "/review", "/charts", "/access-keys"].map(
      (page) => `/console/forms/${empty}${page}`,
    ),
    ...["/agents", `/agents/${agent}`, "/agents/new", "/api-keys", "/api-keys?page=2", "/api-keys/new"].map(
      (page) => `/console${page}`,
    ),
    ...["/webhooks", `/webhooks/${webhook}`, `/webhooks/${webhook}/deliveries/${event}`, "/webhooks/new"].map(
      (page) => `/console${page}`,
    ),
    ...[
      "/operators",
      "/operators/new",
      "/workspaces",
      "/workspaces/new",
      "/connections",
      "/connections/new",
      "/person",
      `/person?form=${form}`,
      "/audit",
      "/audit?kind=nothing",
      "/account",
      "/account/passkeys",
      "/account/password",
    ].map((page) => `/console${page}`),
  ];
  return [
    ...plain.map((path): State => [nameOf(path) + (path.includes(empty) ? "-empty" : ""), path]),
    ["audit-open", "/console/audit", openAll],
    ["operators-open", "/console/operators", openAll],
    ["connections-open", "/console/connections", openAll],
    ["workspaces-open", "/console/workspaces", openAll],
    ["agent-open", `/console/agents/${agent}`, openAll],
    ["submissions-open", `${ofForm}/submissions?all=true`, openAll],
    ["submissions-delete", `${ofForm}/submissions/delete?state=waiting`],
    ["submission-open", `${ofForm}/submissions/${submission}`, openAll],
    ["new-form-refused", "/console/new-form", (page) => page.fill("[name=name]", " ").then(() => send(page))],
    ["secret", "/console/agents/new", (page) => page.fill("[name=name]", "Scribe").then(() => send(page))],
    ...Object.entries(pages).map(([name, path]): State => [`page-${name}`, path]),
    ["page-errors", pages.single ?? "", send],
    [
      "page-sent-values",
      pages.steps ?? "",
      async (page) => {
        await page.fill("[name=name]", "Grace Hopper");
        await page.fill("[name=email]", "grace@example.org");
        await page.check("[name=workshop]");
        await send(page);
        await page.check("[name=terms]");
        await send(page);
        await send(page);
      },
    ],
    ["page-draft", pages.single ?? "", (page) => page.fill("[name=name]", "Grace").then(() => page.reload())],
    ["page-steps-errors", pages.steps ?? "", send],
    ["passkeys-open", "/console/account/passkeys", openAll],
    [
      "passkeys-new",
      "/console/account/passkeys",
      (page) => page.click("form[action$='/passkeys/new'] button"),
    ],
    ["connections-refused", "/console/connections/new", refuseConnection],
    ["proof-password", "/console/agents/new", sendNameAs("proof")],
    ["proof-passkey", "/console/agents/new", sendNameAs("passkey")],
  ];
}

const sendName = (page: Page) => page.fill("[name=name]", "Scribe").then(() => send(page));

async function refuseConnection(page: Page) {
  for (const [name, value] of Object.entries({
    name: "Corp",
    clientId: "formd",
    clientSecret: "secret",
    domains: "a@b.example",
  }))
    await page.fill(`[name=${name}]`, value);
  await page.fill("[name=issuer]", "https://id.example.org");
  await send(page);
}

/** States of an account of a connection. */
const memberStates = ({ links }: Furnished): State[] => [
  ["member-account", "/console/account"],
  ["member-proof", "/console/agents/new", sendName],
  ["member-invitation", links.invitation ?? ""],
  ["member-invitation-in-already", links["invitation-in-already"] ?? ""],
];

/** States without a session. */
const outside = ({ links, connection }: Furnished): State[] => [
  ["sign-in", "/console/sign-in"],
  ["sign-in-connection-failed", `/console/sign-in/${connection}/callback?code=a&state=b`],
  ["forgot-password", "/console/forgot-password"],
  ...Object.entries(links).map(([name, path]): State => [name, path]),
  ["invitation-gone", "/console/invitation/none"],
  [
    "sign-in-refused",
    "/console/sign-in",
    async (page) => {
      await page.fill("[name=email]", credentials.email);
      await page.fill("[name=password]", "wrong horse");
      await send(page);
    },
  ],
  ["setup-gone", "/setup/none"],
];

async function takeAll(
  browser: Browser,
  cookie: string,
  filled: Furnished,
  directory: string,
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const width of [320, 768, 1280])
    for (const look of ["light", "dark", "forced"] as const) {
      const colorScheme = look === "forced" ? "dark" : look;
      const context = await windowOf(browser, { width, colorScheme, isForced: look === "forced" }, cookie);
      const page = await context.newPage();
      for (const [name, path, act] of [...statesOf(filled), ...memberStates(filled), ...outside(filled)]) {
        const file = `${name}-${width}-${look}`;
        if (name === "member-account") await useCookie(context, filled.member);
        if (name === "sign-in") await context.clearCookies();
        if (!file.match(only)) continue;
        await page.goto(path);
        await act?.(page);
        // Actions that stick to the end of the window would be in the middle of the picture.
        await page.evaluate(() => {
          for (const each of document.querySelectorAll<HTMLElement>(".actions"))
            each.style.position = "static";
        });
        await page.screenshot({ path: join(directory, `${file}.png`), fullPage: true });
      }
      await context.close();
    }
}

await withServer(async (sql) => {
  const filled = await fill(sql);
  const browser = await chromium.launch({
    executablePath:
      Bun.which("chromium-headless-shell") ?? Bun.which("chromium") ?? "chromium-headless-shell",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  const cookie = await signIn();
  const to = (name: string) => join(import.meta.dir, "../docs/images", `${name}.png`);
  if (every) await takeAll(browser, cookie, await furnish(sql, filled), every);
  else {
    const charts = `/console/forms/${filled.form}/charts`;
    const screen = { width: 960, colorScheme: "light" as const };
    const build = `/console/forms/${filled.form}?edit=workshop`;
    await picture(browser, build, to("console-build"), { ...screen, height: 1180 }, cookie);
    await picture(browser, charts, to("console-charts"), { ...screen, height: 760 }, cookie);
  }
  await browser.close();
});
