// stacks: one
/** Being told of submissions without mail: new ones in the list of forms, and news feeds. */
import { expect, test } from "bun:test";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { expectRedirect, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, sql, team, admin, editor, viewer, read, submit } = await consoleFixture();
const make = async () => {
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }]);
  await sql`update formd.forms set name = 'Tea & cake' where id = ${form.id}`;
  return form;
};
const feedOf = async (form: PublishedForm, browser = viewer) => {
  const { html } = await browser.post(formPath(form, "/share/feed"), {});
  return /<code>(http[^<]*\/feed\/[^<]*)<\/code>/.exec(html)?.[1] ?? "";
};
const get = async (address: string, headers: Record<string, string> = {}) => {
  const response = await fetch(address, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test("the list of forms and the tab say how many submissions are new, until the list was opened", async () => {
  const form = await make();
  const newIn = async (path: string) =>
    new RegExp(`href="${formPath(form)}[^>]*>[^<]*</a>[^<]*<span class="badge active">([^<]*)`).exec(
      (await viewer.get(path)).html,
    )?.[1];
  const onTab = async () => textOf(await viewer.get(formPath(form, "/share")));
  expect([await newIn("/console"), await onTab()]).toEqual([undefined, expect.not.stringMatching(/\d new/)]);
  await submit(form, { a: "One" });
  await submit(form, { a: "Two" });
  expect([await newIn("/console"), await onTab()]).toEqual(["2 new", expect.stringContaining("2 new")]);
  await viewer.get(formPath(form, "/submissions"));
  expect([await newIn("/console"), await onTab()]).toEqual([undefined, expect.not.stringMatching(/\d new/)]);
  expect(textOf(await editor.get(formPath(form, "/share")))).toContain("2 new");
});

test("a feed tells of submissions by reference, time and link, and never by a value", async () => {
  const form = await make();
  const address = await feedOf(form);
  const submissionId = await submit(form, { a: "Secret answer" });
  const { status, headers, text } = await get(address);
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    "application/atom+xml; charset=utf-8",
    "private, no-cache",
  ]);
  expect(text).toContain(`<id>urn:uuid:${submissionId}</id>`);
  expect(text).toContain(`${formPath(form, `/submissions/${submissionId}`)}"/></entry>`);
  expect(text).toMatch(/<title>Tea &#38; cake: [0-9A-F]{4}-[0-9A-F]{4}<\/title><updated>20[^<]*Z</);
  expect(text).not.toContain("Secret");
  const etag = headers.get("etag") ?? "";
  expect(await get(address, { "if-none-match": etag })).toMatchObject({ status: 304, text: "" });
  await submit(form, { a: "Another" });
  expect((await get(address, { "if-none-match": etag })).status).toBe(200);
});

test("a new address ends the one before, and an end or another form has none", async () => {
  const form = await make();
  const [first, second] = [await feedOf(form), await feedOf(form)];
  expect([(await get(first)).status, (await get(second)).status]).toEqual([404, 200]);
  expect((await get(await feedOf(form, editor))).status).toBe(200);
  expect((await get(second)).status).toBe(200);
  const { html } = await viewer.get("/console/account");
  expect(html).toContain(`action="${formPath(form, "/share/feed/end")}"`);
  expect(html).toContain("End the news feed of Tea &amp; cake");
  expectRedirect(await viewer.post(formPath(form, "/share/feed/end"), {}), formPath(form, "/share"));
  expect((await get(second)).status).toBe(404);
  for (const wrong of [`${second}x`, `${app.url}/feed/x`, `${app.url}/feed/%ff`])
    expect((await get(wrong)).status).toBe(404);
  expect((await viewer.get("/console/account")).html).not.toContain(formPath(form));
  const { events } = await read(`/management/audit?objectId=${form.id}`);
  const kinds = events
    .map(({ kind }: { kind: string }) => kind)
    .filter((kind: string) => kind.includes("feed"));
  expect(kinds).toEqual(["form.feed_ended", "form.feed_made", "form.feed_made", "form.feed_made"]);
  expect(JSON.stringify(events)).not.toContain("fdn_");
});

test("an erased submission leaves the feed, and a lost role ends it", async () => {
  const form = await make();
  const address = await feedOf(form, editor);
  const id = await submit(form, { a: "One" });
  await admin.post(formPath(form, `/submissions/${id}/delete`), {});
  expect((await get(address)).text).not.toContain("<entry>");
  await sql`
    delete from formd.workspace_roles where team_id = ${team.id} and operator_id in
      (select operator_id from formd.form_followers where form_id = ${form.id} and feed_hash is not null)`;
  expect((await get(address)).status).toBe(404);
});
