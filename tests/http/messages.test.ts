/** What a response tells whoever has made a mistake: which header, which limit, which host, which part. */
import { beforeAll, describe, expect, test } from "bun:test";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../setup.ts";
import { raw } from "./raw-http.ts";

const submissions = "/papi/v1/submitter/form/submissions";
const validation = "/papi/v1/submitter/form/validation";
let app: Service;
let team: Team;
let form: PublishedForm;
let agent: Agent;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
  form = await makeForm(app, team, [
    { id: "home", type: "address", label: "Home" },
    { id: "note", type: "text", label: "Note" },
  ]);
  agent = await makeAgent(app, team, form);
});

describe("a 401 of a submitter route names the header", () => {
  const unknown = (kind: string) => `${kind}_${"A".repeat(65)}`;
  const ask401 = async (headers: Record<string, string>, path = validation) => {
    const { status, body } = await ask(app, "POST", path, { headers, body: { data: {} } });
    expect([status, body.code]).toEqual([401, "unauthorized"]);
    return body.error as string;
  };

  test.each([
    ["no access key", {}, "x-form-access-key is missing"],
    ["an API key as access key", { "x-form-access-key": unknown("fdk") }, "holds an API key (fdk_…)"],
    ["no token", { "x-form-access-key": unknown("fdf") }, "x-respondent-token is missing"],
    [
      "the token in Authorization",
      { "x-form-access-key": unknown("fdf"), authorization: `Bearer ${unknown("fds")}` },
      "x-respondent-token is missing",
    ],
    [
      "an agent's secret as token",
      { "x-form-access-key": unknown("fdf"), "x-respondent-token": unknown("fda") },
      "Exchange it for a token at POST /papi/v1/auth/token.",
    ],
    [
      "something else as token",
      { "x-form-access-key": unknown("fdf"), "x-respondent-token": "secret" },
      "begins with fds_",
    ],
    [
      "an agent's secret as API key",
      { "x-form-access-key": unknown("fdf"), "x-api-key": unknown("fda") },
      "x-api-key holds an agent's secret (fda_…)",
    ],
  ])("%s", async (_, headers, said) => {
    const error = await ask401(headers as Record<string, string>);
    expect(error).toContain(said);
    expect(error).not.toContain("AAAA");
  });

  test("it says the same of an unknown, a malformed and a valid secret whose partner is wrong", async () => {
    const errors = [
      await ask401({ ...asAgent(form, agent), "x-respondent-token": unknown("fds") }),
      await ask401({ ...asAgent(form, agent), "x-respondent-token": "fds_" }),
      await ask401({ ...asAgent(form, agent), "x-form-access-key": unknown("fdf") }),
      await ask401({ "x-form-access-key": unknown("fdf"), "x-respondent-token": unknown("fds") }),
    ];
    expect(new Set(errors).size).toBe(1);
  });

  test("anonymous sessions and management routes too", async () => {
    const path = "/papi/v1/auth/anonymous";
    expect(await ask401({}, path)).toContain("x-form-access-key is missing");
    expect(await ask401({ "x-form-access-key": unknown("fdf") }, path)).toBe("The access key is not valid.");
    expect(await ask401({ "x-api-key": unknown("fds") }, "/papi/v1/management/forms")).toContain(
      "x-api-key holds a session's token (fds_…) and takes an API key (fdk_…).",
    );
  });
});

test("a 429 says which limit, and when to try again, in its body too", async () => {
  const ip = "10.99.0.1";
  const submit = () =>
    ask(app, "POST", submissions, { headers: asAgent(form, agent), body: { data: { note: "a" } }, ip });
  expect((await submit()).status).toBe(200);
  const { status, headers, body } = await submit();
  expect([status, body.code, body.limit]).toEqual([429, "rate_limited", "agent"]);
  expect(String(body.retryAfter)).toBe(headers.get("retry-after") ?? "");
  expect(body.error).toBe(`At most 1 request in 5 s per agent. Retry in ${body.retryAfter} s.`);
  expect(headers.get("ratelimit-policy")).toStartWith(`"${body.limit}"`);
});

describe("a refused Host", () => {
  test("is named with the settings, in the response and in the log", async () => {
    const request = "GET /papi/v1/docs HTTP/1.1\r\nHost: formd\r\nConnection: close\r\n\r\n";
    const { status, headers, text } = await raw(app, request);
    expect(status).toBe(400);
    const { error } = JSON.parse(text);
    expect(error).toMatch(
      /^The Host "formd" is not one of this server's, such as \S+\. Let the proxy pass Host on, /,
    );
    expect(error).toEndWith("or set BASE_URL or ALLOWED_HOSTS.");
    const requestId = headers.get("x-request-id") ?? "";
    while (!app.log().includes(requestId)) await Bun.sleep(5);
    const line =
      app
        .log()
        .split("\n")
        .find((line) => line.includes(requestId)) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ status: 400, host: "formd" });
  });

  test("is cut when it is no name", async () => {
    const { text } = await raw(
      app,
      `GET / HTTP/1.1\r\nHost: ${"<x>".repeat(300)}\r\nConnection: close\r\n\r\n`,
    );
    expect(text.length).toBeLessThan(2000);
  });
});

describe("a wrong address names its part", () => {
  test.each([
    [{ line1: "a", zip: "1" }, ["parts.zip"]],
    [{ line1: "a", postalCode: 10115 }, ["parts.postalCode"]],
    [{ city: 1, country: ["DE"], zip: "1", street: "a" }, ["parts.city", "parts.country", "parts.zip"]],
    [["a"], ["type"]],
    ["1 Main Street", ["type"]],
  ])("%j", async (home, constraints) => {
    const { body } = await ask(app, "POST", validation, {
      headers: asAgent(form, agent),
      body: { data: { home } },
    });
    const { errors } = body.data;
    expect(errors.map(({ constraint }: { constraint: string }) => constraint)).toEqual(constraints);
    for (const { field, code } of errors) expect([field, code]).toEqual(["home", "type_mismatch"]);
  });

  test("of an unknown part only the first one, in 64 characters", async () => {
    const home = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${"x".repeat(999)}${i}`, "a"]));
    const { body } = await ask(app, "POST", validation, {
      headers: asAgent(form, agent),
      body: { data: { home } },
    });
    expect(body.data.errors).toHaveLength(1);
    expect(body.data.errors[0].constraint).toBe(`parts.${"x".repeat(64)}`);
  });
});
