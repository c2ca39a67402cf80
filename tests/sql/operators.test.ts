import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/platform/database/db.ts";
import { pageLanguages } from "../../src/resources/forms/settings.ts";
import { addOperator } from "../../src/resources/operators/operators.ts";
import { makeTeam, makeWorkspace } from "../setup.ts";
import { endOf, hashOf, inParallel, raisedProblem } from "./fixture.ts";
import { operatorsFixture } from "./operator-acts.ts";

const { app, sql, team, join, logIn } = await operatorsFixture();

test("ten who join with one e-mail at once are one person, whatever its case, who keeps the first password", async () => {
  const joined = await inParallel(app.database.ownerUrl, 10, (each, index) =>
    join(index % 2 ? "One@Example.org" : "one@example.ORG", "viewer", { each, password: `${index}` }),
  );
  expect(new Set(joined.map(({ id }) => id)).size).toBe(1);
  const first = joined.findIndex(({ created }) => created);
  expect(joined.filter(({ created }) => created).length).toBe(1);
  expect((await logIn("one@example.org", { password: `${first}` }))?.operatorId).toBe(
    joined[0]?.id as string,
  );
  expect(await logIn("one@example.org", { password: `${first + 1}` })).toBeUndefined();
});

test("joining again changes the role, in that workspace only", async () => {
  const other = await makeWorkspace(app, team);
  const { id } = await join("roles@example.org", "viewer");
  await join("roles@example.org", "viewer", { workspace: other });
  await join("roles@example.org", "admin");
  const roles =
    await sql`select workspace_id, role from formd.workspace_roles where operator_id = ${id} order by role`;
  expect([...roles]).toEqual([
    { workspaceId: team.workspace, role: "admin" },
    { workspaceId: other, role: "viewer" },
  ]);
  expect((await raisedProblem(join("roles@example.org", "admin", { workspace: uuidv7() }))).code).toBe(
    "not_found",
  );
});

test("an operator who is not an admin of the workspace gets the same problem for every e-mail to remove", async () => {
  const elsewhere = await makeTeam(app);
  const viewer = (await join("looks@example.org", "viewer")).id;
  const { id: admin } = await join("removes@example.org", "admin");
  await join("elsewhere@example.org", "admin", { to: elsewhere.id, workspace: elsewhere.workspace });
  const remove = (operator: string, email: string, workspace = team.workspace) =>
    raisedProblem(
      sql`select formd.operator_remove(
        p_actor => ${`(operator,${operator},)`}, p_email => ${email}, p_workspace => ${workspace})`,
    );
  const emails = ["elsewhere@example.org", "unknown@example.org"];
  for (const [operator, workspace, code] of [
    [viewer, team.workspace, "insufficient_workspace_role"],
    [admin, elsewhere.workspace, "insufficient_workspace_role"],
    [admin, team.workspace, "not_found"],
  ] as const) {
    const [known, unknown] = await Promise.all(emails.map((email) => remove(operator, email, workspace)));
    expect([known, unknown?.code]).toEqual([unknown, code]);
  }
  expect(await logIn("elsewhere@example.org", { to: elsewhere.id })).toBeDefined();
});

test("an operator who is not an admin adds no one, and no password is hashed for it", async () => {
  const actor = {
    type: "operator",
    id: (await join("adds@example.org", "editor")).id,
    requestId: null,
  } as const;
  const startedAt = process.cpuUsage();
  for (let count = 0; count < 20; count++)
    await expect(
      addOperator(sql, actor, team.id, {
        workspace: team.workspace,
        email: "new@example.org",
        role: "viewer",
      }),
    ).rejects.toThrow("insufficient_workspace_role");
  const { user } = process.cpuUsage(startedAt);
  // Twenty hashes take 4 s of a core.
  expect(user / 1e6).toBeLessThan(2);
});

test("a page of operators is the workspace's, the newest first, with a total that is counted to a bound", async () => {
  const workspace = await makeWorkspace(app, team);
  const add = async (name: string, role: string) =>
    (await join(`${name}-listed@example.org`, role, { workspace })).id;
  await add("first", "viewer");
  const [second, third] = [await add("second", "editor"), await add("third", "admin")];
  await join("third-listed@example.org", "viewer");
  const page = async (limit: number, offset: number, maxCounted: number) =>
    (
      await sql<{ id: string | null; email: string | null; role: string | null; total: number }[]>`
        select * from formd.workspace_operator_list(
          p_team => ${team.id}, p_workspace => ${workspace}, p_limit => ${limit}, p_offset => ${offset}, p_max_counted => ${maxCounted})`
    ).map(({ id, email, role, total }) => [id, email, role, total]);
  expect(await page(2, 0, 100)).toEqual([
    [third, "third-listed@example.org", "admin", 3],
    [second, "second-listed@example.org", "editor", 3],
  ]);
  expect(await page(1, 1, 1)).toEqual([[second, "second-listed@example.org", "editor", 2]]);
  expect(await page(2, 3, 100)).toEqual([[null, null, null, 3]]);
});

