// stacks: one
/** Access to submissions; cross-tenant access is tested in values.test.ts. */
import { expect, test } from "bun:test";
import { apiKeyScopes } from "../../../src/platform/auth/api-key.ts";
import { unknownId } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeKey } from "../../setup.ts";
import { formsPath, type Submission, statusAndCode, submissionPath, submissionsFixture } from "./fixture.ts";

const fixture = await submissionsFixture([{ id: "a", type: "text", label: "A", required: true }]);
const { app, team, form, freshForm, call, read, submitted } = fixture;
const reviewed = await freshForm({ review: { required: true } });
const agent = await makeAgent(app, team, form);
const revoked = await makeKey(app, team);
await app.database.sql`select formd.api_key_revoke(${team.id}, '(cli,,)'::formd.actor, ${revoked.id})`;

type Row = Pick<Submission, "id" | "formId" | "updatedAt">;
const list = ({ formId }: Row) => `${formsPath}/${formId}/submissions`;
const change = ({ updatedAt }: Row) => ({ expectedUpdatedAt: updatedAt });
const routes: [method: string, route: string, scope: string, (row: Row) => string, (row: Row) => object][] = [
  ["GET", "submissions", "submissions:read", list, Object],
  ["GET", "export", "submissions:read", (row) => `${list(row)}/export?format=csv`, Object],
  ["GET", "a submission", "submissions:read", submissionPath, Object],
  ["GET", "edits", "submissions:read", (row) => submissionPath(row, "/edits"), Object],
  [
    ...(["PATCH", "a submission", "submissions:update"] as const),
    submissionPath,
    (row) => ({ ...change(row), edits: [{ fieldId: "a", value: "y" }] }),
  ],
  [
    ...(["POST", "review", "submissions:update"] as const),
    (row) => submissionPath(row, "/review"),
    (row) => ({ ...change(row), decision: "approve" }),
  ],
  ["DELETE", "a submission", "submissions:delete", submissionPath, Object],
];

test.each(routes)(
  "%s of %s is for an API key with %s alone; without a valid one it is 401, before the body is parsed",
  async (method, _, scope, pathOf, bodyOf) => {
    const row = await submitted({ a: "x" }, { to: reviewed });
    const hasBody = method === "PATCH" || method === "POST";
    const send = (key: string, body: unknown, headers: object = {}) =>
      call(method, pathOf(row), { key, headers, ...(hasBody && { body }) });
    for (const key of ["", "fdk_x", revoked.key, agent.token, agent.secret, form.accessKey])
      expect(statusAndCode(await send(key, "{", asAgent(form, agent)))).toEqual([401, "unauthorized"]);
    const byToken = { headers: asAgent(form, agent), ...(hasBody && { body: bodyOf(row) }) };
    expect(statusAndCode(await ask(app, method, pathOf(row), byToken))).toEqual([401, "unauthorized"]);
    const others = await makeKey(app, team, ...apiKeyScopes.filter((each) => each !== scope));
    expect(await send(others.key, bodyOf(row))).toMatchObject({
      status: 403,
      body: { code: "missing_scope", error: expect.stringContaining(scope) },
    });
    expect(await read(row)).toEqual(row);
    expect((await send((await makeKey(app, team, scope)).key, bodyOf(row))).status).toBe(200);
  },
);

test.each(routes)(
  "%s of %s: an unknown id, or one of another form, is 404, a malformed one 400",
  async (...route) => {
    const [method, name, , pathOf, bodyOf] = route;
    const row = await submitted({ a: "x" }, { to: reviewed });
    const isOfList = name === "submissions" || name === "export";
    const send = (at: Partial<Row>) =>
      call(
        method,
        pathOf({ ...row, ...at }),
        method === "GET" || method === "DELETE" ? {} : { body: bodyOf(row) },
      );
    for (const at of [{ formId: unknownId }, ...(isOfList ? [] : [{ id: unknownId }, { formId: form.id }])])
      expect(statusAndCode(await send(at))).toEqual([404, "not_found"]);
    for (const at of [{ formId: "1" }, ...(isOfList ? [] : [{ id: "1" }])])
      expect(await send(at)).toMatchObject({
        status: 400,
        body: {
          code: "bad_request",
          error: expect.stringContaining("formId" in at ? "form_id" : "submission_id"),
        },
      });
    expect(await read(row)).toEqual(row);
  },
);
