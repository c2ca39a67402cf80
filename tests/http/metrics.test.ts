import { beforeAll, describe, expect, test } from "bun:test";
import { ask, type Service, service } from "../setup.ts";

/** The value of a series, by its name and labels as Prometheus writes them. */
const value = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(" ").at(-1));
};

describe("GET /metrics", () => {
  let on: Service;
  beforeAll(async () => {
    on = await service({ RATE_LIMIT_PAPI_AUTH_PER_MINUTE: "1" });
  }, 60_000);

  test("counts requests by the route's pattern and status, and the throttled ones", async () => {
    const id = "01a1f900-0000-7000-8000-000000000000";
    for (let i = 0; i < 3; i++) await ask(on, "GET", `/papi/v1/management/forms/${id}`);
    const ip = "192.0.2.77";
    expect((await ask(on, "POST", "/papi/v1/auth/token", { body: {}, ip })).status).toBe(401);
    expect((await ask(on, "POST", "/papi/v1/auth/token", { body: {}, ip })).status).toBe(429);
    const reply = await ask(on, "GET", "/metrics");
    expect(reply.headers.get("content-type")).toContain("text/plain");
    const count = (labels: string) => value(reply.body, `formd_request_duration_seconds_count{${labels}}`);
    expect(count('method="GET",route="/papi/v1/management/forms/:form_id",status="401"')).toBe(3);
    expect(count('method="POST",route="/papi/v1/auth/token",status="429"')).toBe(1);
    expect(value(reply.body, 'formd_throttled_total{route="/papi/v1/auth/token"}')).toBe(1);
    expect(reply.body).not.toContain(id);
  });

  test("is public, and with METRICS_TOKEN wants it as a bearer token", async () => {
    const guarded = await service({ METRICS_TOKEN: "let me in" });
    expect((await ask(guarded, "GET", "/metrics")).status).toBe(401);
    expect(
      (await ask(guarded, "GET", "/metrics", { headers: { authorization: "Bearer let me" } })).status,
    ).toBe(401);
    expect(
      (await ask(guarded, "GET", "/metrics", { headers: { authorization: "Bearer let me in" } })).status,
    ).toBe(200);
  }, 60_000);
});
