import { beforeAll, describe, expect, test } from "bun:test";
import { apiKeyScopes } from "../../../src/platform/auth/api-key.ts";
import { timestamp, unknownId } from "../../expect.ts";
import {
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeKey,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

const root = "/papi/v1/management/forms";
const submit = "/papi/v1/submitter/form/submissions";
let app: Service;
let team: Team;
let other: Team;

beforeAll(async () => {
  app = await service();
  [team, other] = [await makeTeam(app), await makeTeam(app)];
});

const fields = [
  { id: "a", type: "text", label: "A", required: true },
  { id: "n", type: "number", label: "N" },
];
const of = (form: { id: string }, rest = "") => `${root}/${form.id}/submissions${rest}`;
const read = (path: string, key = team.key) => ask(app, "GET", path, { headers: { "x-api-key": key } });
const send = async (headers: Record<string, string>, body: object, query = ""): Promise<string> => {
  const reply = await ask(app, "POST", submit + query, { headers, body });
  expect([reply.status, reply.body.code]).toEqual([200, undefined]);
  return reply.body.data.id;
};
const byKey = (form: PublishedForm, data: object, owner = team) =>
  send({ "x-form-access-key": form.accessKey, "x-api-key": owner.key }, { data });
const idsAt = async (path: string): Promise<string[]> =>
  (await read(path)).body.data.submissions.map(({ id }: { id: string }) => id);

describe(`GET ${root}/{form_id}/submissions`, () => {
  test("q finds a text in the values, with the other filters, and the export follows", async () => {
    const form = await makeForm(app, team, fields);
    const ada = await byKey(form, { a: "Ada Lovelace, Zürich" });
    const second = await byKey(form, { a: "ada again", n: 1815 });
    await byKey(form, { a: "Charles" });
    expect(await idsAt(of(form, "?q=ADA"))).toEqual([second, ada]);
    expect(await idsAt(of(form, "?q=z%C3%BCrich"))).toEqual([ada]);
    expect(await idsAt(of(form, "?q=ada&status=partial"))).toEqual([]);
    expect(await idsAt(of(form, "?q=ada&limit=1&page=2"))).toEqual([ada]);
    expect(await idsAt(of(form, "?q=%20"))).toHaveLength(3);
    const { data } = (await read(of(form, "?q=815"))).body;
    expect(data).toMatchObject({ olderBefore: null, pagination: { page: 1, limit: 20, total: 1 } });
    const file = await fetch(`${app.url}${of(form, "/export?format=jsonl&q=ada")}`, {
      headers: { "x-api-key": team.key },
    });
    expect(
      (await file.text())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual([second, ada]);
    expect((await read(of(form, `?q=${"x".repeat(201)}`))).status).toBe(400);
    expect((await read(`${root}/${unknownId}/submissions?q=a`)).status).toBe(404);
  });

  test("newest first, each once, with the true total on every page and past the last", async () => {
    const form = await makeForm(app, team, fields);
    expect((await read(of(form))).body).toEqual({
      apiVersion: "v1",
      data: { submissions: [], pagination: { page: 1, limit: 20, total: 0 } },
    });
    const ids: string[] = [];
    for (let n = 0; n < 22; n++) ids.unshift(await byKey(form, { a: "x", n }));
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
        { page, limit, total: 22 },
      ]);
    }
  });

  test("forty concurrent submissions are forty in the total and in the list", async () => {
    const form = await makeForm(app, team, fields);
    const ids = await Promise.all(Array.from({ length: 40 }, () => byKey(form, { a: "x" })));
    const { submissions, pagination } = (await read(of(form, "?limit=100"))).body.data;
    expect(pagination.total).toBe(40);
    expect(submissions.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort());
  });

  test("status, time, agent and respondent filter list and total, alone and together", async () => {
    const respondentId = crypto.randomUUID();
    const form = await makeForm(app, team, fields);
    const [first, second] = [await makeAgent(app, team, form), await makeAgent(app, team, form)];
    const whole = await send(asAgent(form, first), { data: { a: "x" }, metadata: { respondentId } });
    const half = await send(asAgent(form, second), { data: { n: 1 } }, "?partial=true");
    await ask(app, "PATCH", `${root}/${form.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings: { review: { required: true } } }] },
    });
    const waiting = await byKey(form, { a: "x" });
    const at = async (id: string) => (await read(of(form, `/${id}`))).body.data.submission.createdAt;
    const rows: [string, string[]][] = [
      ["?status=completed", [whole]],
      ["?status=partial", [half]],
      ["?status=pending", [waiting]],
      [`?agentId=${first.id}`, [whole]],
      [`?agentId=${first.id.toUpperCase()}`, [whole]],
      [`?respondentId=${respondentId}`, [whole]],
      [`?agentId=${second.id}&status=completed`, []],
      [`?agentId=${unknownId}`, []],
      [`?createdAfter=${await at(whole)}`, [waiting, half]],
      [`?createdBefore=${await at(waiting)}`, [half, whole]],
      [`?createdAfter=${await at(whole)}&createdBefore=${await at(waiting)}`, [half]],
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

  test.each([
    ["page", "0"],
    ["page", "x"],
    ["limit", "101"],
    ["limit", "0"],
    ["status", "done"],
    ["status", ""],
    ["status", "Completed"],
    ["createdAfter", "yesterday"],
    ["createdAfter", "2026-11-20"],
    ["createdAfter", "2026-11-20T09:00:00"],
    ["createdBefore", "2026-02-30T00:00:00Z"],
    ["createdBefore", "2026-13-01T00:00:00Z"],
    ["createdBefore", "1"],
    ["createdAfter", "2026-12-31T23:59:60Z"],
    ["createdAfter", "0000-01-01T00:00:00Z"],
    ["createdBefore", "9999-12-31T23:59:59-23:59"],
    ["agentId", "x"],
    ["respondentId", "null"],
  ])("%s=%s is 400 bad_request and names the parameter", async (name, value) => {
    const form = await makeForm(app, team, fields);
    expect(await read(of(form, `?${name}=${value}`))).toMatchObject({
      status: 400,
      body: { code: "bad_request", error: expect.stringContaining(name) },
    });
  });

  test("unknown parameters are ignored", async () => {
    expect((await read(of(await makeForm(app, team, fields), "?sort=a&state=b"))).status).toBe(200);
  });

  test("an unknown form is 404; a draft and an archived form have lists", async () => {
    expect(await read(of({ id: unknownId }))).toMatchObject({ status: 404, body: { code: "not_found" } });
    const draft = await ask(app, "POST", root, { headers: { "x-api-key": team.key }, body: { name: "A" } });
    expect((await read(of(draft.body.data.form))).body.data.submissions).toEqual([]);
    const form = await makeForm(app, team, fields);
    const id = await byKey(form, { a: "x" });
    await app.database
      .sql`select formd.form_set_archived(${team.id}, '(cli,,)'::formd.actor, ${form.id}, true)`;
    expect(await idsAt(of(form))).toEqual([id]);
  });
});

describe(`GET ${root}/{form_id}/submissions/{submission_id}`, () => {
  test("the record says who sent what, when, and to which version", async () => {
    const form = await makeForm(app, team, fields);
    const agent = await makeAgent(app, team, form);
    const respondentId = crypto.randomUUID();
    const metadata = { respondentId, source: { page: "/contact", nested: [1, null, "é"] } };
    const id = await send(asAgent(form, agent), { data: { a: " x\u{1f600} ", n: 0.1 }, metadata });
    const reply = await read(of(form, `/${id}`));
    expect(reply.body).toEqual({
      apiVersion: "v1",
      data: {
        submission: {
          id,
          formId: form.id,
          formVersion: 1,
          status: "completed",
          data: { a: " x\u{1f600} ", n: 0.1 },
          metadata,
          submitter: { type: "agent", id: agent.id },
          respondentId,
          provenance: "agent",
          declaredAgent: null,
          review: null,
          createdAt: expect.stringMatching(timestamp),
          updatedAt: expect.stringMatching(timestamp),
        },
      },
    });
    expect((await read(of(form))).body.data.submissions).toEqual([reply.body.data.submission]);
  });

  test("an API key's submission names the key, and without metadata there is none", async () => {
    const form = await makeForm(app, team, fields);
    const { submission } = (await read(of(form, `/${await byKey(form, { a: "x" })}`))).body.data;
    expect(submission).toMatchObject({
      submitter: { type: "api_key", id: team.keyId },
      metadata: null,
      respondentId: null,
    });
  });

  test("a submission after the next publish belongs to that version; earlier ones keep theirs", async () => {
    const form = await makeForm(app, team, fields);
    const before = await byKey(form, { a: "x" });
    await app.database
      .sql`select formd.form_publish(${team.id}, '(cli,,)'::formd.actor, ${form.id}, (select updated_at from formd.forms where id = ${form.id}))`;
    const after = await byKey(form, { a: "x" });
    const versionOf = async (id: string) => (await read(of(form, `/${id}`))).body.data.submission.formVersion;
    expect([await versionOf(before), await versionOf(after)]).toEqual([1, 2]);
  });

  test("an unknown submission, or one of another form, is 404; a malformed id is 400 and named", async () => {
    const [form, sibling] = [await makeForm(app, team, fields), await makeForm(app, team, fields)];
    const id = await byKey(form, { a: "x" });
    for (const path of [of(form, `/${unknownId}`), of(sibling, `/${id}`), of({ id: unknownId }, `/${id}`)])
      expect(await read(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await read(of(form, "/1"))).toMatchObject({
      status: 400,
      body: { code: "bad_request", error: expect.stringContaining("submission_id") },
    });
  });
});

describe("authorization", () => {
  test.each(apiKeyScopes)(
    "a key with %s alone reads submissions only if that is submissions:read",
    async (scope) => {
      const form = await makeForm(app, team, fields);
      const id = await byKey(form, { a: "x" });
      const { key } = await makeKey(app, team, scope);
      for (const path of [of(form), of(form, `/${id}`)]) {
        const reply = await read(path, key);
        if (scope === "submissions:read") expect(reply.status).toBe(200);
        else
          expect(reply).toMatchObject({
            status: 403,
            body: { code: "missing_scope", error: expect.stringContaining("submissions:read") },
          });
      }
    },
  );

  test("without a key, or with a respondent's token instead, it is 401", async () => {
    const form = await makeForm(app, team, fields);
    const agent = await makeAgent(app, team, form);
    const cases: Record<string, string>[] = [
      {},
      asAgent(form, agent),
      { "x-api-key": agent.token },
      { "x-api-key": agent.secret },
      { "x-api-key": form.accessKey },
    ];
    for (const headers of cases)
      expect(await ask(app, "GET", of(form), { headers })).toMatchObject({
        status: 401,
        body: { code: "unauthorized" },
      });
  });

  test("no team reads a submission of another, by any pair of ids", async () => {
    const [form, foreign] = [await makeForm(app, team, fields), await makeForm(app, other, fields)];
    const [mine, theirs] = [await byKey(form, { a: "x" }), await byKey(foreign, { a: "y" }, other)];
    for (const path of [
      of(foreign),
      of(foreign, `/${theirs}`),
      of(form, `/${theirs}`),
      of(foreign, `/${mine}`),
    ])
      expect(await read(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await idsAt(of(form))).toEqual([mine]);
  });
});
