/** The link by which a respondent changes a submission, or takes it back. */
import { describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { decoded, type Page, pageFixture } from "./fixture.ts";

const { app, team, published, pathOf, get, post, send, stored, archive, republish } = await pageFixture();
const { sql } = app.database;

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "pin", type: "text", label: "PIN", sensitive: true, required: true },
  {
    id: "size",
    type: "select",
    label: "Size",
    options: [
      { value: "m", label: "Medium", limit: 1 },
      { value: "l", label: "Large" },
    ],
  },
  { id: "note", type: "textarea", label: "Note" },
];
const given = { name: "Ada", pin: "marker-1234", size: "m", note: "first\nsecond" };
const change = { until: "P2D", withdraw: true };

/** A submission from the page, and its link as the page after it shows it. */
async function sent(form: Awaited<ReturnType<typeof published>>, values: Record<string, string> = given) {
  const { headers } = await post(form, values);
  const location = headers.get("location") ?? "";
  const after = await get(location);
  const [, link = ""] = /href="([^"]*\/c\/[^"]*)"/.exec(after.text) ?? [];
  const id = new URL(location, app.url).searchParams.get("reference") ?? "";
  return { form, link: decoded(link), after, id };
}
const made = async (page: object = { change }, settings: object = {}) =>
  sent(await published(fields, page, settings));
const mark = ({ text }: Page) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];

describe("a link for changes", () => {
  test("opens the form with what was sent, without a sensitive value, and stores what differs", async () => {
    const { form, link, id } = await made();
    expect(link).toMatch(/\/c\/[\w-]{43}$/);
    const page = await get(link);
    expect(page.status).toBe(200);
    expect(page.text).toContain('value="Ada"');
    expect(page.text).not.toContain("marker-1234");
    expect(page.text).toContain("which is not shown");
    expect(page.text).not.toContain("data-draft=");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    const changed = await send(page, { name: "Grace", pin: "", size: "m", note: "first\r\nsecond" });
    expect(changed.status).toBe(303);
    const done = await get(changed.headers.get("location") ?? "");
    expect(mark(done)).toBe("Your changes are stored");
    expect(done.text).not.toContain("marker-1234");
    expect(await stored(form)).toEqual([{ ...given, name: "Grace" }]);
    const edits =
      await sql`select field_id, actor_type, actor_id from formd.submission_edits where submission_id = ${id}`;
    expect([...edits]).toEqual([{ fieldId: "name", actorType: "respondent", actorId: null }]);
  });
});
