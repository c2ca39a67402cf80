// stacks: one deno gate
/** Sign-in by OpenID Connect: oidc-provider as identity provider, roles by group, and what is refused. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportSPKI, SignJWT } from "jose";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../../src/limits.ts";
import { sha256 } from "../../../src/platform/auth/secret.ts";
import { until } from "../../expect.ts";
import {
  clientOf,
  type Forged,
  forgedProvider,
  type Handler,
  identityProvider,
  listen,
  signedBy,
  type Urls,
} from "../../identity-provider.ts";
import {
  addOperator,
  formd,
  formdHere,
  freePort,
  freshIp,
  makeTeam,
  makeWorkspace,
  masterKey,
  server,
  service,
  settingsFor,
  type Team,
  temporaryFolder,
} from "../../setup.ts";
import { Browser, textOf } from "../console/browser.ts";
import { local } from "../webhooks/receiver.ts";

const perMinute = 30;
const secretFile = join(temporaryFolder(), "client-secret");
writeFileSync(secretFile, `${clientOf.clientSecret}\n`);
const app = await service({ ...local, RATE_LIMIT_PAPI_AUTH_PER_MINUTE: String(perMinute) });
/** The server's BASE_URL. */
const base = app.url.replace("127.0.0.1", "localhost");
const provider = await identityProvider();

interface Connection extends Urls {
  id: string;
}

const settings = { ...settingsFor(app.database), ...local, BASE_URL: base, FORMD_SECRET_KEY: masterKey };
const run = (...args: string[]) => formdHere(["sign-in-connection", ...args, "--json"], settings);

interface Options {
  issuer: string;
  team?: Team;
  roles?: string[];
  options?: string[];
}
/** The arguments that make a connection. */
const creating = ({ issuer, team, roles = [], options = [] }: Options) => [
  ...["create", ...(team ? ["--team", team.id] : ["--installation"]), "--name", "Corp", "--issuer", issuer],
  ...["--client-id", clientOf.clientId, "--client-secret-file", secretFile, "--domains", "corp.example"],
  ...roles.flatMap((role) => ["--role", role]),
  ...options,
];
async function connect(made: Options): Promise<Connection> {
  const { code, stdout, stderr } = await run(...creating(made));
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** A team whose connection gives roles by group. */
async function connected(options: string[] = [], by = provider) {
  const team = await makeTeam(app);
  const other = await makeWorkspace(app, team);
  const roles = [`staff=${team.workspace}:viewer`, `leads=${team.workspace}:admin`, `staff=${other}:editor`];
  const connection = await connect({ issuer: by.issuer, team, roles, options });
  await by.configure([connection]);
  return { team, other, connection };
}

/** A browser between formd and an identity provider, with the cookies of both. */
class Visitor {
  readonly cookies = new Map<string, string>();

  /** @param body of a form that a page of the server sends */
  async get(
    url: string,
    body?: URLSearchParams,
  ): Promise<{ status: number; location: string; html: string; cookies: string[] }> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: {
        accept: "text/html",
        "x-forwarded-for": freshIp(),
        "sec-fetch-site": body ? "same-origin" : "cross-site",
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
      ...(body && { method: "POST", body }),
    });
    const set = response.headers.getSetCookie();
    for (const cookie of set) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "" || /expires=Thu, 01 Jan 1970/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = response.headers.get("location") ?? "";
    return {
      status: response.status,
      location: location && new URL(location, url).href,
      html: await response.text(),
      cookies: set,
    };
  }

  /** From the page of a connection to where the identity provider sends the browser back. */
  async begin({ id }: Pick<Connection, "id">, query = "", at = app.url): Promise<string> {
    let shown = await this.get(`${at}/console/sign-in/${id}${query}`);
    while (shown.location && !shown.location.startsWith(base)) shown = await this.get(shown.location);
    if (!shown.location) throw new Error(`${shown.status}: ${textOf(shown as never).slice(-500)}`);
    return shown.location;
  }

  async signIn(connection: Pick<Connection, "id">, query = "") {
    return await this.finish(connection, await this.begin(connection, query));
  }

  /** Comes back from the provider, and clicks on the page that names the account. @returns that page */
  async finish(connection: Pick<Connection, "id">, back: string) {
    const page = await this.get(back);
    return page.status === 200 ? { ...page, next: await this.accept(connection) } : page;
  }

  accept = ({ id }: Pick<Connection, "id">, fields: Record<string, string> = {}) =>
    this.get(`${app.url}/console/sign-in/${id}/continue`, new URLSearchParams(fields));

  /** The console of the person who has signed in. */
  get browser() {
    return new Browser(app, `formd_session=${this.cookies.get("formd_session") ?? ""}`);
  }
}

const isSignedIn = async (visitor: Visitor) => (await visitor.browser.get("/console")).status === 200;

/** Makes an account at the provider, and is that person from now on. */
function become(
  subject: string,
  groups: string[],
  email = `${subject}@corp.example`,
  isVerified = true,
  by = provider,
) {
  by.accounts.set(subject, { email, email_verified: isVerified, groups });
  by.person = subject;
  return subject;
}

