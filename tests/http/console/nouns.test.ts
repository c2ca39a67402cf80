// stacks: one
/** Objects that the console makes, in one table: list, form, wrong values, changes, end. */
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../../expect.ts";
import { forgedProvider } from "../../identity-provider.ts";
import { addOperator, ask, makeAgent, makeForm, makeTeam, makeWorkspace } from "../../setup.ts";
import { newKey } from "../../signing.ts";
import { local, receiver } from "../webhooks/receiver.ts";
import { type Browser, expectPage, expectRedirect, secretOf, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

const { app, sql, team, admin, editor, call, read, submit } = await consoleFixture(local);
const { workspace } = team;
const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
const agent = await makeAgent(app, team, form, []);
const { email } = await addOperator(app, team.id, workspace, "viewer");
const { issuer } = await forgedProvider();
const { url } = await receiver();
const signingKey = newKey();

type Fields = Record<string, string | string[]>;
/** `:id` in an address or a field is the id of what was made. */
type Post = [to: string, fields: Fields];

interface Noun {
  /** The page that lists it, and its text while the list is empty. */
  list: string;
  none?: string;
  make: Post;
  /** The text of the page after making it, and whether that links to its own page under the list. */
  made?: RegExp;
  hasPage?: true;
  /** Name in the list. */
  name: string;
  /** Id in the list. */
  id: RegExp;
  /** Checks that the secret works, which the page shows once. */
  works?: (secret: string) => Promise<boolean>;
  /** Text that no page shows. */
  hidden?: string;
  /** Differences to `make`, or another post, with texts of the page that refuses it. */
  refused?: [difference: Fields | Post, ...shown: string[]][];
  /** Text of the list beside the name. */
  listed?: RegExp;
  /** Posts, each with text of the page that follows, and with what the API shows then. */
  changes?: [to: string, fields: Fields, says: string | RegExp, ...api: [path?: string, shown?: object]][];
  /** The post that ends it, with text of the page that follows; without one the name leaves the list. */
  end?: [to: string, fields: Fields, says?: string | RegExp];
}

const validate = (key: string) =>
  ask(app, "POST", "/papi/v1/submitter/form/validation", {
    headers: { "x-form-access-key": key, "x-api-key": team.key },
    body: { data: {} },
  });
const listForms = (key: string) =>
  ask(app, "GET", "/papi/v1/management/forms", { headers: { "x-api-key": key } });
const mint = (clientSecret: string) => ask(app, "POST", "/papi/v1/auth/token", { body: { clientSecret } });
const ofAgent = `/agents/${agent.id}`;
const accessKeys = `/forms/${form.id}/access-keys`;
const agentOf = (shown: object) => ["/identity/agents/:id", { agent: shown }] as const;
const formOf = (shown: object) => ["/management/forms/:id", { form: shown }] as const;
const webhookOf = (shown: object) => ["/management/webhooks/:id", { webhook: shown }] as const;
const connection = {
  ...{ name: "Corp", issuer, clientId: "formd", clientSecret: "a secret of Corp", groupsClaim: "groups" },
  ...{ domains: "Corp.example, corp.test", required: "true", agents: "true" },
  ...{ group: ["leads", "", "*"], workspaceId: [workspace, workspace, workspace] },
  role: ["admin", "viewer", "viewer"],
};
const required = { connection: ":id", required: "true" };
const hook = { url, eventTypes: ["submission.created"], payload: "thin" };
const disabled = { status: "disabled" };
const changedHook = { url: `${url}/changed`, eventTypes: ["form.published"], payload: "full" };

const nouns: Record<string, Noun> = {
  "a form": {
    list: "",
    make: ["/new-form", { name: "Survey", workspace }],
    made: /Begin with the first questions\./,
    name: "Survey",
    id: /href="\/console\/forms\/([\w-]{36})"[^>]*>Survey/,
    refused: [[{ name: "  " }, "Fill in: Name."], [{ workspace: "x" }]],
    changes: [
      ["/forms/:id/field/new", { type: "text", label: "Q" }, "Q"],
      ["/forms/:id/archive", {}, "Restore", ...formOf({ status: "archived" })],
      ["/forms/:id/restore", {}, "Survey", ...formOf({ status: "draft" })],
    ],
    end: ["/forms/:id/archive", {}, "Restore"],
  },
  "an agent": {
    list: "/agents",
    make: ["/agents/new", { name: "Bot", workspace }],
    name: "Bot",
    id: /href="\/console\/agents\/([\w-]{36})"[^>]*>Bot/,
    hasPage: true,
    works: async (secret) => (await mint(secret)).status === 200,
    refused: [[{ name: " " }], [[`${ofAgent}/status`, { status: "x" }]]],
    changes: [
      ["/agents/:id/rename", { name: "Named" }, /Saved\. .*Named/, ...agentOf({ name: "Named" })],
      ["/agents/:id/status", disabled, /Agent disabled\..* Undo/, ...agentOf(disabled)],
      ["/agents/:id/status", { status: "active" }, "Named", ...agentOf({ status: "active" })],
      ["/agents/:id/rotate", {}, "fda_"],
    ],
    end: ["/agents/:id/revoke", {}, "Revoked"],
  },
  "a grant": {
    list: ofAgent,
    // No form is chosen for a person who has not looked.
    none: "Form Choose a form…",
    make: [`${ofAgent}/grants`, { form: form.id, scopes: ["agent:read", "agent:submit"], respondent: "" }],
    name: "Read the form, Submit",
    id: /name="grant" value="([\w-]+)"/,
    refused: [[{ form: "" }], [{ scopes: [] }], [{ respondent: "x" }, 'value="x"']],
    end: [`${ofAgent}/grants/remove`, { grant: ":id" }],
  },
  // The id belongs to the text with its own line ends.
  "a signing key": {
    list: ofAgent,
    make: [`${ofAgent}/keys`, { publicKeyPem: signingKey.pem.replaceAll("\n", "\r\n") }],
    name: signingKey.id,
    id: /name="key" value="(\w+)"/,
    refused: [[{ publicKeyPem: "<b>" }, "&lt;b>"]],
    end: [`${ofAgent}/keys/revoke`, { key: ":id" }, "Revoked"],
  },
  "an access key": {
    list: accessKeys,
    make: [accessKeys, {}],
    name: "fdf_",
    id: /name="key" value="([\w-]+)"/,
    works: async (key) => (await validate(key)).status === 200,
    refused: [[[`${accessKeys}/revoke`, { key: "x" }]]],
    end: [`${accessKeys}/revoke`, { key: ":id" }, "Revoked"],
  },
  "an API key": {
    list: "/api-keys",
    make: ["/api-keys", { name: "<i>", scopes: "forms:read" }],
    name: "<i>",
    id: /Revoke &lt;i>….*?name="key" value="([\w-]+)"/s,
    works: async (key) => (await listForms(key)).status === 200,
    refused: [[{ name: "x", scopes: "all" }, 'value="x"']],
    end: ["/api-keys/revoke", { key: ":id" }, "Revoked"],
  },
  "a webhook": {
    list: "/webhooks",
    none: "There is no webhook yet",
    make: ["/webhooks/new", { ...hook, formId: form.id, workspaceId: workspace }],
    name: url,
    id: /href="\/console\/webhooks\/([\w-]{36})"/,
    hasPage: true,
    refused: [[{ url: "ftp://example.org/" }, 'value="ftp://example.org/"'], [{ eventTypes: [] }]],
    changes: [
      ["/webhooks/:id", changedHook, "Saved.", ...webhookOf({ ...changedHook, formId: form.id })],
      ["/webhooks/:id/status", { status: "paused" }, "Undo", ...webhookOf({ status: "paused" })],
      ["/webhooks/:id/status", { status: "active" }, "Undo", ...webhookOf({ status: "active" })],
      ["/webhooks/:id/rotate", {}, "whsec_"],
      ["/webhooks/:id/test", {}, "The test event is on its way."],
      ["/webhooks/:id", hook, "Previous secret expires"],
    ],
    end: ["/webhooks/:id/delete", {}],
  },
  "a workspace": {
    list: "/workspaces",
    make: ["/workspaces/new", { name: "Events <b>" }],
    made: /Workspace Events <b> created\..*Events <b> .*Your role: Admin/,
    name: "Events <b>",
    id: /name="workspace" value="([^"]+)"[^>]*\/?>(?:(?!<form).)*value="Events/s,
    refused: [" ", "x".repeat(501)].flatMap((name): [Fields | Post][] => [
      [{ name }],
      [["/workspaces/rename", { workspace, name }]],
    ]),
    changes: [["/workspaces/rename", { workspace: ":id", name: "Meetings" }, /Saved\. .*Undo .*Meetings/]],
  },
  "a connection": {
    list: "/connections",
    none: "There is no connection yet.",
    make: ["/connections/new", connection],
    name: "corp.example, corp.test",
    id: /name="connection" value="([\w-]+)"/,
    listed:
      /leads: Admin of Main Everyone: Viewer of Main Passwords and passkeys of .* are refused Names the person/,
    hidden: "a secret of Corp",
    refused: (
      [
        [{ issuer: "http://192.0.2.1" }, "The address 192.0.2.1 is not public."],
        [{ issuer: "ftp://id.example" }, "The address must begin with https://."],
        [{ issuer: "https://a@id.example" }, "The address of the provider must not contain"],
        [{ issuer: "https://127.0.0.1:1" }, "The identity provider was not found:"],
        [{ domains: " " }, "Fill in: E-mail domains."],
        [{ domains: "a@corp.example" }, "This is not valid: E-mail domains."],
        [{ group: "" }, "Fill in: Name of the group."],
        [{ clientSecret: "" }, "Fill in: Client secret."],
        [{ scopes: 'a"b' }, "This is not valid: Further scopes."],
      ] as const
    ).map(([difference, said]) => [difference, said, 'value="Corp"']),
    changes: [
      ["/connections/change", required, /^(?!.*Names the person).*\/console\/sign-in\/:id\/callback/],
      ["/connections/change", { ...required, scopes: "groups.read  roles" }, "Asks for groups.read, roles"],
    ],
    end: ["/connections/remove", { connection: ":id" }],
  },
  "an invitation": {
    list: "/operators",
    make: ["/operators", { email: "new@example.org", workspace, role: "viewer" }],
    name: "new@example.org",
    id: /name="invitation" value="([\w-]+)"/,
    works: async (token) => (await fetch(`${app.url}/console/invitation/${token}`)).status === 200,
    changes: [
      ["/operators/publishing", { workspace }, "Saved."],
      ["/operators", { email, workspace, role: "editor" }, `Role of ${email} changed to Editor.`],
      ["/operators/remove", { email, workspace }, `${email} `],
    ],
    end: ["/operators/end-invitation", { invitation: ":id", workspace }],
  },
};

