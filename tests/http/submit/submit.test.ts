// stacks: one months citus oldest gate
import { describe, expect, test } from "bun:test";
import { outcome, submissionCount, timestamp } from "../../expect.ts";
import { asAgent, makeAgent, makeForm, makeKey, type PublishedForm } from "../../setup.ts";
import { type Submission, submissionsFixture, submissionsPath } from "../submissions/fixture.ts";

const ada = "01900000-0000-7000-8000-00000000ada0";
const bob = "01900000-0000-7000-8000-00000000b0b0";
const { app, team, freshForm, byKey, agentOn, submit, validate, read, publishAnew } =
  await submissionsFixture([{ id: "name", type: "text", label: "Name", required: true }]);
const get = (form: PublishedForm, id: string) => read({ formId: form.id, id });
const whole = { data: { name: "Ada" } };

describe("the response of a submit, and the row that it stores", () => {
  test("a whole row is completed; the record says who, which version, what and when", async () => {
    const form = await freshForm();
    const agent = await makeAgent(app, team, form);
    const metadata = { respondentId: ada, source: { page: "/contact", nested: [1, null, "é"] } };
    const { status, body } = await submit(asAgent(form, agent), { data: { name: " x😀 " }, metadata });
    expect([status, body]).toEqual([
      200,
      { apiVersion: "v1", data: { id: expect.any(String), status: "completed", missingRequired: [] } },
    ]);
    const record = await get(form, body.data.id);
    expect(record).toEqual({
      ...{ id: body.data.id, formId: form.id, formVersion: 1, status: "completed" },
      ...{ data: { name: " x😀 " }, metadata, respondentId: ada },
      ...{ submitter: { type: "agent", id: agent.id }, provenance: "agent", declaredAgent: null },
      ...{ review: null, createdAt: expect.stringMatching(timestamp), updatedAt: record.createdAt },
    } as object as Submission);
  });

  test("a form under review stores pending; partial comes first", async () => {
    const form = await freshForm({ review: { required: true } });
    expect((await submit(byKey(form), whole)).body.data.status).toBe("pending");
    const partial = (await submit(await agentOn(form), { data: {} }, "?partial=true")).body.data;
    expect(partial).toEqual({ id: partial.id, status: "partial", missingRequired: ["name"] });
  });

  test("partial=true stays partial also when nothing is missing; only true and false are values", async () => {
    const form = await freshForm();
    const send = async (query: string) => submit(await agentOn(form), whole, query);
    expect((await send("?partial=true")).body.data).toMatchObject({ status: "partial", missingRequired: [] });
    expect((await send("?partial=false")).body.data.status).toBe("completed");
    for (const value of ["1", "yes", "TRUE", ""]) {
      const reply = await send(`?partial=${value}`);
      expect([value, outcome(reply)]).toEqual([value, "400 bad_request"]);
      expect(reply.body.error).toContain("partial");
    }
    expect(await submissionCount(app, form)).toBe(2);
  });

  test("an API key with submissions:write submits whole rows, any number of them, and no partial ones", async () => {
    const form = await freshForm();
    const { id, key } = await makeKey(app, team, "submissions:write");
    for (const name of ["A", "B", "C"]) {
      const reply = await submit(byKey(form, key), { data: { name } });
      expect(await get(form, reply.body.data.id)).toMatchObject({
        ...{ submitter: { type: "api_key", id }, metadata: null, respondentId: null },
      });
    }
    expect(outcome(await submit(byKey(form, key), { data: {} }, "?partial=true"))).toBe(
      "403 partial_not_allowed",
    );
    expect(outcome(await submit(byKey(form, key), { data: {} }))).toBe("422 validation_failed");
    expect(await submissionCount(app, form)).toBe(3);
  });

  test("a version published in between validates the next submit, though this server has cached the previous one", async () => {
    const form = await freshForm();
    const send = async (data: object) => submit(await agentOn(form), { data });
    const first = await send({ name: "Ada" });
    expect(outcome(first)).toBe("ok");
    const age = { id: "age", type: "integer", label: "Age", required: true };
    await publishAnew(form, { op: "addField", field: age });
    expect((await send({ name: "Ada" })).body.errors).toMatchObject([{ field: "age", code: "required" }]);
    const { body } = await send({ name: "Ada", age: 36 });
    expect(await get(form, body.data.id)).toMatchObject({ formVersion: 2 });
    expect(await get(form, first.body.data.id)).toMatchObject({ formVersion: 1 });
  });

  test("a form that requires a challenge takes no agent without a pass, and does take an API key", async () => {
    const form = await freshForm({ challenge: { required: true } });
    expect(outcome(await submit(await agentOn(form), whole))).toBe("403 challenge_required");
    expect(outcome(await submit(byKey(form), whole))).toBe("ok");
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
      const form = await freshForm();
      const headers = await agentOn(form);
      await app.database.sql`
        update formd.grants set respondent_id = ${respondentId}, binding_required = ${bindingRequired}
        where team_id = ${team.id} and form_id = ${form.id}`;
      const body = { ...whole, metadata: said === undefined ? {} : { respondentId: said } };
      expect(outcome(await validate(headers, body))).toBe(said === "ada" ? "400 invalid_body" : "ok");
      const reply = await submit(headers, body);
      const stored = reply.status === 200 && (await get(form, reply.body.data.id));
      expect(stored ? (stored.respondentId ?? "none") : outcome(reply)).toBe(expected);
      expect(await submissionCount(app, form)).toBe(reply.status === 200 ? 1 : 0);
    },
  );
});