const rolesOf = async (team: Team, email: string): Promise<{ workspaceId: string; role: string }[]> => [
  ...(await app.database.sql<{ workspaceId: string; role: string }[]>`
    select r.workspace_id, r.role from formd.workspace_roles r join formd.operators o on o.id = r.operator_id
    where r.team_id = ${team.id} and o.email = ${email} and o.connection_id is not null order by r.workspace_id`),
];

const events = async (team: Team) =>
  (
    await app.database.sql<{ kind: string }[]>`
      select kind from formd.audit_events where team_id = ${team.id} and kind !~ '^(team|workspace|api_key)' order by id`
  ).map(({ kind }) => kind);

const failedText = "Sign-in failed.";

test("a person whom the provider vouches for gets an account with the highest role of the groups per workspace", async () => {
  const { team, other, connection } = await connected();
  const person = become(uuidv7(), ["staff", "leads"]);
  const visitor = new Visitor();
  const begun = await visitor.get(`${app.url}/console/sign-in/${connection.id}`);
  expect(begun.status).toBe(303);
  const asked = new URL(begun.location).searchParams;
  expect(asked.get("code_challenge_method")).toBe("S256");
  for (const name of ["state", "nonce", "code_challenge"])
    expect((asked.get(name) ?? "").length).toBeGreaterThanOrEqual(43);
  expect(begun.cookies.join()).toMatch(
    /^formd_sign_in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const shown = await visitor.get(await visitor.begin(connection, "?next=/console/agents"));
  expect(textOf(shown as never)).toContain(`Corp has identified you as ${person}@corp.example.`);
  expect([shown.status, visitor.cookies.has("formd_session")]).toEqual([200, false]);
  const { location, cookies } = await visitor.accept(connection);
  expect(location).toBe(`${app.url}/console/agents`);
  expect(cookies[0]).toMatch(/^formd_session=fdo_[\w-]+; .*SameSite=Strict$/);
  // The state is used up.
  expect((await visitor.accept(connection)).status).toBe(401);
  expect(await isSignedIn(visitor)).toBe(true);
  const expected = [
    { workspaceId: team.workspace, role: "admin" },
    { workspaceId: other, role: "editor" },
  ];
  expect(await rolesOf(team, `${person}@corp.example`)).toEqual(
    expected.sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1)),
  );
  expect((await events(team)).slice(-4)).toEqual([
    "sign_in_connection.created",
    "operator.added",
    "operator.added",
    "session.operator_started",
  ]);
});

test("each sign-in gives the roles of the groups now; without one a sign-in is refused", async () => {
  const { team, connection } = await connected();
  const person = become(uuidv7(), ["staff", "leads"]);
  const email = `${person}@corp.example`;
  const first = new Visitor();
  await first.signIn(connection);
  become(person, ["staff"]);
  await new Visitor().signIn(connection);
  expect((await rolesOf(team, email)).map(({ role }) => role).sort()).toEqual(["editor", "viewer"]);
  expect(await isSignedIn(first)).toBe(true);
  become(person, ["others"]);
  expect((await new Visitor().signIn(connection)).status).toBe(401);
  expect(await isSignedIn(first)).toBe(false);
  expect(await events(team)).toEqual(expect.arrayContaining(["operator.role_changed", "operator.removed"]));
});

test("each failure looks the same, and the log has the reason", async () => {
  const { connection } = await connected();
  const begin = app.log().length;
  become(uuidv7(), ["staff"], "ada@corp.example", false);
  const shown = [await new Visitor().signIn(connection)];
  become(uuidv7(), ["staff"], "ada@elsewhere.example");
  shown.push(await new Visitor().signIn(connection));
  become(uuidv7(), ["nobody"]);
  shown.push(await new Visitor().signIn(connection));
  for (const isDown of [false, true]) {
    provider.isDown = isDown;
    const back = `${app.url}/console/sign-in/${connection.id}/callback?code=a&state=b`;
    shown.push(await new Visitor().get(back));
  }
  provider.isDown = false;
  expect(new Set(shown.map(({ status, html }) => `${status} ${html}`)).size).toBe(1);
  expect([shown[0]?.status, shown[0]?.html.includes(failedText)]).toEqual([401, true]);
  const reasons = () => {
    const logged = app.log().slice(begin);
    return [...logged.matchAll(/"reason":"openid: ([^"]+)/g)].map(([, reason]) => reason);
  };
  await until(() => reasons().length >= shown.length);
  expect(reasons().slice(0, 4)).toEqual([
    "The identity provider has verified no address of a domain of the connection.",
    "The identity provider has verified no address of a domain of the connection.",
    "No group of the person gives a role.",
    "The browser has not begun a sign-in.",
  ]);
});

/** Reasons in the log of sign-ins that fail while `act` runs. */
async function reasonsOf(count: number, act: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const begin = app.log().length;
  await act();
  const reasons = () =>
    [
      ...app
        .log()
        .slice(begin)
        .matchAll(/"reason":"openid: ((?:[^"\\]|\\.)+)/g),
    ].map(([, reason]) => reason);
  await until(() => reasons().length >= count);
  return reasons();
}