describe.each(Object.entries(nouns))("%s", (_, noun) => {
  const { list, none, make, name, works, hidden, refused = [], changes = [], end } = noun;
  const listed = () => admin.get(`/console${list}`);

  test("is refused where a part is wrong, with what was entered", async () => {
    for (const [difference, ...shown] of refused) {
      const [to, fields] = Array.isArray(difference) ? difference : [make[0], { ...make[1], ...difference }];
      const page = await admin.post(`/console${to}`, fields);
      expect([difference, page.status]).toEqual([difference, 400]);
      if (!Array.isArray(difference)) expect(page.html).toContain('role="alert"');
      for (const text of shown)
        expect([difference, page.html]).toEqual([difference, expect.stringContaining(text)]);
      if (hidden) expect(page.html).not.toContain(hidden);
    }
  });

  test("is made, listed, changed and ended; a secret is on its own page only", async () => {
    if (none) expect(textOf(await listed())).toContain(none);
    /** @returns the page that it leads to, and the secret if the page shows one */
    const post = async ([to, fields]: Post, id: string) => {
      const filled = Object.entries(fields).map(([key, value]) => [key, value === ":id" ? id : value]);
      const reply = await admin.post(`/console${to.replace(":id", id)}`, Object.fromEntries(filled));
      const secret = secretOf(reply);
      expect([to, reply.status]).toEqual([to, secret ? 200 : 303]);
      return { secret, page: secret ? reply : await admin.get(reply.headers.get("location") ?? "") };
    };
    const made = await post(make, "");
    if (noun.made) expect(textOf(made.page)).toMatch(noun.made);
    let { secret } = made;
    expect(secret !== "").toBe(works !== undefined || list === "/webhooks");
    if (works) expect(await works(secret)).toBe(true);
    const page = await listed();
    expect(textOf(page)).toContain(name);
    if (noun.listed) expect(textOf(page)).toMatch(noun.listed);
    for (const text of [secret, hidden].filter(Boolean)) expect(page.html).not.toContain(text);
    const [, id = ""] = noun.id.exec(page.html) ?? [];
    expect(id).not.toBe("");
    if (noun.hasPage) expect(made.page.html).toContain(`href="/console${list}/${id}"`);
    for (const [to, fields, says, path, shown] of changes) {
      const done = await post([to, fields], id);
      expect(textOf(done.page).replaceAll(id, ":id")).toMatch(says);
      for (const text of done.secret ? [] : [secret, hidden].filter(Boolean))
        expect(done.page.html).not.toContain(text);
      if (path) expect(await read(path.replace(":id", id))).toMatchObject(shown ?? {});
      if (!done.secret || !works) continue;
      expect([await works(secret), await works(done.secret)]).toEqual([false, true]);
      ({ secret } = done);
    }
    if (!end) return;
    const [to, fields, says] = end;
    const ended = await post([to, fields], id);
    if (says) expect(textOf(ended.page)).toMatch(says);
    else
      expect(
        textOf(await listed())
          .split("Undo")
          .at(-1),
      ).not.toContain(name);
    if (works) expect(await works(secret)).toBe(false);
  });
});

