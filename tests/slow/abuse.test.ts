/** What a request may cost the server at most, in CPU time: the worst bodies of the security review, each against each route. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { threadsCpuMs } from "../bench/cpu.ts";
import { ask, makeForm, makeTeam, type PublishedForm, type Service, service } from "../setup.ts";
import { digestOf, newKey, signed, unsigned } from "../signing.ts";

setDefaultTimeout(120_000);

let app: Service;
let form: PublishedForm;
beforeAll(async () => {
  app = await service({ FEATURE_AGENT_SIGNING: "true" });
  // What takes long to validate: a pattern with many states, and phone numbers.
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

const cpuMs = () => threadsCpuMs(app.process.pid);

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
} satisfies Record<string, Route>;

let sent = 0;
const freshIp = () => `10.77.${(++sent >> 8) & 255}.${sent & 255}`;

/** CPU milliseconds of a request, the median of twenty: now and then one pays for a collection of garbage. */
async function costOf(
  { path, headers = () => ({}) }: Route,
  body: string,
  ip: () => string,
): Promise<number> {
  const costs: number[] = [];
  for (let i = 0; i < 20; i++) {
    const sent = { "content-type": "application/json", "x-forwarded-for": ip(), ...headers(body, path) };
    const before = cpuMs();
    const reply = await fetch(app.url + path, { method: "POST", headers: sent, body });
    await reply.text();
    costs.push(cpuMs() - before);
    expect([400, 401, 403, 413, 429]).toContain(reply.status);
  }
  return costs.toSorted((one, other) => one - other)[10] ?? 0;
}

describe.each(Object.entries<Route>(routes))("%s without a valid credential", (name, route) => {
  test("costs at most 5 ms of CPU for any body, and at most 1 ms once its client IP is over the limit", async () => {
    const ip = `192.0.2.${Object.keys(routes).indexOf(name) + 1}`;
    for (let i = 0; i < 4; i++) await costOf(route, "{}", () => ip); // 80 requests, of which 60 at most are allowed in a minute
    const bodies = [
      ...items.map((item) => [`1 MiB of ${item}`, route.body(listOf(item))]),
      ...items.map((item) => [`16 KiB of ${item}`, route.body(listOf(item, 16_000))]),
      ...Object.entries(costly),
    ] as const;
    // Not measured: the first 20 large bodies of a route run code that is not compiled yet, and take 5 to 6 ms.
    await costOf(route, route.body(listOf("1")), freshIp);
    const costs = [];
    for (const [body, text] of bodies)
      costs.push({
        body,
        within: await costOf(route, text, freshIp),
        over: await costOf(route, text, () => ip),
      });
    console.table(costs.map((row) => ({ route: name, ...row })));
    expect(costs.filter(({ within }) => within > 5)).toEqual([]);
    expect(costs.filter(({ over }) => over > 1)).toEqual([]);
  });
});

test("a client IP that the server refuses by itself is admitted as soon as the database would admit it", async () => {
  const ip = "192.0.2.200";
  const mint = async () => {
    const { status, headers } = await ask(app, "POST", "/papi/v1/auth/token", { ip, body: {} });
    return { status, wait: Number(headers.get("retry-after")) };
  };
  const since = performance.now();
  for (let i = 0; i < 30; i++) expect((await mint()).status).toBe(401);
  for (let left = (await mint()).wait; left > 0; left = (await mint()).wait) {
    expect(Math.abs(60 - (performance.now() - since) / 1000 - left)).toBeLessThan(2);
    await Bun.sleep(left > 3 ? 2_000 : 100);
  }
  expect((performance.now() - since) / 1000).toBeWithin(59.9, 62);
});
