import { expect, test } from "bun:test";
import { ask, makeForm, makeOperator } from "../../setup.ts";
import { formsPath, submissionPath, submissionsFixture } from "../submissions/fixture.ts";

const fields = [{ id: "a", type: "text", label: "A" }];
const { app, team, call, submitted } = await submissionsFixture(fields);
const [admin, editor] = [await makeOperator(app, team, "admin"), await makeOperator(app, team, "editor")];

const as = (cookie: string, method: string, path: string, body?: object) =>
  ask(app, method, path, {
    headers: { cookie, origin: app.url, "content-type": "application/json" },
    body,
  });

test("an admin holds a submission or a form; a deletion is 409 held until it is released", async () => {
  const form = await makeForm(app, team, fields);
  const row = await submitted({ a: "x" }, { to: form });
  const holds = [submissionPath(row, "/hold"), `${formsPath}/${form.id}/hold`];
  for (const path of holds) {
    expect((await as(editor, "POST", path, { reason: "Case" })).status).toBe(403);
    expect((await call("POST", path, { body: { reason: "Case" } })).status).toBe(401);
    expect((await as(admin, "POST", path, { reason: "" })).status).toBe(400);
    const placed = await as(admin, "POST", path, { reason: "Case" });
    expect([placed.status, placed.body.data.hold]).toMatchObject([
      200,
      { formId: form.id, submissionId: path.includes("submissions") ? row.id : null, reason: "Case" },
    ]);
    expect((await as(admin, "POST", path, { reason: "Case" })).body.code).toBe("conflict");
    const refused = await call("DELETE", submissionPath(row));
    expect([refused.status, refused.body.code]).toEqual([409, "held"]);
  }
  const { body } = await call("GET", `${formsPath}/${form.id}/retention`);
  expect(body.data.retention).toMatchObject({ rule: null, source: null, due: 0, held: 0 });
  expect(body.data.retention.holds.map((hold: { submissionId: string }) => hold.submissionId)).toEqual([
    null,
    row.id,
  ]);
  for (const path of holds) {
    expect((await as(admin, "DELETE", path)).status).toBe(200);
    expect((await as(admin, "DELETE", path)).body.code).toBe("not_found");
  }
  expect((await call("DELETE", submissionPath(row))).status).toBe(200);
});
