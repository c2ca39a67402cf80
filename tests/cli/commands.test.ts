// stacks: one
import { describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as expected from "../expect.ts";
import { ask, formd, makeTeam, service, settingsFor, signIn } from "../setup.ts";

const uuid = expect.stringMatching(expected.uuid);
const timestamp = expect.stringMatching(expected.timestamp);
const secret = (kind: string) => expect.stringMatching(new RegExp(`^${kind}_[\\w-]{65,}$`));
const scopes = [
  ...["forms:read", "forms:write", "submissions:read", "submissions:update", "submissions:delete"],
  ...["submissions:write", "webhooks:manage", "audit:read", "invitations:manage"],
];
const app = await service();
const team = await makeTeam(app);

const run = (...args: string[]) => formd(args, settingsFor(app.database));
/** The one object that a command prints with --json. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, "--json");
  expect([code, stderr, stdout.trimEnd().split("\n").length]).toEqual([0, "", 1]);
  return JSON.parse(stdout);
}

/** The forms that a key sees, or one more. */
const forms = (key: string, method = "GET") =>
  ask(app, method, "/papi/v1/management/forms", {
    headers: { "x-api-key": key },
    ...(method === "POST" && { body: { name: "A" } }),
  });

test.concurrent("secret generate prints a new master key each time", async () => {
  const [first, second] = [await json("secret", "generate"), await json("secret", "generate")];
  expect(first).toEqual({ key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) });
  expect(second.key).not.toBe(first.key);
});

describe("bootstrap", () => {
  test.concurrent("a first run creates all that is needed; with a known e-mail a second needs --another-team, and keeps the password", async () => {
    const first = await json("bootstrap", "--email", "Ada@Example.org", "--team", "One", "--workspace", "W");
    expect(first).toEqual({
      team: { id: uuid },
      workspace: { id: uuid },
      operator: { id: uuid, email: "ada@example.org", password: expect.stringMatching(/^.{16,}$/) },
      apiKey: { id: uuid, key: secret("fdk"), scopes },
    });
    const made = await forms(first.apiKey.key, "POST");
    expect(made.body.data.form).toMatchObject({ teamId: first.team.id, workspaceId: first.workspace.id });
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
      entries: { passkeys: [], sessions: 0, passwordSetAt: timestamp },
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
    const bob = ["bootstrap", "--email", "bob@example.org"];
    const { code, stdout } = await run(...bob, "--password", "correct horse");
    expect(code).toBe(0);
    expect(stdout).toMatch(/fdk_[\w-]{65}/);
    expect(stdout).toContain("correct horse");
    const again = await run(...bob, "--another-team");
    expect(again.stdout).toContain("password unchanged");
    expect(again.stdout).toMatch(
      /This account can be entered by the password chosen at .*; passkeys: none; sessions: 0/,
    );
    expect(again.stdout).not.toContain("correct horse");
  });
});

