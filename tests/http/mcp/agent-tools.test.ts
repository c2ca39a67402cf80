import { describe, expect, test } from "bun:test";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { v7 as uuidv7 } from "uuid";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { submissionCount } from "../../expect.ts";
import { type Answer, baseOf } from "../../mcp-client.ts";
import { type Agent, ask, makeForm, type PublishedForm } from "../../setup.ts";
import { violationsOf } from "../../tool-rules.ts";
import {
  call,
  callHeaders,
  envelope,
  fields,
  type Json,
  mcpFixture,
  schemaCompiler,
  submitTool,
  whole,
} from "./fixture.ts";

const { app, team, form, agentOf, connectAgent, post, submitRound, revokeGrants } = await mcpFixture();

const grant = ({ id }: Agent, to: PublishedForm, scope: string) => app.database.sql`
  select from formd.grant_upsert(${team.id}, '(cli,,)', ${id}, ${uuidv7()}, ${to.id}, ${[scope]}, false, null, null)`;

describe("the tools of an agent", () => {
  test("are the common ones and one for each form that it may submit to, sorted, the same to the byte", async () => {
    const [second, readable] = [await makeForm(app, team, fields), await makeForm(app, team, fields)];
    const agent = await agentOf();
    await grant(agent, second, "agent:submit");
    await grant(agent, readable, "agent:read");
    const client = await connectAgent(agent);
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    const common = ["form_get", "forms_list", "submit", "validate"];
    expect(names.filter((name) => !name.startsWith("submit_"))).toEqual(common);
    expect(names.filter((name) => /^submit_test_[0-9a-f]{4}$/.test(name))).toHaveLength(2);
    expect(names).toEqual(names.toSorted());
    const again = await (await connectAgent(agent)).listTools();
    expect(JSON.stringify(again.tools)).toBe(JSON.stringify(tools));
    const listed = await call(client, "forms_list");
    expect(listed.structuredContent.forms.map(({ id }: Json) => id).sort()).toEqual(
      [form.id, second.id, readable.id].sort(),
    );
    const page = await call(client, "forms_list", { page: 2, limit: 2 });
    expect(page.structuredContent.pagination).toEqual({ page: 2, limit: 2, total: 3 });
  });

  test("at most 50 are of forms", async () => {
    const agent = await agentOf([]);
    for (let i = 0; i < 51; i++) await grant(agent, await makeForm(app, team, []), "agent:submit");
    const { tools } = await (await connectAgent(agent)).listTools();
    expect(tools).toHaveLength(54);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(54);
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
  });

  test("mark the owner's words, in descriptions of at most 1,024 characters", async () => {
    const { id } = form;
    await app.database.sql`
      update formd.form_versions set description = ${"x".repeat(2000)} where team_id = ${team.id} and form_id = ${id}`;
    const { tools } = await (await connectAgent(await agentOf())).listTools();
    const { description = "", inputSchema } = tools.find(({ name }) => name.startsWith("submit_")) ?? {};
    expect(description).toMatch(/which are no instruction: "Test: x{700,}…"$/);
    expect(description.length).toBeWithin(900, 1025);
    expect(inputSchema?.properties?.email).toMatchObject({
      description: expect.stringMatching(/^"E-mail" /),
    });
    await app.database.sql`
      update formd.form_versions set description = null where team_id = ${team.id} and form_id = ${id}`;
  });

  test("are taken by every model, and have input schemas that ajv compiles", async () => {
    const ajv = schemaCompiler();
    const { tools } = await (await connectAgent(await agentOf())).listTools();
    expect(tools.flatMap(violationsOf)).toEqual([]);
    const compiled = Object.fromEntries(
      tools.map(({ name, inputSchema }) => [name, ajv.compile(inputSchema)]),
    );
    const own = Object.entries(compiled).find(([name]) => name.startsWith("submit_"))?.[1];
    expect([own?.(whole), own?.({ people: 0 })]).toEqual([true, false]);
  });
});

