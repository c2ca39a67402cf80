// stacks: one months citus gate
/**
 * Every management and identity route × who asks, from the routes of the app: a new one is in it at once.
 * What each body may do is in the tests of the resources.
 */

import { afterAll, describe, expect, test } from "bun:test";
import { apiKeyScopes } from "../../src/platform/auth/api-key.ts";
import { operationIn, type Route } from "../../src/platform/http/operation.ts";
import { unknownId } from "../expect.ts";
import { routes } from "../routes.ts";
import { ask, makeTeam, makeWorkspace, type Reply, service } from "../setup.ts";
import { makeCallers } from "./callers.ts";
import { makeObjects } from "./console/authorization.ts";

const app = await service();
const { sql } = app.database;
const [team, other] = [await makeTeam(app), await makeTeam(app)];
const callers = await makeCallers(app, team, other, await makeWorkspace(app, team));
const objects = await makeObjects(app, team);
const parameters: Record<string, string> = {
  ...(objects as unknown as Record<string, string>),
  grant_id: objects.grant,
  key_id: objects.signingKey,
  file_id: unknownId,
};
const ofOwners: Route[] = routes.filter(({ path }) => /^\/papi\/v1\/(management|identity)\//.test(path));
const securityOf = (route: Route) => operationIn(route)?.security ?? [];

let asked = 0;
afterAll(() => console.log(`${asked} requests of the API's matrix`));

/** A request as a program or a careful browser sends it. */
const call = ({ method, path }: Route, headers: Record<string, string> = {}): Promise<Reply> => {
  asked++;
  const to = path.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? "none");
  const query = path.endsWith("/export") ? "?format=csv" : "";
  const own = headers.cookie ? { origin: app.url } : {};
  return ask(app, method, to + query, {
    headers: { ...own, "content-type": "application/json", ...headers },
    ...(method !== "GET" && { body: {} }),
  });
};
const said = ({ status, body }: Reply) => `${status} ${body?.code ?? ""}`.trim();

/** Counts the audit events and edits of the team. */
const record = async () =>
  (
    await sql<[{ count: number }]>`
      select (select count(*)::int from formd.audit_events where team_id = ${team.id})
        + (select count(*)::int from formd.submission_edits where team_id = ${team.id}) as count`
  )[0].count;

test("every one of them names a scope, and there are as many as documented", () => {
  expect(ofOwners.length).toBeGreaterThanOrEqual(36);
  for (const route of ofOwners) {
    const { method, path } = route;
    const security = securityOf(route);
    if (security.length > 0 && security.every((each) => each.operatorSession)) continue;
    const [scope = ""] = security.find((each) => each.apiKey)?.apiKey ?? [];
    expect([method, path, apiKeyScopes.includes(scope as never)]).toEqual([method, path, true]);
  }
});

describe.each(ofOwners.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  (_, route) => {
    const security = securityOf(route);
    const [scope = ""] = security.find((each) => each.apiKey)?.apiKey ?? [];
    const isForOperators = security.some((each) => each.operatorSession);
    const isForKeys = security.some((each) => each.apiKey);
    const isOfObject = route.path.includes(":");
    const isRead = route.method === "GET";

    test("is refused to who may not, and leaves nothing", async () => {
      const before = await record();
      for (const headers of [{}, { "x-api-key": "fdk_wrong" }, { cookie: "formd_session=fdo_wrong" }])
        expect(said(await call(route, headers))).toBe("401 unauthorized");
      for (const [name, headers] of Object.entries(callers)) {
        if (name === `key ${scope}` || name === "no credentials") continue;
        if (name.startsWith("key ") && !name.includes("another"))
          expect([name, said(await call(route, headers))]).toEqual([
            name,
            isForKeys ? "403 missing_scope" : "401 unauthorized",
          ]);
      }
      const strangers = ["key of another team", "admin of another team", "admin of another workspace"];
      for (const name of strangers) {
        const { status, body } = await call(route, callers[name]);
        if (!("x-api-key" in (callers[name] ?? {})) && !isForOperators)
          expect([name, status]).toEqual([name, 401]);
        else if (!isForKeys && name.startsWith("key ")) expect([name, status]).toEqual([name, 401]);
        else if (isOfObject) expect([name, [400, 403, 404].includes(status)]).toEqual([name, true]);
        if (isOfObject && isRead && status !== 401)
          expect([name, [403, 404].includes(status)]).toEqual([name, true]);
        const shown = JSON.stringify(body);
        for (const id of [objects.webhook_id, objects.agent_id, objects.submission_id])
          if (status < 400) expect([name, shown.includes(id)]).toEqual([name, false]);
      }
      for (const role of ["viewer", "editor", "admin"]) {
        if (!isForOperators)
          expect([role, said(await call(route, callers[role]))]).toEqual([role, "401 unauthorized"]);
        else if (role === "viewer" && !isRead)
          expect(["403 insufficient_workspace_role", "400 invalid_body"]).toContain(
            said(await call(route, callers[role])),
          );
      }
      expect(await record()).toBe(before);
    });

    test("is open to a key of its scope, and to operators where the route is documented so", async () => {
      if (!isRead) return;
      const allowed = [callers[`key ${scope}`]];
      if (isForOperators && !route.path.endsWith("/management/audit"))
        allowed.push(callers.viewer, callers.admin);
      for (const headers of allowed) {
        const { status } = await call(route, headers);
        // An export needs a format, a server without a master key has no receipts, and no object has a file.
        expect([200, 400, 503, ...(route.path.includes("/files/") ? [404] : [])]).toContain(status);
      }
    });
  },
);
