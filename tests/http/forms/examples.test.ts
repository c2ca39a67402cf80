// stacks: one
/** `settings.examples`: what a form says about payloads, run at every publish. */
import { describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm, testForm } from "../../../src/resources/forms/publish.ts";
import { ask, makeTeam, service } from "../../setup.ts";

const path = "/papi/v1/management/forms";
const app = await service();
const team = await makeTeam(app);

const fields = [
  { id: "country", type: "select", label: "Country", options: ["DE", "FR"], required: true },
  { id: "vat", type: "text", label: "VAT", showIf: "data.country == 'DE'", required: true },
  { id: "price", type: "number", label: "Price" },
  { id: "total", type: "number", label: "Total", compute: "data.price * 2.0" },
];
async function made(examples: object[]): Promise<string> {
  const headers = { "x-api-key": team.key };
  const { body } = await ask(app, "POST", path, { headers, body: { name: "F", schema: { fields } } });
  const operations = [{ op: "setMeta", settings: { examples } }];
  await ask(app, "PATCH", `${path}/${body.data.form.id}`, { headers, body: { operations } });
  return body.data.form.id;
}
const publish = (id: string) => publishForm(app.database.sql, cliActor, team.id, id);
const [french, sum] = [{ country: "FR" }, { total: 4, vat: null }];
const good = [
  { name: "French", data: french, expect: { valid: true, applicable: ["total", "country", "price"] } },
  { name: "German", data: { country: "DE" }, expect: { valid: false, codes: ["required"] } },
  { name: "Sum", data: { ...french, price: 2 }, expect: { valid: true, computed: sum } },
  {
    name: "Both",
    data: { vat: "1" },
    expect: { valid: false, codes: ["required", "not_applicable", "required"] },
  },
];

describe("publishing", () => {
  test("takes a form whose examples pass", async () => {
    const id = await made(good);
    expect(await testForm(app.database.sql, team.id, id, true)).toMatchObject({
      total: 4,
      differences: [],
      problems: [],
    });
    expect((await publish(id)).currentVersion).toBe(1);
  });
  test.each([
    [{ country: "FR" }, { valid: false }, "valid is true, and false is expected."],
    [
      { country: "DE" },
      { valid: false, codes: ["rule"] },
      'codes is ["required"], and ["rule"] is expected.',
    ],
    [
      { country: "FR" },
      { valid: true, applicable: ["vat"] },
      'applicable is ["country","price","total"], and ["vat"] is expected.',
    ],
    [
      { country: "FR", price: 1 },
      { valid: true, computed: { total: 3 } },
      'the value of "total" is 2, and 3 is expected.',
    ],
  ])("refuses with the difference: %j %j", async (data, expected, message) => {
    const id = await made([...good, { name: "Odd", data, expect: expected }]);
    const refused = await publish(id).catch((error) => error);
    expect(refused).toMatchObject({
      code: "validation_failed",
      message: `The form cannot be published: In the example "Odd", ${message}`,
    });
    expect((await testForm(app.database.sql, team.id, id, true)).differences).toEqual([
      { name: "Odd", message },
    ]);
  });
});
