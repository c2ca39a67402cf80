// stacks: one
import { beforeAll, expect, test } from "bun:test";
import { ask, makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { type Browser, expectRedirect, textOf } from "./browser.ts";
import { browserOf, consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let editor: Browser;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, editor, viewer } = await consoleFixture());
});

const makeQueue = async (count: number) => {
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
    settings: { review: { required: true } },
  });
  for (let index = 0; index < count; index++)
    await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
      body: { data: { a: `value ${index}` } },
    });
  return form;
};
const read = (path: string) =>
  ask(app, "GET", `/papi/v1/management/${path}`, { headers: { "x-api-key": team.key } });
const statuses = async (form: PublishedForm) => {
  const { submissions } = (await read(`forms/${form.id}/submissions?limit=100`)).body.data;
  return submissions
    .map(({ status, review }: { status: string; review: { decision: string } | null }) =>
      [status, review?.decision].filter(Boolean).join(" "),
    )
    .sort();
};
const events = async (form: PublishedForm): Promise<number> =>
  (await read(`forms/${form.id}/audit?kind=submission.reviewed`)).body.data.pagination.total;
const itemsOf = ({ html }: { html: string }) =>
  [...html.matchAll(/name="submissions" value="([^"]+)"/g)].map(([, item = ""]) => item);

test("one decision on all that are checked: one event each, and those changed in the meantime are left", async () => {
  const form = await makeQueue(4);
  const path = `/console/forms/${form.id}/review/several`;
  const page = await editor.get(path);
  const [first = "", second = "", third = ""] = itemsOf(page);
  expect(textOf(page)).toMatch(/4 waiting.*value 3.*value 0/);
  expectRedirect(
    await editor.post(path, { submissions: [first, second], decision: "approve", reason: "" }),
    path,
  );
  expect(await statuses(form)).toEqual(["completed approved", "completed approved", "pending", "pending"]);
  expect(await events(form)).toBe(2);

  const partly = await editor.post(path, { submissions: [second, third], decision: "reject", reason: "No" });
  expect(partly.status).toBe(409);
  expect(textOf(partly)).toContain("1 of 2 were left as they are");
  expect(await statuses(form)).toEqual([
    "completed approved",
    "completed approved",
    "pending",
    "pending rejected",
  ]);
  expect(await events(form)).toBe(3);
});

test("nothing checked, too many, and what is no submission are refused, and change nothing", async () => {
  const form = await makeQueue(1);
  const path = `/console/forms/${form.id}/review/several`;
  const [item = ""] = itemsOf(await editor.get(path));
  const send = async (submissions: string[], browser = editor) =>
    (await browser.post(path, { submissions, decision: "approve", reason: "" })).status;
  expect(await send([])).toBe(400);
  expect(await send(Array.from({ length: 501 }, () => item))).toBe(400);
  expect(await send(["x"])).toBe(400);
  expect(await send([item], viewer)).toBe(403);
  expect(await events(form)).toBe(0);
  expect(itemsOf(await viewer.get(path))).toEqual([]);
});

