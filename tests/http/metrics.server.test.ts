// stacks: one deno gate
import { describe, expect, test } from "bun:test";
import { until } from "../expect.ts";
import { asAgent, ask, makeAgent, makeForm, makeTeam, service } from "../setup.ts";
import { newKey } from "../signing.ts";
import { head, raw } from "./raw-http.ts";

/** The value of a series, by its name and labels as Prometheus writes them. */
const value = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(" ").at(-1));
};

const app = await service({ RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1" });

describe("GET /metrics", () => {
  test("counts requests by the route's pattern and status, and requests over a rate limit", async () => {
    const id = "01a1f900-0000-7000-8000-000000000000";
    for (let i = 0; i < 3; i++) await ask(app, "GET", `/papi/v1/management/forms/${id}`);
    const ip = "192.0.2.77";
    expect((await ask(app, "POST", "/papi/v1/auth/token", { body: {}, ip })).status).toBe(401);
    expect((await ask(app, "POST", "/papi/v1/auth/token", { body: {}, ip })).status).toBe(429);
    const reply = await ask(app, "GET", "/metrics");
    expect(reply.headers.get("content-type")).toContain("text/plain");
    const count = (labels: string) => value(reply.body, `formd_request_duration_seconds_count{${labels}}`);
    expect(count('method="GET",route="/papi/v1/management/forms/:form_id",status="401"')).toBe(3);
    expect(count('method="POST",route="/papi/v1/auth/token",status="429"')).toBe(1);
    expect(value(reply.body, 'formd_throttled_total{route="/papi/v1/auth/token"}')).toBe(1);
    expect(reply.body).not.toContain(id);
  });

  test("says which build runs since when; counters begin at zero; the database's size comes later, once per minute", async () => {
    const other = await service({ LOG_LEVEL: "info" });
    const fresh = (await ask(other, "GET", "/metrics")).body as string;
    expect(fresh).toMatch(/^formd_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
    const startedAt = value(fresh, "process_start_time_seconds") ?? 0;
    expect(Math.abs(Date.now() / 1000 - startedAt)).toBeLessThan(600);
    expect(value(fresh, "process_cpu_seconds_total")).toBeGreaterThan(0);
    expect(value(fresh, 'formd_throttled_total{route="/papi/v1/auth/token"}')).toBe(0);
    expect(value(fresh, 'formd_throttled_total{route="/papi/v1/submitter/form/validation"}')).toBe(0);
    for (const result of ["completed", "partial", "pending", "refused"])
      expect(value(fresh, `formd_submissions_total{result="${result}"}`)).toBe(0);
    expect(value(fresh, "formd_database_size_bytes")).toBeUndefined();
    const size = async () => value((await ask(other, "GET", "/metrics")).body, "formd_database_size_bytes");
    let sampled = await size();
    for (; sampled === undefined; sampled = await size()) await Bun.sleep(5);
    expect(sampled).toBeGreaterThan(5_000_000);
    await other.database
      .sql`create table formd.padding as select repeat('x', 100) from generate_series(1, 10000)`;
    for (let scrape = 0; scrape < 3; scrape++) expect(await size()).toBe(sampled);
  });

  test("counts the active signing keys of agents that expire within a week", async () => {
    const fresh = await service({ LOG_LEVEL: "info" });
    const headers = { "x-api-key": (await makeTeam(fresh)).key };
    const identity = async (method: string, path: string, body?: object) =>
      (await ask(fresh, method, `/papi/v1/identity/agents${path}`, { headers, body })).body.data;
    const changes: [method: string, body?: object][] = [
      ["PATCH", { name: "A" }],
      ["PATCH", { status: "disabled" }],
      ["DELETE"],
    ];
    for (const [method, body] of changes) {
      const { id } = await identity("POST", "", { name: "Agent" });
      for (const days of [6.99, 7.01, null]) {
        const expiresAt = days === null ? {} : { expiresAt: new Date(Date.now() + days * 86_400_000) };
        await identity("POST", `/${id}/keys`, { publicKeyPem: newKey().pem, ...expiresAt });
      }
      const revoked = new Date(Date.now() + 86_400_000);
      const key = await identity("POST", `/${id}/keys`, { publicKeyPem: newKey().pem, expiresAt: revoked });
      await identity("DELETE", `/${id}/keys/${key.keyId}`);
      await identity(method, `/${id}`, body);
    }
    await fresh.database.sql`
      insert into formd.signing_keys (team_id, id, agent_id, key_id, public_key_pem, thumbprint, created_at, expires_at)
      select team_id, gen_random_uuid(), agent_id, 'expired', public_key_pem, '', created_at, now() - interval '1 s'
      from formd.signing_keys where status = 'active' limit 1`;
    const count = async () =>
      value((await ask(fresh, "GET", "/metrics")).body, "formd_signing_keys_expiring");
    let sampled = await count();
    for (; sampled === undefined; sampled = await count()) await Bun.sleep(5);
    expect(sampled).toBe(2);
  });

  test("counts submissions by what became of them", async () => {
    const team = await makeTeam(app);
    const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A", required: true }]);
    const agent = await makeAgent(app, team, form);
    const path = "/papi/v1/submitter/form/submissions";
    const asOwner = { "x-form-access-key": form.accessKey, "x-api-key": team.key };
    const valid = { headers: asAgent(form, agent), body: { data: { a: "x" } } };
    expect((await ask(app, "POST", path, valid)).status).toBe(200);
    expect((await ask(app, "POST", path, { headers: asOwner, body: { data: {} } })).status).toBe(422);
    expect((await ask(app, "POST", path, { body: { data: {} } })).status).toBe(401);
    const { body } = await ask(app, "GET", "/metrics");
    expect(value(body, 'formd_submissions_total{result="completed"}')).toBe(1);
    expect(value(body, 'formd_submissions_total{result="refused"}')).toBe(2);
  });

  test("has a fixed number of series, whatever methods and paths clients make up", async () => {
    const series = async () =>
      (await ask(app, "GET", "/metrics")).body
        .split("\n")
        .filter((line: string) => line.startsWith("formd_request_duration_seconds_count"));
    // Bun closes the connection of a method that it does not know; Deno passes any on.
    const attempt = async (index: number) => {
      for (const method of ["PROPFIND", "TRACE", `M${index}`])
        await raw(app, head(`${method} /papi/v1/nowhere-${index}`, {})).catch(() => {});
      await ask(app, "DELETE", `/nowhere-${index}`);
    };
    await attempt(0);
    const before = await series();
    for (let index = 1; index < 5; index++) await attempt(index);
    expect((await series()).length).toBe(before.length);
    expect(before.filter((line: string) => !/method="(GET|POST|DELETE|other)"/.test(line))).toEqual([]);
    expect(before.join()).not.toContain("nowhere");
  });

  test("counts queries, times them, and counts their errors by code, without problems raised by formd's functions", async () => {
    const team = await makeTeam(app);
    const headers = { "x-api-key": team.key };
    const path = "/papi/v1/management/forms/01a1f900-0000-7000-8000-000000000000";
    const body = { operations: [{ op: "setMeta", name: "x" }] };
    expect((await ask(app, "PATCH", path, { headers, body })).status).toBe(404);
    const before = (await ask(app, "GET", "/metrics")).body;
    expect(value(before, "formd_database_pool_size")).toBe(16);
    // The server's own queries come now and then.
    await until(async () => value((await ask(app, "GET", "/metrics")).body, "formd_database_queries") === 0);
    expect(value(before, "formd_database_query_duration_seconds_count")).toBeGreaterThan(1);
    expect(before).not.toContain("ZFORM");

    // A table that no work in the background reads.
    await app.database.sql`alter table formd.audit_events rename to hidden`;
    expect((await ask(app, "GET", "/papi/v1/management/audit", { headers })).status).toBe(500);
    await app.database.sql`alter table formd.hidden rename to audit_events`;
    const after = (await ask(app, "GET", "/metrics")).body;
    expect(value(after, 'formd_database_errors_total{code="42P01"}')).toBe(1);
    expect(value(after, "formd_internal_errors_total")).toBe(1);
  });

  test("is for the same machine alone, and with METRICS_TOKEN for who sends it as a bearer token", async () => {
    for (const ip of ["192.0.2.9", "::ffff:192.0.2.9", "2001:db8::1"])
      expect([ip, (await ask(app, "GET", "/metrics", { ip })).status]).toEqual([ip, 401]);
    for (const ip of ["127.3.2.1", "::1", "::ffff:127.0.0.1"])
      expect([ip, (await ask(app, "GET", "/metrics", { ip })).status]).toEqual([ip, 200]);
    // The name of another site, or of this server to others, leads to this machine (DNS rebinding).
    const { port } = new URL(app.url);
    for (const host of [`localhost:${port}`, `[::1]:${port}`, "127.9.9.9"])
      expect([host, (await ask(app, "GET", "/metrics", { headers: { host } })).status]).toEqual([host, 200]);
    for (const host of [
      "evil.example",
      `localhost.evil.example:${port}`,
      "127.0.0.1.nip.io",
      "forms.example.org",
    ])
      expect([host, (await ask(app, "GET", "/metrics", { headers: { host } })).status]).toEqual([host, 401]);
    const guarded = await service({ METRICS_TOKEN: "let me in" });
    const statusWith = async (headers: Record<string, string>) =>
      (await ask(guarded, "GET", "/metrics", { headers: { host: "prometheus.example", ...headers } })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: "Bearer let me" })).toBe(401);
    expect(await statusWith({ authorization: "Bearer let me in" })).toBe(200);
  });
});