test("an agent's page shows what to paste into an MCP client, without a secret; revoked, nothing that changes it", async () => {
  const { id } = await makeAgent(app, team, form);
  const path = `/console/agents/${id}`;
  const [, shown = ""] = /<pre[^>]*><code>([^<]*)<\/code>/.exec((await admin.get(path)).html) ?? [];
  const { url: address, headers } = JSON.parse(shown.replaceAll("&quot;", '"')).mcpServers.formd;
  expect([new URL(address).pathname, headers]).toEqual(["/mcp", { "x-agent-secret": "fda_…" }]);
  await admin.post(`${path}/revoke`, {});
  const { html } = await admin.get(path);
  expect(html.slice(html.indexOf("<main"))).not.toContain('method="post"');
  const late = await admin.post(`${path}/rename`, { name: "Late" });
  expectPage(late, 409, 'role="alert"');
});

test("an operator who is not an admin of every workspace causes no request to an issuer", async () => {
  const requests: (string | undefined)[] = [];
  const idle = createServer(({ url: path }, response) => {
    requests.push(path);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(idle, "listening");
  const elsewhere = `http://127.0.0.1:${(idle.address() as AddressInfo).port}`;
  const connect = (by: Browser) => by.post("/console/connections/new", { ...connection, issuer: elsewhere });
  expect([(await connect(editor)).status, requests.length]).toEqual([403, 0]);
  expect([(await connect(admin)).status, requests.length > 0]).toEqual([400, true]);
  idle.close();
});

test("a 403 names the missing role and its workspaces: ten by name, and a note about others", async () => {
  const own = await makeTeam(app);
  for (let made = 1; made <= 10; made++) await makeWorkspace(app, own);
  const person = await browserOf(app, own, "viewer");
  const refused = async (page: string, language = "en") => {
    const shown = await person.get(`/console/${page}`, { "accept-language": language });
    expect([page, shown.status]).toEqual([page, 403]);
    return textOf(shown);
  };
  for (const noun of ["workspaces", "api-keys", "operators", "agents", "webhooks"])
    expect(await refused(`${noun}/new`)).toMatch(/You have: Viewer in [^,]+(, no role in [^,]+){10}\./);
  const all = await refused("audit");
  expect(all).toMatch(
    /needs a role in every workspace of the team\. It is missing in ("[^"]+", ){9}"[^"]+"\. You have: Viewer in /,
  );
  expect(all).not.toContain("others");
  await makeWorkspace(app, own);
  expect(await refused("audit")).toMatch(
    / It is missing in ("[^"]+", ){9}"[^"]+" and others\. .*(, no role in [^,]+){10}, no role in others\./,
  );
  expect(await refused("audit", "de")).toMatch(
    / fehlt Ihnen in („[^“]+“, ){9}„[^“]+“ und weiteren\. .*(, keine Rolle in [^,]+){10}, keine Rolle in weiteren\./,
  );
});

/** A webhook of the form. @returns its id and its page's path */
async function createWebhook(url: string) {
  const made = { url, eventTypes: ["submission.created"], formId: form.id };
  const { id } = (await call("POST", "/management/webhooks", made)).webhook;
  return { id, path: `/console/webhooks/${id}` };
}
const lastOf = async (id: string) => (await read(`/management/webhooks/${id}/deliveries`)).deliveries[0];

test("each delivery of a webhook is shown with its attempts, and sent again, alone or by a span of the reader's clock", async () => {
  const to = await receiver();
  const { path, id } = await createWebhook(to.url);
  const submission = await submit(form, {});
  /** Waits for this number of requests, and until the last delivery is recorded, before the next one. */
  const arrived = (count: number) =>
    until(async () => to.received.length === count && (await lastOf(id))?.state === "delivered");
  await arrived(1);
  expect(textOf(await admin.get(`${path}?state=delivered`))).toContain("submission.created");
  expect(textOf(await admin.get(`${path}?state=failed`))).toContain("There are no deliveries yet.");
  const delivery = `${path}/deliveries/${submission}`;
  expect(textOf(await admin.get(delivery))).toContain("Response 204");
  expectRedirect(await admin.post(`${delivery}/replay`, {}), delivery);
  await arrived(2);
  const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 16);
  for (const [timeZone, hours, received] of [
    ["UTC", 0, 3],
    ["Asia/Kathmandu", 5.75, 4],
  ] as const) {
    const [from, upTo] = [clock(hours * 3_600_000 - 60_000), clock(hours * 3_600_000 + 120_000)];
    expectRedirect(await admin.post(`${path}/replay`, { from, to: upTo, timeZone }), path);
    await arrived(received);
  }
  const { status, html } = await admin.post(`${path}/replay`, { from: "", to: "", timeZone: "Mars" });
  expect([status, html.match(/aria-invalid="true"/g)?.length]).toEqual([400, 3]);
});

test("a failing webhook has the status Failing, and the reason in words, in the reader's language", async () => {
  const { path, id } = await createWebhook((await receiver(() => [500])).url);
  const tested = await admin.post(`${path}/test`, {});
  expect(tested.headers.get("location")).toStartWith(`${path}/deliveries/`);
  const shown = async (language = "en") => textOf(await admin.get(path, { "accept-language": language }));
  await until(async () => (await lastOf(id))?.lastError);
  expect(await shown()).toMatch(/Status Failing .*The response had the status 500/);
  // An attempt of the server may come between the two, and say its own.
  const told = (error: string, words: RegExp, language?: string) =>
    until(async () => {
      await sql`update formd.webhook_deliveries set last_error = ${error} where webhook_id = ${id}`;
      return words.test(await shown(language));
    });
  const unknownName = "getaddrinfo ENOTFOUND 127.0.0.1";
  await told(unknownName, /The name 127\.0\.0\.1 is not known \(DNS\)\./);
  await told(unknownName, /Der Name 127\.0\.0\.1 ist nicht bekannt \(DNS\)\./, "de");
  await told("certificate has expired (CERT_HAS_EXPIRED)", /The certificate of 127\.0\.0\.1/);
  await told("Something new (EWHAT)", /Something new \(EWHAT\)/);
  expect(textOf(await admin.get("/console/webhooks"))).toContain("Failing");
});

test("a webhook that is disabled says why, until it is enabled", async () => {
  const { path, id } = await createWebhook((await receiver()).url);
  for (const [reason, text] of [
    ["failing", "Disabled: no delivery succeeded for 120 hours."],
    ["gone", "Disabled: the endpoint answered 410 Gone."],
  ] as const) {
    await sql`update formd.webhooks set status = 'disabled', disabled_reason = ${reason} where id = ${id}`;
    expect(textOf(await admin.get(path))).toContain(text);
    await admin.post(`${path}/status`, { status: "active" });
    expect(textOf(await admin.get(path))).not.toContain("Disabled: ");
  }
});

test("a form leads to the webhooks that receive its events, and to no other form's", async () => {
  const [own, other] = [await makeForm(app, team, []), await makeForm(app, team, [])];
  const make = async (rest: object) =>
    (await call("POST", "/management/webhooks", { ...hook, workspaceId: workspace, ...rest })).webhook.id;
  const ids = {
    own: await make({ formId: own.id }),
    all: await make({}),
    other: await make({ formId: other.id }),
  };
  const [, path = ""] =
    /href="([^"]*webhooks[^"]*formId[^"]*)"/.exec((await admin.get(`/console/forms/${own.id}/more`)).html) ??
    [];
  const { html } = await admin.get(path);
  const listed = Object.values(ids).map((id) => html.includes(`/console/webhooks/${id}`));
  expect(listed).toEqual([true, true, false]);
  expect((await editor.get(path)).status).toBe(403);
});

test("webhooks of a workspace are listed to its admins only", async () => {
  const elsewhere = await makeWorkspace(app, team);
  for (const outsider of [
    await browserOf(app, team, "editor"),
    await browserOf(app, team, "admin", elsewhere),
  ])
    expect((await outsider.get(`/console/webhooks?workspace=${team.workspace}`)).status).toBe(403);
});
