import { describe, expect, test } from "bun:test";
import { outcome, timestamp, unknownId, uuid } from "../../expect.ts";
import {
  ask,
  formd,
  makeForm,
  makeKey,
  makeOperator,
  makeTeam,
  makeWorkspace,
  service,
  settingsFor,
} from "../../setup.ts";

interface AuditEvent {
  details: Record<string, unknown>;
}

const app = await service();
const [team, other] = [await makeTeam(app), await makeTeam(app)];
const path = "/papi/v1/management/audit";
const formAudit = (id: string) => `/papi/v1/management/forms/${id}/audit`;

const as = (key: string) => ({ headers: { "x-api-key": key } });
const read = async (from = path, query = "", key = team.key) => {
  const reply = await ask(app, "GET", from + query, as(key));
  expect(reply.status).toBe(200);
  return reply.body.data;
};
const kindsOf = ({ events }: { events: { kind: string }[] }) => events.map(({ kind }) => kind);

async function create(name: string, more = {}) {
  const headers = { "x-api-key": team.key, ...more };
  return (await ask(app, "POST", "/papi/v1/management/forms", { headers, body: { name } })).body.data.form;
}
const patch = (id: string, body: object, key = team.key) =>
  ask(app, "PATCH", `/papi/v1/management/forms/${id}`, { ...as(key), body });