test.each([
  ["groups", []],
  ["corp:groups", ["--scopes", "corp:groups,email"]],
])(
  "of a provider that sends groups for the scope %s alone, a person gets in by a group",
  async (scope, options) => {
    const own = await identityProvider();
    own.groupsScope = scope;
    const { team, connection } = await connected(options, own);
    const person = become(uuidv7(), ["leads"], undefined, true, own);
    const visitor = new Visitor();
    const { location } = await visitor.get(`${app.url}/console/sign-in/${connection.id}`);
    expect(new URL(location).searchParams.get("scope")).toBe(`openid email profile ${scope}`);
    expect((await visitor.signIn(connection)).status).toBe(200);
    expect(await rolesOf(team, `${person}@corp.example`)).toMatchObject([{ role: "admin" }]);
  },
);

test("groups are asked for where the provider offers them and a role needs them, and the log says that none came", async () => {
  const asked = async (metadata: Record<string, unknown>, group: string, change: string[] = []) => {
    const forger = await forgedProvider();
    forger.metadata = metadata;
    const team = await makeTeam(app);
    const connection = await connect({
      issuer: forger.issuer,
      team,
      roles: [`${group}=${team.workspace}:editor`],
    });
    if (change.length > 0) expect((await run("change", connection.id, ...change)).code).toBe(0);
    const { location } = await new Visitor().get(`${app.url}/console/sign-in/${connection.id}`);
    return new URL(location).searchParams.get("scope");
  };
  const plain = "openid email profile";
  const offered = { scopes_supported: ["openid", "groups"] };
  expect(await asked({}, "staff")).toBe(plain);
  expect(await asked({ scopes_supported: null }, "staff")).toBe(plain);
  expect(await asked({ scopes_supported: ["openid", "groupsets"] }, "staff")).toBe(plain);
  expect(await asked(offered, "*")).toBe(plain);
  expect(await asked(offered, "staff")).toBe(`${plain} groups`);
  expect(await asked(offered, "staff", ["--scopes", "roles"])).toBe(`${plain} roles`);
  expect(await asked(offered, "*", ["--scopes", "groups"])).toBe(`${plain} groups`);
  const { signIn } = await forged();
  const reasons = await reasonsOf(3, async () => {
    for (const groups of [undefined, [], ["others"]]) await signIn({ claims: { groups } });
  });
  expect(reasons).toEqual([
    "The provider sent no claim groups.",
    "No group of the person gives a role.",
    "No group of the person gives a role.",
  ]);
});

test("scopes that no request can name are refused", async () => {
  const { connection } = await connected();
  for (const scopes of ['a"b', "a\\b", "ü", "a b", "x".repeat(201), Array(21).fill("a").join()]) {
    const { code, stderr } = await run("change", connection.id, "--scopes", scopes);
    expect([scopes, code, stderr.length > 0]).toEqual([scopes, 1, true]);
  }
});

test("the log's reason names the claim and the expected value, and no person", async () => {
  const { signIn, forger } = await forged();
  const stranger = "https://stranger.example";
  const reasons = await reasonsOf(6, async () => {
    await signIn({ claims: { aud: "another client" } });
    await signIn({ claims: { iss: stranger } });
    await signIn({ claims: { nonce: "another" } });
    await signIn({ claims: { groups: undefined }, userinfo: { sub: "secret-subject" } });
    await signIn({ status: 400 });
    await signIn({}, (parameters) => parameters.set("error", "invalid_scope"));
  });
  expect(reasons.map((reason) => reason?.replaceAll('\\"', '"').replace(/ \(OAUTH_\w+\)/, ""))).toEqual([
    `unexpected JWT "aud" (audience) claim value; expected is ${clientOf.clientId}`,
    `unexpected JWT "iss" (issuer) claim value; expected is ${forger.issuer}`,
    'unexpected ID Token "nonce" claim value',
    'unexpected "response" body "sub" property value',
    "server responded with an error in the response body: invalid_grant",
    "authorization response from the server is an error: invalid_scope",
  ]);
  expect(reasons.join()).not.toMatch(/secret-subject|forged|corp\.example|stranger/);
});

test("keys that the provider has changed meanwhile verify at once", async () => {
  const { connection } = await connected();
  become(uuidv7(), ["staff"]);
  expect((await new Visitor().signIn(connection)).status).toBe(200);
  await provider.rotate();
  expect((await new Visitor().signIn(connection)).status).toBe(200);
});

test("a provider that is down fails the sign-in, and once it is back signs in again", async () => {
  const { connection } = await connected();
  become(uuidv7(), ["staff"]);
  const visitor = new Visitor();
  const back = await visitor.begin(connection);
  provider.isDown = true;
  expect((await visitor.get(back)).status).toBe(401);
  provider.isDown = false;
  expect((await visitor.signIn(connection)).status).toBe(200);
});

test("a code is used once, and by the browser that has begun", async () => {
  const { connection } = await connected();
  become(uuidv7(), ["staff"]);
  const visitor = new Visitor();
  const back = await visitor.begin(connection);
  const kept = new Map(visitor.cookies);
  const other = new Visitor();
  await other.begin(connection);
  expect((await other.get(back)).status).toBe(401); // state of another browser
  expect((await visitor.get(back)).status).toBe(200);
  const replayed = new Visitor();
  for (const [name, value] of kept) replayed.cookies.set(name, value);
  expect((await replayed.get(back)).status).toBe(401);
  expect(replayed.cookies.has("formd_session")).toBe(false);
});

