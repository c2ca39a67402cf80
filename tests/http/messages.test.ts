// stacks: one
/**
 * What a response tells a client that has made a mistake: which header, which limit, which host, which part.
 */
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

describe("a member that a body does not have is named, with the one that was meant", () => {
  const key = () => ({ "x-api-key": team.key });
  test.each<[path: string, headers: () => object, body: object, says: string]>([
    ["management/forms", key, { name: "x", fields: [] }, "fields is unknown here: is schema.fields meant?"],
    ["management/forms", key, { nmae: "x" }, "nmae is unknown here: is name meant?"],
    [
      "management/webhooks",
      key,
      { url: "https://hooks.example.org/", events: [] },
      "events is unknown here: is eventTypes meant?",
    ],
    [
      "identity/agents",
      key,
      { name: "x", workspace: "w" },
      "workspace is unknown here: is workspaceId meant?",
    ],
    [
      "submitter/form/validation",
      () => asAgent(form, agent),
      { dat: {} },
      "dat is unknown here: is data meant?",
    ],
    [
      "submitter/form/submissions",
      () => asAgent(form, agent),
      { data: {}, foo: 1 },
      "foo is unknown here. Known: data, metadata.",
    ],
    [
      "submitter/form/submissions",
      () => asAgent(form, agent),
      { data: {}, respondentId: "r" },
      "respondentId is unknown here: is metadata.respondentId meant?",
    ],
    ["auth/token", () => ({}), { secret: "fda_" }, "secret is unknown here: is clientSecret meant?"],
    [
      "auth/anonymous",
      () => asAgent(form, agent),
      { captcha: "t" },
      "captcha is unknown here: is captchaToken meant?",
    ],
    [
      "auth/token",
      () => ({}),
      JSON.parse('{"__proto__":{"clientSecret":"a"},"x\\u0007":1}'),
      "__proto__ is unknown here. Known: clientSecret.",
    ],
  ])("POST %s", async (path, headers, body, says) => {
    const sent = { headers: headers() as Record<string, string>, body };
    const { status, body: said } = await ask(app, "POST", `/papi/v1/${path}`, sent);
    expect([status, said.code, said.error]).toEqual([400, "invalid_body", says]);
  });

  test("a caller without a credential is not told", async () => {
    const sent = { headers: { "x-api-key": "fdk_none" }, body: { nmae: "x" } };
    expect((await ask(app, "POST", "/papi/v1/management/forms", sent)).status).toBe(401);
  });

  test("an unknown parameter of the query is ignored, as before", async () => {
    const sent = { headers: asAgent(form, agent), body: { data: {} } };
    expect((await ask(app, "POST", `${validation}?colour=red`, sent)).status).toBe(200);
  });
});

describe("a 401 for a token names the header", () => {
  const says = async (headers: Record<string, string>, body?: object) => {
    const reply = await ask(app, "POST", "/papi/v1/auth/token", { headers, body });
    expect([reply.status, reply.body.code]).toEqual([401, "unauthorized"]);
    return reply.body.error;
  };
  test("that is missing, or has another secret; of one with the right beginning nothing is said", async () => {
    expect(await says({})).toBe("x-agent-secret is missing: it takes an agent's secret (fda_…).");
    expect(await says({ "x-agent-secret": agent.token })).toContain("holds a session's token (fds_…)");
    const uniform = "The agent secret is not valid.";
    expect(await says({ "x-agent-secret": "fda_none" })).toBe(uniform);
    expect(await says({}, { clientSecret: "none" })).toBe(uniform);
    expect(await says({ "x-agent-secret": agent.secret }, { clientSecret: "fda_other" })).toBe(uniform);
  });
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

test("a field that the form does not have is named, with the one that was meant", async () => {
  const send = async (path: string, data: object) =>
    (
      await ask(app, "POST", path, {
        headers: asAgent(form, await makeAgent(app, team, form)),
        body: { data },
      })
    ).body;
  const { errors } = await send(submissions, { ntoe: "a", hom: {}, colour: "red", note2: 1, notes: 2 });
  expect(errors.map((each: { message: string; expected?: string }) => [each.message, each.expected])).toEqual(
    [
      ["The form has no such field: is note meant?", "note"],
      ["The form has no such field: is home meant?", "home"],
      ["The form has no such field.", undefined],
      // Three are compared, since each is with all fields.
      ["The form has no such field.", undefined],
      ["The form has no such field.", undefined],
    ],
  );
  const { warnings } = (await send(validation, { ntoe: "a" })).data;
  expect(warnings).toEqual([expect.objectContaining({ code: "unknown_field", expected: "note" })]);
});

test("a body that is not JSON is told where, by REST and by MCP", async () => {
  const body = '{\n  "data": { "note": "a", }\n}';
  const headers = asAgent(form, agent);
  const told = [
    await ask(app, "POST", validation, { headers, body }),
    await ask(app, "POST", "/papi/v1/auth/token", { body }),
    await ask(app, "POST", "/mcp", { headers: { "x-agent-secret": agent.secret }, body }),
  ];
  for (const { status, body } of told)
    expect([status, body.error]).toEqual([
      400,
      'The body is not JSON: "}" is unexpected at line 2, column 26.',
    ]);
});

describe("a wrong address names its part", () => {
  test.each([
    [{ line1: "a", zip: "1" }, ["parts.zip"]],
    [{ line1: "a", postalCode: 10115 }, ["parts.postalCode"]],
    [{ city: 1, country: ["DE"], zip: "1", street: "a" }, ["parts.city", "parts.country", "parts.zip"]],
    [{ line1: "a", postalCode: 10115, country: "Germany" }, ["parts.postalCode", "country"]],
    [{ line1: "a", zip: "10115", country: "Germany" }, ["parts.zip", "country"]],
    [["a"], ["type"]],
    ["1 Main Street", ["type"]],
  ])("%j", async (home, constraints) => {
    const { body } = await ask(app, "POST", validation, {
      headers: asAgent(form, agent),
      body: { data: { home } },
    });
    const { errors } = body.data;
    expect(errors.map(({ constraint }: { constraint: string }) => constraint)).toEqual(constraints);
    for (const { field, code, constraint } of errors)
      expect([field, code]).toEqual(["home", constraint === "country" ? "format" : "type_mismatch"]);
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
