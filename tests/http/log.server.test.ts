// stacks: one deno
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../expect.ts";
import { asAgent, ask, makeAgent, makeForm, makeKey, makeTeam, server, service, signIn } from "../setup.ts";
import { head, isAbout, linesOf, raw } from "./raw-http.ts";

const forms = "/papi/v1/management/forms";
const app = await service();
const team = await makeTeam(app);
const key = { "x-api-key": team.key };
/** The lines of one request, once it has its response. */
const linesAbout = async (requestId: string) =>
  (await linesOf(app, requestId)).filter((line) => isAbout(line, requestId));

describe("the log", () => {
  test("a line for every request: id, method, path without query, status, milliseconds", async () => {
    await ask(app, "GET", `${forms}/x?secret=1#f`, { headers: { ...key, "x-request-id": "log-line" } });
    const ids = { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/), clientRequestId: "log-line" };
    const request = { ...ids, method: "GET", path: `${forms}/x` };
    const response = { status: 400, code: "bad_request", ms: expect.any(Number), time: expect.any(String) };
    expect(await linesAbout("log-line")).toEqual([expect.objectContaining({ ...request, ...response })]);
  });

  test("a line names the client and who was authenticated", async () => {
    const cookie = await signIn(app, team.operator.email, team.operator.password);
    const callers: [requestId: string, path: string, headers: Record<string, string>, caller?: string][] = [
      ["by-key", forms, key, `api_key:${team.keyId}`],
      ["by-operator", "/papi/v1/identity/agents", { cookie }, `operator:${team.operator.id}`],
      ["by-nobody", forms, {}],
    ];
    for (const [requestId, path, headers, caller] of callers) {
      await ask(app, "GET", path, { headers: { ...headers, "x-request-id": requestId }, ip: "192.0.2.200" });
      const [line] = await linesAbout(requestId);
      expect([requestId, line?.ip, line?.caller]).toEqual([requestId, "192.0.2.200", caller]);
    }
  });

  test("LOG_CLIENT_IP=false keeps client IPs out", async () => {
    const discreet = await server({ DATABASE_URL: app.database.url, LOG_CLIENT_IP: "false" });
    await ask(discreet, "GET", forms, { headers: { "x-request-id": "discreet" }, ip: "192.0.2.201" });
    await linesOf(discreet, "discreet");
    expect(discreet.log()).not.toContain("192.0.2.201");
    await discreet.stop();
  });

  test("entries of X-Forwarded-For that are not IP addresses are counted, with one warning per minute", async () => {
    const behind = await server({ DATABASE_URL: app.database.url });
    for (const ip of ["unknown", "_hidden", "192.0.2.1", "198.51.100.1:x"])
      expect((await ask(behind, "GET", "/healthz", { ip })).status).toBe(200);
    expect((await ask(behind, "GET", "/metrics")).body).toMatch(/^formd_unreadable_client_ips_total 3$/m);
    await until(() => behind.log().includes('"path":"/metrics"'));
    expect(behind.log().match(/"level":"warn".*X-Forwarded-For/g)).toEqual([
      expect.stringContaining('"entry":"unknown"'),
    ]);
    await behind.stop();
  });

  test("a client that hangs up in the middle of its body is not a server error", async () => {
    const { port } = new URL(app.url);
    const incomplete = async () => {
      const { body } = await ask(app, "GET", "/metrics");
      const [count] = body.match(/(?<=^formd_incomplete_bodies_total )\d+/m) ?? [];
      expect(body).toMatch(/^formd_internal_errors_total 0$/m);
      return Number(count);
    };
    const noBodyBytes = /^formd_request_body_bytes 0$/m;
    const before = await incomplete();
    const chunked = { "Transfer-Encoding": "chunked" };
    const framings = [{ "Content-Length": "1000" }, { "Content-Length": "100000" }, chunked];
    for (const [index, framing] of framings.entries()) {
      const socket = connect(Number(port), "127.0.0.1");
      const headers = { ...key, "X-Request-Id": `hang-up-${index}`, "Content-Type": "application/json" };
      socket.write(`${head(`POST ${forms}`, { ...headers, ...framing })}9\r\n{"name":`);
      await until(async () => !noBodyBytes.test((await ask(app, "GET", "/metrics")).body));
      socket.destroy();
      const line = { level: "info", status: 400, code: "bad_request" };
      expect(await linesAbout(`hang-up-${index}`)).toMatchObject([line]);
    }
    expect(await incomplete()).toBe(before + framings.length);
    expect((await ask(app, "GET", "/metrics")).body).toMatch(noBodyBytes);
  });

  test("no secret reaches it, wherever a caller puts it", async () => {
    const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    const agent = await makeAgent(app, team, form);
    const { key: wrong } = await makeKey(app, team, "forms:read");
    const cookie = await signIn(app, team.operator.email, team.operator.password);
    const secrets = {
      apiKey: team.key,
      wrong,
      agent: agent.secret,
      token: agent.token,
      access: form.accessKey,
      cookie: cookie.split("=")[1] ?? "",
      password: team.operator.password,
      marker: "hunter2-marker",
    };
    expect(Object.values(secrets).every((secret) => secret.length > 10)).toBe(true);
    const filled = (names: string, secret: string) =>
      Object.fromEntries(names.split(" ").map((name) => [name, secret]));
    const posted = [forms, "/papi/v1/auth/token", "/papi/v1/submitter/form/submissions", "/console/login"];
    for (const secret of Object.values(secrets)) {
      const headers = {
        ...filled("x-api-key x-agent-secret x-respondent-token x-form-access-key user-agent referer", secret),
        cookie: `formd_session=${secret}`,
        authorization: `Bearer ${secret}`,
      };
      const body = { ...filled("clientSecret email password name", secret), data: { a: secret } };
      const query = `?key=${encodeURIComponent(secret)}`;
      for (const path of posted) await ask(app, "POST", path + query, { headers, body });
      await ask(app, "GET", `/nowhere${query}`, { headers });
      if (/^fd/.test(secret)) await ask(app, "GET", `${forms}/${secret}`, { headers: key });
    }
    await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: asAgent(form, agent),
      body: { data: { a: secrets.marker } },
    });
    await ask(app, "GET", "/healthz", { headers: { "x-request-id": "last-one" } });
    expect((await linesOf(app, "last-one")).length).toBeGreaterThan(40);
    for (const [kind, secret] of Object.entries(secrets))
      expect([kind, app.log().includes(secret)]).toEqual([kind, false]);
  });

  test("a value that only PostgreSQL rejects is 400, and a warning that names the error and not the value", async () => {
    await app.database.sql`
      alter table formd.forms add constraint stray check (name not like 'Unchecked%' or name::integer > 0)`;
    const { status } = await ask(app, "POST", forms, {
      headers: { ...key, "x-request-id": "unchecked" },
      body: { name: "Unchecked value" },
    });
    const lines = await linesAbout("unchecked");
    await app.database.sql`alter table formd.forms drop constraint stray`;
    expect(status).toBe(400);
    expect(lines[0]).toMatchObject({
      level: "warn",
      path: forms,
      err: { code: "22P02", where: [expect.stringContaining("formd.form_create(")] },
    });
    expect(JSON.stringify(lines)).not.toContain("Unchecked value");
  });

  test("no line can be forged by what a caller sends", async () => {
    await raw(app, head('GET /x%0a{"forged":1}', { "User-Agent": '{"forged":1}' }));
    await ask(app, "GET", '/"%7D%0A%7B"forged":1', { headers: { "x-request-id": "not-forged" } });
    await linesOf(app, "not-forged");
    const lines = app.log().split("\n");
    expect(lines.some((line) => line.includes('{"forged"') && !line.startsWith('{"level"'))).toBe(false);
  });
});