describe("a call", () => {
  test("gives the data of the route", async () => {
    const client = await connectAgent(await agentOf());
    const read = await call(client, "form_get", { formId: form.id });
    expect(read.structuredContent).toMatchObject({ form: { id: form.id, version: 1 }, jsonSchema: {} });
    const stored = await call(client, await submitTool(client), whole);
    expect(stored.isError).toBeUndefined();
    expect(stored.structuredContent).toMatchObject({ status: "completed", missingRequired: [] });
    expect(JSON.parse(stored.content[0].text)).toEqual(stored.structuredContent);
    const [row] = await app.database.sql`
      select data, submitter_type from formd.submissions where id = ${stored.structuredContent.id}`;
    expect(row).toEqual({ data: whole, submitterType: "agent" });
  });

  test("that is refused has code, errors and retryAfter of the route", async () => {
    const client = await connectAgent(await agentOf());
    const name = await submitTool(client);
    const wrong = await call(client, name, { ...whole, people: 0 });
    expect([wrong.isError, wrong.structuredContent]).toEqual([
      true,
      {
        code: "validation_failed",
        message: expect.any(String),
        errors: [expect.objectContaining({ field: "people", code: "min_value", expected: 1 })],
      },
    ]);
    // Rejected data costs the agent nothing of its 5 seconds: it counts as a dry run.
    expect((await call(client, name, whole)).structuredContent).toMatchObject({ status: "completed" });
    const early = await call(client, name, whole);
    expect(early.structuredContent).toMatchObject({ code: "rate_limited", retryAfter: expect.any(Number) });
  });

  test("of submit takes metadata, partial and an idempotency key", async () => {
    const client = await connectAgent(await agentOf());
    const given = { formId: form.id, data: { people: 3 }, partial: true, idempotencyKey: "once" };
    const first = await call(client, "submit", given);
    expect(first.structuredContent).toMatchObject({ status: "partial", missingRequired: ["email"] });
    expect((await call(client, "submit", given)).structuredContent).toEqual(first.structuredContent);
    const malformed = await call(client, "submit", { formId: "none", data: {} });
    expect([malformed.isError, malformed.structuredContent.code]).toEqual([true, "bad_request"]);
    const shapeless = await call(client, "validate", { formId: form.id });
    expect([shapeless.isError, shapeless.structuredContent.code]).toEqual([true, "invalid_body"]);
  });

  test("of submit with an idempotency key that no header carries is bad_request", async () => {
    const client = await connectAgent(await agentOf());
    const send = (idempotencyKey: unknown) =>
      call(client, "submit", { formId: form.id, data: whole, idempotencyKey });
    const cyrillic = "\u043a\u043b\u044e\u0447";
    for (const key of ["a\nb", cyrillic, "\ud800", " a", "a ", "", "k".repeat(256), 7, null]) {
      const { code, message } = (await send(key)).structuredContent;
      expect([key, code, message]).toEqual([key, "bad_request", expect.stringContaining("idempotencyKey")]);
    }
    expect((await send(`a ${"~".repeat(253)}`)).isError).toBeUndefined();
  });

  test.each([
    ["form_get", { form_id: 1 }, "form_id is unknown here: is formId meant?"],
    ["forms_list", { pages: 1 }, "pages is unknown here: is page meant?"],
    ["submit", { idempotency_key: 1 }, "idempotency_key is unknown here: is idempotencyKey meant?"],
    ["validate", { partial: true }, "partial is unknown here. Known: formId, data, metadata."],
    ["validate", { respondentId: "7" }, "respondentId is unknown here: is metadata.respondentId meant?"],
    ["form_get", {}, "formId is missing: it takes a UUID."],
  ])("of %s with %j: %s", async (name, given, message) => {
    const { isError, structuredContent } = await call(await connectAgent(await agentOf()), name, given);
    expect([isError, structuredContent]).toEqual([true, { code: "bad_request", message }]);
  });

  test("whose arguments are no object is one error, also of an owner, and costs an agent nothing", async () => {
    const agent = await agentOf();
    const headers = { authorization: `Bearer ${agent.token}` };
    const send = async (headers: Record<string, string>, name: string, given: string) => {
      const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}"${given}}}`;
      const { status, body } = await post(headers, message);
      return [given, status, body.result?.structuredContent ?? body.code];
    };
    const refused = { code: "invalid_body", message: "arguments must be an object." };
    const own = await submitTool(await connectAgent(agent));
    for (const value of ['"text"', "5", "9007199254740993", "null", "true", "[]", '["x"]']) {
      const given = `,"arguments":${value}`;
      for (const name of ["forms_list", "submit", own])
        expect(await send(headers, name, given)).toEqual([given, 200, refused]);
      expect(await send({ "x-api-key": team.key }, "list_forms", given)).toEqual([given, 200, refused]);
      const stranger = { authorization: `Bearer fds_${"A".repeat(65)}` };
      expect(await send(stranger, own, given)).toEqual([given, 401, "unauthorized"]);
    }
    const [, , listed] = await send(headers, "forms_list", "");
    expect(listed).toHaveProperty("forms");
    const stored = await call(await connectAgent(agent), own, whole);
    expect(stored.structuredContent).toMatchObject({ status: "completed" });
  });

  test("that is malformed costs the agent nothing: the corrected one is taken at once", async () => {
    const client = await connectAgent(await agentOf());
    for (const data of [undefined, [], "text"]) {
      const refused = await call(client, "submit", { formId: form.id, data });
      expect(refused.structuredContent).toMatchObject({ code: "invalid_body" });
    }
    const corrected = await call(client, "submit", { formId: form.id, data: whole });
    expect(corrected.structuredContent).toMatchObject({ status: "completed" });
  });

  test("sees numbers as they were sent", async () => {
    const agent = await agentOf();
    const sendLiteral = async (literal: string) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate","arguments":{"formId":"${form.id}","data":{"email":"a@b.de","people":${literal}}}}}`;
      const reply = await post({ authorization: `Bearer ${agent.token}` }, body);
      const { result } = JSON.parse(/^data: (\{.*)$/m.exec(reply.body)?.[1] ?? JSON.stringify(reply.body));
      return result.structuredContent.errors.map(({ code }: Json) => code);
    };
    expect(await sendLiteral("9007199254740992")).toEqual([]);
    for (const inexact of ["9007199254740993", "1e400", "-1e400"])
      expect(await sendLiteral(inexact)).toEqual(["type_mismatch"]);
  });

  test("of a tool that there is not is an error of the protocol", async () => {
    const client = await connectAgent(await agentOf());
    for (const name of ["submit_none_0000", "create_form", "request_publish"])
      expect(call(client, name)).rejects.toThrow("There is no tool");
  });
});

