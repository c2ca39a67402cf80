// stacks: one months citus gate
import { describe, expect, test } from "bun:test";
import { unknownId } from "../../expect.ts";
import { asAgent, makeAgent, type PublishedForm } from "../../setup.ts";
import { formsPath, submissionPath, submissionsFixture } from "./fixture.ts";

const fixture = await submissionsFixture([
  { id: "a", type: "text", label: "A", required: true },
  { id: "n", type: "number", label: "N" },
]);
const { app, team, freshForm, archive, call, submit, submitted } = fixture;
const of = (form: { id: string }, rest = "") => `${formsPath}/${form.id}/submissions${rest}`;
const read = (path: string) => call("GET", path);
const store = async (form: PublishedForm, data: object) => (await submitted(data, { to: form })).id;
const idsAt = async (path: string): Promise<string[]> =>
  (await read(path)).body.data.submissions.map(({ id }: { id: string }) => id);

// Access is tested in access.test.ts, the content of a record in ../submit/submit.test.ts.
describe(`GET ${formsPath}/{form_id}/submissions`, () => {
  test("q finds a text in the values, with the other filters, and the export follows", async () => {
    const form = await freshForm();
    const ada = await store(form, { a: "Ada Lovelace, Zürich" });
    const second = await store(form, { a: "ada again", n: 1815 });
    await store(form, { a: "Charles" });
    expect(await idsAt(of(form, "?q=ADA"))).toEqual([second, ada]);
    expect(await idsAt(of(form, "?q=z%C3%BCrich"))).toEqual([ada]);
    expect(await idsAt(of(form, "?q=ada&status=partial"))).toEqual([]);
    expect(await idsAt(of(form, "?q=ada&limit=1&page=2"))).toEqual([ada]);
    expect(await idsAt(of(form, "?q=%20"))).toHaveLength(3);
    const { data } = (await read(of(form, "?q=815"))).body;
    expect(data).toMatchObject({ pagination: { page: 1, limit: 20, total: 1, next: null } });
    const file: string = (await read(of(form, "/export?format=jsonl&q=ada"))).body;
    const lines = file.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([second, ada]);
    expect((await read(of(form, `?q=${"x".repeat(201)}`))).status).toBe(400);
    expect((await read(of({ id: unknownId }, "?q=a"))).status).toBe(404);
  });

  test("newest first, each once, with the true total on every page and past the last", async () => {
    const form = await freshForm();
    expect((await read(of(form))).body).toEqual({
      apiVersion: "v1",
      data: {
        submissions: [],
        pagination: { page: 1, limit: 20, total: 0, isTotalExact: true, next: null },
      },
    });
    const ids: string[] = [];
    for (let n = 0; n < 22; n++) ids.unshift(await store(form, { a: "x", n }));
    expect(new Set(ids).size).toBe(22);
    for (const [query, part, page, limit] of [
      ["", ids.slice(0, 20), 1, 20],
      ["?page=2", ids.slice(20), 2, 20],
      ["?page=3", [], 3, 20],
      ["?limit=7&page=2", ids.slice(7, 14), 2, 7],
      ["?limit=100", ids, 1, 100],
    ] as const) {
      const { data } = (await read(of(form, query))).body;
      expect([query, data.submissions.map(({ id }: { id: string }) => id), data.pagination]).toEqual([
        query,
        part,
        { page, limit, total: 22, isTotalExact: true, next: page * limit < 22 ? expect.any(String) : null },
      ]);
    }
  });

  test("status, time, agent and respondent filter list and total, alone and together", async () => {
    const respondentId = crypto.randomUUID();
    const form = await freshForm();
    const [first, second] = [await makeAgent(app, team, form), await makeAgent(app, team, form)];
    const send = async (...sent: Parameters<typeof submit>): Promise<string> =>
      (await submit(...sent)).body.data.id;
    const whole = await send(asAgent(form, first), { data: { a: "x" }, metadata: { respondentId } });
    const half = await send(asAgent(form, second), { data: { n: 1 } }, "?partial=true");
    await call("PATCH", `${formsPath}/${form.id}`, {
      body: { operations: [{ op: "setMeta", settings: { review: { required: true } } }] },
    });
    const waiting = await store(form, { a: "x" });
    const at = async (id: string) => (await fixture.read({ id, formId: form.id })).createdAt;
    const rows: [string, string[]][] = [
      ["?status=completed", [whole]],
      ["?status=partial", [half]],
      ["?status=pending", [waiting]],
      [`?agentId=${first.id}`, [whole]],
      [`?agentId=${first.id.toUpperCase()}`, [whole]],
      [`?respondentId=${respondentId}`, [whole]],
      [`?agentId=${second.id}&status=completed`, []],
      [`?agentId=${unknownId}`, []],
      [`?createdAfter=${await at(half)}`, [waiting, half]],
      [`?createdBefore=${await at(half)}`, [half, whole]],
      [`?createdAfter=${(await at(half)).replace("Z", "%2B00:00")}`, [waiting, half]],
      [`?createdAfter=${await at(half)}&createdBefore=${await at(half)}`, [half]],
      ["?createdAfter=2999-01-01T00:00:00Z", []],
      [`?createdBefore=${encodeURIComponent("1969-12-31T23:59:59.999+01:00")}`, []],
      ["?createdAfter=1900-01-01T00:00:00Z", [waiting, half, whole]],
    ];
    for (const [query, ids] of rows) {
      const { submissions, pagination } = (await read(of(form, query))).body.data;
      expect([query, submissions.map(({ id }: { id: string }) => id), pagination.total]).toEqual([
        query,
        ids,
        ids.length,
      ]);
    }
  });

  test("a + in an instant may arrive as a blank; what is no instant then is told to write %2B", async () => {
    const form = await freshForm();
    // The document has no such instant, so that the request is not held against it.
    const read = async (instant: string) => {
      const path = `${formsPath}/${form.id}/submissions?createdAfter=${instant}`;
      const reply = await fetch(app.url + path, { headers: { "x-api-key": team.key } });
      return { status: reply.status, error: ((await reply.json()) as { error?: string }).error };
    };
    expect((await read("2026-11-20T09:00:00+02:00")).status).toBe(200);
    expect((await read("2026-11-20T09:00:00%2B02:00")).status).toBe(200);
    const wrong = await read("2026-11-20T09:00+02:00");
    expect([wrong.status, wrong.error]).toEqual([400, expect.stringContaining("write + as %2B")]);
  });

  test.each([
    "page=0",
    "page=x",
    "limit=101",
    "limit=0",
    "status=done",
    "status=",
    "status=Completed",
    "createdAfter=yesterday",
    "createdAfter=2026-11-20",
    "createdAfter=2026-11-20T09:00:00",
    "createdAfter=2026-11-20+09:00:00Z",
    "createdAfter=2026-11-20T09:00:00++02:00",
    "createdBefore=2026-02-30T00:00:00Z",
    "createdBefore=2026-13-01T00:00:00Z",
    "createdBefore=1",
    "createdAfter=2026-12-31T23:59:60Z",
    "createdAfter=0000-01-01T00:00:00Z",
    "createdBefore=9999-12-31T23:59:59-23:59",
    "agentId=x",
    "respondentId=null",
  ])("%s is 400 bad_request and names the parameter", async (query) => {
    expect(await read(of(fixture.form, `?${query}`))).toMatchObject({
      status: 400,
      body: { code: "bad_request", error: expect.stringContaining(query.split("=")[0] as string) },
    });
  });

  test("a draft and an archived form have lists, with the records that each submission's own route has", async () => {
    const draft = await call("POST", formsPath, { body: { name: "A" } });
    expect((await read(of(draft.body.data.form))).body.data.submissions).toEqual([]);
    const form = await freshForm();
    const row = await submitted({ a: "x" }, { to: form });
    await archive(form);
    expect((await read(of(form))).body.data.submissions).toEqual([row]);
    expect((await read(submissionPath(row))).body).toEqual({ apiVersion: "v1", data: { submission: row } });
  });
});
