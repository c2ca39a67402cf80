// stacks: one
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as expected from "../expect.ts";
import { ask, formd, makeTeam, type Service, service, settingsFor, signIn, type Team } from "../setup.ts";

setDefaultTimeout(120_000);
const uuid = expect.stringMatching(expected.uuid);
const timestamp = expect.stringMatching(expected.timestamp);
const secret = (kind: string) => expect.stringMatching(new RegExp(`^${kind}_[\\w-]{65,}$`));
const scopes = [
  "forms:read",
  "forms:write",
  "submissions:read",
  "submissions:update",
  "submissions:delete",
  "submissions:write",
  "webhooks:manage",
  "audit:read",
];
let app: Service;
let team: Team;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
});

const form = { "content-type": "application/x-www-form-urlencoded" };
const run = (...args: string[]) => formd(args, settingsFor(app.database));
/** The one object that a command prints with --json. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, "--json");
  expect([code, stderr, stdout.trimEnd().split("\n").length]).toEqual([0, "", 1]);
  return JSON.parse(stdout);
}

test.concurrent("secret generate prints a new master key each time", async () => {
  const [first, second] = [await json("secret", "generate"), await json("secret", "generate")];
  expect(first).toEqual({ key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) });
  expect(second.key).not.toBe(first.key);
});

describe("bootstrap and operators", () => {
  test.concurrent("a first run creates all that is needed; with a known e-mail a second needs --another-team, and keeps the password", async () => {
    const first = await json("bootstrap", "--email", "Ada@Example.org", "--team", "One", "--workspace", "W");
    expect(first).toEqual({
      team: { id: uuid },
      workspace: { id: uuid },
      operator: { id: uuid, email: "ada@example.org", password: expect.stringMatching(/^.{16,}$/) },
      apiKey: { id: uuid, key: secret("fdk"), scopes },
    });
    expect(
      (
        await ask(app, "POST", "/papi/v1/management/forms", {
          headers: { "x-api-key": first.apiKey.key },
          body: { name: "A" },
        })
      ).body.data.form,
    ).toMatchObject({ teamId: first.team.id, workspaceId: first.workspace.id });
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await run("bootstrap", "--email", "ada@example.ORG", ...args);
      expect([code, stdout]).toEqual([1, ""]);
      return stderr;
    };
    expect(await refused()).toContain("--another-team");
    expect(await refused("--another-team", "--password", "another one")).toContain("operator set-password");
    const second = await json("bootstrap", "--email", "ada@example.ORG", "--another-team", "--team", "Two");
    expect(second).toEqual({
      team: { id: uuid },
      workspace: { id: uuid },
      operator: { id: first.operator.id, email: "ada@example.org" },
      apiKey: { id: uuid, key: secret("fdk"), scopes },
    });
    expect(second.team.id).not.toBe(first.team.id);
    const { teams } = await json("team", "list");
    const ofBoth = teams.filter(({ id }: { id: string }) => [first.team.id, second.team.id].includes(id));
    expect(ofBoth.map(({ name }: { name: string }) => name)).toEqual(["One", "Two"]);
    const entry = { id: first.workspace.id, teamId: first.team.id, name: "W", createdAt: timestamp };
    expect(await json("workspace", "list", "--team", first.team.id)).toEqual({ workspaces: [entry] });
    const all = (await json("workspace", "list")).workspaces.map(({ id }: { id: string }) => id);
    expect(all).toContain(first.workspace.id);
    expect(all).toContain(second.workspace.id);
    const signInTo = async (teamId: string, password: string) =>
      (await ask(app, "POST", "/console/login", { body: { email: "ada@example.org", password, teamId } }))
        .status;
    for (const { id } of [first.team, second.team]) {
      expect(await signInTo(id, first.operator.password)).toBe(200);
      expect(await signInTo(id, "another one")).toBe(401);
    }
    const roles = await app.database
      .sql`select workspace_id, role from formd.workspace_roles where operator_id = ${first.operator.id} order by created_at`;
    expect(roles.map((row) => [row.workspaceId, row.role])).toEqual([
      [first.workspace.id, "admin"],
      [second.workspace.id, "admin"],
    ]);
  });

  test.concurrent("without --json a secret is shown, once", async () => {
    const { code, stdout } = await run(
      "bootstrap",
      "--email",
      "bob@example.org",
      "--password",
      "correct horse",
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/fdk_[\w-]{65}/);
    expect(stdout).toContain("correct horse");
    const again = await run("bootstrap", "--email", "bob@example.org", "--another-team");
    expect(again.stdout).toContain("password unchanged");
    expect(again.stdout).not.toContain("correct horse");
  });

  test.concurrent("an operator does what the role says; a known e-mail is invited to another workspace", async () => {
    const other = await json("workspace", "create", "--team", team.id, "--name", "Second");
    expect(other).toEqual({ id: uuid, teamId: team.id, name: "Second" });
    for (const [role, status] of [
      ["viewer", 403],
      ["editor", 200],
    ] as const) {
      const created = await json(
        "operator",
        "create",
        "--email",
        `${role}@example.org`,
        "--workspace",
        team.workspace,
        "--role",
        role,
        "--password",
        "correct horse",
      );
      expect(created).toEqual({ id: uuid, email: `${role}@example.org`, role, link: null, expiresAt: null });
      const cookie = await signIn(app, `${role}@example.org`, "correct horse");
      const register = (workspaceId: string) =>
        ask(app, "POST", "/papi/v1/identity/agents", {
          headers: { cookie },
          body: { name: "A", workspaceId },
        });
      expect([role, (await register(team.workspace)).status]).toEqual([role, status]);
      if (role === "viewer") {
        const where = ["--email", "VIEWER@example.org", "--workspace", other.id] as const;
        const invited = await json("operator", "create", ...where, "--role", "editor");
        expect(invited).toEqual({
          id: null,
          email: "viewer@example.org",
          link: expect.stringMatching(/^http\S+\/console\/invitation\/fdi_[\w-]{65}$/),
          expiresAt: timestamp,
        });
        const { pathname } = new URL(invited.link);
        const accept = (fields: Record<string, string>) =>
          fetch(app.url + pathname, {
            method: "POST",
            redirect: "manual",
            headers: { cookie, origin: app.url, "sec-fetch-site": "same-origin", ...form },
            body: new URLSearchParams(fields).toString(),
          });
        expect((await register(other.id)).status).toBe(403);
        await accept({});
        expect((await register(other.id)).status).toBe(200);
        expect((await register(team.workspace)).status).toBe(403);
      }
    }
  });

  test.concurrent("a password comes from a file, whose first line it is; a weak one is refused", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "formd-")), "password");
    writeFileSync(file, "correct horse 2\nnot this\n");
    const options = ["--email", "filed@example.org", "--workspace", team.workspace, "--role", "viewer"];
    await json("operator", "create", ...options, "--password-file", file);
    expect(await signIn(app, "filed@example.org", "correct horse 2")).toContain("formd_session=");
    writeFileSync(file, "password1\n");
    const weak = await run(
      "operator",
      "set-password",
      "--email",
      "filed@example.org",
      "--password-file",
      file,
    );
    expect([weak.code, weak.stderr]).toEqual([1, expect.stringContaining("most common")]);
    const { link } = await json("operator", "reset-link", "--email", "Filed@example.org");
    expect((await fetch(app.url + new URL(link).pathname)).status).toBe(200);
  });
});

describe("operators that are known", () => {
  const identity = async (cookie: string) =>
    (await ask(app, "GET", "/papi/v1/identity/agents", { headers: { cookie } })).status;
  const roleOf = (email: string, workspace: string) =>
    ["operator", "create", "--email", email, "--workspace", workspace, "--role", "editor"] as const;
  const create = (email: string, workspace: string) =>
    json(...roleOf(email, workspace), "--password", "correct horse");

  test.concurrent("get no other password with a role: one that is given is refused, and no role is added", async () => {
    const other = await json("workspace", "create", "--team", team.id, "--name", "Fourth");
    const made = await create("known@example.org", team.workspace);
    expect(made).toMatchObject({ id: uuid, role: "editor" });
    const { code, stderr } = await run(...roleOf("Known@example.org", other.id), "--password", "other horse");
    expect([code, stderr]).toEqual([1, expect.stringContaining("operator set-password")]);
    const { operators } = await json("operator", "list", "--team", team.id);
    const known = operators.find(({ email }: { email: string }) => email === "known@example.org");
    expect(known.roles).toHaveLength(1);
  });

  test.concurrent("are listed with their roles, of one team or of all", async () => {
    const own = await makeTeam(app);
    const { id } = await create("listed@example.org", own.workspace);
    const entry = {
      id,
      email: "listed@example.org",
      roles: [{ teamId: own.id, workspaceId: own.workspace, role: "editor" }],
    };
    const { operators } = await json("operator", "list", "--team", own.id);
    expect(operators).toEqual([expect.objectContaining({ id: own.operator.id }), entry]);
    expect((await json("operator", "list")).operators).toContainEqual(entry);
  });

  test.concurrent("get another password: the previous one and every session end", async () => {
    const { id } = await create("changed@example.org", team.workspace);
    const cookie = await signIn(app, "changed@example.org", "correct horse");
    expect(await identity(cookie)).toBe(200);
    const set = await json("operator", "set-password", "--email", "Changed@example.org");
    expect(set).toEqual({ id, password: expect.stringMatching(/^.{16,}$/) });
    expect(await identity(cookie)).toBe(401);
    expect(await signIn(app, "changed@example.org", "correct horse")).toBe("");
    expect(await identity(await signIn(app, "changed@example.org", set.password))).toBe(200);
  });

  test.concurrent("are removed from a workspace, or altogether: every session ends", async () => {
    const other = await json("workspace", "create", "--team", team.id, "--name", "Third");
    const { id } = await create("leaver@example.org", team.workspace);
    await app.database.sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      values (${team.id}, ${other.id}, ${id}, 'editor', now())`;
    const first = await signIn(app, "leaver@example.org", "correct horse");
    expect(
      await json("operator", "remove", "--email", "leaver@example.org", "--workspace", team.workspace),
    ).toEqual({ id });
    expect(await identity(first)).toBe(401);
    const second = await signIn(app, "leaver@example.org", "correct horse");
    expect(await identity(second)).toBe(200);
    expect(await json("operator", "remove", "--email", "leaver@example.org")).toEqual({ id });
    expect(await identity(second)).toBe(401);
    expect(await signIn(app, "leaver@example.org", "correct horse")).toBe("");
  });
});

describe("keys", () => {
  const forms = (key: string, method = "GET") =>
    ask(app, method, "/papi/v1/management/forms", {
      headers: { "x-api-key": key },
      ...(method === "POST" && { body: { name: "A" } }),
    });

  test.concurrent("an API key has the scopes it was created with, is listed without its secret, and is rejected from the first call after its revocation", async () => {
    const created = await json(
      "api-key",
      "create",
      "--team",
      team.id,
      "--scopes",
      "forms:read, submissions:read,forms:read",
      "--name",
      "reader",
    );
    expect(created).toEqual({ id: uuid, key: secret("fdk"), scopes: ["forms:read", "submissions:read"] });
    expect([(await forms(created.key)).status, (await forms(created.key, "POST")).body.code]).toEqual([
      200,
      "missing_scope",
    ]);
    const { apiKeys } = await json("api-key", "list", "--team", team.id);
    // Noted within a second of its use.
    const { lastUsedAt, ...listed } = apiKeys[0];
    expect(lastUsedAt ?? created.id).toBeString();
    expect(listed).toEqual({
      id: created.id,
      name: "reader",
      prefix: created.key.slice(0, 32),
      scopes: created.scopes,
      createdAt: timestamp,
      expiresAt: null,
      revokedAt: null,
    });
    expect(apiKeys.map(({ id }: { id: string }) => id)).toEqual([created.id, team.keyId]);
    expect(await json("api-key", "revoke", created.id)).toEqual({ id: created.id, revoked: true });
    expect([(await forms(created.key)).status, (await forms(team.key)).status]).toEqual([401, 200]);
  });

  test.concurrent("an access key is valid at once, beside others, and is rejected from the first call after its revocation", async () => {
    const { id: form } = (await forms(team.key, "POST")).body.data.form;
    await json("form", "publish", form);
    const [first, second] = [
      await json("access-key", "create", form),
      await json("access-key", "create", form.toUpperCase()),
    ];
    expect(first).toEqual({ id: uuid, key: secret("fdf"), formId: form });
    const submit = async (key: string) =>
      (
        await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
          headers: { "x-form-access-key": key, "x-api-key": team.key },
          body: { data: {} },
        })
      ).status;
    expect([await submit(first.key), await submit(second.key)]).toEqual([200, 200]);
    expect(await json("access-key", "revoke", first.id)).toEqual({ id: first.id, revoked: true });
    expect([await submit(first.key), await submit(second.key)]).toEqual([401, 200]);
    const { accessKeys } = await json("access-key", "list", form);
    const never = { createdAt: timestamp, expiresAt: null };
    expect(accessKeys).toMatchObject([
      { ...never, id: second.id, prefix: second.key.slice(0, 53), revokedAt: null },
      { ...never, id: first.id, prefix: first.key.slice(0, 53), revokedAt: timestamp },
    ]);
  });

  test.concurrent("a key may end at a time, or with a day; the list says which have", async () => {
    const { id: form } = (await forms(team.key, "POST")).body.data.form;
    const ofTeam = ["--team", (await makeTeam(app)).id, "--scopes", "forms:read"];
    const time = "2999-01-31T10:00:00.500Z";
    const [apiKey, accessKey] = [
      await json("api-key", "create", ...ofTeam, "--expires-at", "2999-01-31"),
      await json("access-key", "create", form, "--expires-at", "2999-01-31T11:00:00.500+01:00"),
    ];
    expect([apiKey.expiresAt, accessKey.expiresAt]).toEqual(["2999-02-01T00:00:00.000Z", time]);
    const { accessKeys } = await json("access-key", "list", form);
    expect(accessKeys[0]).toMatchObject({ id: accessKey.id, expiresAt: time });
    await app.database.sql`
      update formd.api_keys set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
      where id = ${apiKey.id}`;
    const { stdout } = await formd(["api-key", "list", ...ofTeam.slice(0, 2)], settingsFor(app.database));
    expect(stdout).toMatch(new RegExp(`${apiKey.id} .* expired  never used  ends 20.*forms:read`));
    for (const at of ["2999-02-30", "tomorrow", "9999-12-31", ""])
      expect(await formd(["access-key", "create", form, "--expires-at", at])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("It must be a day such as"),
      });
    expect(
      await formd(["access-key", "create", form, "--expires-at", "2020-01-01"], settingsFor(app.database)),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining("expiresAt must be in the future.") });
  });
});

describe("form", () => {
  const make = async (fields: object[]): Promise<string> =>
    (
      await ask(app, "POST", "/papi/v1/management/forms", {
        headers: { "x-api-key": team.key },
        body: { name: "A", schema: { fields } },
      })
    ).body.data.form.id;
  const state = (id: string, status: string, currentVersion: number) => ({
    form: { id, status, currentVersion },
  });

  test.concurrent("publish rejects invalid definitions, names each field and the reason, and changes nothing", async () => {
    const id = await make([
      { id: "age", type: "integer", label: "Age", validation: { minimum: "low" } },
      { id: "code", type: "text", label: "Code", validation: { pattern: "(?=x)y" } },
      { id: "pick", type: "select", label: "Pick", options: [] },
      { id: "kind", type: "multiselect", label: "Kind" },
      { id: "size", type: "number", label: "Size", validation: { min: 3 } },
      { id: "fine", type: "text", label: "Fine", validation: { "x-mine": 1 } },
      { id: "own", type: "x-map", label: "Own" },
    ]);
    const { code, stdout, stderr } = await run("form", "publish", id, "--json");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^formd: [^\n]+\n$/);
    for (const fault of ["age.minimum", "code.pattern", "pick.options"]) expect(stderr).toContain(fault);
    expect(stderr).toContain(
      'kind.type: "type" of the field is "multiselect", which is unknown: is "multi_select" meant?',
    );
    expect(stderr).toContain(
      'size.min: "min" of the field is not a rule of the type "number": is "minimum" meant?',
    );
    expect(stderr).not.toContain("fine");
    const { form } = (
      await ask(app, "GET", `/papi/v1/management/forms/${id}`, { headers: { "x-api-key": team.key } })
    ).body.data;
    expect([form.status, form.currentVersion]).toEqual(["draft", 0]);
  });

  test.concurrent("test runs the examples of the draft, and fails with what differs", async () => {
    const id = await make([{ id: "name", type: "text", label: "Name", required: true }]);
    const examples = [
      { name: "named", data: { name: "Ada" }, expect: { valid: true } },
      { name: "blank", data: { name: " " }, expect: { valid: true } },
    ];
    const operations = [{ op: "setMeta", settings: { examples } }];
    const headers = { "x-api-key": team.key };
    await ask(app, "PATCH", `/papi/v1/management/forms/${id}`, { headers, body: { operations } });
    const message = "valid is false, and true is expected.";
    expect(await run("form", "test", id)).toEqual({
      code: 1,
      stdout: `In the example "blank", ${message}\n1 passed, 1 failed\n`,
      stderr: "formd: the draft does not do what 1 of its 2 examples say.\n",
    });
    const { code: failed, stdout: line } = await run("form", "test", id, "--json");
    expect([failed, JSON.parse(line)]).toEqual([
      1,
      { passed: 1, failed: 1, differences: [{ name: "blank", message }] },
    ]);
  });

  test.concurrent("publish increases the version, archive prevents publishing, restore returns the previous status", async () => {
    const id = await make([]);
    expect(await json("form", "archive", id)).toEqual(state(id, "archived", 0));
    expect(await json("form", "restore", id)).toEqual(state(id, "draft", 0));
    for (const version of [1, 2])
      expect(await json("form", "publish", id)).toEqual(state(id, "published", version));
    expect(await json("form", "archive", id)).toEqual(state(id, "archived", 2));
    expect(await run("form", "publish", id)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^formd: .*archived.*\n$/),
    });
    expect(await json("form", "restore", id)).toEqual(state(id, "published", 2));
    for (const act of [["close"], ["open"], ["publish", "--settings"]])
      expect(await json("form", act[0] as string, id, ...act.slice(1))).toEqual(state(id, "published", 2));
  });
});
