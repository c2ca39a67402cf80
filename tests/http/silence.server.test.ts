// stacks: one deno
/** Nothing that a caller sent and that had no effect goes without a word, on any route. */
import { describe, expect, test } from "bun:test";
import { type } from "arktype";
import { memberNames } from "../../src/platform/http/known-members.ts";
import { type Operation, operationIn, pathParameters } from "../../src/platform/http/operation.ts";
import { misspelt } from "../misspelt.ts";
import { routes } from "../routes.ts";
import { asAgent, ask, makeOperator, type Reply, submitByKey } from "../setup.ts";
import { call, type Json, mcpFixture, submitTool, whole } from "./mcp/fixture.ts";

const { app, team, form, agentOf, connectAgent, connectOwner } = await mcpFixture();
const owner = { "x-api-key": team.key };
const agent = await agentOf();
const admin = { cookie: await makeOperator(app, team, "admin"), origin: app.url };
const submission = (await submitByKey(app, team, form, whole)).body.data.id as string;

interface ApiRoute {
  method: string;
  path: string;
  operation: Operation;
}

const api = routes.flatMap((route): ApiRoute[] => {
  const operation = operationIn(route);
  const isApi = operation && ["management", "identity", "submitter", "challenge"].includes(operation.tag);
  return isApi ? [{ method: route.method, path: route.path, operation }] : [];
});

const ids: Record<string, string> = {
  ...{ form_id: form.id, submission_id: submission },
  // Not the caller: a route ends the sessions of this one.
  agent_id: (await agentOf()).id,
};
const unknownId = crypto.randomUUID();
/** The path with ids: of what exists, else of nothing, so that no route removes what the next one reads. */
const pathOf = ({ method, path }: ApiRoute) =>
  path.replace(/:(\w+)/g, (_, name) => (method === "DELETE" ? unknownId : (ids[name] ?? unknownId)));

function headersOf({ operation: { tag, security } }: ApiRoute): Record<string, string> {
  if (tag === "submitter" || tag === "challenge") return asAgent(form, agent);
  return security.some((each) => "apiKey" in each) ? owner : admin;
}

/** Frees the limits of an agent, so that the next request is not one too many. */
const freeLimits = () => app.database.sql`delete from formd.rate_limits where key like '%:agent:%'`;

const exampleOf = ({ operation: { body } }: ApiRoute): Json => Object.values(body?.examples ?? {})[0]?.value;

/** The texts of a response that can name a mistake. */
function wordsOf({ status, body, headers }: Reply): string[] {
  const fields = (body.errors ?? []).map((error: Json) => `${error.field} ${error.message}`);
  const remarks = body.data?.warnings ?? body.data?.report?.items ?? [];
  const warned = remarks.map((remark: Json) => remark.message);
  return [...(status >= 400 ? [body.error, ...fields] : warned), headers.get("warning") ?? ""];
}
const says = (reply: Reply, name: string) => wordsOf(reply).some((text) => text.includes(name));

const named = (list: readonly ApiRoute[]) =>
  list.map((route) => [`${route.method} ${route.path}`, route] as const);

test("the routes of the API are found", () => {
  expect(api.length).toBeGreaterThan(50);
});

test.each(named(api.filter(({ operation }) => operation.query)))(
  "a parameter of the query that is sent twice: %s",
  async (_, route) => {
    const body = ["POST", "PATCH"].includes(route.method) ? { body: exampleOf(route) ?? {} } : {};
    for (const name of memberNames(route.operation.query?.shape ?? type({}))) {
      const twice = `${pathOf(route)}?${name}=1&${name}=1`;
      const reply = await ask(app, route.method, twice, { headers: headersOf(route), ...body });
      expect([name, says(reply, name)]).toEqual([name, true]);
    }
  },
);

