import { describe, expect, test } from "bun:test";
import { type AuditKind, leastRoles, mayAct, roles } from "../../src/resources/operators/roles.ts";
import { makeWorkspace } from "../setup.ts";
import { actsOf } from "./acts.ts";
import { codeOf, sqlFixture, store } from "./fixture.ts";

const { app, sql, team, join } = await sqlFixture();
const acts = actsOf(app, team, store).filter(
  ({ kind, findsActor }) => Object.hasOwn(leastRoles, kind) && !findsActor,
);
const people = { viewer: await join("viewer"), editor: await join("editor"), admin: await join("admin") };
const as = (operator: string) => `(operator,${operator},request-1)`;

test("each action of the table has a function, and the other way round", () => {
  expect([...new Set(acts.map(({ kind }) => kind))].sort()).toEqual(
    Object.keys(leastRoles).sort() as AuditKind[],
  );
});

describe.each([true, false])("where editors may publish: %p", (editorsMayPublish) => {
  const apply = () =>
    sql`update formd.workspaces set editors_may_publish = ${editorsMayPublish} where id = ${team.workspace}`;

  for (const { kind, prepare } of acts)
    test(`${kind}: the function allows the roles that the table allows`, async () => {
      for (const role of roles) {
        await apply();
        const call = (await prepare())(as(people[role]));
        const allowed = mayAct(role, kind as AuditKind, { editorsMayPublish });
        if (allowed) await call;
        else expect([role, await codeOf(call)]).toEqual([role, "insufficient_workspace_role"]);
      }
    });
});

test("an admin of another workspace changes nothing in this one, and does not learn what it has", async () => {
  const other = await makeWorkspace(app, team);
  const stranger = as(await join("admin", other));
  const hidden =
    /^(form\.(?!created)|access_key|invitation|file|submission|agent\.(?!created)|grant|signing_key|webhook\.(?!created))/;
  for (const { kind, prepare } of acts)
    expect([kind, await codeOf((await prepare())(stranger))]).toEqual([
      kind,
      hidden.test(kind) ? "not_found" : "insufficient_workspace_role",
    ]);
});
