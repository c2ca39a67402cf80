// stacks: one
/** How large the page of a form can be: one of megabytes would keep the server from all other forms. */
import { beforeAll, describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishSettings } from "../../../src/resources/forms/publish.ts";
import { ask, makeForm, type Service, type Team } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const ranking = (count: number) => ({
  id: "order",
  type: "ranking",
  label: "Order",
  options: names(count, "o"),
});
const matrix = (count: number) => ({
  id: "grid",
  type: "matrix",
  label: "Grid",
  rows: names(count, "r"),
  columns: names(count, "c"),
});
const withPage = { settings: { page: { enabled: true } } };

describe("a form whose page would be too large", () => {
  test("is not published, and the message has the number and the field", async () => {
    for (const [field, count] of [
      [matrix(300), "90,000"],
      [ranking(3_000), "6,000"],
      [{ id: "one", type: "select", label: "One", options: names(5_001, "o") }, "5,001"],
    ] as const)
      await expect(
        makeForm(app, team, [{ id: "name", type: "text", label: "Name" }, field], withPage),
      ).rejects.toThrow(
        new RegExp(
          `would have ${count.replace(/\d$/, "\\d")} controls and options, and at most 5,000.*The field ${field.id} has most`,
        ),
      );
  });

  test("is published without a page, which it cannot get later", async () => {
    const form = await makeForm(app, team, [matrix(100)]);
    const path = `/papi/v1/management/forms/${form.id}`;
    await ask(app, "PATCH", path, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings: { page: { enabled: true } } }] },
    });
    await expect(publishSettings(app.database.sql, cliActor, team.id, form.id)).rejects.toThrow(
      "10,000 controls",
    );
    expect((await getPage(app, pathIn(team, form))).status).toBe(404);
  });
});

test("a ranking of many options has one list for all places, by which it is sent", async () => {
  const form = await makeForm(app, team, [ranking(1_500)], withPage);
  const { text } = await getPage(app, pathIn(team, form));
  expect(text.length).toBeLessThan(1_000_000);
  expect(text.match(/<datalist/g)).toHaveLength(1);
  expect(text.match(/<input [^>]*list="[^"]+"/g)).toHaveLength(1_500);
  const send = (order: string[]) => postForm(app, pathIn(team, form), { "formd.version": "1", order });
  const refused = await send(["o7", "no such option"]);
  expect([refused.status, refused.text.includes('value="no such option"')]).toEqual([422, true]);
  expect((await send(["o7", "o1499", ""])).status).toBe(303);
  const [row] = await app.database.sql<{ data: object }[]>`
    select data from formd.submissions where form_id = ${form.id}`;
  expect(row?.data).toEqual({ order: ["o7", "o1499"] });
});

test("a number is read with the exponent by which the page shows it", async () => {
  const form = await makeForm(
    app,
    team,
    [
      { id: "small", type: "number", label: "Small", default: 1e-7 },
      { id: "large", type: "number", label: "Large" },
    ],
    withPage,
  );
  const { text } = await getPage(app, pathIn(team, form));
  const small = /<input [^>]*value="([^"]*)"[^>]*name="small"/.exec(text)?.[1] ?? "";
  const send = (values: Record<string, string>) =>
    postForm(app, pathIn(team, form), { "formd.version": "1", ...values });
  expect([small, (await send({ small, large: "-1.5E3" })).status]).toEqual(["1e-7", 303]);
  for (const large of ["1e999", "1e", "e3", "1e17"])
    expect([large, (await send({ large })).status]).toEqual([large, 422]);
  const [row] = await app.database.sql<{ data: object }[]>`
    select data from formd.submissions where form_id = ${form.id}`;
  expect(row?.data).toEqual({ small: 1e-7, large: -1500 });
});
