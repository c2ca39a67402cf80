// stacks: one
/** The queue of a form: decisions one by one and on many, each taken back by one press. */
import { describe, expect, test } from "bun:test";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { type Browser, expectPage, expectRedirect, type Shown, textOf } from "./browser.ts";
import { browserOf, consoleFixture, formPath, hiddenIn } from "./fixture.ts";
import { expectMarked } from "./marked.ts";

const { app, sql, team, editor, viewer, call, read, submit } = await consoleFixture();

const makeQueue = async (count: number) => {
  const fields = [{ id: "a", type: "text", label: "A" }];
  const form = await makeForm(app, team, fields, { settings: { review: { required: true } } });
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await submit(form, { a: `value ${index}` }));
  const several = formPath(form, "/review/several");
  return {
    ...{ form, ids, several, page: await editor.get(several) },
    one: formPath(form, "/review"),
    /** A decision on several. */
    send: (submissions: string[], decision = "approve", by = editor) =>
      by.post(several, { submissions, decision, reason: "No" }),
  };
};
const submissionPath = (form: PublishedForm, id: string) => `/management/forms/${form.id}/submissions/${id}`;
const updatedAt = async (form: PublishedForm, id = "") =>
  (await read(submissionPath(form, id))).submission.updatedAt as string;
const statuses = async (form: PublishedForm): Promise<string[]> =>
  (await read(`/management/forms/${form.id}/submissions?limit=100`)).submissions
    .map(({ status, review }: { status: string; review: { decision: string } | null }) =>
      [status, review?.decision].filter(Boolean).join(" "),
    )
    .sort();
const events = async (form: PublishedForm): Promise<number> =>
  (await read(`/management/forms/${form.id}/audit?kind=submission.reviewed`)).pagination.total;
const itemsOf = ({ html }: Shown) =>
  [...html.matchAll(/name="submissions" value="([^"]+)"/g)].map(([, item = ""]) => item);
const undoOf = (page: Shown) => hiddenIn(page, ">Undo<");
const edit = async (form: PublishedForm, id = "") =>
  await call("PATCH", submissionPath(form, id), {
    expectedUpdatedAt: await updatedAt(form, id),
    edits: [{ fieldId: "a", value: "changed" }],
  });
const counted = async (form: PublishedForm) =>
  Object.fromEntries(
    (
      await sql`
        select status, sum(total)::int as total from formd.submission_counts
        where form_id = ${form.id} group by status having sum(total) <> 0`
    ).map(({ status, total }) => [status, total]),
  );

describe("one by one", () => {
  test("the queue is decided, each by the page that shows it, and what was rejected can be reopened", async () => {
    const { form, ids, one } = await makeQueue(3);
    expect(textOf(await editor.get("/console"))).toContain("3");
    const [first = "", second = ""] = ids;
    const page = await editor.get(`${one}?page=2`);
    expect(textOf(page)).toMatch(/3 waiting.*Page 2 of 3.*value 1/);
    const pathOf = (id: string) => formPath(form, `/submissions/${id}`);
    const decide = async (id: string, decision: string, fields: Record<string, string> = {}) =>
      await editor.post(`${pathOf(id)}/review`, {
        ...{ decision, reason: "", updatedAt: await updatedAt(form, id), ...fields },
      });
    const seen = /name="updatedAt" value="([^"]+)"/.exec(page.html)?.[1] ?? "";
    expectRedirect(await decide(second, "approve", { updatedAt: seen, next: "2" }), `${one}?page=2`);
    expect(await statuses(form)).toEqual(["completed approved", "pending", "pending"]);
    expectPage(await decide(second, "reject", { updatedAt: seen }), 409, 'role="alert"');
    const stale = await decide(first, "reject", { updatedAt: seen, next: "2" });
    expect([stale.status, hiddenIn(stale, "decision").next]).toEqual([409, "2"]);
    expect(textOf(await editor.get(`${one}?page=2`))).toContain("value 0");

    expectRedirect(await decide(first, "reject", { reason: "<no>" }), pathOf(first));
    expect(textOf(await editor.get(pathOf(first)))).toMatch(/Rejected.*<no>/);
    const rows = async (state: string) =>
      (await editor.get(`${formPath(form, "/submissions")}?state=${state}`)).html.split('scope="row"')
        .length - 1;
    expect([await rows("waiting"), await rows("rejected")]).toEqual([1, 1]);
    await decide(first, "reopen");
    expect([await rows("waiting"), await rows("rejected")]).toEqual([2, 0]);
    expect((await decide(first, "destroy")).status).toBe(400);
    const wrong = await decide(first, "reject", { updatedAt: seen, reason: "x".repeat(5_000) });
    await expectMarked(wrong, "reason");
    expect(textOf(await editor.get((await makeQueue(0)).one))).toContain("Nothing to review.");
  });

  test.each([
    ["reject", "Rejected", "pending rejected"],
    ["approve", "Accepted", "completed approved"],
  ])(
    "%s is reported, and undone by one press, and the queue is where it was",
    async (decision, done, status) => {
      const { form, one } = await makeQueue(2);
      const { html } = await editor.get(one);
      const [, action = ""] = /action="([^"]+\/review)"/.exec(html) ?? [];
      const [, seen = ""] = /name="updatedAt" value="([^"]+)"/.exec(html) ?? [];
      const decided = await editor.post(action, { decision, reason: "", updatedAt: seen, next: "1" });
      const page = await editor.get(expectRedirect(decided, `${one}?page=1`));
      expect(textOf(page)).toMatch(new RegExp(`${done}\\. Undo.*1 waiting`));
      expect(await statuses(form)).toEqual([status, "pending"].toSorted());
      const undo = (by: Browser) => by.post(action, undoOf(page));
      expect((await undo(viewer)).status).toBe(403);
      expectRedirect(await undo(editor), `${one}?page=1`);
      expect(await statuses(form)).toEqual(["pending", "pending"]);
      expect([await counted(form), await events(form)]).toEqual([{ pending: 2 }, 2]);
      expect((await undo(editor)).status).toBe(409);
    },
  );
});