describe("the body", () => {
  const invalid = "400 invalid_body";
  test.each<[body: string, expected: string]>([
    ["", invalid],
    ["null", invalid],
    ["[]", invalid],
    ["{}", invalid],
    ['{"data":null}', invalid],
    ['{"data":[]}', invalid],
    ['{"data":"x"}', invalid],
    ['{"data":{"name":"A"},"metadata":[]}', invalid],
    ['{"data":{"name":"A"},"metadata":"x"}', invalid],
    ['{"data":{"name":"A"}}x', invalid],
    ['{"data":{"name":"A"},"metadata":{"n":9007199254740993}}', invalid],
    ['{"data":{"name":"A"},"metadata":{"n":"\\u0000"}}', invalid],
    ['{"data":{"na\\u0000me":"A"}}', invalid],
    ['{"data":{"name":"A"},"more":1}', invalid],
    ['{"data":{"name":"a\\u0000b"}}', "422 name format"],
    ['{"data":{"name":"a\\ud800b"}}', "422 name format"],
    ['{"data":{"name":9007199254740993}}', "422 name type_mismatch"],
    ['{"data":{"name":"A","__proto__":1}}', "422 __proto__ unknown_field"],
    ['{"data":{"name":"A","toString":1}}', "422 toString unknown_field"],
  ])("%s: %s", async (body, expected) => {
    const form = await freshForm();
    const reply = await submit({ "content-type": "application/json", ...byKey(form) }, body);
    const [error] = reply.body.errors ?? [];
    expect(error ? `422 ${error.field} ${error.code}` : outcome(reply)).toBe(expected);
    expect(await submissionCount(app, form)).toBe(0);
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
      const response = await fetch(app.url + submissionsPath, {
        method: "POST",
        headers: { "content-type": "application/json", ...byKey(form) },
        body: JSON.stringify(body),
      });
      const sent = await response.text();
      expect([response.status, sent.includes("x".repeat(63))]).toEqual([status, true]);
      expect(sent).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  test("metadata has at most 16 KiB", async () => {
    const form = await freshForm();
    const sized = (bytes: number) => ({ ...whole, metadata: { x: "x".repeat(bytes - '{"x":""}'.length) } });
    expect(outcome(await submit(byKey(form), sized(16_384)))).toBe("ok");
    expect(outcome(await submit(byKey(form), sized(16_385)))).toBe("400 invalid_body");
  });
});