describe("operators", () => {
  const identity = async (cookie: string) =>
    (await ask(app, "GET", "/papi/v1/identity/agents", { headers: { cookie } })).status;
  const roleIn = (workspace: string, email: string) =>
    ["operator", "create", "--email", email, "--workspace", workspace, "--role", "editor"] as const;
  const create = (email: string, workspace = team.workspace) =>
    json(...roleIn(workspace, email), "--password", "correct horse");
  const entryOf = async (email: string, ...of: string[]) =>
    (await json("operator", "list", ...of)).operators.find((each: { email: string }) => each.email === email);

  test.concurrent("are made with a role, and listed with their roles, of one team or of all", async () => {
    const [own, email] = [await makeTeam(app), "listed@example.org"];
    const made = await create("Listed@example.org", own.workspace);
    expect(made).toEqual({ id: uuid, email, role: "editor", link: null, expiresAt: null });
    expect(await identity(await signIn(app, email, "correct horse"))).toBe(200);
    const roles = [{ teamId: own.id, workspaceId: own.workspace, role: "editor" }];
    expect(await entryOf(email, "--team", own.id)).toEqual({ id: made.id, email, roles });
    expect(await entryOf(email)).toEqual({ id: made.id, email, roles });
    expect(await entryOf(email, "--team", team.id)).toBeUndefined();
    const viewer = ["--email", "looks@example.org", "--workspace", own.workspace, "--role", "viewer"];
    await json("operator", "create", ...viewer, "--password", "correct horse");
    expect((await entryOf("looks@example.org")).roles).toMatchObject([{ role: "viewer" }]);
  });

  test.concurrent("that are known are invited to another workspace, and get no other password with a role", async () => {
    const other = await json("workspace", "create", "--team", team.id, "--name", "Second");
    expect(other).toEqual({ id: uuid, teamId: team.id, name: "Second" });
    const email = "known@example.org";
    await create(email);
    const refused = await run(...roleIn(other.id, "Known@example.org"), "--password", "other horse");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("operator set-password")]);
    const viewer = ["--email", "Known@example.org", "--workspace", other.id, "--role", "viewer"];
    const invited = await json("operator", "create", ...viewer);
    const link = expect.stringMatching(/^http\S+\/console\/invitation\/fdi_[\w-]{65}$/);
    const entries = { passkeys: [], sessions: 0, passwordSetAt: timestamp };
    expect(invited).toEqual({ id: null, email, role: "viewer", link, expiresAt: timestamp, entries });
    expect((await fetch(app.url + new URL(invited.link).pathname)).status).toBe(200);
    const [invitation] = await app.database
      .sql`select role from formd.operator_invitations where email = ${email}`;
    expect([invitation?.role, (await entryOf(email)).roles.length]).toEqual(["viewer", 1]);
    const { id } = await entryOf(email);
    const changed = await json(...roleIn(team.workspace, email).slice(0, -1), "viewer");
    expect(changed).toMatchObject({ id, email, role: "viewer", link: null, expiresAt: null });
  });

  test.concurrent("get a password from a file, whose first line it is, from a link, or a generated one", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "formd-")), "password");
    const email = ["--email", "Filed@example.org"];
    writeFileSync(file, "correct horse 2\nnot this\n");
    const { id } = await json(...roleIn(team.workspace, "filed@example.org"), "--password-file", file);
    const cookie = await signIn(app, "filed@example.org", "correct horse 2");
    expect(await identity(cookie)).toBe(200);
    writeFileSync(file, "password1\n");
    const weak = await run("operator", "set-password", ...email, "--password-file", file);
    expect([weak.code, weak.stderr]).toEqual([1, expect.stringContaining("most common")]);
    const { link } = await json("operator", "reset-link", ...email);
    expect((await fetch(app.url + new URL(link).pathname)).status).toBe(200);
    const set = await json("operator", "set-password", ...email);
    const ended = { passkeysRemoved: [], sessionsEnded: 1 };
    expect(set).toEqual({ id, ...ended, password: expect.stringMatching(/^.{16,}$/) });
    expect(await identity(cookie)).toBe(401);
    expect(await signIn(app, "filed@example.org", "correct horse 2")).toBe("");
    expect(await identity(await signIn(app, "filed@example.org", set.password))).toBe(200);
  });

  test.concurrent("are removed from a workspace, or altogether: every session ends", async () => {
    const other = await json("workspace", "create", "--team", team.id, "--name", "Third");
    const email = "leaver@example.org";
    const { id } = await create(email);
    await app.database.sql`
      insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
      values (${team.id}, ${other.id}, ${id}, 'editor', now())`;
    const remove = ["operator", "remove", "--email", email];
    const before = await signIn(app, email, "correct horse");
    expect(await json(...remove, "--workspace", team.workspace)).toEqual({ id, invitationsEnded: 0 });
    expect(await identity(before)).toBe(401);
    expect((await entryOf(email)).roles).toEqual([
      { teamId: team.id, workspaceId: other.id, role: "editor" },
    ]);
    const cookie = await signIn(app, email, "correct horse");
    expect(await identity(cookie)).toBe(200);
    expect(await json(...remove)).toEqual({ id, invitationsEnded: 0 });
    expect([await identity(cookie), await entryOf(email)]).toEqual([401, undefined]);
  });

  test.concurrent("that are only invited are listed until the invitation ends, in one workspace or in all", async () => {
    const own = await makeTeam(app);
    const other = await json("workspace", "create", "--team", own.id, "--name", "Fourth");
    const email = "invited@example.org";
    const open = async (...of: string[]) =>
      (await json("operator", "list", ...of)).invitations.filter(
        (each: { email: string }) => each.email === email,
      );
    const links: string[] = [];
    const stays = { email: "stays@example.org", workspaceId: own.workspace };
    await json(...roleIn(own.workspace, stays.email));
    for (const workspace of [own.workspace, other.id])
      links.push((await json(...roleIn(workspace, "Invited@example.org"))).link);
    const [first] = await open("--team", own.id);
    const invitation = { id: uuid, email, role: "editor", teamId: own.id, expiresAt: timestamp };
    expect(first).toEqual({ ...invitation, workspaceId: own.workspace });
    expect([(await open()).length, (await open("--team", team.id)).length]).toEqual([2, 0]);
    const { stdout } = await run("operator", "list", "--team", own.id);
    expect(stdout).toContain(`${first.id}  ${email}  invited as editor in ${own.workspace} until `);
    const remove = ["operator", "remove", "--email", "Invited@example.org"];
    expect(await json(...remove, "--workspace", other.id)).toEqual({ id: null, invitationsEnded: 1 });
    expect(await open()).toEqual([first]);
    expect(await json(...remove)).toEqual({ id: null, invitationsEnded: 1 });
    for (const link of links) expect((await fetch(app.url + new URL(link).pathname)).status).toBe(404);
    expect((await run(...remove)).stderr).toContain("There is no operator with this e-mail.");
    expect((await json("operator", "list", "--team", own.id)).invitations).toMatchObject([stays]);
    const events = await app.database.sql`
      select actor_type from formd.audit_events where team_id = ${own.id} and kind = 'operator.invitation_ended'`;
    expect(events.map(({ actorType }) => actorType)).toEqual(["cli", "cli"]);
    // An account that has an invitation elsewhere loses both.
    await create("both@example.org", own.workspace);
    await json(...roleIn(other.id, "both@example.org"));
    const both = await json("operator", "remove", "--email", "both@example.org");
    expect(both).toEqual({ id: uuid, invitationsEnded: 1 });
  });
});

