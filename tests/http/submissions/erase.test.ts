import { expect, test } from "bun:test";
import { v7 as uuidv7 } from "uuid";
import { formd, settingsFor } from "../../setup.ts";
import { submissionPath, submissionsFixture } from "./fixture.ts";

const fields = [{ id: "a", type: "text", label: "A", required: true }];
const { app, team, form, freshForm, byKey, submit, call, read, patch, editsOf, submitted } =
  await submissionsFixture(fields);

const erase = async (respondent: string, ...options: string[]) => {
  const args = ["erase", "--respondent", respondent, "--json", ...options];
  const { code, stdout, stderr } = await formd(args, settingsFor(app.database));
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};

test("formd erase says what it would delete; with --confirm it deletes one person's submissions everywhere, and no other's", async () => {
  const [person, another] = [uuidv7(), uuidv7()];
  const second = await freshForm();
  const stored = async (respondent: string, to = form) => {
    const sent = { data: { a: "secret" }, metadata: { respondentId: respondent } };
    const { body } = await submit(byKey(to), sent);
    return { id: body.data.id as string, formId: to.id };
  };
  const [first, other] = [await stored(person), await stored(another)];
  const elsewhere = await stored(person, second);
  expect((await patch(await read(first), [["a", "changed"]])).status).toBe(200);
  const bystander = await submitted({ a: "x" });

  const found = {
    respondentId: person,
    ...{ submissions: 2, files: 0, held: 0, invitations: 0 },
    forms: expect.arrayContaining([
      { teamId: team.id, formId: form.id, submissions: 1, files: 0, held: 0, invitations: 0 },
      { teamId: team.id, formId: second.id, submissions: 1, files: 0, held: 0, invitations: 0 },
    ]),
  };
  expect(await erase(person)).toEqual({ ...found, erased: false });
  expect((await read(first)).data).toEqual({ a: "changed" });
  expect(await erase(person, "--confirm")).toEqual({ ...found, erased: true });
  for (const row of [first, elsewhere]) expect((await call("GET", submissionPath(row))).status).toBe(404);
  for (const row of [other, bystander]) expect((await call("GET", submissionPath(row))).status).toBe(200);
  const { edits } = await editsOf(first);
  expect(edits).toEqual([expect.objectContaining({ fieldId: "a", oldValue: null, newValue: null })]);
  const { events } = (await call("GET", "/papi/v1/management/audit?kind=submission.deleted")).body.data;
  expect(events.map(({ object }: { object: { id: string } }) => object.id).toSorted()).toEqual(
    [first.id, elsewhere.id].toSorted(),
  );
  expect(events[0].actor).toMatchObject({ type: "cli" });
  expect(await erase(person)).toMatchObject({ respondentId: person, submissions: 0, held: 0, forms: [] });
});
