/**
 * Maximum CPU time of a refused request: the worst bodies of the security review, each against each route.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { limits } from "../../src/limits.ts";
import { threadsCpuMs } from "../bench/cpu.ts";
import { head, raw } from "../http/raw-http.ts";
import {
  ask,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Server,
  type Service,
  server,
  service,
} from "../setup.ts";
import { digestOf, newKey, signed, unsigned } from "../signing.ts";

let app: Service;
let form: PublishedForm;
beforeAll(async () => {
  app = await service({ FEATURE_AGENT_SIGNING: "true" });
  // Fields that take long to validate: a pattern with many states, and phone numbers.
  const searched = { type: "text", label: "F", validation: { pattern: "[ab]*a[ab]{200}$" } };
  const fields = [
    ...Array.from({ length: 40 }, (_, i) => ({ id: `f${i}`, ...searched })),
    ...Array.from({ length: 400 }, (_, i) => ({ id: `p${i}`, type: "phone", label: "P" })),
  ];
  const team = await makeTeam(app);
  form = await makeForm(app, team, fields);
  // From here on the server holds the compiled form, and could validate before it asks the database.
  const headers = { ...withKey(), "x-api-key": team.key };
  expect((await ask(app, "POST", routes.submit.path, { headers, body: { data: {} } })).status).toBe(200);
});

const mebibyte = 1_048_576;
/** A JSON list of `item`, as long as fits. */
const listOf = (item: string, bytes = mebibyte - 100) =>
  `[${`${item},`.repeat(Math.floor(bytes / (item.length + 1))).slice(0, -1)}]`;
const items = ["1e1", "1e400", '"\\u0000"', "9007199254740993", "1", '""', '{"a":1}', "[1]"];
const random = () => Array.from({ length: 350 }, () => (Math.random() < 0.5 ? "a" : "b")).join("");
const payload = (count: number, prefix: string, value: () => string) =>
  JSON.stringify({
    data: Object.fromEntries(Array.from({ length: count }, (_, i) => [prefix + i, value()])),
  });
const costly = {
  "many states": payload(40, "f", random),
  "phone numbers": payload(400, "p", () => "+12025550123"),
};

interface Route {
  path: string;
  body: (list: string) => string;
  headers?: (body: string, path: string) => Record<string, string>;
  /** Requests without a valid credential count in no limit of the client IP here. */
  isUncounted?: true;
}
const withKey = () => ({ "x-form-access-key": form.accessKey });
const byUnknown = newKey();
/** A signature of the right form by a key that is not registered, over this very body. */
const byUnknownKey = (body: string, path: string) =>
  signed(byUnknown, {
    ...unsigned(app, path, form, {}),
    headers: { ...withKey(), "content-type": "application/json", "content-digest": digestOf(body) },
    body,
  }).headers;
const formPostType = { "content-type": "application/x-www-form-urlencoded" };
/** The maximum of fields per form post. The last field has the rest of the list. */
const formPost = (list: string) => {
  const values = list.slice(1, -1).split(",");
  const { maxFields } = limits.formPost;
  const fields = values.slice(0, maxFields - 1).map((value, index) => `${index}=${value}`);
  return `${fields.join("&")}&a=${values.slice(maxFields - 1).join(",")}`.slice(0, mebibyte);
};
const data = (list: string) => `{"data":{"f0":${list}}}`;
const responses = "/papi/v1/submitter/challenges/01957a3b-c4ff-7000-8000-000000000001/responses";
const routes = {
  submit: { path: "/papi/v1/submitter/form/submissions", body: data, headers: withKey },
  "submit with Idempotency-Key": {
    path: "/papi/v1/submitter/form/submissions",
    body: data,
    headers: () => ({ ...withKey(), "idempotency-key": "again" }),
  },
  "signed submit": { path: "/papi/v1/submitter/form/submissions", body: data, headers: byUnknownKey },
  "dry run": { path: "/papi/v1/submitter/form/validation", body: data, headers: withKey },
  "token mint": { path: "/papi/v1/auth/token", body: (list) => `{"clientSecret":"none","a":${list}}` },
  "anonymous session": { path: "/papi/v1/auth/anonymous", body: (list) => `{"a":${list}}` },
  challenge: { path: "/papi/v1/submitter/form/challenges", body: data, headers: withKey },
  "challenge response": { path: responses, body: (list) => `{"answer":${list}}`, headers: byUnknownKey },
  login: { path: "/console/login", body: (list) => `{"email":"a@example.org","a":${list}}` },
  "page of a form": { path: "/f/none", body: formPost, headers: () => formPostType },
  console: { path: "/console/new-form", body: formPost, headers: () => formPostType },
  "form of an owner": { path: "/papi/v1/management/forms", body: data, isUncounted: true },
  MCP: {
    path: "/mcp",
    body: (list) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":${list}}}`,
    headers: () => ({ authorization: "Bearer fds_none", accept: "application/json, text/event-stream" }),
    isUncounted: true,
  },
} satisfies Record<string, Route>;