test("of two decisions on the same submissions at once, each submission has one", async () => {
  const form = await makeQueue(6);
  const path = `/console/forms/${form.id}/review/several`;
  const submissions = itemsOf(await editor.get(path));
  const replies = await Promise.all(
    [submissions, submissions.toReversed()].map((each, index) =>
      editor.post(path, { submissions: each, decision: index ? "approve" : "reject", reason: "" }),
    ),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([303, 409]);
  expect(await events(form)).toBe(6);
});

/** The fields of the form that takes an act back. */
const undoOf = ({ html }: { html: string }) => {
  const undo = html.split("<form ").find((part) => part.includes(">Undo<")) ?? "";
  return Object.fromEntries(
    [...undo.matchAll(/name="(\w+)" value(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
};
const counted = async (form: PublishedForm) => {
  const { sql } = app.database;
  return await sql`
    select status, sum(total)::int as total from formd.submission_counts
    where form_id = ${form.id} group by status having sum(total) <> 0 order by status`;
};

test.each([
  ["reject", "Rejected", "pending rejected"],
  ["approve", "Accepted", "completed approved"],
])(
  "a decision is reported; %s is undone by one press, and the queue is where it was",
  async (decision, done, status) => {
    const form = await makeQueue(2);
    const path = `/console/forms/${form.id}/review`;
    const queue = await editor.get(path);
    const [, action = ""] = /action="([^"]+\/review)"/.exec(queue.html) ?? [];
    const [, updatedAt = ""] = /name="updatedAt" value="([^"]+)"/.exec(queue.html) ?? [];
    const decided = await editor.post(action, { decision, reason: "", updatedAt, next: "1" });
    const page = await editor.get(expectRedirect(decided, `${path}?page=1`));
    expect(textOf(page)).toMatch(new RegExp(`${done}\\. Undo.*1 waiting`));
    expect(await statuses(form)).toEqual([status, "pending"].toSorted());
    const fields = undoOf(page);
    expect((await viewer.post(action, fields)).status).toBe(403);
    expectRedirect(await editor.post(action, fields), `${path}?page=1`);
    expect(await statuses(form)).toEqual(["pending", "pending"]);
    expect([...(await counted(form))]).toEqual([{ status: "pending", total: 2 }]);
    expect(await events(form)).toBe(2);
    expect((await editor.post(action, fields)).status).toBe(409);
  },
);

test.each(["approve", "reject"])(
  "a decision on many (%s) is undone by one press, on those that nothing has changed since",
  async (decision) => {
    const form = await makeQueue(40);
    const path = `/console/forms/${form.id}/review/several`;
    const items = itemsOf(await editor.get(path));
    const decided = await editor.post(path, { submissions: items, decision, reason: "No" });
    const page = await editor.get(expectRedirect(decided, path));
    expect(textOf(page)).toMatch(/40 (?:accepted|rejected)\. Undo/);
    const [first = ""] = items;
    const [id = ""] = first.split(" ");
    const { updatedAt } = (await read(`forms/${form.id}/submissions/${id}`)).body.data.submission;
    await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}/submissions/${id}`, {
      headers: { "x-api-key": team.key },
      body: { expectedUpdatedAt: updatedAt, edits: [{ fieldId: "a", value: "changed" }] },
    });
    const undone = await editor.post(path, undoOf(page));
    expect([undone.status, textOf(undone).includes("1 of 40 were left")]).toEqual([409, true]);
    expect((await statuses(form)).filter((status: string) => status === "pending").length).toBe(39);
    const left =
      decision === "approve"
        ? [
            { status: "completed", total: 1 },
            { status: "pending", total: 39 },
          ]
        : [{ status: "pending", total: 40 }];
    expect([...(await counted(form))]).toEqual(left);
    expect((await editor.post(path, { ...undoOf(page), ids: "x" })).status).toBe(400);
  },
);

test("a decision of another is not undone, nor one on what was edited since, whatever time the browser names", async () => {
  const form = await makeQueue(3);
  const path = `/console/forms/${form.id}/review/several`;
  const [own = "", edited = "", theirs = ""] = itemsOf(await editor.get(path));
  const [ownId, id, theirId] = [own, edited, theirs].map((item) => item.slice(0, 36));
  await editor.post(path, { submissions: [own, edited], decision: "approve", reason: "" });
  const other = await browserOf(app, team, "editor");
  await other.post(path, { submissions: [theirs], decision: "approve", reason: "" });
  const { updatedAt } = (await read(`forms/${form.id}/submissions/${id}`)).body.data.submission;
  await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}/submissions/${id}`, {
    headers: { "x-api-key": team.key },
    body: { expectedUpdatedAt: updatedAt, edits: [{ fieldId: "a", value: "changed" }] },
  });
  const late = "2999-01-01T00:00:00.000Z";
  for (const each of [id, theirId]) {
    const undo = { decision: "undo", reason: "", updatedAt: late };
    const reply = await editor.post(`/console/forms/${form.id}/submissions/${each}/review`, undo);
    expect(reply.status).toBe(409);
  }
  const ids = [ownId, id, theirId].join(" ");
  const undone = await editor.post(path, { decision: "undo", ids, until: late });
  expect([undone.status, textOf(undone).includes("2 of 3 were left")]).toEqual([409, true]);
  expect(await statuses(form)).toEqual(["completed approved", "completed approved", "pending"]);
});

test("a link checks all that the page has", async () => {
  const path = `/console/forms/${(await makeQueue(3)).id}/review/several`;
  const page = await editor.get(path);
  expect([page.html.match(/<input[^>]* checked/g), textOf(page).includes("Check all 3")]).toEqual([
    null,
    true,
  ]);
  const all = await editor.get(`${path}?page=1&all`);
  expect(all.html.match(/<input[^>]* checked/g)?.length).toBe(3);
  const done = await editor.post(path, { submissions: itemsOf(all), decision: "approve", reason: "" });
  expect(textOf(await editor.get(expectRedirect(done, path)))).toContain("3 accepted.");
});