describe("keys", () => {
  const makeForm = async () => (await forms(team.key, "POST")).body.data.form.id as string;

  test.concurrent("an API key has its scopes once each, is listed without its secret, and is revoked", async () => {
    const { id: ofTeam } = await makeTeam(app);
    const create = ["api-key", "create", "--team", ofTeam, "--name", "reader"];
    const created = await json(...create, "--scopes", "forms:read, submissions:read,forms:read");
    const { id, key } = created;
    expect(created).toEqual({ id: uuid, key: secret("fdk"), scopes: ["forms:read", "submissions:read"] });
    expect([(await forms(key)).status, (await forms(key, "POST")).body.code]).toEqual([200, "missing_scope"]);
    expect(await json("api-key", "revoke", id)).toEqual({ id, revoked: true });
    expect((await forms(key)).status).toBe(401);
    const { apiKeys } = await json("api-key", "list", "--team", ofTeam);
    // Noted within a second of its use.
    const { lastUsedAt, ...listed } = apiKeys[0];
    expect(lastUsedAt ?? id).toBeString();
    const times = { createdAt: timestamp, expiresAt: null, revokedAt: timestamp };
    expect(listed).toEqual({
      id,
      name: "reader",
      prefix: key.slice(0, 32),
      scopes: created.scopes,
      ...times,
    });
    expect(apiKeys).toHaveLength(2);
  });

  test.concurrent("an access key is of a form, beside others, and is revoked", async () => {
    const form = await makeForm();
    await json("form", "publish", form);
    const [first, second] = [
      await json("access-key", "create", form),
      await json("access-key", "create", form.toUpperCase()),
    ];
    expect(first).toEqual({ id: uuid, key: secret("fdf"), formId: form });
    expect(await json("access-key", "revoke", first.id)).toEqual({ id: first.id, revoked: true });
    const { accessKeys } = await json("access-key", "list", form);
    const never = { createdAt: timestamp, expiresAt: null };
    expect(accessKeys).toMatchObject([
      { ...never, id: second.id, prefix: second.key.slice(0, 53), revokedAt: null },
      { ...never, id: first.id, prefix: first.key.slice(0, 53), revokedAt: timestamp },
    ]);
    const statusOf = async ({ key }: { key: string }) => {
      const headers = { "x-form-access-key": key, "x-api-key": team.key };
      const path = "/papi/v1/submitter/form/submissions";
      return (await ask(app, "POST", path, { headers, body: { data: {} } })).status;
    };
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });

  test.concurrent("a key may end at a time, or with a day; the list says which have", async () => {
    const form = await makeForm();
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
    const { stdout } = await run("api-key", "list", ...ofTeam.slice(0, 2));
    expect(stdout).toMatch(new RegExp(`${apiKey.id} .* expired  never used  ends 20.*forms:read`));
    for (const at of ["2999-02-30", "tomorrow", "9999-12-31", ""])
      expect(await run("access-key", "create", form, "--expires-at", at)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("It must be a day such as"),
      });
    expect(await run("access-key", "create", form, "--expires-at", "2020-01-01")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("expiresAt must be in the future."),
    });
  });
});