test("where another account is signed in, a sign-in by a connection asks first, and ends if the person stays", async () => {
  const { connection } = await connected();
  const visitor = new Visitor();
  const [first, second] = [uuidv7(), uuidv7()];
  const person = async () => textOf(await visitor.browser.get("/console/account"));
  const begin = async (subject: string) => {
    become(subject, ["staff"]);
    // The provider asks who it is.
    for (const name of visitor.cookies.keys()) if (!name.startsWith("formd_")) visitor.cookies.delete(name);
    await visitor.get(await visitor.begin(connection));
  };
  await begin(first);
  await visitor.accept(connection);
  await begin(second);
  const asked = await visitor.accept(connection);
  expect([asked.status, textOf(asked as never).includes(`is signed in as ${first}@`)]).toEqual([200, true]);
  expect(await person()).toContain(first);
  await visitor.accept(connection, { choice: "stay" });
  expect(await person()).toContain(first);
  const sessions = await app.database.sql`
    select from formd.operator_sessions s join formd.operators o on o.id = s.operator_id where o.subject = ${second}`;
  expect(sessions).toHaveLength(0);
  await begin(second);
  expect((await visitor.accept(connection, { choice: "replace" })).location).toBe(`${app.url}/console`);
  expect(await person()).toContain(second);
  const replaced = await app.database.sql`
    select from formd.operator_sessions s join formd.operators o on o.id = s.operator_id where o.subject = ${first}`;
  expect(replaced).toHaveLength(0);
});

test("the provider ends sessions by back-channel logout", async () => {
  const { connection } = await connected();
  become(uuidv7(), ["staff"]);
  const visitor = new Visitor();
  await visitor.signIn(connection);
  expect(await isSignedIn(visitor)).toBe(true);
  const { html } = await visitor.get(`${provider.issuer}/session/end`);
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(html) ?? [];
  await fetch(`${provider.issuer}/session/end/confirm`, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    },
    body: new URLSearchParams({ xsrf, logout: "yes" }),
  });
  await until(async () => !(await isSignedIn(visitor)));
});

/** A connection to a provider that sends what a test wants. */
async function forged() {
  const forger = await forgedProvider();
  const team = await makeTeam(app);
  const roles = [`staff=${team.workspace}:editor`];
  const connection = await connect({ issuer: forger.issuer, team, roles });
  /** Signs in with what `sent` says; the parameters of the way back may be others. */
  const visit = async (
    sent: Forged,
    change: (parameters: URLSearchParams) => void = () => {},
    by = connection,
  ) => {
    forger.forged = sent;
    const visitor = new Visitor();
    const { location } = await visitor.get(`${app.url}/console/sign-in/${by.id}`);
    const asked = new URL(location).searchParams;
    forger.nonce = asked.get("nonce") ?? "";
    const state = asked.get("state") ?? "";
    const parameters = new URLSearchParams({ code: "code", state, iss: forger.issuer });
    change(parameters);
    const { status } = await visitor.finish(by, `${by.redirectUri}?${parameters}`);
    return { visitor, status };
  };
  const signIn = async (sent: Forged, change?: (parameters: URLSearchParams) => void) => {
    const { visitor, status } = await visit(sent, change);
    return [status, visitor.cookies.has("formd_session")];
  };
  return { forger, team, connection, visit, signIn };
}

const now = () => Math.floor(Date.now() / 1000);
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

test("of forged ID tokens and ways back none signs in; what is as it should be does", async () => {
  const { forger, signIn } = await forged();
  const good = async () => expect(await signIn({})).toEqual([200, true]);
  await good();
  const stranger = await forgedProvider();
  const pem = await exportSPKI(forger.keys.publicKey);
  const tokens: Record<string, Forged> = {
    "alg none": { token: async (claims) => `${base64url({ alg: "none" })}.${base64url(claims)}.` },
    "HS256 by the public key": {
      token: (claims) => new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(pem)),
    },
    "HS256 by the client secret": {
      token: (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(clientOf.clientSecret)),
    },
    "another key": { token: (claims) => signedBy(stranger.keys, claims) },
    "a signature of other claims": {
      token: async (claims) => {
        const [header, , signature] = (await signedBy(forger.keys, claims)).split(".");
        return `${header}.${base64url({ ...claims, sub: "admin" })}.${signature}`;
      },
    },
    "a refused code": { status: 400 },
  };
  const claims: Record<string, unknown[]> = {
    // Several audiences need an authorized party, which has to be this client.
    aud: ["another client", [clientOf.clientId, "another client"]],
    nonce: ["another", undefined],
    iss: [stranger.issuer],
    sub: [undefined, "a".repeat(256), "", "a\0", "a\ud800"],
    sid: ["a\0"],
    exp: [now() - 120],
    nbf: [now() + 120],
    email_verified: ["true"],
    email: [
      // Domains that end alike, begin alike, are below, have a dot more, or are written in other letters.
      ...["a@evil-corp.example", "a@corp.example.evil", "a@sub.corp.example", "a@corp.example."],
      ...["a@corp.exam\uff50le", "a@elsewhere.example@corp.example", "a\0@corp.example"],
      ...["a\u202e@corp.example", ["ada@corp.example"], "ada@elsewhere.example,eve@corp.example"],
    ],
    groups: ["staff2", ["Staff", "*", "__proto__"], [["staff"]], { staff: true }],
  };
  tokens["another authorized party"] = { claims: { aud: [clientOf.clientId, "other"], azp: "other" } };
  for (const [name, values] of Object.entries(claims))
    for (const value of values) tokens[`${name}: ${JSON.stringify(value)}`] = { claims: { [name]: value } };
  for (const [name, sent] of Object.entries(tokens))
    expect([name, ...(await signIn(sent))]).toEqual([name, 401, false]);
  const ways: Record<string, (parameters: URLSearchParams) => void> = {
    "another state": (parameters) => parameters.set("state", "another"),
    "no state": (parameters) => parameters.delete("state"),
    "two states": (parameters) => parameters.append("state", parameters.get("state") ?? ""),
    "the issuer of another provider (mix-up)": (parameters) => parameters.set("iss", stranger.issuer),
    "no issuer": (parameters) => parameters.delete("iss"),
    "no code": (parameters) => parameters.delete("code"),
    "an error": (parameters) => parameters.set("error", "access_denied"),
  };
  for (const [name, change] of Object.entries(ways))
    expect([name, ...(await signIn({}, change))]).toEqual([name, 401, false]);
  await good();
});