describe("several at once", () => {
  test("one decision on all that are checked: one event each, and those changed in the meantime are left", async () => {
    const { form, several, page, send } = await makeQueue(4);
    const [first = "", second = "", third = ""] = itemsOf(page);
    expect(textOf(page)).toMatch(/4 waiting.*value 3.*value 0/);
    expectRedirect(await send([first, second]), several);
    const approved = ["completed approved", "completed approved"];
    expect(await statuses(form)).toEqual([...approved, "pending", "pending"]);
    expect(await events(form)).toBe(2);
    const partly = await send([second, third], "reject");
    expectPage(partly, 409, "1 of 2 was left as it is");
    expect(await statuses(form)).toEqual([...approved, "pending", "pending rejected"]);
    expect(await events(form)).toBe(3);
  });

  test("nothing checked, too many, and an id without a submission are refused, and change nothing", async () => {
    const { form, page, send } = await makeQueue(1);
    const [item = ""] = itemsOf(page);
    for (const wrong of [[], Array.from({ length: 501 }, () => item), ["x"]])
      expect([wrong.length, (await send(wrong)).status]).toEqual([wrong.length, 400]);
    expect(await events(form)).toBe(0);
  });

  test("of two decisions on the same submissions at once, each submission has one", async () => {
    const { form, page, send } = await makeQueue(6);
    const items = itemsOf(page);
    const replies = await Promise.all([send(items, "reject"), send(items.toReversed(), "approve")]);
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(await events(form)).toBe(6);
  });

  test("a link checks all that the page has", async () => {
    const { several, page, send } = await makeQueue(3);
    const checked = ({ html }: Shown) => html.match(/<input[^>]* checked/g)?.length;
    expect([checked(page), textOf(page)]).toEqual([undefined, expect.stringContaining("Select all 3")]);
    const all = await editor.get(`${several}?page=1&all`);
    expect(checked(all)).toBe(3);
    const done = await send(itemsOf(all));
    expect(textOf(await editor.get(expectRedirect(done, several)))).toContain("3 accepted.");
  });

  test.each([
    ["approve", { completed: 1, pending: 39 }],
    ["reject", { pending: 40 }],
  ])("%s is undone by one press, on submissions that have not changed since", async (decision, left) => {
    const { form, several, page, send } = await makeQueue(40);
    const items = itemsOf(page);
    const shown = await editor.get(expectRedirect(await send(items, decision), several));
    expect(textOf(shown)).toMatch(/40 (?:accepted|rejected)\. Undo/);
    await edit(form, items[0]?.split(" ")[0]);
    const undone = await editor.post(several, undoOf(shown));
    expectPage(undone, 409, "1 of 40 was left");
    expect((await statuses(form)).filter((status) => status === "pending")).toHaveLength(39);
    expect(await counted(form)).toEqual(left);
    expect((await editor.post(several, { ...undoOf(shown), ids: "x" })).status).toBe(400);
  });

  test("a decision of another is not undone, nor one on what was edited since, whatever time the browser names", async () => {
    const { form, several, page, send } = await makeQueue(3);
    const [own = "", edited = "", theirs = ""] = itemsOf(page);
    const [id, theirId] = [edited, theirs].map((item) => item.slice(0, 36));
    await send([own, edited]);
    await send([theirs], "approve", await browserOf(app, team, "editor"));
    await edit(form, id);
    const late = "2999-01-01T00:00:00.000Z";
    for (const each of [id, theirId]) {
      const undo = { decision: "undo", reason: "", updatedAt: late };
      const reply = await editor.post(formPath(form, `/submissions/${each}/review`), undo);
      expect(reply.status).toBe(409);
    }
    const ids = [own.slice(0, 36), id, theirId].join(" ");
    const undone = await editor.post(several, { decision: "undo", ids, until: late });
    expectPage(undone, 409, "2 of 3 were left");
    expect(await statuses(form)).toEqual(["completed approved", "completed approved", "pending"]);
  });
});
