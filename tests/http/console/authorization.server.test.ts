/**
 * Every page and every action of the console × each caller. The routes are read from the app: a new one
 * without a row here fails. Editors may not publish in this workspace, so that each of the roles has actions
 * of its own.
 */
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { storageKey } from "../../../src/platform/files/store.ts";
import { operationIn } from "../../../src/platform/http/operation.ts";
import { leastRoles, mayAct, type Role, roles } from "../../../src/resources/operators/roles.ts";
import { mailServer } from "../../mail-server.ts";
import { routes } from "../../routes.ts";
import { ask, freshIp, makeTeam, makeWorkspace } from "../../setup.ts";
import { fileService } from "../files/fixture.ts";
import { local } from "../webhooks/receiver.ts";
import {
  type ConsoleAct,
  consoleActs,
  fill,
  makeObjects,
  type Objects,
  openPaths,
  ownActs,
  sentBy,
} from "./authorization.ts";
import { Browser } from "./browser.ts";
import { browserOf } from "./fixture.ts";

// It sends mail, so that one can be sent again. The objects of all acts take many requests.
const app = await fileService({
  ...{ ...(await mailServer()).settings, ...local },
  RATE_LIMIT_MANAGEMENT_PER_MINUTE: "6000",
});
const { sql } = app.database;
const team = await makeTeam(app);
const elsewhere = await makeWorkspace(app, team);
const editorsMayPublish = false;
const forbid = () =>
  sql`update formd.workspaces set editors_may_publish = ${editorsMayPublish}, requires_passkey = false where id = ${team.workspace}`;
await forbid();

const here = {
  viewer: await browserOf(app, team, "viewer"),
  editor: await browserOf(app, team, "editor"),
  admin: await browserOf(app, team, "admin"),
};
const strangers = {
  "an admin of another workspace": await browserOf(app, team, "admin", elsewhere),
  "an admin of another team": await browserOf(app, await makeTeam(app), "admin"),
};
/** In every workspace: for what belongs to the team. */
const adminEverywhere = await browserOf(app, team, "admin");
await sql`
  insert into formd.workspace_roles (team_id, workspace_id, operator_id, role, created_at)
  select team_id, ${elsewhere}, operator_id, 'admin', now() from formd.operator_sessions
  where team_id = ${team.id} order by id desc limit 1`;
const webhook = "/console/webhooks/:webhook_id";
const isOfTeam = (path: string) =>
  /^\/console\/(api-keys|connections)/.test(path) || /^\/console\/workspaces\/(new|retention)$/.test(path);

const paths = (method: string) =>
  routes
    .filter((route) => route.method === method && /^\/(console|setup)\b/.test(route.path))
    .map(({ path }) => path);
const may = (role: Role, needs: ConsoleAct["needs"]) =>
  needs in leastRoles
    ? mayAct(role, needs as keyof typeof leastRoles, { editorsMayPublish })
    : roles.indexOf(role) >= roles.indexOf(needs as Role);

/** Counts the audit events and edits of the team. */
const record = async () =>
  (
    await sql<[{ count: number }]>`
      select (select count(*)::int from formd.audit_events where team_id = ${team.id})
        + (select count(*)::int from formd.submission_edits where team_id = ${team.id}) as count`
  )[0].count;

/** Posts as a program without a session does, and with an API key of every scope. */
async function withoutSession(path: string) {
  const statuses = [];
  for (const headers of [{}, { "x-api-key": team.key }]) {
    const shown = await new Browser(app).post(path, {}, { "x-forwarded-for": freshIp(), ...headers });
    statuses.push(shown.status);
  }
  return statuses;
}

/** The role that an action on a path needs. */
const neededAt = (path: string) =>
  Object.entries(consoleActs).find(([each]) =>
    new RegExp(`^${each.replace(/:\w+/g, "[\\w-]+")}$`).test(path.split("?")[0] ?? ""),
  )?.[1].needs;

/** Expects that a page has no form that the role may not send. */
function expectOwnForms(path: string, role: Role, html: string) {
  for (const [, act = ""] of html.matchAll(/<form method="post" action="([^"]+)"/g)) {
    if (ownActs.includes(act)) continue;
    const isAllowed = !isOfTeam(act) && may(role, neededAt(act) ?? "admin");
    expect([path, role, act, isAllowed]).toEqual([path, role, act, true]);
  }
}

/** The beginning of a page, where a refused request has its reason. */
const toldBy = (html: string) =>
  html
    .replace(/^.*<main/s, "")
    .replace(/<nav.*?<\/nav>/s, "")
    .slice(0, 900);

test("every action has a row, and every row an action", () => {
  const known = [
    ...Object.keys(consoleActs),
    ...ownActs,
    ...openPaths.filter((path) => paths("POST").includes(path)),
  ];
  expect(paths("POST").toSorted()).toEqual(known.toSorted());
});