describe(`GET ${path}`, () => {
  test("an action by API key: who, what, on which object, by which request, when", async () => {
    const form = await create("A", { "x-request-id": "import-7" });
    const { events, pagination } = await read(path, "?limit=1");
    expect(events).toEqual([
      {
        id: expect.stringMatching(uuid),
        kind: "form.created",
        formId: form.id,
        object: { type: "form", id: form.id },
        actor: { type: "api_key", id: team.keyId },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        clientRequestId: "import-7",
        details: { name: "A", workspaceId: team.workspace },
        createdAt: expect.stringMatching(timestamp),
      },
    ]);
    expect(pagination.total).toBeGreaterThan(1);
    const longest = "x".repeat(128);
    await create("B", { "x-request-id": longest });
    const [latest] = (await read(path, "?limit=1")).events;
    expect(latest.clientRequestId).toBe(longest);
    // Two requests with one id of the client are two.
    await create("C", { "x-request-id": longest });
    expect((await read(path, "?limit=1")).events[0].requestId).not.toBe(latest.requestId);
  });

  test("an action by cookie names the operator, and one by command the command line", async () => {
    const cookie = await makeOperator(app, team, "editor");
    const { body } = await ask(app, "POST", "/papi/v1/identity/agents", {
      headers: { cookie, origin: app.url },
      body: { name: "Agent" },
    });
    const [event] = (await read(path, `?objectId=${body.data.id}`)).events;
    expect(event).toMatchObject({ kind: "agent.created", formId: null, actor: { type: "operator" } });
    const form = await create("B");
    await formd(["form", "publish", form.id], settingsFor(app.database));
    expect((await read(formAudit(form.id))).events[0]).toMatchObject({
      kind: "form.published",
      actor: { type: "cli", id: null },
      requestId: null,
      clientRequestId: null,
      details: { version: 1 },
    });
  });

  test("e-mail addresses of operators: with the scope audit:read, and to operators; ids to all", async () => {
    const own = await makeTeam(app);
    const cookie = await makeOperator(app, own, "admin");
    const settings = settingsFor(app.database);
    const email = "Ada.Invited@example.net";
    const on = ["--workspace", own.workspace, "--email", email];
    for (const args of [
      ["create", ...on, "--role", "viewer"],
      ["create", ...on, "--role", "editor", "--password", "a password of hers"],
      ["create", ...on, "--role", "viewer"],
      ["remove", "--email", email],
    ])
      expect(await formd(["operator", ...args], settings)).toMatchObject({ code: 0 });
    const [full, without] = [await makeKey(app, own), await makeKey(app, own, "forms:read")];
    const list = (key: string, query = "?limit=100") => read(path, query, key);
    const shown = await list(full.key);
    const hidden = await list(without.key);
    const isOfOperator = ({ object }: { object: { type: string } }) => object.type === "operator";
    const kinds = kindsOf({ events: shown.events.filter(isOfOperator) });
    expect(new Set(kinds).size).toBeGreaterThan(2);
    expect(JSON.stringify(shown)).toContain(email.toLowerCase());
    expect(JSON.stringify(hidden)).not.toContain("@");
    const withoutEmail = shown.events.map(({ details: { email: _, ...details }, ...event }: AuditEvent) => ({
      ...event,
      details,
    }));
    expect(hidden).toEqual({ ...shown, events: withoutEmail });
    const byCookie = await ask(app, "GET", `${path}?limit=100`, { headers: { cookie } });
    expect(byCookie.body.data).toEqual(shown);
    const alone = await makeKey(app, own, "audit:read");
    expect((await ask(app, "GET", path, as(alone.key))).body.code).toBe("missing_scope");
  });

  test("filters: kind, actor, object, time", async () => {
    const { id: keyId, key } = await makeKey(app, team);
    const form = await create("A");
    const [created] = (await read(formAudit(form.id))).events;
    await patch(form.id, { operations: [{ op: "setMeta", name: "B" }] }, key);
    expect(kindsOf(await read(path, `?actorId=${keyId}`))).toEqual(["form.patched"]);
    expect(kindsOf(await read(path, `?objectId=${keyId}`))).toEqual(["api_key.created"]);
    expect(kindsOf(await read(path, `?objectId=${form.id}&kind=form.created`))).toEqual(["form.created"]);
    expect(await read(path, "?kind=form.unknown")).toEqual({
      events: [],
      pagination: { page: 1, limit: 20, total: 0, isTotalExact: true, next: null },
      warnings: [{ path: "kind", message: "No event has this kind." }],
    });
    const time = encodeURIComponent(created.createdAt);
    const timed = async (bound: string) => kindsOf(await read(path, `?objectId=${form.id}&${bound}=${time}`));
    expect(await timed("createdAfter")).toEqual(["form.patched", "form.created"]);
    expect(await timed("createdBefore")).toEqual(["form.created"]);
  });

  test("pages hold each event once, newest first", async () => {
    const { events } = await read(path, "?limit=100");
    const paged = [];
    for (let page = 1; page <= 3; page++) paged.push(...(await read(path, `?limit=3&page=${page}`)).events);
    expect(paged).toEqual(events.slice(0, 9));
    expect(events).toEqual(events.toSorted((a: { id: string }, b: { id: string }) => (a.id < b.id ? 1 : -1)));
  });

  test("the total counts at most 10,000 events from the page's first one on, and is marked where it is exact", async () => {
    const own = await makeTeam(app);
    const { id, key } = own;
    const { pagination } = await read(path, "", key);
    await app.database.sql`
      insert into formd.audit_events (team_id, id, kind, object_type, object_id, actor_type, details, created_at)
      select ${id}, formd.uuid_make(), 'form.patched', 'form', gen_random_uuid(), 'system', '{}', now()
      from generate_series(1, ${10_150 - pagination.total}::integer)`;
    for (const [page, total, isTotalExact] of [
      [1, 10_000, false],
      [2, 10_100, false],
      [3, 10_150, true],
      [102, 10_150, true],
      [103, 10_150, true],
    ] as const) {
      const { events, pagination } = await read(path, `?limit=100&page=${page}`, key);
      const next = page < 102 ? expect.stringMatching(/^[\w-]{1,200}$/) : null;
      expect(pagination).toEqual({ page, limit: 100, total, isTotalExact, next });
      expect(events).toHaveLength(page === 102 ? 50 : page > 102 ? 0 : 100);
    }
  });

  test("two filters look at the newest 50,000 events of each, and say where they stopped", async () => {
    const own = await makeTeam(app);
    const form = await makeForm(app, own, []);
    const cookie = await makeOperator(app, own, "viewer");
    await app.database.sql`
      insert into formd.audit_events (team_id, id, kind, form_id, object_type, object_id, actor_type, details, created_at)
      select ${own.id}, formd.uuid_make(), case when n in (1, 50002) then 'form.opened' else 'form.patched' end, ${form.id}, 'form',
        ${form.id}, 'system', '{}', now()
      from generate_series(1, 50002) as n`;
    const query = `?kind=form.patched`;
    const first = await read(formAudit(form.id), `${query}&limit=1&page=50000`, own.key);
    const { next, ...pagination } = first.pagination;
    expect(pagination).toEqual({ page: 50_000, limit: 1, total: 49_999, isTotalExact: false });
    const rest = await read(formAudit(form.id), `${query}&cursor=${next}`, own.key);
    expect([rest.events.length, rest.pagination.next]).toEqual([1, null]);
    const browser = { headers: { cookie } };
    const page = await fetch(`${app.url}/console/audit?formId=${form.id}&kind=form.opened`, browser);
    const html = await page.text();
    expect(html).toContain("searched only some of the events");
    const [, href = ""] = /href="([^"]+)" rel="next"[^>]*>Older</.exec(html) ?? [];
    const older = await (await fetch(app.url + href.replaceAll("&amp;", "&"), browser)).text();
    expect(older.match(/<tr/g)).toHaveLength(2);
  });

  test("never holds another team's events, a secret or submission data", async () => {
    const text = JSON.stringify(await read(path, "?limit=100", other.key));
    expect(text).not.toContain(team.id);
    expect(text).not.toMatch(/fd[kasfo]_|hash/);
  });

  test.each([
    ["?page=0", "page"],
    ["?actorId=x", "actorId"],
    ["?createdAfter=yesterday", "createdAfter"],
    [`?kind=${"x".repeat(101)}`, "kind"],
  ])("%s is 400 and named", async (query, name) => {
    const reply = await ask(app, "GET", path + query, as(team.key));
    expect([outcome(reply), reply.body.error]).toEqual(["400 bad_request", expect.stringContaining(name)]);
  });

  test("of a team is for an operator with a role in every workspace", async () => {
    const own = await makeTeam(app);
    const cookie = await makeOperator(app, own, "viewer");
    expect(outcome(await ask(app, "GET", path, { headers: { cookie } }))).toBe("ok");
    await makeWorkspace(app, own);
    expect(outcome(await ask(app, "GET", path, { headers: { cookie } }))).toBe(
      "403 insufficient_workspace_role",
    );
  });
});

