// stacks: one
/** Error messages name the client's mistake: the header, the limit, the host or the part. */
import { describe, expect, test } from "bun:test";
import { asAgent, ask, makeAgent, makeForm, makeTeam, service } from "../setup.ts";
import { head, linesOf, raw } from "./raw-http.ts";

const submissions = "/papi/v1/submitter/form/submissions";
const validation = "/papi/v1/submitter/form/validation";
const app = await service();
const team = await makeTeam(app);
const form = await makeForm(app, team, [{ id: "note", type: "text", label: "Note" }]);
const agent = await makeAgent(app, team, form);

describe("a member that a body does not have is named, with the one that was meant", () => {
  const hook = { url: "https://hooks.example.org/", events: [] };
  const odd = JSON.parse('{"__proto__":{"clientSecret":"a"},"x\\u0007":1}');
  test.each<[path: string, body: object, says: string]>([
    ["management/forms", { name: "x", fields: [] }, "fields is unknown here: is schema.fields meant?"],
    ["management/forms", { nmae: "x" }, "nmae is unknown here: is name meant?"],
    ["management/webhooks", hook, "events is unknown here: is eventTypes meant?"],
    ["identity/agents", { name: "x", workspace: "w" }, "workspace is unknown here: is workspaceId meant?"],
    ["submitter/form/validation", { dat: {} }, "dat is unknown here: is data meant?"],
    ["submitter/form/submissions", { data: {}, foo: 1 }, "foo is unknown here. Known: data, metadata."],
    [
      "submitter/form/submissions",
      { data: {}, respondentId: "r" },
      "respondentId is unknown here: is metadata.respondentId meant?",
    ],
    ["auth/token", { secret: "fda_" }, "secret is unknown here: is clientSecret meant?"],
    ["auth/token", odd, "__proto__ is unknown here. Known: clientSecret."],
    ["auth/anonymous", { captcha: "t" }, "captcha is unknown here: is captchaToken meant?"],
  ])("POST %s", async (path, body, says) => {
    const area = /^(?:management|identity)/.test(path) ? { "x-api-key": team.key } : asAgent(form, agent);
    const { status, body: said } = await ask(app, "POST", `/papi/v1/${path}`, {
      headers: path === "auth/token" ? {} : area,
      body,
    });
    expect([status, said.code, said.error]).toEqual([400, "invalid_body", says]);
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
  test("that is missing; the error is uniform for every secret that was sent", async () => {
    expect(await says({})).toBe("x-agent-secret is missing: it takes an agent's secret (fda_…).");
    const uniform = "The agent secret is not valid.";
    expect(await says({ "x-agent-secret": agent.token })).toBe(uniform);
    expect(await says({ "x-agent-secret": "none" })).toBe(uniform);
    expect(await says({}, { clientSecret: "" })).toBe(uniform);
    expect(await says({ "x-agent-secret": "fda_none" })).toBe(uniform);
    expect(await says({}, { clientSecret: "none" })).toBe(uniform);
    expect(await says({ "x-agent-secret": agent.secret }, { clientSecret: "fda_other" })).toBe(uniform);
  });
});

describe("a 401 of a submitter route names the header", () => {
  const unknown = (kind: string) => `${kind}_${"A".repeat(65)}`;
  const accessKey = { "x-form-access-key": unknown("fdf") };
  const bearer = `Bearer ${unknown("fds")}`;
  const exchange = "Exchange it for a token at POST /papi/v1/auth/token.";
  const ask401 = async (headers: Record<string, string>, path = validation) => {
    const { status, body } = await ask(app, "POST", path, { headers, body: { data: {} } });
    expect([status, body.code]).toEqual([401, "unauthorized"]);
    return body.error as string;
  };

  test.each([
    ["no access key", {}, "x-form-access-key is missing"],
    ["an API key as access key", { "x-form-access-key": unknown("fdk") }, "holds an API key (fdk_…)"],
    ["no token", accessKey, "x-respondent-token is missing"],
    ["the token in Authorization", { ...accessKey, authorization: bearer }, "x-respondent-token is missing"],
    ["an agent's secret as token", { ...accessKey, "x-respondent-token": unknown("fda") }, exchange],
    ["something else as token", { ...accessKey, "x-respondent-token": "secret" }, "begins with fds_"],
    [
      "an agent's secret as API key",
      { ...accessKey, "x-api-key": unknown("fda") },
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
      await ask401({ ...asAgent(form, agent), ...accessKey }),
      await ask401({ ...accessKey, "x-respondent-token": unknown("fds") }),
    ];
    expect(new Set(errors).size).toBe(1);
  });

  test("anonymous sessions and management routes too", async () => {
    const path = "/papi/v1/auth/anonymous";
    expect(await ask401({}, path)).toContain("x-form-access-key is missing");
    expect(await ask401(accessKey, path)).toBe("The access key is not valid.");
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
    const { status, headers, text } = await raw(app, head("GET /papi/v1/docs", { Host: "formd" }));
    expect(status).toBe(400);
    expect(JSON.parse(text).error).toMatch(
      /^The Host "formd" is not one of this server's, such as \S+\. Let the proxy pass Host on, or set BASE_URL or ALLOWED_HOSTS\.$/,
    );
    const requestId = headers.get("x-request-id");
    const line = (await linesOf(app, requestId)).find((each) => each.requestId === requestId);
    expect(line).toMatchObject({ status: 400, host: "formd" });
  });

  test("is cut when it is not a name", async () => {
    const { text } = await raw(app, head("GET /", { Host: "<x>".repeat(300) }));
    expect(text.length).toBeLessThan(2000);
  });
});

test("a field that the form does not have is named, with the one that was meant", async () => {
  const sent = { headers: asAgent(form, await makeAgent(app, team, form)), body: { data: { ntoe: "a" } } };
  const unknown = expect.objectContaining({ code: "unknown_field", expected: "note" });
  expect((await ask(app, "POST", submissions, sent)).body.errors).toEqual([unknown]);
  expect((await ask(app, "POST", validation, sent)).body.data.warnings).toEqual([unknown]);
});

test("a body that is not JSON gets the position of the error, by REST and by MCP", async () => {
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