describe("SIGTERM", () => {
  test("a request in flight gets its response, a new one is not taken, and the process then ends with 0 at once", async () => {
    const going = await server({ DATABASE_URL: app.database.url });
    const form = await makeForm(app, team, []);
    // Connections without a request in progress: nothing sent, a part of a request's head, a request that has
    // its response.
    const idle = ["", "GET /readyz HTTP/1.1\r\nHo", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"].map(
      (text) => {
        const socket = connect(Number(new URL(going.url).port), "127.0.0.1");
        socket.on("error", () => {}); // The server may reset them.
        if (text) socket.write(text);
        return socket;
      },
    );
    await ask(going, "GET", "/healthz");
    let slow: ReturnType<typeof ask> | undefined;
    let ended: Promise<number> | undefined;
    await app.database.sql.begin(async (sql) => {
      await sql`select from formd.forms where team_id = ${team.id} and id = ${form.id} for update`;
      slow = ask(going, "PATCH", `${forms}/${form.id}`, {
        headers: key,
        body: { operations: [{ op: "setMeta", name: "Slow" }] },
      });
      await until(async () => {
        const [row] = await app.database.sql`
          select from pg_stat_activity
          where datname = current_database() and usename = 'formd' and state = 'active' and query like '%form_patch%'`;
        return row !== undefined;
      });
      ended = going.stop();
      await until(() =>
        fetch(`${going.url}/healthz`, { headers: { connection: "close" } }).then(
          () => false,
          () => true,
        ),
      );
    });
    expect(await slow).toMatchObject({ status: 200, body: { data: { form: { name: "Slow" } } } });
    const answered = performance.now();
    expect(await ended).toBe(0);
    // Waiting for the idle connections would take until it gives up, 10 s after the signal.
    expect(performance.now() - answered).toBeLessThan(5_000);
    for (const socket of idle) socket.destroy();
  });
});