describe.each(Object.entries(consoleActs))("POST %s", (path, act) => {
  const { needs, prepare } = act;
  const make = async () => {
    const objects = await makeObjects(app, team);
    await prepare?.(objects);
    await forbid();
    return objects;
  };

  test("is refused to who may not, and leaves nothing", async () => {
    const objects = await make();
    const [to, sent] = [fill(path, objects), sentBy(act, objects)];
    const before = await record();
    expect(await withoutSession(to)).toEqual([401, 401]);
    for (const [name, browser] of Object.entries(strangers)) {
      // A stranger's own team may have such a key or workspace as well; it does not belong to this one.
      if (name === "an admin of another team" && isOfTeam(path) && !path.endsWith("/revoke")) continue;
      const { status } = await browser.post(to, sent);
      if (path.includes(":")) expect([name, status]).toEqual([name, 404]);
      else expect([name, [403, 404].includes(status)]).toEqual([name, true]);
    }
    for (const role of roles) {
      if (may(role, needs) && !isOfTeam(path)) continue;
      const { status, html } = await here[role].post(to, sent);
      // Webhooks are shown to admins only: the list of others is empty.
      expect([role, status]).toEqual([role, path.startsWith(webhook) && status === 404 ? 404 : 403]);
      expectOwnForms(path, role, html);
    }
    expect(await record()).toBe(before);
  });

  test("is done for who may, and is on record", async () => {
    const allowed = isOfTeam(path) ? [] : roles.filter((role) => may(role, needs));
    const browsers = [
      ...allowed.map((role) => here[role]),
      ...(allowed.length === 0 ? [adminEverywhere] : []),
    ];
    for (const browser of browsers) {
      const objects = await make();
      const before = await record();
      const { status, html } = await browser.post(fill(path, objects), sentBy(act, objects));
      // A step of a preview may find that the draft has changed.
      if (path.includes("/preview")) expect([200, 409]).toContain(status);
      else expect([status < 400, status < 400 ? "" : toldBy(html)]).toEqual([true, ""]);
      if (needs in leastRoles) expect(await record()).toBeGreaterThan(before);
    }
  });
});

test("an action on one's own account needs a session, and no other role", async () => {
  for (const path of ownActs) expect([path, ...(await withoutSession(path))]).toEqual([path, 401, 401]);
});

/** A file of a submission, whatever the fields of its form are. */
async function makeFile({ form_id, submission_id }: Objects) {
  const id = uuidv7();
  await sql`
    insert into formd.files (team_id, form_id, id, field_id, submission_id, state, uploader, name, size, type, sha256, created_at)
    values (${team.id}, ${form_id}, ${id}, 'a', ${submission_id}, 'claimed', 'page:', 'a.txt', 1, 'text/plain', sha256('a'), now())`;
  mkdirSync(join(app.directory, team.id), { recursive: true });
  writeFileSync(join(app.directory, storageKey(team.id, id)), "a");
  return id;
}

describe("GET", () => {
  const questions = ["edit=a", "after=a", "several", "text=title"].map(
    (open) => `/console/forms/:form_id?${open}`,
  );
  const pages = [...paths("GET").filter((path) => !openPaths.includes(path)), ...questions];

  test("each page of an object is for operators of its workspace, and offers each what that role may do", async () => {
    const made = await makeObjects(app, team);
    const objects = { ...made, file_id: await makeFile(made) };
    for (const path of pages) {
      const to = fill(path, objects) + (path.endsWith("/export") ? "?format=csv" : "");
      for (const headers of [{}, { "x-api-key": team.key }]) {
        const { status, headers: sent } = await new Browser(app).get(to, headers);
        // To the sign-in; a file and a frame have no page to lead there.
        expect([path, status, (sent.get("location") ?? "").split("?")[0]]).toEqual(
          status === 401 ? [path, 401, ""] : [path, 303, "/console/sign-in"],
        );
      }
      for (const [name, browser] of Object.entries(strangers)) {
        const { status, html } = await browser.get(to);
        if (path.includes(":")) expect([path, name, status]).toEqual([path, name, 404]);
        // Their own pages, without an object of this workspace.
        else if (status < 400 && !isOfTeam(path))
          for (const id of [objects.form_id, objects.agent_id, objects.webhook_id, objects.operator.email])
            expect([path, name, html.includes(id)]).toEqual([path, name, false]);
      }
      for (const [role, browser] of Object.entries(here)) {
        const { status, html } = await browser.get(to);
        const refusals = path.startsWith(webhook) ? [403, 404] : [403];
        expect([path, role, [200, ...refusals].includes(status)]).toEqual([path, role, true]);
        expectOwnForms(path, role as Role, html);
        if (role === "admin" && !isOfTeam(path) && path !== "/console/audit")
          expect([path, role, status]).toEqual([path, role, 200]);
      }
    }
  });
});

test("the routes of the API know no cookie of the console where they are for API keys alone", async () => {
  const objects = await makeObjects(app, team);
  const { cookie } = here.admin;
  for (const route of routes) {
    const { method, path } = route;
    const security = operationIn(route)?.security ?? [];
    if (!path.startsWith("/papi/v1/management") || security.some((each) => "operatorSession" in each))
      continue;
    const { status } = await ask(app, method, fill(path, objects), {
      headers: { cookie, origin: app.url },
      ...(method !== "GET" && { body: {} }),
    });
    expect([method, path, status]).toEqual([method, path, 401]);
  }
});
