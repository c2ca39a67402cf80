// stacks: one
/** Size limit of a form's page: a page of megabytes would keep the server from all other forms. */
import { describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishSettings } from "../../../src/resources/forms/publish.ts";
import { ask, makeForm } from "../../setup.ts";
import { pageFixture } from "./fixture.ts";

const { app, team, published, stored, get, post } = await pageFixture();

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

describe("a form whose page would be too large", () => {
  test.each([
    [matrix(300), "90,000"],
    [ranking(3_000), "6,000"],
    [{ id: "one", type: "select", label: "One", options: names(5_001, "o") }, "5,001"],
  ])("is not published, and the message has the field and the number: %#", async (field, count) => {
    const controls = `would have ${count.replace(/\d$/, "\\d")} controls and options, and at most 5,000`;
    await expect(published([{ id: "name", type: "text", label: "Name" }, field])).rejects.toThrow(
      new RegExp(`${controls}.*The field ${field.id} has most`),
    );
  });

  test("is published without a page, which it cannot get later", async () => {
    const form = await makeForm(app, team, [matrix(100)]);
    await ask(app, "PATCH", `/papi/v1/management/forms/${form.id}`, {
      headers: { "x-api-key": team.key },
      body: { operations: [{ op: "setMeta", settings: { page: { enabled: true } } }] },
    });
    await expect(publishSettings(app.database.sql, cliActor, team.id, form.id)).rejects.toThrow(
      "10,000 controls",
    );
    expect((await get(form)).status).toBe(404);
  });
});

test("a ranking of many options has one list for all places, by which it is sent", async () => {
  const form = await published([ranking(1_500)]);
  const { text } = await get(form);
  expect(text.length).toBeLessThan(1_000_000);
  expect(text.match(/<datalist/g)).toHaveLength(1);
  expect(text.match(/<input [^>]*list="[^"]+"/g)).toHaveLength(1_500);
  const refused = await post(form, { order: ["o7", "no such option"] });
  expect([refused.status, refused.text.includes('value="no such option"')]).toEqual([422, true]);
  expect((await post(form, { order: ["o7", "o1499", ""] })).status).toBe(303);
  expect(await stored(form)).toEqual([{ order: ["o7", "o1499"] }]);
});

test("a number is read with the exponent by which the page shows it", async () => {
  const form = await published([
    { id: "small", type: "number", label: "Small", default: 1e-7 },
    { id: "large", type: "number", label: "Large" },
  ]);
  const small = /<input [^>]*value="([^"]*)"[^>]*name="small"/.exec((await get(form)).text)?.[1] ?? "";
  expect([small, (await post(form, { small, large: "-1.5E3" })).status]).toEqual(["1e-7", 303]);
  for (const large of ["1e999", "1e", "e3", "1e17"])
    expect([large, (await post(form, { large })).status]).toEqual([large, 422]);
  expect(await stored(form)).toEqual([{ small: 1e-7, large: -1500 }]);
});
