/** The page after a submission: its reference, the values for whom has sent them, the way to another one. */
import { describe, expect, test } from "bun:test";
import { randomBytes, randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { sentQuery, showsValues } from "../../../src/pages/form-page/sent-address.ts";
import { MasterKey } from "../../../src/platform/master-key.ts";
import { referenceOf } from "../../../src/resources/submit/reference.ts";
import { ask } from "../../setup.ts";
import { pageFixture } from "./fixture.ts";

const { app, team, pathOf, published, get, post } = await pageFixture();

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "pin", type: "text", label: "PIN", sensitive: true },
  { id: "size", type: "select", label: "Size", options: [{ value: "m", label: "Medium" }] },
  { id: "guest", type: "text", label: "Name of the guest", showIf: "data.size == 'm'" },
  { id: "note", type: "text", label: "Note" },
  { id: "origin", type: "hidden", label: "Origin", default: "internal-7" },
];

async function sent(availability: object = {}) {
  const form = await published(fields, {}, { availability });
  const { headers } = await post(form, { name: "Ada <b>", pin: "marker-1234" });
  const location = new URL(headers.get("location") ?? "", app.url);
  return { form, path: pathOf(form), location, id: location.searchParams.get("reference") ?? "" };
}
const read = ({ pathname, search }: URL) => get(pathname + search);

describe("the page after a submission", () => {
  test("has a short reference, the time, the values without sensitive and hidden ones, and a link to send another", async () => {
    const { path, location, id } = await sent({ timeZone: "Asia/Kathmandu" });
    const { text, headers } = await read(location);
    expect(text).toContain(`<strong class="reference">${referenceOf(id)}</strong>`);
    expect(text).not.toContain(id.slice(0, 23));
    const now = new Date().toLocaleDateString("en-GB", { timeZone: "Asia/Kathmandu", dateStyle: "long" });
    expect(text).toMatch(new RegExp(`>${now}, \\d\\d:\\d\\d GMT\\+5:45<`));
    expect(text).toContain("Ada &lt;b></dd>");
    expect(text).toContain("Sent, and not shown here");
    expect(text).toContain("Not answered");
    for (const absent of ["marker-1234", "internal-7", "Name of the guest"])
      expect(text).not.toContain(absent);
    expect(text).toContain(`href="${path}"`);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("shows no values to whom has the reference alone, or the signature of another submission", async () => {
    const { location } = await sent();
    const other = await sent();
    const of = (change: (query: URLSearchParams) => unknown) => {
      const url = new URL(location);
      change(url.searchParams);
      return url;
    };
    for (const url of [
      of((query) => query.delete("signature")),
      of((query) => query.set("reference", other.id)),
      of((query) => query.set("signature", other.location.searchParams.get("signature") ?? "")),
      of((query) => query.set("signature", "ü".repeat(43))),
    ]) {
      const { status, text } = await read(url);
      expect(status).toBe(200);
      expect(text).toContain("Thank you");
      expect(text).not.toContain("Ada");
    }
  });

  test("of a submission that was deleted since has the reference alone", async () => {
    const { form, location, id } = await sent();
    await ask(app, "DELETE", `/papi/v1/management/forms/${form.id}/submissions/${id}`, {
      headers: { "x-api-key": team.key },
    });
    expect((await read(location)).text).not.toContain("Ada");
  });

  test("of a form that is full leads to no other one", async () => {
    const { path, location } = await sent({ maxSubmissions: 1 });
    const { text } = await read(location);
    expect(text).toContain("Ada");
    expect(text).not.toContain(`href="${path}"`);
  });
});

test("the URL shows the values for 30 minutes, also with the previous master key, and never without it", () => {
  const bytes = randomBytes(32);
  const [key, other] = [new MasterKey(bytes), new MasterKey(randomBytes(32))];
  const [form, submission] = [randomUUID(), uuidv7()];
  const signature = new URLSearchParams(sentQuery(key, form, submission)).get("signature") ?? "";
  const afterMinutes = (minutes: number, by = key) =>
    showsValues(by, form, submission, signature, Date.now() + minutes * 60_000);
  expect([afterMinutes(29), afterMinutes(31), afterMinutes(0, other)]).toEqual([true, false, false]);
  expect(afterMinutes(0, new MasterKey(randomBytes(32), [bytes]))).toBe(true);
  expect(afterMinutes(0, new MasterKey(undefined))).toBe(false);
});

test("an owner finds the submission by its reference, in any case and without its hyphen", async () => {
  const { form, id } = await sent();
  await post(form, { name: "Grace" });
  for (const q of [referenceOf(id), referenceOf(id).toLowerCase().replace("-", "")]) {
    const { body } = await ask(app, "GET", `/papi/v1/management/forms/${form.id}/submissions?q=${q}`, {
      headers: { "x-api-key": team.key },
    });
    expect(body.data.submissions.map((each: { id: string }) => each.id)).toEqual([id]);
  }
});