test("the e-mail address and its verification are from one source", async () => {
  const { signIn } = await forged();
  const verified = { email: "eve@corp.example", email_verified: true };
  const cases: [Forged, boolean][] = [
    [{ claims: { email_verified: undefined }, userinfo: { email_verified: true } }, false],
    [{ claims: { email: undefined }, userinfo: { email: "eve@corp.example" } }, false],
    [{ claims: { email_verified: false, groups: undefined }, userinfo: verified }, false],
    [{ claims: { email: undefined }, userinfo: verified }, true],
  ];
  for (const [sent, isIn] of cases)
    expect([sent, await signIn(sent)]).toEqual([sent, [isIn ? 200 : 401, isIn]]);
});

test("a group may be a text, many may have what no group here is called, a clock may be half a minute off", async () => {
  const { signIn } = await forged();
  const many = Array.from({ length: 5_000 }, (_, index) => `group ${index}`);
  for (const claims of [
    ...["staff", [...many, "\0", "\ud800", 5, "staff"]].map((groups) => ({
      groups,
      email: "A@CORP.example",
    })),
    ...[-30, 30].map((s) => ({ iat: now() + s, nbf: now() + s, exp: now() + s + 10 })),
  ])
    expect(await signIn({ claims })).toEqual([200, true]);
});

