// stacks: one
import { describe, expect, test } from "bun:test";
import { timestamp } from "../../expect.ts";
import { formd, makeForm, makeKey } from "../../setup.ts";
import { formsPath, statusAndCode, submissionPath, submissionsFixture } from "./fixture.ts";

const route = `${formsPath}/{form_id}/submissions/{submission_id}`;
const fields = [
  { id: "a", type: "text", label: "A", required: true },
  { id: "n", type: "number", label: "N" },
];
const { app, team, form, freshForm, archive, call, editsOf, submitted, patch, edited } =
  await submissionsFixture(fields);

// Concurrent edits and deletions are tested in tests/sql/edits.test.ts and tests/sql/erase.test.ts.
describe(`DELETE ${route}`, () => {
  test("returns id and deleted; afterwards GET, a second DELETE are 404, and list and total are without it", async () => {
    const own = await freshForm();
    const [row, rest] = [await submitted({ a: "x" }, { to: own }), await submitted({ a: "y" }, { to: own })];
    expect(await call("DELETE", submissionPath(row))).toMatchObject({
      status: 200,
      body: { data: { id: row.id, deleted: true }, apiVersion: "v1" },
    });
    for (const reply of [
      await call("DELETE", submissionPath(row)),
      await call("GET", submissionPath(row)),
      await patch(row, [["a", "z"]]),
    ])
      expect(statusAndCode(reply)).toEqual([404, "not_found"]);
    const { submissions, pagination } = (await call("GET", `${formsPath}/${own.id}/submissions`)).body.data;
    expect([submissions, pagination.total]).toEqual([[rest], 1]);
  });

  test("also when the form is archived", async () => {
    const own = await freshForm();
    const row = await submitted({ a: "x" }, { to: own });
    await archive(own);
    expect((await call("DELETE", submissionPath(row))).status).toBe(200);
  });
});

/** An id of a request that the server has made. */
const ours = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe(`GET ${route}/edits`, () => {
  test("each change has an entry: field, old and new value, key, request, time; newest first", async () => {
    const second = await makeKey(app, team, "submissions:update");
    const first = await edited(await submitted({ a: "x" }), ["a", "y"]);
    const reply = await patch(first, [["n", 7]], {
      key: second.key,
      headers: { "x-request-id": "nightly.import-7" },
    });
    expect(reply.headers.get("x-request-id")).toBe("nightly.import-7");
    const line = { id: expect.any(String), createdAt: expect.stringMatching(timestamp), erasedAt: null };
    const ofN = { fieldId: "n", oldValue: null, newValue: 7 };
    const ofA = { fieldId: "a", oldValue: "x", newValue: "y" };
    expect(await call("GET", submissionPath(first, "/edits"))).toMatchObject({
      status: 200,
      body: {
        apiVersion: "v1",
        data: {
          edits: [
            { ...line, ...ofN, apiKeyId: second.id, requestId: ours, clientRequestId: "nightly.import-7" },
            { ...line, ...ofA, apiKeyId: team.keyId, requestId: ours, clientRequestId: null },
          ],
          erasure: null,
          pagination: { page: 1, limit: 20, total: 2, next: null },
        },
      },
    });
  });

  test("the new value of a removal and the old value of an addition are null; JSON values are kept exactly", async () => {
    const own = await makeForm(app, team, [{ id: "any", type: "x-any", label: "Any" }]);
    const value = { k: [1, null, { __proto: "x" }], "": "é" };
    const row = await submitted({}, { to: own });
    await edited(await edited(row, ["any", value]), ["any", null]);
    expect((await editsOf(row)).edits).toMatchObject([
      { oldValue: value, newValue: null },
      { oldValue: null, newValue: value },
    ]);
  });

  test("deletion removes the values and keeps the entries, and is recorded with its fields and author", async () => {
    const eraser = await makeKey(app, team, "submissions:delete");
    const row = await edited(await submitted({ a: "secret 1", n: 1 }), ["a", "secret 2"], ["n", null]);
    const before = (await editsOf(row)).edits;
    await call("DELETE", submissionPath(row), { key: eraser.key, headers: { "x-request-id": "gdpr-17" } });
    const after = await editsOf(row);
    const blank = { oldValue: null, newValue: null, erasedAt: expect.stringMatching(timestamp) };
    expect(after).toEqual({
      edits: before.map((edit: object) => ({ ...edit, ...blank })),
      erasure: {
        fieldIds: ["a"],
        actor: { type: "api_key", id: eraser.id },
        apiKeyId: eraser.id,
        requestId: ours,
        clientRequestId: "gdpr-17",
        createdAt: expect.stringMatching(timestamp),
      },
      pagination: { page: 1, limit: 20, total: 2, next: null },
    });
    const { sql } = app.database;
    const tables = await sql<
      { name: string }[]
    >`select relname as name from pg_class where relnamespace = 'formd'::regnamespace and relkind = 'r'`;
    for (const { name } of tables) {
      const [found] =
        await sql`select count(*)::int as count from ${sql(`formd.${name}`)} t where t::text like ${"%secret %"}`;
      expect([name, found?.count]).toEqual([name, 0]);
    }
  });

  test("a submission without edits has an empty audit, before and after its deletion", async () => {
    const row = await submitted();
    expect(await editsOf(row)).toEqual({
      edits: [],
      erasure: null,
      pagination: { page: 1, limit: 20, total: 0, next: null },
    });
    await call("DELETE", submissionPath(row));
    expect(await editsOf(row)).toMatchObject({
      edits: [],
      erasure: { fieldIds: ["a"], apiKeyId: team.keyId },
    });
  });

  test.each(["?page=0", "?limit=101"])("%s is 400", async (query) => {
    const reply = await call("GET", submissionPath(await submitted(), `/edits${query}`));
    expect(statusAndCode(reply)).toEqual([400, "bad_request"]);
  });

  test("formd audit list --json prints the same entries", async () => {
    const row = await edited(await submitted(), ["a", "y"], ["n", 3]);
    const { edits } = await editsOf(row);
    const { code, stdout } = await formd(["audit", "list", row.id, "--json"], {
      DATABASE_URL: app.database.url,
    });
    expect(code).toBe(0);
    const printed = JSON.parse(stdout).edits;
    expect(printed).toMatchObject(edits.map(({ erasedAt: _, ...edit }: Record<string, unknown>) => edit));
    expect(printed).toMatchObject([
      { submissionId: row.id, formId: form.id },
      { submissionId: row.id, formId: form.id },
    ]);
  });
});
