// stacks: one months citus oldest
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { outcome, submissionCount } from "../../expect.ts";
import {
  asAgent,
  ask,
  formd,
  makeAgent,
  makeForm,
  makeKey,
  makeTeam,
  type PublishedForm,
  type Service,
  service,
  settingsFor,
  type Team,
} from "../../setup.ts";

// A test that starts a process of formd waits for it, on a busy machine too.
setDefaultTimeout(120_000);

const validation = "/papi/v1/submitter/form/validation";
const submission = "/papi/v1/submitter/form/submissions";
const ada = "01900000-0000-7000-8000-00000000ada0";
const bob = "01900000-0000-7000-8000-00000000b0b0";
const text = [{ id: "name", type: "text", label: "Name", required: true }];

let app: Service;
let team: Team;

beforeAll(async () => {
  app = await service();
  team = await makeTeam(app);
});

const byKey = (form: PublishedForm, key = team.key) => ({
  "x-form-access-key": form.accessKey,
  "x-api-key": key,
});
const submit = (headers: Record<string, string>, body: unknown, query = "") =>
  ask(app, "POST", submission + query, { headers, body });
const get = async (form: PublishedForm, id: string) =>
  (
    await ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions/${id}`, {
      headers: { "x-api-key": team.key },
    })
  ).body.data.submission;

describe("what a submit answers and stores", () => {
  test("a whole row is completed; the record says who, which version, what and when", async () => {
    const form = await makeForm(app, team, text);
    const agent = await makeAgent(app, team, form);
    const { status, body } = await submit(asAgent(form, agent), {
      data: { name: "Ada" },
      metadata: { source: "mail" },
    });
    expect([status, body]).toEqual([
      200,
      { apiVersion: "v1", data: { id: expect.any(String), status: "completed", missingRequired: [] } },
    ]);
    const record = await get(form, body.data.id);
    expect(record).toEqual({
      id: body.data.id,
      formId: form.id,
      formVersion: 1,
      status: "completed",
      data: { name: "Ada" },
      metadata: { source: "mail" },
      submitter: { type: "agent", id: agent.id },
      respondentId: null,
      provenance: "agent",
      declaredAgent: null,
      review: null,
      createdAt: expect.any(String),
      updatedAt: record.createdAt,
    });
  });

  test("a form under review stores pending; partial comes first", async () => {
    const form = await makeForm(app, team, text, { settings: { review: { required: true } } });
    expect((await submit(byKey(form), { data: { name: "Ada" } })).body.data.status).toBe("pending");
    const partial = await submit(
      asAgent(form, await makeAgent(app, team, form)),
      { data: {} },
      "?partial=true",
    );
    expect(partial.body.data).toEqual({
      id: partial.body.data.id,
      status: "partial",
      missingRequired: ["name"],
    });
  });

  test("partial=true stays partial also when nothing is missing; only true and false are values", async () => {
    const form = await makeForm(app, team, text);
    const agents = async () => asAgent(form, await makeAgent(app, team, form));
    expect((await submit(await agents(), { data: { name: "A" } }, "?partial=true")).body.data).toMatchObject({
      status: "partial",
      missingRequired: [],
    });
    expect((await submit(await agents(), { data: { name: "A" } }, "?partial=false")).body.data.status).toBe(
      "completed",
    );
    for (const value of ["1", "yes", "TRUE", ""]) {
      const reply = await submit(await agents(), { data: { name: "A" } }, `?partial=${value}`);
      expect([value, outcome(reply)]).toEqual([value, "400 bad_request"]);
      expect(reply.body.error).toContain("partial");
    }
    expect(await submissionCount(app, form)).toBe(2);
  });

  test("an API key with submissions:write submits whole rows, any number of them, and no partial ones", async () => {
    const form = await makeForm(app, team, text);
    const { id, key } = await makeKey(app, team, "submissions:write");
    for (const name of ["A", "B", "C"]) {
      const reply = await submit(byKey(form, key), { data: { name } });
      expect((await get(form, reply.body.data.id)).submitter).toEqual({ type: "api_key", id });
    }
    expect(outcome(await submit(byKey(form, key), { data: {} }, "?partial=true"))).toBe(
      "403 partial_not_allowed",
    );
    expect(outcome(await submit(byKey(form, key), { data: {} }))).toBe("422 validation_failed");
    expect(
      outcome(
        await submit(byKey(form, (await makeKey(app, team, "submissions:update")).key), {
          data: { name: "D" },
        }),
      ),
    ).toBe("403 missing_scope");
    expect(await submissionCount(app, form)).toBe(3);
  });

  test("a version published in between judges the next submit, though this server has the one before at hand", async () => {
    const form = await makeForm(app, team, text);
    const send = async (data: object) => submit(asAgent(form, await makeAgent(app, team, form)), { data });
    expect(outcome(await send({ name: "Ada" }))).toBe("ok");
    const add = {
      operations: [{ op: "addField", field: { id: "age", type: "integer", label: "Age", required: true } }],
    };
    await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
      headers: { "x-api-key": team.key },
      body: add,
    });
    expect(outcome(await send({ name: "Ada" }))).toBe("ok");
    const published = await formd(["form", "publish", form.id], settingsFor(app.database));
    expect(published).toMatchObject({ code: 0 });
    const old = await send({ name: "Ada" });
    expect(
      old.body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
    ).toEqual(["age required"]);
    const { body } = await send({ name: "Ada", age: 36 });
    expect((await get(form, body.data.id)).formVersion).toBe(2);
  });

  test("a form that requires a challenge takes no agent without a pass, and does take an API key", async () => {
    const form = await makeForm(app, team, text, { settings: { challenge: { required: true } } });
    expect(
      outcome(await submit(asAgent(form, await makeAgent(app, team, form)), { data: { name: "A" } })),
    ).toBe("403 challenge_required");
    expect(outcome(await submit(byKey(form), { data: { name: "A" } }))).toBe("ok");
  });
});

describe("which respondent a submission is for", () => {
  type Row = [
    grant: { respondentId?: string; bindingRequired?: boolean },
    said: string | undefined,
    expected: string,
  ];
  const rows: Row[] = [
    [{}, undefined, "none"],
    [{}, ada, ada],
    [{ respondentId: ada }, undefined, ada],
    [{ respondentId: ada }, ada, ada],
    [{ respondentId: ada }, ada.toUpperCase(), ada],
    [{ respondentId: ada }, bob, "403 respondent_not_assigned"],
    [{ respondentId: ada, bindingRequired: true }, ada, ada],
    [{ respondentId: ada, bindingRequired: true }, undefined, "403 respondent_not_assigned"],
    [{ respondentId: ada, bindingRequired: true }, bob, "403 respondent_not_assigned"],
    [{ bindingRequired: true }, undefined, "403 binding_required"],
    [{ bindingRequired: true }, ada, "403 binding_required"],
    [{}, "ada", "400 invalid_body"],
  ];
  test.each(rows)(
    "grant %j, metadata.respondentId %s: %s",
    async ({ respondentId = null, bindingRequired = false }, said, expected) => {
      const form = await makeForm(app, team, text);
      const agent = await makeAgent(app, team, form);
      await app.database
        .sql`update formd.grants set respondent_id = ${respondentId}, binding_required = ${bindingRequired} where agent_id = ${agent.id}`;
      const body = { data: { name: "A" }, metadata: said === undefined ? {} : { respondentId: said } };
      const dry = await ask(app, "POST", validation, { headers: asAgent(form, agent), body });
      expect(outcome(dry)).toBe(said === "ada" ? "400 invalid_body" : "ok");
      const reply = await submit(asAgent(form, agent), body);
      const respondent =
        reply.status === 200
          ? ((await get(form, reply.body.data.id)).respondentId ?? "none")
          : outcome(reply);
      expect(respondent).toBe(expected);
      expect(await submissionCount(app, form)).toBe(reply.status === 200 ? 1 : 0);
    },
  );
});

describe("the body", () => {
  const shapes: [body: string, expected: string][] = [
    ["", "400 invalid_body"],
    ["null", "400 invalid_body"],
    ["[]", "400 invalid_body"],
    ["{}", "400 invalid_body"],
    ['{"data":null}', "400 invalid_body"],
    ['{"data":[]}', "400 invalid_body"],
    ['{"data":"x"}', "400 invalid_body"],
    ['{"data":{"name":"A"},"metadata":[]}', "400 invalid_body"],
    ['{"data":{"name":"A"},"metadata":"x"}', "400 invalid_body"],
    ['{"data":{"name":"A"}}x', "400 invalid_body"],
    ['{"data":{"name":"A"},"metadata":{"n":9007199254740993}}', "400 invalid_body"],
    ['{"data":{"name":"A"},"metadata":{"n":"\\u0000"}}', "400 invalid_body"],
    ['{"data":{"na\\u0000me":"A"}}', "400 invalid_body"],
    ['{"data":{"name":"a\\u0000b"}}', "422 name format"],
    ['{"data":{"name":"a\\ud800b"}}', "422 name format"],
    ['{"data":{"name":9007199254740993}}', "422 name type_mismatch"],
    ['{"data":{"name":"A"},"more":1}', "400 invalid_body"],
  ];
  test.each(shapes)("%s: %s", async (body, expected) => {
    const form = await makeForm(app, team, text);
    const reply = await ask(app, "POST", submission, {
      headers: { "content-type": "application/json", ...byKey(form) },
      body,
    });
    const [error] = reply.body.errors ?? [];
    expect(error ? `422 ${error.field} ${error.code}` : outcome(reply)).toBe(expected);
    expect(await submissionCount(app, form)).toBe(expected === "ok" ? 1 : 0);
  });

  test("what a response says of an unknown name is cut between characters, as strict readers of JSON want", async () => {
    const form = await makeForm(app, team, [
      { id: "address", type: "address", label: "Address" },
      { id: "rating", type: "matrix", label: "Rating", rows: ["speed"], columns: ["good"] },
      { id: "price", type: "matrix", label: "Price", rows: ["speed"], columns: ["good"] },
    ]);
    const name = `${"x".repeat(63)}😀`;
    const data = { address: { [name]: "x" }, rating: { [name]: "good" }, price: { [name]: 1 } };
    for (const [body, status] of [
      [{ data }, 422],
      [{ data: {}, [name]: 1 }, 400],
    ] as const) {
      const response = await fetch(app.url + submission, {
        method: "POST",
        headers: { "content-type": "application/json", ...byKey(form) },
        body: JSON.stringify(body),
      });
      const sent = await response.text();
      expect([response.status, sent.includes("x".repeat(63))]).toEqual([status, true]);
      expect(sent).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  test("metadata is kept as it was sent, up to 16 KiB", async () => {
    const form = await makeForm(app, team, text);
    const kept = {
      source: { mail: ["a", null, 1.5, { deep: false }] },
      "": "",
      respondentId: ada,
      ключ: "значение 😀",
    };
    const { id } = (await submit(byKey(form), { data: { name: "A" }, metadata: kept })).body.data;
    expect((await get(form, id)).metadata).toEqual(kept);
    const sized = (bytes: number) => ({
      data: { name: "A" },
      metadata: { x: "x".repeat(bytes - '{"x":""}'.length) },
    });
    expect(outcome(await submit(byKey(form), sized(16_384)))).toBe("ok");
    expect(outcome(await submit(byKey(form), sized(16_385)))).toBe("400 invalid_body");
    expect(
      (await get(form, (await submit(byKey(form), { data: { name: "A" } })).body.data.id)).metadata,
    ).toBeNull();
  });

  test("content types: application/json with parameters and application/*+json are taken, no other", async () => {
    const form = await makeForm(app, team, text);
    for (const [type, expected] of [
      ["application/json; charset=utf-8", "ok"],
      ["APPLICATION/JSON", "ok"],
      ["application/problem+json", "ok"],
      ["text/json", "415 invalid_content_type"],
      ["application/jsonp", "415 invalid_content_type"],
      ["application/x-www-form-urlencoded", "415 invalid_content_type"],
    ] as const) {
      const reply = await ask(app, "POST", submission, {
        headers: { ...byKey(form), "content-type": type },
        body: '{"data":{"name":"A"}}',
      });
      expect([type, outcome(reply)]).toEqual([type, expected]);
    }
  });
});