test("a provider that redirects, does not end, or does not respond is not accepted, and the error gives the reason", async () => {
  const team = await makeTeam(app);
  let reached = 0;
  const inside = await listen({
    current: (_, response) => {
      reached++;
      response.end("{}");
    },
  });
  const long: Handler = (_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(`"${"x".repeat(300_000)}"`);
  const redirecting: Handler = (_, response) => response.writeHead(302, { location: inside }).end();
  for (const [said, issuer] of [
    ["unexpected HTTP", await listen({ current: redirecting })],
    ["more than 262144 bytes", await listen({ current: long })],
    ["ECONNREFUSED", `http://127.0.0.1:${await freePort()}`],
  ] as const) {
    const roles = [`*=${team.workspace}:viewer`];
    const { code, stderr } = await run(...creating({ issuer, team, roles }));
    expect([said, code, stderr.includes(said)]).toEqual([said, 1, true]);
  }
  expect(reached).toBe(0);
});

test("where a connection is required, neither an invitation nor a link to a password opens a session", async () => {
  const own = await makeTeam(app);
  const [, domain = ""] = own.operator.email.split("@");
  const boss = new Browser(app);
  await boss.signIn(own.operator.email, own.operator.password);
  const pathOf = ({ html }: { html: string }) =>
    /\/console\/(?:invitation|reset)\/[\w-]+/.exec(html)?.[0] ?? "";
  const place = { email: `new@${domain}`, workspace: own.workspace };
  const invited = pathOf(await boss.post("/console/operators", { ...place, role: "admin" }));
  const operator = { operator: own.operator.id, email: own.operator.email };
  const reset = pathOf(await boss.post("/console/operators/reset-link", { ...place, ...operator }));
  const options = ["--domains", domain, "--required"];
  await connect({ issuer: provider.issuer, team: own, roles: [`*=${own.workspace}:admin`], options });
  for (const [path, email, status] of [
    [invited, place.email, 409],
    [reset, own.operator.email, 200],
  ] as const) {
    const password = "a long enough password";
    const browser = new Browser(app);
    expect((await browser.post(path, { email, password })).status).toBe(status);
    expect((await browser.get("/console")).status).toBe(303);
    expect((await new Browser(app).signIn(email, password)).status).toBe(401);
  }
});

test("what one connection has begun, no other one ends", async () => {
  const { connection } = await connected();
  const { connection: other } = await forged();
  become(uuidv7(), ["staff"]);
  const visitor = new Visitor();
  const back = await visitor.begin(connection);
  expect((await visitor.get(back.replace(connection.id, other.id))).status).toBe(401);
});

test("a team's own provider that asserts the e-mail address of another team's admin gets no access to that team", async () => {
  const other = await makeTeam(app);
  const { team, signIn, visit, forger } = await forged();
  const account = async () => [
    ...(await app.database.sql`
      select row_to_json(o) as row from formd.operators o where id = ${other.operator.id}`),
  ];
  const before = await account();
  const address = other.operator.email;
  const evil = (workspace: string) => ({
    issuer: forger.issuer,
    team,
    roles: [`*=${workspace}:admin`],
    options: ["--domains", address.split("@")[1] ?? "", "--required"],
  });
  expect((await run(...creating(evil(other.workspace)))).code).toBe(1);
  expect(await signIn({ claims: { email: address } })).toEqual([401, false]);
  const own = await connect(evil(team.workspace));
  const { visitor, status } = await visit({ claims: { email: address } }, undefined, own);
  expect(status).toBe(200);
  const { html } = await visitor.browser.get("/console/account");
  expect([html.includes(address), html.includes(other.id)]).toEqual([true, false]);
  expect((await visitor.browser.post("/console/team", { team: other.id })).status).toBeGreaterThanOrEqual(
    400,
  );
  expect(await account()).toEqual(before);
  expect((await new Browser(app).signIn(address, other.operator.password)).status).toBe(303);
});

test("forged logout tokens end nothing, one that is right does", async () => {
  const { forger, connection, visit } = await forged();
  const { visitor } = await visit({});
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const claims = () => ({
    ...{ iss: forger.issuer, aud: clientOf.clientId, sub: "forged", events, jti: uuidv7() },
    ...{ iat: now(), exp: now() + 120 },
  });
  const send = async (token: string, ip = freshIp()) =>
    (
      await fetch(`${app.url}/console/sign-in/${connection.id}/logout`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": ip },
        body: new URLSearchParams({ logout_token: token }),
      })
    ).status;
  const stranger = await forgedProvider();
  const wrong = [
    "",
    await signedBy(stranger.keys, claims()),
    `${base64url({ alg: "none" })}.${base64url(claims())}.`,
    await signedBy(forger.keys, { ...claims(), aud: "another" }),
    await signedBy(forger.keys, { ...claims(), iss: stranger.issuer }),
    await signedBy(forger.keys, { ...claims(), nonce: "an ID token" }),
    await signedBy(forger.keys, { ...claims(), events: {} }),
    await signedBy(forger.keys, { ...claims(), sub: undefined }),
    await signedBy(forger.keys, { ...claims(), iat: now() - 3600, exp: now() + 3600 }),
    await signedBy(forger.keys, { ...claims(), exp: now() - 120 }),
    await signedBy(forger.keys, claims(), { typ: "at+jwt" }),
  ];
  for (const [index, token] of wrong.entries()) expect([index, await send(token)]).toEqual([index, 400]);
  expect(await isSignedIn(visitor)).toBe(true);
  const right = await signedBy(forger.keys, claims(), { typ: "logout+jwt" });
  expect(await send(right)).toBe(200);
  expect(await isSignedIn(visitor)).toBe(false);
  const ip = freshIp();
  const sent = async (token: string) => {
    const statuses = new Set<number>();
    for (let count = 0; count < 3 * perMinute; count++) statuses.add(await send(token, ip));
    return [...statuses];
  };
  expect(await sent(right)).toEqual([200]);
  expect(await sent("")).toEqual([400, 429]);
});

/** The address to which a provider would send a browser that has begun a sign-in. */
async function beginning({
  forger,
  connection,
}: Pick<Awaited<ReturnType<typeof forged>>, "forger" | "connection">) {
  const visitor = new Visitor();
  const { location } = await visitor.get(`${app.url}/console/sign-in/${connection.id}`);
  const asked = new URL(location).searchParams;
  forger.nonce = asked.get("nonce") ?? "";
  const parameters = { code: "code", state: asked.get("state") ?? "", iss: forger.issuer };
  return { visitor, back: `${connection.redirectUri}?${new URLSearchParams(parameters)}` };
}
const tally = (statuses: number[]) =>
  Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
  );

test("of a burst of returns with one state, the provider hears of one", async () => {
  const { forger, connection } = await forged();
  const { visitor, back } = await beginning({ forger, connection });
  const shown = await Promise.all(Array.from({ length: perMinute }, () => visitor.get(back)));
  expect(tally(shown.map(({ status }) => status))).toEqual({ 200: 1, 401: perMinute - 1 });
  expect(forger.exchanged).toHaveLength(1);
});

test("wrong returns of a client IP count, and keep no right one out", async () => {
  const { visitor, back } = await beginning(await forged());
  const ip = freshIp();
  const arrive = async (cookie: string) =>
    (await fetch(back, { headers: { cookie, "x-forwarded-for": ip, accept: "text/html" } })).status;
  const wrong = await Promise.all(Array.from({ length: perMinute + 5 }, () => arrive("")));
  expect(tally(wrong)).toEqual({ 401: perMinute, 429: 5 });
  expect(await arrive(`formd_sign_in=${visitor.cookies.get("formd_sign_in")}`)).toBe(200);
});