describe("form", () => {
  const headers = () => ({ "x-api-key": team.key });
  const make = async (fields: object[]): Promise<string> => {
    const body = { name: "A", schema: { fields } };
    return (await ask(app, "POST", "/papi/v1/management/forms", { headers: headers(), body })).body.data.form
      .id;
  };

  test.concurrent("publish rejects invalid definitions, names each field and the reason, and changes nothing", async () => {
    const id = await make([
      { id: "age", type: "integer", label: "Age", validation: { minimum: "low" } },
      { id: "kind", type: "multiselect", label: "Kind" },
      { id: "fine", type: "text", label: "Fine", validation: { "x-mine": 1 } },
    ]);
    const { code, stdout, stderr } = await run("form", "publish", id, "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        problems: [
          { path: "schema.fields[0].validation.minimum", field: "age", message: expect.any(String) },
          {
            path: "schema.fields[1].type",
            field: "kind",
            message: expect.any(String),
            nearest: "multi_select",
          },
        ],
      },
    ]);
    expect(stderr).toMatch(
      /^formd: The form cannot be published:\nage\.minimum: [^\n]*\nkind\.type: [^\n]* is "multi_select" meant\?\n$/,
    );
    expect(stderr).not.toContain("fine");
    const tested = await run("form", "test", id, "--json");
    expect([tested.code, JSON.parse(tested.stdout)]).toEqual([
      1,
      { passed: 0, failed: 0, differences: [], ...JSON.parse(stdout) },
    ]);
    expect(tested.stderr).toBe(stderr);
    const path = `/papi/v1/management/forms/${id}`;
    const { status, currentVersion } = (await ask(app, "GET", path, { headers: headers() })).body.data.form;
    expect([status, currentVersion]).toEqual(["draft", 0]);
  });

  test.concurrent("test runs the examples of the draft, and fails with what differs", async () => {
    const id = await make([{ id: "name", type: "text", label: "Name", required: true }]);
    const examples = [
      { name: "named", data: { name: "Ada" }, expect: { valid: true } },
      { name: "blank", data: { name: " " }, expect: { valid: true } },
    ];
    const operations = [{ op: "setMeta", settings: { examples } }];
    await ask(app, "PATCH", `/papi/v1/management/forms/${id}`, { headers: headers(), body: { operations } });
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

  test.concurrent("names without an effect are printed; publishing takes those of another program", async () => {
    const id = await make([{ id: "n", type: "number", label: "N", maxLength: 3 }]);
    const operations = [{ op: "setMeta", settings: { theirs: 1 } }];
    await ask(app, "PATCH", `/papi/v1/management/forms/${id}`, { headers: headers(), body: { operations } });
    for (const act of ["test", "publish"]) {
      const { code, stdout, stderr } = await run("form", act, id, "--json");
      expect([code, JSON.parse(stdout).warnings]).toEqual([
        0,
        [
          expect.objectContaining({ path: "schema.fields[0].maxLength", field: "n" }),
          {
            path: "settings.theirs",
            message: expect.stringContaining("is unknown: the known ones are captcha,"),
          },
        ],
      ]);
      expect(stderr).toMatch(/^schema\.fields\[0\]\.maxLength: .*\nsettings\.theirs: .*\n$/);
    }
  });

  test.concurrent("each act prints the form's status and version; publish rejects an archived one", async () => {
    const id = await make([]);
    for (const [act, status, version] of [
      ["archive", "archived", 0],
      ["restore", "draft", 0],
      ["publish", "published", 1],
      ["publish", "published", 2],
      ["archive", "archived", 2],
      ["restore", "published", 2],
      ["close", "published", 2],
      ["open", "published", 2],
      ["publish --settings", "published", 2],
    ] as const) {
      const [name = "", ...more] = act.split(" ");
      const form = { id, status, currentVersion: version };
      expect([act, await json("form", name, id, ...more)]).toEqual([act, { form }]);
    }
    await json("form", "archive", id);
    expect(await run("form", "publish", id)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^formd: .*archived.*\n$/),
    });
  });
});
