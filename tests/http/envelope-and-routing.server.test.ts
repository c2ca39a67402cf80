// stacks: one deno gate
import { describe, expect, test } from "bun:test";
import { unknownId } from "../expect.ts";
import { ask, command, freePort, makeTeam, type Server, server, service } from "../setup.ts";
import { head, linesOf, raw } from "./raw-http.ts";

const forms = "/papi/v1/management/forms";
const app = await service({ MAX_BODY_BYTES: "65536" });
const team = await makeTeam(app);
const key = { "x-api-key": team.key };

/** A POST of these bytes as a form to create, with the team's key unless told otherwise. */
const create = (body: unknown, headers: Record<string, string> = key) =>
  ask(app, "POST", forms, { body, headers });

describe("the envelope", () => {
  test("every success is { data, apiVersion } as JSON with a request id", async () => {
    for (const path of ["/healthz", "/readyz", forms]) {
      const { status, headers, body } = await ask(app, "GET", path, { headers: key });
      expect(status).toBe(200);
      expect(headers.get("content-type")).toStartWith("application/json");
      expect(headers.get("x-request-id")).toMatch(/^[\w.-]{1,128}$/);
      expect(body.apiVersion).toBe("v1");
      const members = ["data", "apiVersion", "_docs", "_guide"];
      expect(Object.keys(body).filter((name) => !members.includes(name))).toEqual([]);
      expect(body.data).toBeObject();
    }
  });

  type Sent = { headers?: Record<string, string>; body?: unknown };
  test.each<[title: string, outcome: string, route: string, sent: Sent]>([
    ["an unknown route", "404 not_found", "GET /papi/v1/nothing", {}],
    ["an unknown route outside the API", "404 not_found", "POST /nothing", { body: {} }],
    ["a path in another case", "404 not_found", "GET /PAPI/v1/management/forms", { headers: key }],
    ["a wrong method", "405 method_not_allowed", `DELETE ${forms}`, {}],
    ["no API key", "401 unauthorized", `GET ${forms}`, {}],
    ["a malformed API key", "401 unauthorized", `GET ${forms}`, { headers: { "x-api-key": "x" } }],
    ["an empty API key", "401 unauthorized", `GET ${forms}`, { headers: { "x-api-key": "" } }],
    ["a bad query", "400 bad_request", `GET ${forms}?page=0`, { headers: key }],
    ["a body that is no JSON", "400 invalid_body", `POST ${forms}`, { headers: key, body: "{" }],
    ["a form that is not there", "404 not_found", `GET ${forms}/${unknownId}`, { headers: key }],
    ["no token", "401 unauthorized", "POST /papi/v1/submitter/form/submissions", { body: { data: {} } }],
    ["no agent secret", "401 unauthorized", "POST /papi/v1/auth/token", { body: {} }],
    ["no operator", "401 unauthorized", "GET /papi/v1/identity/agents", {}],
  ])("%s is refused in the envelope", async (_, outcome, route, sent) => {
    const [method = "", path = ""] = route.split(" ");
    const [status, code] = [Number(outcome.slice(0, 3)), outcome.slice(4)];
    const reply = await ask(app, method, path, sent);
    expect(reply).toMatchObject({
      status,
      body: { code, apiVersion: "v1", error: expect.stringMatching(/\w.*\.$/) },
    });
    expect(reply.headers.get("content-type")).toStartWith("application/json");
    expect(reply.headers.get("x-request-id")).toMatch(/^[\w.-]{1,128}$/);
  });

  test("an internal error is a 500 with the request id only, and the log has the cause", async () => {
    const { sql } = app.database;
    const [{ call }] = await sql<[{ call: string }]>`
      select oid::regprocedure::text as call from pg_proc
      where pronamespace = 'formd'::regnamespace and proname = 'form_create' and 'formd.actor'::regtype = any(proargtypes)`;
    const gone = call.replace("form_create", "form_create_gone");
    await sql.unsafe(`alter function ${call} rename to form_create_gone`);
    const { status, headers, body } = await create({ name: "A" });
    await sql.unsafe(`alter function ${gone} rename to form_create`);
    expect([status, body.code, body.apiVersion]).toEqual([500, "internal_error", "v1"]);
    expect(JSON.stringify(body)).not.toContain("form_create");
    const requestId = headers.get("x-request-id");
    const told = (await linesOf(app, requestId)).filter((line) => line.requestId === requestId);
    expect(JSON.stringify(told)).toContain("form_create");
    expect((await create({ name: "A" })).status).toBe(200);
  });

  test("a database without a free connection is 503 with Retry-After, and the service recovers by itself", async () => {
    const { sql } = app.database;
    const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
    await sql.unsafe(`alter database ${name} connection limit 0`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and usename = 'formd'`;
    const { status, headers, body } = await ask(app, "GET", forms, { headers: key });
    const ready = await ask(app, "GET", "/readyz");
    const alive = await ask(app, "GET", "/healthz");
    await sql.unsafe(`alter database ${name} connection limit -1`);
    expect([status, body.code, body.apiVersion]).toEqual([503, "unavailable", "v1"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect([ready.status, alive.status]).toEqual([503, 200]);
    // A pooler in front tries a server that has refused it only seconds later; without one, the first request
    // finds it.
    const patience = process.env.FORMD_TEST_POOLER ? performance.now() + 20_000 : 0;
    let again = await ask(app, "GET", forms, { headers: key });
    while (again.status === 503 && performance.now() < patience)
      again = await ask(app, "GET", forms, { headers: key });
    expect(again.status).toBe(200);
  });
});

describe("the headers of every response", () => {
  const common = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  };
  const of = (headers: Headers) =>
    Object.fromEntries(
      [...Object.keys(common), "strict-transport-security"].flatMap((name) => {
        const value = headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );

  test("keep it from caches, from guesses at its type and from other sites", async () => {
    const { body } = await create({ name: "A" });
    const submissions = `${forms}/${body.data.form.id}/submissions`;
    const read = [
      forms,
      submissions,
      `${submissions}/export?format=csv`,
      "/healthz",
      "/nowhere",
      "/papi/v1/docs",
    ];
    const posted = ["/papi/v1/auth/token", "/console/login"];
    for (const path of [...read, ...posted]) {
      const { headers } = await ask(app, posted.includes(path) ? "POST" : "GET", path, { headers: key });
      expect([path, of(headers)]).toEqual([path, common]);
    }
  });

  test("what is public and large may be kept", async () => {
    const { headers } = await ask(app, "GET", "/papi/v1/docs/reference.js");
    expect(of(headers)).toEqual({ ...common, "cache-control": "public, max-age=86400" });
  });

  test("with an https BASE_URL, restrict browsers to https", async () => {
    const secure = await server({ DATABASE_URL: app.database.url, BASE_URL: "https://forms.example.org" });
    const { headers } = await ask(secure, "GET", "/healthz");
    expect(of(headers)).toEqual({ ...common, "strict-transport-security": "max-age=31536000" });
    await secure.stop();
  });

  test("by setting, for subdomains too, and browsers report what a page's policy has stopped", async () => {
    const url = "https://reports.example.org/csp?key=1";
    const port = await freePort();
    const reporting = await server({
      DATABASE_URL: app.database.url,
      BASE_URL: "https://forms.example.org",
      PORT: String(port),
      ALLOWED_HOSTS: `127.0.0.1:${port},localhost:${port}`,
      HSTS_SUBDOMAINS: "true",
      CSP_REPORT_URL: url,
    });
    const pages = "/console/sign-in /console/none /f/none /developer /papi/v1/docs /healthz".split(" ");
    for (const path of pages) {
      const { headers } = await fetch(reporting.url + path, { headers: { accept: "text/html" } });
      const policy = headers.get("content-security-policy");
      expect([path, headers.get("reporting-endpoints")]).toEqual([path, `csp="${url}"`]);
      expect(headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
      if (path !== "/healthz")
        expect(policy).toMatch(/^default-src 'none';.*; report-to csp; report-uri https:\S+$/);
      const plain = (await fetch(app.url + path, { headers: { accept: "text/html" } })).headers;
      expect(plain.get("content-security-policy")).toBe(policy?.replace(/; report-to.*$/, "") ?? null);
      expect(plain.get("reporting-endpoints")).toBeNull();
    }
    for (const path of ["/f/none/r/secret", "/setup/secret", "/console/reset/secret"]) {
      const { headers } = await fetch(reporting.url + path, { headers: { accept: "text/html" } });
      expect([path, headers.get("reporting-endpoints")]).toEqual([path, null]);
      expect(headers.get("content-security-policy")).not.toContain("report");
    }
    await reporting.stop();
  });
});

describe("x-request-id", () => {
  test.each(["a", "Ab-9_.z", "x".repeat(128)])("a sane one is echoed: %s", async (id) => {
    for (const path of ["/healthz", "/nowhere", forms]) {
      const { headers } = await ask(app, "GET", path, { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toBe(id);
    }
  });

  const odd = ["", "x".repeat(129), "a b", "a;b", "é", '"}', "{}", "a\tb"];
  test.each(odd)("any other is replaced: %j", async (id) => {
    const reply = await raw(app, Buffer.from(head("GET /nowhere", { "x-request-id": id }), "latin1"));
    expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("each request without one gets one of its own", async () => {
    const idOf = async () => (await ask(app, "GET", "/healthz")).headers.get("x-request-id");
    expect(new Set(await Promise.all(Array.from({ length: 5 }, idOf))).size).toBe(5);
  });
});

describe("routes and methods", () => {
  test.each([
    ["DELETE", forms, "GET, HEAD, POST"],
    ["PUT", `${forms}/${unknownId}`, "GET, HEAD, PATCH"],
    ["GET", "/papi/v1/auth/token", "POST"],
    ["HEAD", "/papi/v1/auth/token", "POST"],
    ["POST", "/healthz", "GET, HEAD"],
    ["GET", "/console/login", "POST"],
  ])("%s %s is 405 and Allow says %s", async (method, path, allow) => {
    const { status, headers } = await ask(app, method, path, { headers: key });
    expect([status, headers.get("allow")?.split(", ").sort().join(", ")]).toEqual([405, allow]);
  });

  test("HEAD gets the response of GET, without the body", async () => {
    for (const [path, headers, status] of [
      ["/healthz", {}, 200],
      [forms, key, 200],
      [forms, {}, 401],
      ["/nowhere", {}, 404],
    ] as const) {
      const reply = await ask(app, "HEAD", path, { headers });
      expect([path, reply.status, reply.body]).toEqual([path, status, ""]);
    }
  });

  test("a slash at the end makes no difference", async () => {
    expect((await ask(app, "GET", `${forms}/`, { headers: key })).status).toBe(200);
    expect((await ask(app, "DELETE", `${forms}/`, { headers: key })).status).toBe(405);
  });

  test.each([
    ...["1", "not-a-uuid", "null", `${unknownId}0`, `{${unknownId}}`],
    ...["%ZZ", "%", "%00", "%E0%A4%A", "%2e%2e%2f", "\u00e9"],
  ])("%s as a form's id is 400 and names form_id", async (id) => {
    const line = (suffix: string) => Buffer.from(head(`GET ${forms}/${id}${suffix}`, key), "utf8");
    for (const reply of [await raw(app, line("")), await raw(app, line("/submissions"))]) {
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([400, "bad_request"]);
      expect(JSON.parse(reply.text).error).toContain("form_id");
    }
  });

  test("a UUID in capitals is the same UUID", async () => {
    const { body } = await create({ name: "A" });
    const reply = await ask(app, "GET", `${forms}/${body.data.form.id.toUpperCase()}`, { headers: key });
    expect(reply.body.data?.form.id).toBe(body.data.form.id);
  });

  test("a malformed id is checked after the key and before the body", async () => {
    const patch = (headers: object) =>
      ask(app, "PATCH", `${forms}/x`, { body: "{", headers: { ...headers } });
    expect((await patch({})).body.code).toBe("unauthorized");
    expect((await patch(key)).body.code).toBe("bad_request");
  });
});

describe("the Host", () => {
  const status = async (to: Server, path: string, host: string) =>
    (await raw(to, head(`GET ${path}`, { Host: host }))).status;

  test("loopback names are the server's own, with any port", async () => {
    const hosts = "localhost localhost:8080 LOCALHOST:1 127.0.0.1 127.9.9.9:99 [::1] [::1]:8080".split(" ");
    for (const host of hosts) expect([host, await status(app, forms, host)]).toEqual([host, 401]);
  });

  test.each([
    ...["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost@evil.example"],
    ...["x", "a.b", "192.168.1.1", "localhost:", "localhost:8080:1", "localhost:99999", "127.999.1.1"],
    ...["[::1", "localhost/x", "a b", "é", "%", "?", "#"],
  ])("%s is refused, whatever the route", async (host) => {
    for (const path of [forms, `${forms}/${unknownId}`, "/", "/healthzx", "/healthz/x"]) {
      const reply = await raw(app, Buffer.from(head(`GET ${path}`, { Host: host }), "latin1"));
      expect([path, reply.status]).toEqual([path, 400]);
      if (reply.headers.get("content-type")?.includes("json"))
        expect(JSON.parse(reply.text)).toMatchObject({ code: "bad_request", apiVersion: "v1" });
    }
  });

  test("probes are asked by any name that is one", async () => {
    for (const host of ["evil.example", "10.0.0.7:8080", "x"])
      for (const path of ["/healthz", "/readyz"])
        expect([host, path, await status(app, path, host)]).toEqual([host, path, 200]);
  });

  test("an absolute URL in the request line does not replace the Host", async () => {
    const reply = await raw(app, head(`GET http://evil.example${forms}`, { Host: "evil.example" }));
    expect(reply.status).toBe(400);
  });

  test("the request line and the Host name one host, where the runtime shows the first", async () => {
    const lines = [`GET http://localhost${forms}`, `GET http://LOCALHOST:80${forms}`, `GET ${forms}`];
    for (const line of lines)
      expect([line, (await raw(app, head(line, { Host: "localhost" }))).status]).toEqual([line, 401]);
    const foreign = await raw(app, head(`GET http://evil.example${forms}`, { Host: "localhost" }));
    expect(foreign.status).toBe(command.some((part) => part.includes("deno")) ? 400 : 401);
  });

  test("a public server knows BASE_URL's host and ALLOWED_HOSTS, and loopback no more", async () => {
    const open = await server({
      DATABASE_URL: app.database.url,
      BASE_URL: "https://forms.example.org",
      ALLOWED_HOSTS: "other.example:8443, third.example",
    });
    const known = "forms.example.org FORMS.example.org:443 other.example:8443 third.example".split(" ");
    for (const host of known) expect([host, await status(open, forms, host)]).toEqual([host, 401]);
    for (const host of [
      ...["localhost", "127.0.0.1", "forms.example.org:8443"],
      ...["other.example", "example.org", "x.forms.example.org"],
    ])
      expect([host, await status(open, forms, host)]).toEqual([host, 400]);
    expect(await open.stop()).toBe(0);
  });
});