test("a provider gets a few requests at a time, and all who return are signed in", async () => {
  const { forger, connection } = await forged();
  const begun = [];
  const { maxConcurrentRequests } = limits.signInConnection;
  for (let count = 0; count < 3 * maxConcurrentRequests; count++)
    begun.push(await beginning({ forger, connection }));
  const isFull = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  forger.forged = {
    // The first response waits for the maximum number of requests. Another one would then exceed it.
    token: async (claims, keys) => {
      most = Math.max(most, ++running);
      if (running === maxConcurrentRequests) isFull.resolve();
      await isFull.promise;
      await Bun.sleep(50);
      running--;
      return await signedBy(keys, claims);
    },
  };
  const shown = await Promise.all(begun.map(({ visitor, back }) => visitor.get(back)));
  expect(most).toBe(maxConcurrentRequests);
  // The forged provider has one nonce for all.
  expect(forger.exchanged).toHaveLength(begun.length);
  expect(new Set(shown.map(({ status }) => status))).toEqual(new Set([200, 401]));
});

/** Sends a logout token, as it is or as the provider signs it now, from the client IP. */
const logOut = async (
  { forger, connection }: Pick<Awaited<ReturnType<typeof forged>>, "forger" | "connection">,
  { ip = freshIp(), claims = {}, keys = forger.keys as Pick<typeof forger.keys, "privateKey"> } = {},
): Promise<number> => {
  const token = await signedBy(keys, {
    ...{ iss: forger.issuer, aud: clientOf.clientId, sub: "forged", jti: uuidv7() },
    ...{ events: { "http://schemas.openid.net/event/backchannel-logout": {} } },
    ...{ iat: now(), exp: now() + 120, ...claims },
  });
  const response = await fetch(`${app.url}/console/sign-in/${connection.id}/logout`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": ip },
    body: new URLSearchParams({ logout_token: token }),
  });
  return response.status;
};

test("a provider that ends 150 sessions at once, by two connections and from one client IP, ends all", async () => {
  const made = [await forged(), await forged()];
  const people = Array.from({ length: 75 }, (_, index) => `person-${index}`);
  for (const { connection, team } of made)
    for (const sub of people)
      await app.database.sql`
        select formd.operator_login_connection(${connection.id}, ${team.id}, '(anonymous,,)', ${uuidv7()}, ${sub},
          ${`${sub}@corp.example`}, '{staff}', '0 seconds', ${sub}, ${uuidv7()}, ${sha256(uuidv7())}, '1 hour', null, null)`;
  const ip = freshIp();
  // Wrong ones of the same client IP, as of a provider that has other customers, keep no right one out.
  const stranger = await forgedProvider();
  for (let count = 0; count <= perMinute; count++)
    await logOut(made[0] as (typeof made)[0], { ip, keys: stranger.keys });
  const sent = made.flatMap((one) => people.map((sub) => logOut(one, { ip, claims: { sub, sid: sub } })));
  expect(tally(await Promise.all(sent))).toEqual({ 200: 150 });
  expect(
    await app.database.sql`
    select from formd.operator_sessions where team_id in ${app.database.sql(made.map(({ team }) => team.id))}`,
  ).toHaveLength(0);
});

test("of a burst of forged logout tokens from one client IP, those over the limit are told so, and keys are read once", async () => {
  const made = await forged();
  await made.visit({});
  const { forger } = made;
  const stranger = await forgedProvider();
  const { keysRead } = forger;
  const ip = freshIp();
  const burst = () =>
    Promise.all(Array.from({ length: 2 * perMinute }, () => logOut(made, { ip, keys: stranger.keys })));
  expect(tally(await burst())).toEqual({ 400: perMinute, 429: perMinute });
  expect(tally(await burst())).toEqual({ 429: 2 * perMinute });
  expect(forger.keysRead - keysRead).toBeLessThanOrEqual(1);
});

test("strangers' logout tokens cause one request to a provider that is down, or whose keys are not to be had", async () => {
  const [down, keyless] = [await forged(), await forged()];
  down.forger.isDown = true;
  keyless.forger.keysStatus = 500;
  const { requests } = down.forger;
  for (let count = 0; count < 10; count++)
    expect([await logOut(down), await logOut(keyless)]).toEqual([400, 400]);
  expect([down.forger.requests - requests, keyless.forger.keysRead]).toEqual([1, 1]);
});

test("an admin removes an account of a connection, and not the one with a password and the same e-mail address", async () => {
  const { team, connection } = await connected();
  const admin = await addOperator(app, team.id, team.workspace, "admin");
  const browser = new Browser(app);
  await browser.signIn(admin.email, admin.password);
  await app.database.sql`update formd.operators set email = 'twin@corp.example' where id = ${admin.id}`;
  become("twin", ["leads"]);
  const visitor = new Visitor();
  await visitor.signIn(connection);
  const [twin] = await app.database.sql<[{ id: string }]>`
    select id from formd.operators where connection_id = ${connection.id}`;
  const { html } = await browser.get("/console/operators");
  expect(html).toContain(`name="operator" value="${twin.id}"`);
  const fields = { email: "twin@corp.example", workspace: team.workspace, operator: twin.id };
  expect((await browser.post("/console/operators/remove", { ...fields, operator: uuidv7() })).status).toBe(
    404,
  );
  expect((await browser.post("/console/operators/remove", fields)).status).toBe(303);
  expect(await isSignedIn(visitor)).toBe(false);
  const left = await app.database.sql`select id from formd.operators where email = 'twin@corp.example'`;
  expect([...left]).toEqual([{ id: admin.id }]);
  const [event] = await app.database.sql`
    select actor_id, object_id, details ->> 'email' as email from formd.audit_events
    where team_id = ${team.id} and kind = 'operator.removed'`;
  expect(event).toEqual({ actorId: admin.id, objectId: twin.id, email: "twin@corp.example" });
});