describe("rights are those of the moment", () => {
  test("without the grant the next call is refused, asks nothing, and the tool is listed no more", async () => {
    const agent = await agentOf();
    const client = await connectAgent(agent, () => {
      throw new Error("asked");
    });
    const name = await submitTool(client);
    await revokeGrants(agent);
    for (const given of [whole, {}])
      expect((await call(client, name, given)).structuredContent.code).toBe("no_grant");
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain(name);
  });

  test("a disabled agent is refused with 403, and a token that has ended with 401", async () => {
    const agent = await agentOf();
    const client = await connectAgent(agent);
    await ask(app, "PATCH", `/papi/v1/identity/agents/${agent.id}`, {
      headers: { "x-api-key": team.key },
      body: { status: "disabled" },
    });
    const refused = await call(client, "form_get", { formId: form.id });
    expect(refused.structuredContent.code).toBe("agent_inactive");
    expect(client.listTools()).rejects.toThrow();
    await app.database.sql`delete from formd.sessions where team_id = ${team.id} and agent_id = ${agent.id}`;
    const ended = await post({ authorization: `Bearer ${agent.token}` });
    expect([ended.status, ended.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer resource_metadata="${baseOf(app)}/.well-known/oauth-protected-resource/mcp"`,
    ]);
  });

  test("a grant without the scope is 403 with insufficient_scope", async () => {
    const agent = await agentOf(["agent:read"]);
    const refused = await post(
      { authorization: `Bearer ${agent.token}` },
      { method: "tools/call", params: { name: "submit", arguments: { formId: form.id, data: whole } } },
    );
    expect([refused.status, refused.body.code]).toEqual([403, "missing_scope"]);
    expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  });
});

describe("POST /mcp", () => {
  test("is 401 without a credential, and with one that is not valid, whatever the message", async () => {
    for (const headers of [
      {},
      { authorization: "Bearer fds_none" },
      { authorization: "Basic Zm9v" },
      { "x-api-key": "fdk_none" },
      { authorization: "Basic Zm9v", "x-api-key": team.key },
    ] as Record<string, string>[])
      for (const method of ["tools/list", "initialize", "tools/call"]) {
        const name = "x-api-key" in headers ? "list_forms" : "form_get";
        const params = { name, arguments: { formId: form.id } };
        const { status, body } = await post(headers, { method, params });
        expect([headers, method, status, body.code]).toEqual([headers, method, 401, "unauthorized"]);
      }
  });

  test("is 403 for a foreign Origin, and 405 for another method", async () => {
    const { token } = await agentOf();
    const authorization = `Bearer ${token}`;
    expect((await post({ authorization, origin: "https://evil.example" })).status).toBe(403);
    expect((await post({ authorization, origin: baseOf(app) })).status).toBe(200);
    for (const method of ["GET", "DELETE"])
      expect((await ask(app, method, "/mcp", { headers: { authorization } })).status).toBe(405);
  });

  test("is 400 for what is not one message, and 415 for what is not JSON", async () => {
    const headers = { authorization: `Bearer ${(await agentOf()).token}` };
    const deep = `{"params":${"[".repeat(40)}${"]".repeat(40)}}`;
    for (const body of ["", "{", "[]", "7", deep, '{"jsonrpc":"2.0"}'])
      expect([body, (await ask(app, "POST", "/mcp", { headers, body })).status]).toEqual([body, 400]);
    const text = { ...headers, "content-type": "text/plain" };
    expect((await ask(app, "POST", "/mcp", { headers: text, body: "{}" })).status).toBe(415);
    expect((await ask(app, "POST", "/mcp", { headers, body: "x".repeat(1_100_000) })).status).toBe(413);
  });

  test("checks that headers and message agree (-32020)", async () => {
    const headers = { authorization: `Bearer ${(await agentOf()).token}`, ...callHeaders("validate") };
    const refused = await post(headers, { method: "tools/list", params: { _meta: envelope() } });
    expect([refused.status, refused.body.error.code]).toEqual([400, -32020]);
  });

  test("does not ask a client of revision 2025-11-25, although it can show a form", async () => {
    const { token } = await agentOf();
    const client = new OldClient(
      { name: "old", version: "1" },
      { capabilities: { elicitation: { form: {}, url: {} } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new OldTransport(new URL(`${baseOf(app)}/mcp`), { requestInit }) as never);
    const refused: Json = await client.callTool({
      name: "submit",
      arguments: { formId: form.id, data: { people: 2 } },
    });
    expect(refused.structuredContent).toMatchObject({
      code: "validation_failed",
      errors: [{ field: "email", code: "required" }],
    });
    await client.close();
  });
});

describe("missing required values", () => {
  const fill =
    (content: object, action = "accept"): Answer =>
    () => ({ action, content });

  test("are asked for in a form, and stored with the rest", async () => {
    const titled = (...options: [string, string][]) =>
      options.map(([value, title]) => ({ const: value, title }));
    const many = await makeForm(app, team, [
      ...fields,
      ...[
        { id: "when", type: "date", label: "When", description: "The day." },
        { id: "size", type: "select", label: "Size", options: ["s", { value: "m", label: "Medium" }] },
        { id: "tags", type: "multi_select", label: "Tags", options: ["x", "y"], validation: { maxItems: 1 } },
        { id: "stars", type: "rating", label: "Stars" },
        { id: "terms", type: "consent", label: "Terms" },
      ].map((field) => ({ ...field, required: true })),
    ]);
    const answers = { when: "2026-11-22", size: "m", tags: ["x"], stars: 4, terms: true };
    const content = { email: "ada@example.org", ...answers };
    let asked: Parameters<Answer>[0] | undefined;
    const client = await connectAgent(await agentOf(undefined, many), (request) => {
      asked = request;
      return { action: "accept", content: { ...content, people: 99 } };
    });
    const stored = await call(client, await submitTool(client), { people: 2 });
    expect(stored.structuredContent).toMatchObject({ status: "completed" });
    expect(asked?.requestedSchema).toEqual({
      type: "object",
      required: ["email", "when", "size", "tags", "stars", "terms"],
      properties: {
        email: { title: "E-mail", type: "string", format: "email" },
        when: { title: "When", description: "The day.", type: "string", format: "date" },
        size: { title: "Size", type: "string", oneOf: titled(["s", "s"], ["m", "Medium"]) },
        tags: { title: "Tags", type: "array", items: { anyOf: titled(["x", "x"], ["y", "y"]) }, maxItems: 1 },
        stars: { title: "Stars", type: "integer", minimum: 1, maximum: 5 },
        terms: { title: "Terms", type: "boolean" },
      },
    } as never);
    const [row] = await app.database
      .sql`select data from formd.submissions where id = ${stored.structuredContent.id}`;
    // Values that were not asked for are ignored.
    expect(row?.data).toEqual({ ...content, people: 2 });
  });

  test.each([
    ["decline", "declined", "The person declined to enter email."],
    ["cancel", "cancelled", "The person closed the question without an answer, whether to enter email."],
  ])(
    "that a person is asked for and responds to with %s have a result of their own",
    async (action, code, begin) => {
      const agent = await agentOf();
      const client = await connectAgent(agent, fill({}, action));
      const result = await call(client, "submit", { formId: form.id, data: { people: 2 } });
      expect([result.isError, result.structuredContent]).toEqual([
        true,
        { code, message: expect.stringContaining(begin), fields: ["email"] },
      ]);
      // The agent's turn is not spent.
      const stored = await call(client, "submit", { formId: form.id, data: whole });
      expect(stored.structuredContent).toMatchObject({ status: "completed" });
    },
  );

  const unaskable: [title: string, field: object][] = [
    ["of a field that is not flat", { id: "home", type: "address", label: "Home", required: true }],
    ["that are sensitive", { id: "iban", type: "text", label: "IBAN", required: true, sensitive: true }],
    [
      "whose options are no texts",
      { id: "n", type: "select", label: "N", required: true, options: [{ value: 1 }] },
    ],
  ];
  test.each(unaskable)("%s are never asked for in a form", async (_, field) => {
    const other = await makeForm(app, team, [...fields, field]);
    const client = await connectAgent(await agentOf(undefined, other), () => {
      throw new Error("asked");
    });
    const refused = await call(client, await submitTool(client), {});
    expect(refused.structuredContent.code).toBe("validation_failed");
  });

  describe("that no form can ask for", () => {
    const home = { id: "home", type: "address", label: "Home", required: true };
    const given = { email: "ada@example.org", people: 2, topic: "b & c", code: "s3cret" };
    const published = (settings: object) =>
      makeForm(
        app,
        team,
        [
          { id: "email", type: "email", label: "E-mail", prefill: true },
          { id: "people", type: "integer", label: "People" },
          { id: "topic", type: "text", label: "Topic", prefill: true },
          { id: "code", type: "text", label: "Code", prefill: true, sensitive: true },
          { id: "note", type: "x-note", label: "Note", prefill: true },
          home,
        ],
        { settings },
      );
    /** Returns the questions to a person, and the result of the call after the person's action. */
    const asking = async (settings: object, action: string) => {
      const form = await published(settings);
      const asked: unknown[] = [];
      const client = await connectAgent(await agentOf(undefined, form), ({ mode, url }) => {
        asked.push([mode, url]);
        return { action };
      });
      const { structuredContent } = await call(client, await submitTool(client), given as object);
      return { form, asked, result: structuredContent, stored: await submissionCount(app, form) };
    };
    const page = { page: { enabled: true } };

    test("are asked for on the form's page, with the values that may be in its URL", async () => {
      const { form, asked, result, stored } = await asking(page, "accept");
      const url = `${baseOf(app)}${pagePathOf({ team: team.id, form: form.id })}?email=ada%40example.org&topic=b+%26+c`;
      expect(asked).toEqual([["url", url]]);
      expect([result, stored]).toEqual([
        { status: "handed_over", url, message: expect.stringContaining("Nothing was stored") },
        0,
      ]);
      expect((await ask(app, "GET", url.slice(baseOf(app).length))).status).toBe(200);
    });

    test("are a result of its own when the person declines", async () => {
      const { result, stored } = await asking(page, "decline");
      expect([result.code, result.fields, stored]).toEqual(["declined", ["home"], 0]);
    });

    test("are asked for without a value that the URL would change, and without one that is too long", async () => {
      const { id } = await published(page);
      const agent = await agentOf(undefined, { ...form, id });
      const long = "x".repeat(2_000);
      const data = { email: "a@b.de", topic: long, note: "exact" };
      const _meta = envelope({ elicitation: { url: {} } });
      const params = { name: "submit", arguments: { formId: id, data }, _meta };
      const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const headers = { authorization: `Bearer ${agent.token}`, ...callHeaders("submit") };
      for (const note of ["[1e400]", "9007199254740993"]) {
        const { body } = await post(headers, text.replace('"exact"', note));
        const { url } = body.result.inputRequests.values.params;
        expect(url).toMatch(/^[^?]+\?email=a%40b\.de$/);
      }
    });

    test.each([
      ["", {}],
      ["that is enabled", { page: { enabled: false } }],
      ["for anonymous respondents", { ...page, anonymous: { enabled: false } }],
    ])("are the route's error when the form has no page %s", async (_, settings) => {
      const { asked, result } = await asking(settings, "accept");
      expect([asked, result.code]).toEqual([[], "validation_failed"]);
    });
  });

  /** The two rounds by themselves, so that a test can change what the client carries. */
  const round = (agent: Agent, given: object, retry?: object) =>
    submitRound(agent, { formId: form.id, ...given }, retry);
  const filled = { values: { action: "accept", content: { email: "ada@example.org" } } };

  test("a state is for its caller, tool and arguments only, and stores once", async () => {
    const [agent, other] = [await agentOf(), await agentOf()];
    const given = { data: { people: 2 } };
    const { requestState, resultType } = (await round(agent, given)).result;
    expect(resultType).toBe("input_required");
    const retry = { requestState, inputResponses: filled };
    const tampered = `${requestState.slice(0, -2)}${requestState.endsWith("AA") ? "BB" : "AA"}`;
    for (const [by, sent, how] of [
      [other, given, retry],
      [agent, { data: { people: 3 } }, retry],
      [agent, given, { ...retry, requestState: tampered }],
      [agent, given, { ...retry, requestState: "none" }],
    ] as const)
      expect((await round(by, sent, how)).error).toMatchObject({ code: -32602 });
    const before = await submissionCount(app, form);
    const first = await round(agent, given, retry);
    expect(first.result.structuredContent).toMatchObject({ status: "completed" });
    expect((await round(agent, given, retry)).result.structuredContent).toEqual(
      first.result.structuredContent,
    );
    const others = { values: { action: "accept", content: { email: "eve@example.org" } } };
    const more = { ...retry, inputResponses: others };
    expect((await round(agent, given, more)).result.structuredContent.code).toBe("idempotency_key_reused");
    expect(await submissionCount(app, form)).toBe(before + 1);
  });
});
