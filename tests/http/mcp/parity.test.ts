// stacks: one
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyValue, samples } from "../../form-arbitraries.ts";
import { generatedCases } from "../../generated.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  type PublishedForm,
  type Reply,
} from "../../setup.ts";
import { callHeaders, envelope, type Json, mcpFixture, whole } from "./fixture.ts";

const { app, team, form, agentOf, post } = await mcpFixture();

const submitter = "/papi/v1/submitter/form";

const rpc = async (agent: Agent, method: string, params: object): Promise<Json> =>
  (await post({ authorization: `Bearer ${agent.token}` }, { method, params })).body.result;

/** Comparable results of both interfaces: the data, or the code with the errors. */
const fromRest = ({ status, body }: Json) =>
  status === 200
    ? body.data
    : { code: body.code, message: body.error, ...(body.errors && { errors: body.errors }) };
const fromTool = ({ structuredContent }: Json) => structuredContent;

/** The stored rows of a form, without what differs between any two submissions. */
const rowsOf = (form: PublishedForm) => app.database.sql`
  select form_version, status, submitter_type, respondent_id, data, metadata from formd.submissions
  where form_id = ${form.id} order by id`;

const withoutId = ({ id: _, ...rest }: Json) => rest;

type Pair = [PublishedForm, PublishedForm];
/** The errors of the route, with the keys of the form's own tool for fields that were not sent. */
function withKeys(properties: Json, payload: object, { errors, ...rest }: Json): Json {
  const keyOf = (id: string): string =>
    Object.hasOwn(payload, id)
      ? id
      : (Object.keys(properties).find((key) => properties[key].description.startsWith(`"Field ${id}"`)) ??
        id);
  const named = errors?.map(({ field, message, expected, ...error }: Json) => {
    const [near] = error.code === "unknown_field" && expected !== undefined ? [expected] : [];
    return {
      ...error,
      field: keyOf(field),
      message: near === undefined ? message : message.replace(`is ${near} meant`, `is ${keyOf(near)} meant`),
      ...(expected !== undefined && { expected: near === undefined ? expected : keyOf(near) }),
    };
  });
  return { ...rest, ...(named && { errors: named }) };
}

/** The payload as the form's own tool has it: a text that reads like another option has its marks. */
const argumentsOf = (fields: Json[], payload: object) =>
  Object.fromEntries(
    Object.entries(payload).map(([id, value]) => {
      const options: Json[] = fields.find((field) => field.id === id)?.options ?? [];
      const others = options.flatMap(({ value }) => (typeof value === "string" ? [] : [String(value)]));
      const textOf = (each: unknown) => (others.includes(each as string) ? JSON.stringify(each) : each);
      return [id, Array.isArray(value) ? value.map(textOf) : textOf(value)];
    }),
  );

/** Sends a payload to two forms with the same fields, by REST and by MCP. @returns whether it was accepted */
async function sendBoth([rest, mcp]: Pair, fields: Json[], payload: object): Promise<boolean> {
  const [byRest, byTool] = [await makeAgent(app, team, rest), await makeAgent(app, team, mcp)];
  const [headers, body] = [asAgent(rest, byRest), { data: payload }];
  const dry = await ask(app, "POST", `${submitter}/validation`, { headers, body });
  const dryArguments = { formId: mcp.id, ...body };
  const dryTool = await rpc(byTool, "tools/call", { name: "validate", arguments: dryArguments });
  expect(fromTool(dryTool)).toEqual(fromRest(dry));

  const { tools } = await rpc(byTool, "tools/list", {});
  const own = tools.find(({ name }: Json) => name.startsWith("submit_"));
  const submitted = await ask(app, "POST", `${submitter}/submissions`, { headers, body });
  const given = argumentsOf(fields, payload);
  const submittedTool = await rpc(byTool, "tools/call", { name: own.name, arguments: given });
  const named = withKeys(own.inputSchema.properties, payload, fromRest(submitted));
  expect(withoutId(fromTool(submittedTool))).toEqual(withoutId(named));
  const isAccepted = submitted.status === 200;
  expect(submittedTool.isError ?? false).toBe(!isAccepted);
  return isAccepted;
}

