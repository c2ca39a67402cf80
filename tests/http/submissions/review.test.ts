// stacks: one
import { describe, expect, test } from "bun:test";
import { timestamp } from "../../expect.ts";
import { ask, makeOperator, makeWorkspace } from "../../setup.ts";
import { formsPath, type Submission, statusAndCode, submissionPath, submissionsFixture } from "./fixture.ts";

const fields = [{ id: "a", type: "text", label: "A", required: true }];
const { app, team, freshForm, call, read, submitted, edited } = await submissionsFixture(fields);
const settings = { review: { required: true } };
const reviewed = await freshForm(settings);

type Reviewed = Submission & { review: { decision: string; reason: string | null; at: string } | null };
const pending = (to = reviewed) => submitted({ a: "x" }, { to }) as Promise<Reviewed>;
const review = (row: Submission, decision: string, body: object = {}, options: object = {}) =>
  call("POST", submissionPath(row, "/review"), {
    body: { decision, expectedUpdatedAt: row.updatedAt, ...body },
    ...options,
  });
/** A decision that must succeed. */
const decided = async (row: Submission, decision: string, body: object = {}): Promise<Reviewed> => {
  const reply = await review(row, decision, body);
  expect(statusAndCode(reply)).toEqual([200, undefined]);
  return reply.body.data.submission;
};
const list = async (query: string, of = reviewed) => {
  const { submissions, pagination } = (await call("GET", `${formsPath}/${of.id}/submissions${query}`)).body
    .data;
  expect(pagination.total).toBe(submissions.length);
  return submissions.map(({ id }: Submission) => id);
};
const eventsOf = async (row: Submission) =>
  (await call("GET", `${formsPath}/${row.formId}/audit?objectId=${row.id}`)).body.data.events;

describe(`POST ${formsPath}/{form_id}/submissions/{submission_id}/review`, () => {
  test("approve completes it; reject takes it out of the queue; reopen puts it back; each is recorded", async () => {
    const row = await pending();
    expect(row).toMatchObject({ status: "pending", review: null });
    const rejected = await decided(row, "reject", { reason: "No address." });
    expect(rejected).toEqual({
      ...row,
      review: { decision: "rejected", reason: "No address.", at: expect.stringMatching(timestamp) },
      updatedAt: rejected.review?.at ?? "",
    });
    expect(await read(row)).toEqual(rejected);
    const open = await decided(rejected, "reopen");
    expect(open).toEqual({ ...row, updatedAt: open.updatedAt });
    const approved = await decided(open, "approve", { reason: null });
    expect(approved).toMatchObject({ status: "completed", review: { decision: "approved", reason: null } });
    // The reason is in the submission alone, which can be deleted.
    const events: { details: object }[] = await eventsOf(row);
    expect(events.map(({ details }) => details)).toEqual(
      ["approve", "reopen", "reject"].map((decision) => ({ decision })),
    );
    const actor = { type: "api_key", id: team.keyId };
    expect(events).toEqual(events.map(() => expect.objectContaining({ kind: "submission.reviewed", actor })));
    const [stored] = await app.database.sql`select completed_at from formd.submissions where id = ${row.id}`;
    expect(stored?.completedAt.toISOString()).toBe(approved.updatedAt);
  });

  test("a decision that changes nothing leaves no event and the same updatedAt", async () => {
    const row = await pending();
    expect(await decided(row, "reopen")).toEqual(row);
    const rejected = await decided(row, "reject", { reason: "Twice." });
    expect(await decided(rejected, "reject", { reason: "Twice." })).toEqual(rejected);
    expect((await decided(rejected, "reject", { reason: "Thrice." })).review?.reason).toBe("Thrice.");
    expect(await eventsOf(row)).toHaveLength(2);
  });

  test("a stale updatedAt, and a row that is not pending, are 409 with what is current", async () => {
    const row = await pending();
    const rejected = await decided(row, "reject");
    expect(await review(row, "approve")).toMatchObject({
      status: 409,
      body: { code: "conflict", current: { updatedAt: rejected.updatedAt, status: "pending" } },
    });
    const approved = await decided(rejected, "approve");
    for (const decision of ["approve", "reject", "reopen"])
      expect(await review(approved, decision)).toMatchObject({
        status: 409,
        body: { code: "conflict", current: { updatedAt: approved.updatedAt, status: "completed" } },
      });
    const partial = await submitted({}, { to: reviewed, partial: true });
    expect(await review(partial, "approve")).toMatchObject({
      status: 409,
      body: { current: { status: "partial" } },
    });
  });

  test("any spelling of the instant is equal; other text, and another shape, is 400", async () => {
    const row = await pending();
    for (const body of [
      { expectedUpdatedAt: "yesterday" },
      { expectedUpdatedAt: undefined },
      { decision: "approved" },
      { reason: "x".repeat(1_001) },
      { reason: 1 },
      { reason: "\0" },
      { more: true },
    ])
      expect(statusAndCode(await review(row, "approve", body))).toEqual([400, "invalid_body"]);
    const spelled = { expectedUpdatedAt: row.updatedAt.replace("Z", "+00:00") };
    expect((await decided(row, "approve", spelled)).status).toBe("completed");
  });

  test("an edit keeps the decision", async () => {
    const rejected = await decided(await pending(), "reject");
    expect(await edited(rejected, ["a", "y"])).toMatchObject({ status: "pending", review: rejected.review });
  });
});

// Concurrent reviews are tested in tests/sql/review.test.ts.
// Access by API key is tested in access.test.ts.
describe("who may review in the console", () => {
  const by = (row: Submission, headers: Record<string, string>) =>
    ask(app, "POST", submissionPath(row, "/review"), {
      headers,
      body: { decision: "approve", expectedUpdatedAt: row.updatedAt },
    });

  test("an operator who is admin or editor of the form's workspace", async () => {
    const elsewhere = await makeWorkspace(app, team);
    const row = await pending();
    for (const [role, status, code, workspace] of [
      ["viewer", 403, "insufficient_workspace_role"],
      ["admin", 404, "not_found", elsewhere],
      ["editor", 200, undefined],
    ] as const)
      expect(
        statusAndCode(await by(row, { cookie: await makeOperator(app, team, role, workspace) })),
      ).toEqual([status, code]);
    expect((await eventsOf(row))[0].actor.type).toBe("operator");
  });

  test("a page of another site may not: another Origin, or no JSON", async () => {
    const row = await pending();
    const cookie = await makeOperator(app, team, "editor");
    for (const header of [{ origin: "https://evil.example" }, { "content-type": "text/plain" }])
      expect(statusAndCode(await by(row, { cookie, ...(header as object) }))).toEqual([403, "csrf_rejected"]);
    expect((await read(row)).status).toBe("pending");
  });
});

test("the list and the export have the queue and what was rejected", async () => {
  const own = await freshForm(settings);
  const [open, reject, approve] = [await pending(own), await pending(own), await pending(own)];
  await decided(reject, "reject", { reason: "Sent twice." });
  await decided(approve, "approve");
  expect(await list("?review=open", own)).toEqual([open.id]);
  expect(await list("?review=rejected", own)).toEqual([reject.id]);
  expect(await list("?status=pending", own)).toEqual([reject.id, open.id]);
  expect(await list("?review=open&status=completed", own)).toEqual([]);
  const lines = (await call("GET", `${formsPath}/${own.id}/submissions/export?format=jsonl&review=rejected`))
    .body;
  expect(JSON.parse(lines)).toEqual(await read(reject));
  expect(statusAndCode(await call("GET", `${formsPath}/${own.id}/submissions?review=x`))).toEqual([
    400,
    "bad_request",
  ]);
});
