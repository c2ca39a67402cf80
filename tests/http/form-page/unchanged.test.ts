/** A link for changes: what was sent comes back as it was, whatever it is, when nothing is changed. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { MasterKey, type MasterKeyBytes, parseMasterKey } from "../../../src/platform/master-key.ts";
import { changeToken } from "../../../src/resources/submissions/change-links.ts";
import { conditionalForms } from "../../conditional-forms.ts";
import { samples } from "../../form-arbitraries.ts";
import { generatedCases } from "../../generated.ts";
import { masterKey } from "../../setup/server.ts";
import { ask, type PublishedForm } from "../../setup.ts";
import { type Page, pageFixture } from "./fixture.ts";
import { controlsIn } from "./languages.ts";

const { app, pathOf, published, get, post } = await pageFixture();
const { sql } = app.database;
const key = new MasterKey(parseMasterKey(masterKey) as MasterKeyBytes);

const entries = ({ text }: Page) =>
  controlsIn(text).map(([name, value]): [string, string] => [name, value.replaceAll(/\r?\n/g, "\r\n")]);

/** Opens the link, and sends each of its pages as it is. @returns where the last one leads, and the edits */
async function unchanged(form: PublishedForm, id: string) {
  let page = await get(`${pathOf(form)}/c/${changeToken(key, form.id, id)}`);
  for (let step = 0; step < 9 && page.status !== 303; step++)
    page = await post(page.action, new URLSearchParams(entries(page)));
  const edits = await sql`
    select field_id, old_value, new_value from formd.submission_edits where submission_id = ${id}`;
  return [new URL(page.headers.get("location") ?? "", app.url).searchParams.get("stored"), ...edits];
}

const spellings = fc.record({
  language: fc.constantFrom("en", "de", "fr", "ar", "pl", "uk"),
  timeZone: fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"),
});

test("any value that the API has stored, in the spelling of any language and zone", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(samples(6), spellings, async ({ fields, data }, { language, timeZone }) => {
      const form = await published(fields, { change: { until: "P2D" }, language }, { timeZone });
      const access = { "x-form-access-key": form.accessKey };
      const session = await ask(app, "POST", "/papi/v1/auth/anonymous", { headers: access });
      const headers = { ...access, "x-respondent-token": session.body.data.token };
      const path = "/papi/v1/submitter/form/submissions";
      const { status, body } = await ask(app, "POST", path, { headers, body: { data } });
      if (status !== 200) return;
      count++;
      expect(await unchanged(form, body.data.id)).toEqual(["nothing"]);
    }),
    { numRuns: generatedCases(1000, 150), endOnFailure: true },
  );
  expect(count).toBeGreaterThan(20);
}, 400_000);

test.each([0, 2])(
  "values that others depend on, sensitive ones among them: %d steps or more",
  async (breaks) => {
    let count = 0;
    const withTexts = fc.tuple(conditionalForms(breaks), fc.infiniteStream(fc.nat(11)), fc.nat(2));
    await fc.assert(
      fc.asyncProperty(withTexts, async ([{ fields, controls }, chosen, sensitive]) => {
        const kept = ["page_break", "statement", "hidden"];
        const form = await published(
          fields.map((each, index) =>
            index % 3 === sensitive && !kept.includes(String(each.type)) && !("compute" in each)
              ? { ...each, sensitive: true }
              : each,
          ),
          { change: { until: "P2D" } },
        );
        let page = await get(form);
        for (let step = 0; step < 14 && page.status !== 303; step++) {
          const mine = controls.filter(({ name }) => page.names.includes(name));
          const entered = mine.map(({ name, texts }): [string, string] => [
            name,
            texts[chosen.next().value % texts.length] ?? "",
          ]);
          const names = new Set(entered.map(([name]) => name));
          const rest = entries(page).filter(([name]) => !names.has(name));
          page = await post(page.action, new URLSearchParams([...rest, ...entered]));
        }
        const id = new URL(page.headers.get("location") ?? "", app.url).searchParams.get("reference");
        if (id === null) return;
        count++;
        expect(await unchanged(form, id)).toEqual(["nothing"]);
      }),
      { numRuns: generatedCases(300, 30), endOnFailure: true },
    );
    expect(count).toBeGreaterThan(20);
  },
  400_000,
);
