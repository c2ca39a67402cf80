// stacks: one
/** Controls of the page as its readers know them: examples, order, ends of scales, taking back a choice. */
import { describe, expect, test } from "bun:test";
import { pageFixture } from "./fixture.ts";

const { published, stored, get, post } = await pageFixture();

async function pageOf(fields: object[], page: object = {}) {
  const form = await published(
    fields.map((field) => ({ label: "A question", ...field })),
    page,
  );
  return { form, text: (await get(form)).text };
}

describe("a telephone number", () => {
  test("of a field with a country is taken as people there write it, and the example is such a number", async () => {
    const { text, form } = await pageOf([{ id: "phone", type: "phone", country: "DE" }], { language: "de" });
    expect(text).toContain("Zum Beispiel 01512 3456789 oder +49 1512 3456789.");
    expect((await post(form, { phone: "0171 1234567" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ phone: "0171 1234567" }]);
  });
  test.each([
    ["en", "With + and the country code, for example +44", "Begin with + and the country code, such as"],
    ["de", "Mit + und Ländervorwahl, zum Beispiel +49", "Beginnen Sie mit + und der Ländervorwahl"],
  ])(
    "without a country says how it begins, before and after a mistake: %s",
    async (language, before, after) => {
      const { form, text } = await pageOf([{ id: "phone", type: "phone" }], { language });
      expect(text).toContain(before);
      const refused = await post(form, { phone: "0171 1234567" });
      expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(after) });
    },
  );
});

test.each([
  ["de", ["line1", "line2", "postalCode", "city", "region", "country"]],
  ["en", ["line1", "line2", "city", "region", "postalCode", "country"]],
])("a postal address has its parts in the order of the language: %s", async (language, parts) => {
  const { text } = await pageOf([{ id: "home", type: "address" }], { language });
  expect([...text.matchAll(/name="home\.(\w+)"/g)].map(([, part]) => part ?? "")).toEqual(parts);
});

test.each([
  ["in its two parts", { "at.local": "no time", "at.zone": "Z" }, "at.2elocal"],
  ["as one value, as a program sends it", { at: "no time" }, "at"],
])("the error of a date and time links to the control that is shown: %s", async (_, values, id) => {
  const { form } = await pageOf([{ id: "at", type: "datetime" }]);
  const { status, text } = await post(form, values);
  expect(status).toBe(422);
  expect(text).toContain(`<a href="#${id}">`);
  expect(text).toMatch(new RegExp(`<input[^>]* id="${RegExp.escape(id)}"`));
});

test("both ends of a rating say what they mean: in the owner's words, or which is the lowest", async () => {
  const { text } = await pageOf([
    { id: "own", type: "rating", validation: { minimumLabel: "Not at all", maximumLabel: "Very <much>" } },
    { id: "plain", type: "nps" },
  ]);
  for (const shown of ["1 = Not at all", "5 = Very &lt;much>", "10 = highest"]) expect(text).toContain(shown);
  // A screen reader says it with the button.
  expect(text).toMatch(/1<span class="read-only-aloud"> \(Not at all\)<\/span><\/label>/);
});

test("an optional single choice can be taken back: nothing is stored then, as nothing is when it was never made", async () => {
  const choices = [
    { id: "size", type: "select", options: ["S", "M"] },
    { id: "member", type: "boolean" },
    { id: "grade", type: "rating" },
  ];
  const { text, form } = await pageOf(choices);
  const none = /<input type="radio"[^>]* value(?:=""|(?=[ />]))[^>]*>/g;
  const buttons = text.match(none) ?? [];
  expect(buttons).toHaveLength(3);
  expect(buttons.join("")).not.toContain("checked");
  await post(form, { size: "", member: "", grade: "" });
  expect(await stored(form)).toEqual([{}]);
  const required = await pageOf(choices.map((field) => ({ ...field, required: true })));
  expect(required.text).not.toMatch(none);
});
