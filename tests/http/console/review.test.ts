import { beforeAll, expect, test } from "bun:test";
import { ask, makeForm, type PublishedForm, type Service, type Team } from "../../setup.ts";
import { type Browser, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

let app: Service;
let team: Team;
let editor: Browser;
let viewer: Browser;

beforeAll(async () => {
  ({ app, team, editor, viewer } = await consoleFixture());
}, 120_000);

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
  const { submissions } = (await read(`forms/${form.id}/submissions`)).body.data;
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