test("before a risky action, long after the sign-in, the person signs in at the provider again, and goes on with it", async () => {
  const { team, connection } = await connected();
  become(uuidv7(), ["leads"]);
  const visitor = new Visitor();
  await visitor.signIn(connection);
  await app.database.sql`
    update formd.operator_sessions set proved_at = now() - interval '16 minutes' where team_id = ${team.id}`;
  const added = { email: "new@example.org", workspace: team.workspace, role: "viewer" };
  const shown = await visitor.browser.post("/console/operators", added);
  const href = `/console/sign-in/${connection.id}?again=true`;
  expect([shown.status, shown.html.includes(href)]).toEqual([403, true]);
  // The page's own form has the values, and asks again until the person was at the provider.
  const [, form = ""] = /action="\/console\/operators"(.*?)<\/form>/s.exec(shown.html) ?? [];
  const fields = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const kept = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
  expect(kept).toMatchObject(added);
  expect((await visitor.browser.post("/console/operators", kept)).status).toBe(403);
  const again = await visitor.get(`${app.url}${href}`);
  const asked = new URL(again.location).searchParams;
  expect([asked.get("prompt"), asked.get("max_age")]).toEqual(["login", "900"]);
  for (const name of visitor.cookies.keys()) if (!name.startsWith("formd_")) visitor.cookies.delete(name);
  await visitor.signIn(connection, "?again=true");
  const done = await visitor.browser.post("/console/operators", kept);
  expect([done.status, done.html.includes("/console/invitation/fdi_")]).toEqual([200, true]);
});

test("list shows connections without their secret, remove ends sessions, and no page shows other teams", async () => {
  const { team, connection } = await connected();
  become(uuidv7(), ["staff"]);
  const visitor = new Visitor();
  await visitor.signIn(connection);
  const changed = await run("change", connection.id, "--required", "--accept-agents");
  expect(JSON.parse(changed.stdout)).toMatchObject({ isRequired: true, acceptsAgents: true });
  await run("change", connection.id, "--no-required");
  const { stdout } = await run("list", "--team", team.id);
  expect(JSON.parse(stdout).connections).toMatchObject([
    { id: connection.id, issuer: provider.issuer, isRequired: false, acceptsAgents: true },
  ]);
  expect(stdout).not.toContain(clientOf.clientSecret);
  const html = async () => (await new Browser(app).get("/console/sign-in")).html;
  expect(await html()).not.toContain("/console/sign-in/0");
  const ofAll = await connect({ issuer: provider.issuer, roles: [`*=${team.workspace}:viewer`] });
  expect(await html()).toContain(`/console/sign-in/${ofAll.id}?next=`);
  for (const { id } of [connection, ofAll]) expect((await run("remove", id)).code).toBe(0);
  expect([await isSignedIn(visitor), (await html()).includes(ofAll.id)]).toEqual([false, false]);
  expect((await run("remove", connection.id)).stderr).toBe("formd: There is no such connection.\n");
});

test("a provider in a network that is not allowed is refused", async () => {
  const team = await makeTeam(app);
  const roles = [`*=${team.workspace}:viewer`];
  for (const host of [
    "https://127.0.0.1/",
    "http://id.example.org/",
    "https://10.0.0.1/",
    "https://a@id.example/",
  ]) {
    const { code, stderr } = await formd(["sign-in-connection", ...creating({ issuer: host, team, roles })], {
      ...settings,
      OUTGOING_ALLOWED_NETWORKS: "",
    });
    expect([host, code, stderr.startsWith("formd: issuer: ")]).toEqual([host, 1, true]);
  }
});

test("once the master key is rotated, a server that has the new one alone signs in", async () => {
  const { connection } = await connected();
  become(uuidv7(), ["staff"]);
  const sealedBy = async () => {
    const [row] = await app.database.sql<[{ secretKey: string }]>`
      select secret_key from formd.sign_in_connections where id = ${connection.id}`;
    return row.secretKey;
  };
  const before = await sealedBy();
  const key = Buffer.alloc(32, 9).toString("base64");
  const keys = { ...settingsFor(app.database), FORMD_SECRET_KEY: `${key},${masterKey}` };
  expect((await formd(["secret", "rotate"], keys)).code).toBe(0);
  expect(await sealedBy()).not.toBe(before);
  const { url } = await server({
    ...{ DATABASE_URL: app.database.url, ...local, BASE_URL: base },
    ...{ ALLOWED_HOSTS: "127.0.0.1", FORMD_SECRET_KEY: key },
  });
  const visitor = new Visitor();
  const back = await visitor.begin(connection, "", url);
  expect((await visitor.get(back.replace(base, url))).status).toBe(200);
});