describe("a parameter of the query that a route does not have", () => {
  test.each(named(api))("%s", async (_, route) => {
    const known = route.operation.query ? memberNames(route.operation.query.shape) : [];
    const { method } = route;
    const body = ["POST", "PATCH"].includes(method) ? { body: exampleOf(route) ?? {} } : {};
    for (const name of known.length > 0 ? known.map((each) => misspelt(each, known)) : ["limit"]) {
      const reply = await ask(app, method, `${pathOf(route)}?${name}=1`, {
        headers: headersOf(route),
        ...body,
      });
      expect({ name, words: wordsOf(reply), isNamed: says(reply, name) }).toMatchObject({ isNamed: true });
    }
  });

  const list = `/papi/v1/management/forms/${form.id}/submissions`;
  const warnings = async (path: string, headers: Record<string, string> = owner) =>
    (await ask(app, "GET", path, { headers })).body.data.warnings;
  const ofStatus = {
    path: "stauts",
    message: "stauts is unknown here: is status meant? It has no effect.",
    nearest: "status",
  };

  test("is in the data of a list, beside the parameters that have an effect", async () => {
    expect(await warnings(`${list}?status=completed`)).toBeUndefined();
    const { data } = (await ask(app, "GET", `${list}?stauts=pending&limit=1`, { headers: owner })).body;
    expect([data.warnings, data.submissions.length, data.pagination.limit]).toEqual([[ofStatus], 1, 1]);
  });

  test("is in the data of one resource, of a change, and of a list of many bytes, which is a stream", async () => {
    expect(await warnings(`${list}/${submission}?stauts=1`)).toMatchObject([
      {
        path: "stauts",
        message: expect.stringMatching(/^stauts is unknown here: the route has no parameters/),
      },
    ]);
    const created = await ask(app, "POST", "/papi/v1/identity/agents?workspaceId=1", {
      headers: owner,
      body: { name: "A" },
    });
    expect(created.body.data).toMatchObject({
      secret: expect.any(String),
      warnings: [{ path: "workspaceId" }],
    });
    for (let row = 0; row < 30; row++) await submitByKey(app, team, form, { ...whole, email: emailOf(row) });
    const { data } = (await ask(app, "GET", `${list}?Limit=2&limit=30`, { headers: owner })).body;
    expect(JSON.stringify(data).length).toBeGreaterThan(15_000);
    expect(data.warnings).toMatchObject([{ path: "Limit", nearest: "limit" }]);
  });
  /** A value of many bytes. */
  const emailOf = (row: number) => `a${row}@${"b".repeat(60)}.${"c".repeat(60)}.example.org`;

  test("is in the header of an export and of a submitter's route, which pages of other sites may read", async () => {
    const exported = await ask(app, "GET", `${list}/export?format=csv&stauts=1`, { headers: owner });
    expect([exported.status, exported.headers.get("warning")]).toEqual([
      200,
      `299 formd "${ofStatus.message}"`,
    ]);
    const headers = { ...asAgent(form, await agentOf()), origin: "https://page.example" };
    const path = "/papi/v1/submitter/form/submissions?partail=true";
    const stored = await ask(app, "POST", path, { headers, body: { data: whole } });
    expect([stored.status, stored.headers.get("warning")]).toEqual([
      200,
      '299 formd "partail is unknown here: is partial meant? It has no effect."',
    ]);
    expect(stored.headers.get("access-control-expose-headers")).toContain("Warning");
    expect(stored.body.data).not.toHaveProperty("warnings");
  });

  test("is in the data of the audit too, as is a kind that no event has", async () => {
    const path = "/papi/v1/management/audit";
    expect(await warnings(`${path}?kind=form.published`)).toBeUndefined();
    expect(await warnings(`${path}?kind=form.publish&knd=x`)).toMatchObject([
      { path: "knd", nearest: "kind" },
      {
        path: "kind",
        message: "No event has this kind: is form.published meant?",
        nearest: "form.published",
      },
    ]);
  });

  test("is shown shortly, without control characters, and ten of many", async () => {
    const odd = ["%1b]0;x%07", "%e2%80%ae", "%22,%5c", "caf%c3%a9", "x".repeat(100)];
    const found = await warnings(`${list}?${odd.join("=&")}=`);
    expect(found.map(({ path }: Json) => path)).toEqual([
      '"\\u001b]0;x\\u0007"',
      '"\\u202e"',
      '"\\",\\\\"',
      '"café"',
      "x".repeat(64),
    ]);
    const { headers } = await ask(app, "GET", `${list}/export?${odd.join("=&")}=`, { headers: owner });
    expect(headers.get("warning")).toMatch(/^[\x20-\x7e]+$/);
    const long = Array.from({ length: 10 }, (_, at) => `${"%01".repeat(63)}${at}=`).join("&");
    const { length } = (await ask(app, "GET", `${list}/export?${long}`, { headers: owner })).headers.get(
      "warning",
    ) as string;
    expect(length, "a proxy takes 4 KiB of headers").toBeWithin(500, 2_000);
    const many = Array.from({ length: 100 }, (_, index) => `p${index}=1`).join("&");
    expect(await warnings(`${list}?${many}`)).toHaveLength(10);
    expect(await warnings(`${list}?stauts=1&stauts=2`)).toEqual([ofStatus]);
  });

  test("is in the header of an error, and in no response to a page or a protocol", async () => {
    const refused = await ask(app, "GET", `${list}?stauts=1&page=0`, { headers: owner });
    expect(refused.body.error).toStartWith("page must be");
    expect(refused.headers.get("warning")).toContain("is status meant?");
    expect((await ask(app, "GET", "/healthz?stauts=1")).headers.has("warning")).toBe(false);
  });
});