test("the last admin of a team stays, also at a terminal, and of two who leave at once one does", async () => {
  const own = await makeTeam(app);
  const remove = (each: Sql, email: string) =>
    endOf(each`select formd.operator_remove('(cli,,)', ${email}, null)`, "removed");
  await join(`${uuidv7()}@example.org`, "editor", { to: own.id, workspace: own.workspace });
  expect(await remove(sql, own.operator.email)).toBe("conflict");
  const second = await makeWorkspace(app, own);
  const email = `${uuidv7()}@example.org`;
  await join(email, "admin", { to: own.id, workspace: second });
  const emails = [email, own.operator.email];
  const removed = await inParallel(app.database.ownerUrl, 2, (each, index) =>
    remove(each, emails[index] ?? ""),
  );
  expect(removed.sort()).toEqual(["conflict", "removed"]);
});

test("no operator leaves a workspace without an admin, which a terminal may", async () => {
  const workspace = await makeWorkspace(app, team);
  const email = `${uuidv7()}@example.org`;
  const { id } = await join(email, "admin", { workspace });
  await join(`${uuidv7()}@example.org`, "editor", { workspace });
  const remove = (actor: string) =>
    endOf(sql`select formd.operator_remove(${actor}, ${email}, ${workspace})`, "removed");
  expect(await remove(`(operator,${id},)`)).toBe("conflict");
  expect(await remove("(cli,,)")).toBe("removed");
});

test("the language is set for the operator of a session alone; it is one that there are texts in", async () => {
  const { id } = await join("speaks@example.org", "viewer");
  const { id: other } = await join("silent@example.org", "viewer");
  const session = await logIn("speaks@example.org");
  /** The operator's, the other one's, and what the session reads. */
  const languages = async () => {
    const rows = await sql<{ language: string | null }[]>`
      select language from formd.operators where id = any (${[id, other]}) order by id`;
    const [own] = await sql<[{ language: string | null }]>`
      select language from formd.console_operator_read(${team.id}, ${hashOf(session?.token ?? "")}, '1 hour', null)`;
    return [...rows, own].map(({ language }) => language);
  };
  const set = (language: string | null, token = session?.token ?? "") =>
    sql`select formd.operator_language_set(p_team => ${team.id}, p_token_hash => ${hashOf(token)}, p_language => ${language})`;
  expect(await languages()).toEqual([null, null, null]);
  await set("de");
  await set("en", "no session");
  expect(await languages()).toEqual(["de", null, "de"]);
  await expect(set("fr")).rejects.toMatchObject({ code: "23514" });
  await set(null);
  expect(await languages()).toEqual([null, null, null]);
});

test("the languages that an operator may choose are those of pages", async () => {
  const [{ check }] = await sql<[{ check: string }]>`
    select pg_get_constraintdef(oid) as check from pg_constraint where conname = 'operators_language_check'`;
  expect([...check.matchAll(/'([^']+)'/g)].map(([, language]) => language)).toEqual([...pageLanguages]);
});

test("a removal from a team ends the invitations to its workspaces, and to no other team's", async () => {
  const [second, elsewhere] = [await makeWorkspace(app, team), await makeTeam(app)];
  const email = "invited@example.org";
  await join(email);
  const invite = (to: string, workspace: string) => sql`
    select from formd.operator_invite(
      ${to}, '(cli,,)', ${workspace}, ${uuidv7()}, ${email}, 'admin', ${hashOf(uuidv7())}, '1 day')`;
  const left = async () =>
    (await sql`select team_id from formd.operator_invitations where email = ${email}`).map(
      ({ teamId }) => teamId,
    );
  await invite(team.id, second);
  await invite(elsewhere.id, elsewhere.workspace);
  await sql`select formd.operator_remove('(cli,,)', ${email}, ${team.workspace})`;
  expect(await left()).toEqual([elsewhere.id]);
});
