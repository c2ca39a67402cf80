/** Sign-in by OpenID Connect: oidc-provider as identity provider, roles by group, and what is refused. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { clientOf, type IdentityProvider, identityProvider, type Urls } from "../../identity-provider.ts";
import {
  formd,
  freshIp,
  makeTeam,
  makeWorkspace,
  masterKey,
  type Service,
  service,
  settingsFor,
  type Team,
  temporaryFolder,
} from "../../setup.ts";
import { Browser, textOf } from "../console/browser.ts";
import { local } from "../webhooks/receiver.ts";

setDefaultTimeout(120_000);

let app: Service;
/** The server's BASE_URL. */
let base: string;
let provider: IdentityProvider;
const secretFile = join(temporaryFolder(), "client-secret");
beforeAll(async () => {
  writeFileSync(secretFile, `${clientOf.clientSecret}\n`);
  app = await service(local);
  base = app.url.replace("127.0.0.1", "localhost");
  provider = await identityProvider();
});

interface Connection extends Urls {
  id: string;
}

const run = async (...args: string[]) =>
  await formd(["sign-in-connection", ...args, "--json"], {
    ...settingsFor(app.database),
    ...local,
    BASE_URL: base,
    FORMD_SECRET_KEY: masterKey,
  });

/** A connection by the command. */
async function connect({
  issuer,
  team,
  roles = [],
  options = [],
}: {
  issuer: string;
  team?: Team;
  roles?: string[];
  options?: string[];
}): Promise<Connection> {
  const { code, stdout, stderr } = await run(
    ...["create", ...(team ? ["--team", team.id] : ["--installation"]), "--name", "Corp", "--issuer", issuer],
    ...["--client-id", clientOf.clientId, "--client-secret-file", secretFile, "--domains", "corp.example"],
    ...roles.flatMap((role) => ["--role", role]),
    ...options,
  );
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** A team whose connection gives roles by group. */
async function connected(options: string[] = []) {
  const team = await makeTeam(app);
  const other = await makeWorkspace(app, team);
  const roles = [`staff=${team.workspace}:viewer`, `leads=${team.workspace}:admin`, `staff=${other}:editor`];
  const connection = await connect({ issuer: provider.issuer, team, roles, options });
  await provider.configure([connection]);
  return { team, other, connection };
}

/** A browser between formd and an identity provider, with the cookies of both. */
class Visitor {
  readonly cookies = new Map<string, string>();

  async get(url: string): Promise<{ status: number; location: string; html: string; cookies: string[] }> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: {
        accept: "text/html",
        "x-forwarded-for": freshIp(),
        "sec-fetch-site": "cross-site",
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
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
  async begin({ id }: Pick<Connection, "id">, query = ""): Promise<string> {
    let shown = await this.get(`${app.url}/console/sign-in/${id}${query}`);
    while (shown.location && !shown.location.startsWith(base)) shown = await this.get(shown.location);
    if (!shown.location) throw new Error(`${shown.status}: ${textOf(shown as never).slice(-500)}`);
    return shown.location;
  }

  async signIn(connection: Pick<Connection, "id">, query = "") {
    return await this.get(await this.begin(connection, query));
  }

  /** What the console says, once the person is signed in. */
  get browser() {
    return new Browser(app, `formd_session=${this.cookies.get("formd_session") ?? ""}`);
  }
}

const isSignedIn = async (visitor: Visitor) => (await visitor.browser.get("/console")).status === 200;

/** Makes an account at the provider, and is that person from now on. */
function become(subject: string, groups: string[], email = `${subject}@corp.example`, isVerified = true) {
  provider.accounts.set(subject, { email, email_verified: isVerified, groups });
  provider.person = subject;
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

const failedText = "The sign-in did not succeed.";

test("a person whom the provider vouches for gets an account with the highest role of the groups per workspace", async () => {
  const { team, other, connection } = await connected();
  const person = become(uuidv7(), ["staff", "leads"]);
  const visitor = new Visitor();
  const begun = await visitor.get(`${app.url}/console/sign-in/${connection.id}`);
  expect(begun.status).toBe(303);
  const asked = new URL(begun.location).searchParams;
  expect(asked.get("code_challenge_method")).toBe("S256");
  expect(["state", "nonce", "code_challenge"].every((name) => (asked.get(name) ?? "").length >= 43)).toBe(
    true,
  );
  expect(begun.cookies.join()).toMatch(
    /^formd_sign_in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const { status, html, cookies } = await visitor.signIn(connection, "?next=/console/agents");
  expect([status, textOf({ html } as never).includes("You are signed in")]).toEqual([200, true]);
  expect(html).toContain('href="/console/agents"');
  expect(cookies[0]).toMatch(/^formd_session=fdo_[\w-]+; .*SameSite=Strict$/);
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

test("each sign-in gives the roles of the groups now; without one the roles and sessions are gone", async () => {
  const { team, other, connection } = await connected();
  const person = become(uuidv7(), ["staff", "leads"]);
  const email = `${person}@corp.example`;
  const first = new Visitor();
  await first.signIn(connection);
  become(person, ["staff"]);
  const second = new Visitor();
  await second.signIn(connection);
  expect((await rolesOf(team, email)).map(({ role }) => role).sort()).toEqual(["editor", "viewer"]);
  expect(await isSignedIn(first)).toBe(true);
  become(person, ["others"]);
  const { status, html } = await new Visitor().signIn(connection);
  expect([status, html.includes(failedText)]).toEqual([401, true]);
  expect(await rolesOf(team, email)).toEqual([]);
  expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([false, false]);
  expect(await events(team)).toEqual(expect.arrayContaining(["operator.role_changed", "operator.removed"]));
  expect(other).toBeString();
});