/** A misspelt name, the name that is meant, and the body with it. */
type Mistake = [name: string, meant: string, body: Json];

/** Every body in which one name of the example is misspelt. Metadata is free. */
function* misspeltBodies(value: Json, known: readonly string[]): Generator<Mistake> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries<Json>(value)) {
    const copy = Array.isArray(value) ? [...value] : { ...value };
    if (!Array.isArray(value)) {
      const name = misspelt(key, known);
      const { [key]: _, ...others } = value;
      yield [name, key, { ...others, [name]: member }];
    }
    if (key === "metadata") continue;
    for (const [name, meant, inner] of misspeltBodies(member, known)) {
      copy[key as keyof typeof copy] = inner;
      yield [name, meant, structuredClone(copy)];
    }
  }
}

describe("a member of a body that is misspelt", () => {
  // silence-forms.server.test.ts has the definitions of forms.
  const isForm = ({ operation: { id } }: ApiRoute) => id === "createForm" || id === "patchForm";
  const bodies = api.filter((route) => exampleOf(route) && !isForm(route));

  test.each(named(bodies))("%s", async (_, route) => {
    const { body } = route.operation;
    const known = body ? memberNames(body.shape) : [];
    const example = exampleOf(route);
    const isEmpty = Object.keys(example).length === 0;
    const empty: Mistake[] = [["anything", "", { anything: 1 }]];
    for (const [name, meant, wrong] of isEmpty ? empty : misspeltBodies(example, known)) {
      const sent = { headers: headersOf(route), body: wrong };
      await freeLimits();
      const reply = await ask(app, route.method, pathOf(route), sent);
      // Only an agent that signs responds to a challenge; without a signature no body is read.
      if (reply.body.code === "signature_required") return;
      // A dry run has the ids that the form does not know as warnings of fields.
      const fields = (reply.body.data?.warnings ?? []).map(({ field }: Json) => field);
      const isNamed = says(reply, name) || says(reply, `${meant} is missing`) || fields.includes(name);
      expect({ name, words: wordsOf(reply), isNamed }).toMatchObject({ isNamed: true });
    }
  });

  test("sign-in names it too", async () => {
    const headers = { origin: app.url };
    const body = { email: "a@example.org", pasword: "x" };
    const { error } = (await ask(app, "POST", "/console/login", { headers, body })).body;
    expect(error).toBe("pasword is unknown here: is password meant?");
  });
});

describe("an argument of a tool that is misspelt", () => {
  const refusals = async (client: Awaited<ReturnType<typeof connectOwner>>, skip: string[] = []) => {
    const { tools } = await client.listTools();
    const silent: string[] = [];
    for (const { name, inputSchema } of tools.filter(({ name }) => !skip.includes(name))) {
      const known = Object.keys(inputSchema.properties ?? {});
      for (const argument of [...known.map((each) => misspelt(each, known)), "nonsense"]) {
        const { isError, structuredContent: said } = await call(client, name, { [argument]: 1 });
        // An id is taken as paths spell it, and is then no UUID.
        const isNamed = said.message.startsWith(`${argument} is unknown here`);
        const isPath = argument.includes("_") && /^\w+Id must be an id\.$/.test(said.message);
        if (!isError || !(isNamed || isPath)) silent.push(`${name} ${argument}: ${said.message}`);
      }
    }
    return { count: tools.length, silent };
  };

  test("is named by every tool of an owner", async () => {
    const { count, silent } = await refusals(await connectOwner());
    expect(silent).toEqual([]);
    expect(count).toBeGreaterThan(30);
  });

  test("is named by every tool of an agent, and by that of a form", async () => {
    const client = await connectAgent(await agentOf());
    const own = await submitTool(client);
    expect((await refusals(client, [own])).silent).toEqual([]);
    const { structuredContent } = await call(client, own, { ...whole, topik: "a" });
    expect(structuredContent.errors).toMatchObject([{ field: "topik", expected: "topic" }]);
  });
});

test("no route takes a path parameter that the walk does not fill", () => {
  const names = new Set(api.flatMap(({ path }) => pathParameters(path)));
  for (const known of Object.keys(ids)) expect(names).toContain(known);
});