describe(`GET ${formAudit("{form_id}")}`, () => {
  test("has the actions on the form and on its objects, and no others", async () => {
    const { id } = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
    expect(kindsOf(await read(formAudit(id)))).toEqual([
      "access_key.created",
      "form.published",
      "form.created",
    ]);
    await patch(id, { operations: [{ op: "setMeta", settings: { anonymous: { enabled: false } } }] });
    const [event] = (await read(formAudit(id))).events;
    expect(event).toMatchObject({
      kind: "form.settings_changed",
      details: { operations: [{ op: "setMeta", settings: { anonymous: { enabled: false } } }] },
    });
  });

  test("an unknown id is 404, a malformed one 400", async () => {
    expect(outcome(await ask(app, "GET", formAudit(unknownId), as(team.key)))).toBe("404 not_found");
    expect(outcome(await ask(app, "GET", formAudit("x"), as(team.key)))).toBe("400 bad_request");
  });
});

test("with expectedUpdatedAt the second of two editors of a draft is 409 with what is current; any spelling of the instant is equal", async () => {
  const form = await create("A");
  const write = (name: string, expectedUpdatedAt: unknown) =>
    patch(form.id, { operations: [{ op: "setMeta", name }], expectedUpdatedAt });
  const first = await write("B", form.updatedAt.replace("Z", "+00:00"));
  expect(first.status).toBe(200);
  const { updatedAt } = first.body.data.form;
  expect(await write("C", form.updatedAt)).toMatchObject({
    status: 409,
    body: { code: "conflict", current: { currentVersion: 0, updatedAt } },
  });
  for (const none of ["", "yesterday", 7, null])
    expect((await write("C", none)).body.code).toBe("invalid_body");
  expect((await write("C", updatedAt)).status).toBe(200);
});

test("formd audit list prints the events of a form or a team, as the API has them", async () => {
  const form = await create("A");
  const environment = { DATABASE_URL: app.database.url };
  const list = async (...args: string[]) =>
    JSON.parse((await formd(["audit", "list", ...args, "--json"], environment)).stdout).events;
  expect(await list("--form", form.id)).toEqual((await read(formAudit(form.id))).events);
  expect(await list("--team", team.id, "--limit", "3")).toEqual((await read(path, "?limit=3")).events);
  expect((await formd(["audit", "list", "--limit", "0"], environment)).code).toBe(2);
});