/** CPU of a refused request, and of one from a client IP that is over the limit. */
const maxMs = { within: 5, over: 1 };

let sent = 0;
const freshIp = () => `10.77.${(++sent >> 8) & 255}.${sent & 255}`;

const headersOf = ({ path, headers = () => ({}) }: Route, body: string, ip: string) => ({
  "content-type": "application/json",
  "x-forwarded-for": ip,
  ...headers(body, path),
});

/** CPU milliseconds of a server for one request, which is refused. */
async function cpuOf({ process: { pid } }: Server, send: () => Promise<{ status: number }>) {
  const before = threadsCpuMs(pid);
  const { status } = await send();
  expect([400, 401, 403, 404, 413, 429]).toContain(status);
  return threadsCpuMs(pid) - before;
}

const costOf = (to: Server, route: Route, body: string, ip: string) =>
  cpuOf(to, async () => {
    const headers = headersOf(route, body, ip);
    const reply = await fetch(to.url + route.path, { method: "POST", headers, body });
    await reply.text();
    return reply;
  });

/** Waits until a server has compiled what it ran before, which it does on threads of its own. */
async function idle({ process: { pid } }: Server): Promise<void> {
  for (let attempt = 0; attempt < 40; attempt++) {
    const before = threadsCpuMs(pid);
    await Bun.sleep(50);
    if (threadsCpuMs(pid) - before < 0.5) return;
  }
}

/**
 * The median of twenty requests: now and then one pays for a collection of garbage, or for what runs beside.
 * A compilation can last for more than ten, so that the least median of up to five counts.
 */
async function costsOf(
  measure: () => Promise<number>,
  maxMs: number,
): Promise<{ median: number; max: number }> {
  let least = { median: Number.POSITIVE_INFINITY, max: 0 };
  for (let attempt = 0; attempt < 5 && least.median > maxMs; attempt++) {
    if (attempt > 0) await idle(app);
    const costs: number[] = [];
    for (let i = 0; i < 20; i++) costs.push(await measure());
    costs.sort((one, other) => one - other);
    const [median = 0, max = 0] = [costs[10], costs[19]];
    if (median < least.median) least = { median, max };
  }
  return least;
}

test("the first large body of each route, after one ordinary request, costs at most 5 ms of CPU", async () => {
  // Other processes only add to a cost. So the least cost of up to twenty servers counts; two are usually
  // enough.
  const least = Object.entries<Route>(routes).map(([name, route]) => ({
    name,
    route,
    ms: Number.POSITIVE_INFINITY,
  }));
  for (let attempt = 0; attempt < 20 && least.some(({ ms }) => ms > maxMs.within); attempt++) {
    const fresh = await server({ DATABASE_URL: app.database.url, FEATURE_AGENT_SIGNING: "true" });
    for (const first of least) {
      // Its first request loads and compiles what the route runs.
      await costOf(fresh, first.route, first.route.body("[1]"), freshIp());
      await idle(fresh);
      const ms = await costOf(fresh, first.route, first.route.body(listOf("1")), freshIp());
      first.ms = Math.min(first.ms, ms);
    }
    await fresh.stop();
  }
  console.table(least.map(({ name, ms }) => ({ name, ms })));
  expect(least.filter(({ ms }) => ms > maxMs.within)).toEqual([]);
});

describe.each(Object.entries<Route>(routes))("%s without a valid credential", (name, route) => {
  test("costs at most 5 ms of CPU for any body, and at most 1 ms once its client IP is over the limit", async () => {
    const ip = `192.0.2.${Object.keys(routes).indexOf(name) + 1}`;
    for (let i = 0; i < 80; i++) await costOf(app, route, "{}", ip); // 60 at most are allowed in a minute
    const bodies = [
      ...items.map((item) => [`1 MiB of ${item}`, route.body(listOf(item))]),
      ...items.map((item) => [`16 KiB of ${item}`, route.body(listOf(item, 16_000))]),
      ...items.map((item) => [`4 KiB of ${item}`, route.body(listOf(item, 4_000))]),
      ...Object.entries(costly),
    ] as const;
    const costs = [];
    for (const [body, text] of bodies)
      costs.push({
        body,
        within: await costsOf(() => costOf(app, route, text, freshIp()), maxMs.within),
        over: route.isUncounted
          ? { median: 0, max: 0 }
          : await costsOf(() => costOf(app, route, text, ip), maxMs.over),
      });
    console.table(
      costs.map(({ body, within, over }) => ({
        route: name,
        body,
        within: within.median,
        "within, max": within.max,
        over: over.median,
        "over, max": over.max,
      })),
    );
    expect(
      costs.filter(({ within, over }) => within.median > maxMs.within || over.median > maxMs.over),
    ).toEqual([]);
  });
});

