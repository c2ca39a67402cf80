// stacks: one
/** Controls of the page as its readers know them: examples, order, ends of scales, taking back a choice. */
import { beforeAll, describe, expect, test } from "bun:test";
import { makeForm, type Service, type Team } from "../../setup.ts";
import { getPage, pageFixture, pathIn, postForm } from "./fixture.ts";

let app: Service;
let team: Team;
beforeAll(async () => {
  ({ app, team } = await pageFixture());
});

async function pageOf(fields: object[], page: object = {}) {
  const labelled = fields.map((field) => ({ label: "A question", ...field }));
  const form = await makeForm(app, team, labelled, { settings: { page: { enabled: true, ...page } } });
  const path = pathIn(team, form);
  return { form, path, text: (await getPage(app, path)).text };
}

describe("a telephone number", () => {
  test("of a field with a country is taken as people there write it, and the example is such a number", async () => {
    const phone = { id: "phone", type: "phone", label: "Telefon", country: "DE" };
    const { path, text, form } = await pageOf([phone], { language: "de" });
    expect(text).toContain("Zum Beispiel 01512 3456789 oder +49 1512 3456789.");
    expect(await postForm(app, path, { phone: "0171 1234567" })).toMatchObject({ status: 303 });
    const [row] = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
    expect(row?.data).toEqual({ phone: "0171 1234567" });
  });
  test("without a country says how it begins, before and after a mistake, in the language of the page", async () => {
    for (const [language, before, after] of [
      ["en", "With + and the country code, for example +44", "must begin with + and the country code"],
      ["de", "Mit + und Ländervorwahl, zum Beispiel +49", "muss mit + und der Ländervorwahl beginnen"],
    ] as const) {
      const { path, text } = await pageOf([{ id: "phone", type: "phone", label: "Phone" }], { language });
      expect(text).toContain(before);
      const refused = await postForm(app, path, { phone: "0171 1234567" });
      expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(after) });
    }
  });
});

test("an address has the postal code before the town in German, and after it in English", async () => {
  const namesIn = async (language: string) => {
    const { text } = await pageOf([{ id: "home", type: "address" }], { language });
    return [...text.matchAll(/name="home\.(\w+)"/g)].map(([, part]) => part);
  };
  expect(await namesIn("de")).toEqual(["line1", "line2", "postalCode", "city", "region", "country"]);
  expect(await namesIn("en")).toEqual(["line1", "line2", "city", "region", "postalCode", "country"]);
});

test("both ends of a rating say what they mean: in the owner's words, or which is the lowest", async () => {
  const { text } = await pageOf([
    { id: "own", type: "rating", validation: { minimumLabel: "Not at all", maximumLabel: "Very <much>" } },
    { id: "plain", type: "nps" },
  ]);
  expect(text).toContain("1 = Not at all");
  expect(text).toContain("5 = Very &lt;much>");
  expect(text).toContain("10 = highest");
  // A screen reader says it with the button.
  expect(text).toMatch(/1<span class="read-only-aloud"> \(Not at all\)<\/span><\/label>/);
});

test("an optional single choice can be taken back: nothing is stored then, as nothing is when it was never made", async () => {
  const choices = [
    { id: "size", type: "select", options: ["S", "M"] },
    { id: "member", type: "boolean" },
    { id: "grade", type: "rating" },
  ];
  const { path, text, form } = await pageOf(choices);
  const none = /<input type="radio"[^>]* value(?:=""|(?=[ />]))[^>]*>/g;
  const buttons = text.match(none) ?? [];
  expect(buttons).toHaveLength(3);
  expect(buttons.join("")).not.toContain("checked");
  await postForm(app, path, { size: "", member: "", grade: "" });
  const [row] = await app.database.sql`select data from formd.submissions where form_id = ${form.id}`;
  expect(row?.data).toEqual({});
  const required = await pageOf(choices.map((field) => ({ ...field, required: true })));
  expect(required.text).not.toMatch(none);
});