test("for any form and payload a tool and the route say the same, and store the same rows", async () => {
  const seen = new Set<boolean>();
  const others = fc.array(anyValue, { minLength: 2, maxLength: 2 });
  const property = fc.asyncProperty(samples(6), others, async ({ fields, data }, values) => {
    const forms: Pair = [await makeForm(app, team, fields), await makeForm(app, team, fields)];
    const changed = values.map((value, i) => ({ ...data, [String(fields[i % fields.length]?.id)]: value }));
    for (const payload of [data, {}, ...changed]) seen.add(await sendBoth(forms, fields, payload));
    const [rest, tool] = [await rowsOf(forms[0]), await rowsOf(forms[1])];
    expect([...tool]).toEqual([...rest]);
  });
  await fc.assert(property, { numRuns: generatedCases(60, 12) });
  expect(seen.size).toBe(2);
}, 300_000);

describe("a call like an earlier one of the same client, which the SDK has checked", () => {
  const send = async (name: string, given: object, headers: Record<string, string>, _meta?: object) =>
    await post(headers, {
      method: "tools/call",
      params: { name, arguments: given, ...(_meta && { _meta }) },
    });

  const calls: [title: string, name: string, given: object][] = [
    ["a result", "validate", { formId: form.id, data: whole }],
    ["a problem of the route", "validate", { formId: form.id }],
    ["bad arguments", "form_get", { formId: "none" }],
    ["an unknown tool", "none", {}],
  ];
  test.each(calls)("has the response that the SDK gives: %s", async (title, name, given) => {
    const { token } = await agentOf();
    const authorization = `Bearer ${token}`;
    // An older client has no envelope that could be new to the server, but any other Accept is.
    const old = {
      authorization,
      accept: `application/json, text/event-stream, x/${title.replaceAll(" ", "-")}`,
    };
    const clients = [[{ authorization, ...callHeaders(name) }, envelope({}, title)], [old]] as const;
    for (const [headers, _meta] of clients) {
      const [first, second] = [
        await send(name, given, headers, _meta),
        await send(name, given, headers, _meta),
      ];
      expect(first.body.result ?? first.body.error).toBeDefined();
      expect(second.body).toEqual(first.body);
      const shown = (reply: Reply) => [reply.status, reply.headers.get("content-type")];
      expect(shown(second)).toEqual(shown(first));
    }
  });

  const changes: [title: string, message: object, params: object, headers: Record<string, string>][] = [
    ["an id that is no integer", { id: 1.5 }, {}, {}],
    ["another version of JSON-RPC", { jsonrpc: "1.0" }, {}, {}],
    ["a member that messages do not have", { more: 1 }, {}, {}],
    ["another tool in the header", {}, {}, { "mcp-name": "submit" }],
    ["another method in the header", {}, {}, { "mcp-method": "tools/list" }],
    ["another revision in the header", {}, {}, { "mcp-protocol-version": "2025-11-25" }],
    ["a state that is not this server's", {}, { requestState: "none" }, {}],
    ["a name that is no text", {}, { name: 7 }, {}],
  ];
  test.each(changes)("is refused with %s", async (_, message, params, headers) => {
    const { token } = await agentOf();
    const sent = { authorization: `Bearer ${token}`, ...callHeaders("validate") };
    const given = { name: "validate", arguments: { formId: form.id, data: whole }, _meta: envelope() };
    const plain = { method: "tools/call", params: given };
    expect((await post(sent, plain)).body.result).toBeDefined();
    const changed = { ...plain, ...message, params: { ...given, ...params } };
    const refused = await post({ ...sent, ...headers }, changed);
    expect(refused.body.result).toBeUndefined();
    expect(refused.body.error ?? refused.body.code).toBeDefined();
  });
});