test("a stranger's dry run of 80,000 members costs at most 5 ms of CPU", async () => {
  const headers = withKey();
  const { body: session } = await ask(app, "POST", "/papi/v1/auth/anonymous", { headers });
  const route = {
    ...{ path: "/papi/v1/submitter/form/validation", body: (list: string) => list },
    headers: () => ({ ...headers, "x-respondent-token": session.data.token }),
  };
  const members = Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`k${i.toString(36)}`, 1]));
  for (const body of [{ data: members }, { data: { f0: members } }, { data: {}, metadata: members }]) {
    const text = JSON.stringify(body);
    const cost = await costsOf(() => costOf(app, route, text, freshIp()), maxMs.within);
    expect(cost.median).toBeLessThanOrEqual(maxMs.within);
  }
});

/**
 * A post of a console's form whose session has ended, and a sign-in with its values: as many bytes as are
 * kept.
 */
const kept: Record<string, [path: string, body: () => string]> = {
  "one value": ["/console/new-form", () => `a=${"\u0001".repeat(60_000)}`],
  "many values": ["/console/new-form", () => `k=${"%01".repeat(8)}&`.repeat(1_999)],
  "many values again": [
    "/console/sign-in",
    () => `email=a&values=${`b${"\u0001".repeat(20)}%26`.repeat(1_999)}`,
  ],
};
test.each(Object.entries(kept))(
  "a sign-in that keeps %s costs at most 5 ms of CPU",
  async (_, [path, body]) => {
    const route = { path, body, headers: () => formPostType };
    const cost = await costsOf(() => costOf(app, route, body(), freshIp()), maxMs.within);
    expect(cost.median).toBeLessThanOrEqual(maxMs.within);
  },
);

const submit = "POST /papi/v1/submitter/form/submissions";
/** With this member of Signature-Input, whose other headers are those. */
const signedBy = (input: string, headers: Record<string, string>) =>
  head(submit, {
    Signature: `sig1=:${Buffer.alloc(64).toString("base64")}:`,
    "Signature-Input": input,
    ...headers,
  });
const agents = Array.from({ length: 200 }, (_, i) => `k${i}`);
/** Distinct parameter names that fill 16 KiB. */
const parameters = Array.from({ length: 4_000 }, (_, i) => i.toString(36))
  .join("&")
  .slice(0, 16_384);

/** Headers that take long to search: a search begins at each position of the text. */
const heads: Record<string, () => string> = {
  "a path of letters": () => head(`GET /${"a".repeat(12_000)}`, {}),
  "a path of URLs": () => head(`GET /${"a://x:".repeat(2_000)}`, {}),
  "a text without an end in Signature": () => signedBy("sig1=()", { Signature: `"${'\\"'.repeat(6_000)}` }),
  "members of Signature-Agent": () =>
    signedBy(
      `sig1=(${agents.map((agent) => `"signature-agent";key="${agent}"`).join(" ")});tag="web-bot-auth"`,
      { "Signature-Agent": `${agents.join(", ")}, ${"b, ".repeat(2_000)}c` },
    ),
  "a long member of Signature-Agent, again and again": () =>
    signedBy(`sig1=(${'"signature-agent";key="a" '.repeat(300).trim()});tag="web-bot-auth"`, {
      "Signature-Agent": `a="${"b".repeat(6_000)}"`,
    }),
  "many parameters for /oauth/token": () =>
    head("POST /oauth/token", {
      "Content-Type": formPostType["content-type"],
      "Content-Length": String(parameters.length),
      "X-Forwarded-For": freshIp(),
    }) + parameters,
};

test.each(Object.entries(heads))("%s costs at most 5 ms of CPU", async (_, sent) => {
  const cost = await costsOf(() => cpuOf(app, () => raw(app, sent())), maxMs.within);
  expect(cost.median).toBeLessThanOrEqual(maxMs.within);
});

test.each(Object.entries<Route>(routes))(
  "%s: 64 KiB in chunks of a byte cost at most 5 ms of CPU",
  async (_, route) => {
    const chunks = Buffer.from("1\r\n1\r\n".repeat(65_536));
    const send = () => {
      const headers = { ...headersOf(route, "", freshIp()), "Transfer-Encoding": "chunked" };
      return raw(app, head(`POST ${route.path}`, headers), chunks);
    };
    const cost = await costsOf(() => cpuOf(app, send), maxMs.within);
    expect(cost.median).toBeLessThanOrEqual(maxMs.within);
  },
);
