// stacks: one
/** The pill and the bar of a form say what people find at its address; publishing from the console. */
import { expect, test } from "bun:test";
import { pagePathOf } from "../../../src/resources/forms/page-address.ts";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { expectPage, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture, formPath, hiddenIn } from "./fixture.ts";

const { app, sql, team, admin, editor, viewer, call, draftOf, seen, submit } = await consoleFixture();

type Form = Pick<PublishedForm, "id">;
const question = { id: "a", type: "text", label: "A" };
const online = { page: { enabled: true } };
const make = (settings: object = {}, fields: object[] = [question]) =>
  makeForm(app, team, fields, { settings });
const patch = (form: Form, ...operations: object[]) =>
  call("PATCH", `/management/forms/${form.id}`, { operations });
const set = (settings: object) => ({ op: "setMeta", settings });
const field = (set: object) => ({ op: "updateField", fieldId: "a", set });
const draft = async (fields: object[] = [question]): Promise<Form> =>
  (await call("POST", "/management/forms", { name: "New", schema: { fields } })).form;

/** The pill, which is no count of new submissions. */
const badge = /<span class="badge (?!active)[a-z]+">([^<]*)<\/span>/;
const pillOf = ({ html }: { html: string }) => badge.exec(html.split("</h1>")[1] ?? "")?.[1];
const barOf = ({ html }: { html: string }) => /<div class="live-bar">(.*?)<\/div>/s.exec(html)?.[1] ?? "";
const pillInList = async ({ id }: Form) =>
  badge.exec((await admin.get("/console")).html.split(`href="/console/forms/${id}"`)[1] ?? "")?.[1];

/** Status that a person gets at the address of the page: 200 is the form, 403 a reason why it is closed. */
const foundBy = async ({ id }: Form): Promise<number> => {
  const path = pagePathOf({ team: team.id, form: id });
  return (await fetch(app.url + path, { headers: { accept: "text/html" } })).status;
};

const year = new Date().getUTCFullYear() + 1;
const opensAt = `${year}-06-01T09:00:00Z`;
const past = "2020-01-01T00:00:00Z";

const invited = { page: { ...online.page, access: "invited" } };

test.each<[name: string, pill: string, found: number, settings: object, ...changes: object[]]>([
  ["published for programs", "Offline", 404, {}],
  ["online", "Online", 200, online],
  ["without anonymous respondents", "Offline", 403, { ...online, anonymous: { enabled: false } }],
  ["for invited people", "Online for invited people", 403, invited],
  [
    ...(["for invited people alone", "Online for invited people", 403] as const),
    { ...invited, anonymous: { enabled: false } },
  ],
  ["whose page waits to be put online", "Offline", 404, {}, set(online)],
  ["taken offline", "Offline", 404, online, set({ page: { enabled: false } })],
  ["with a text that shows at once", "Online", 200, online, set({ page: { introduction: "Hi" } })],
  ["with a changed question", "Online with changes", 200, online, field({ label: "B" })],
  ["with a changed condition", "Online with changes", 200, online, field({ showIf: "1 == 1" })],
  ["with another name", "Online with changes", 200, online, { op: "setMeta", name: "Other" }],
  [
    ...(["with a redirect that waits", "Online with changes", 200, online] as const),
    set({ page: { redirectUrl: "https://a.example/" } }),
  ],
  ["changed and changed back", "Online", 200, online, field({ label: "B" }), field({ label: "A" })],
  ["closed at once", "Closed", 403, online, set({ availability: { closesAt: past } })],
  [
    ...(["whose later end waits", "Closed", 403] as const),
    { ...online, availability: { closesAt: past } },
    set({ availability: { closesAt: opensAt } }),
  ],
  ["that opens later", `Opens 1 Jun ${year}`, 403, { ...online, availability: { opensAt, timeZone: "UTC" } }],
  ["that opens later, offline", "Offline", 404, { availability: { opensAt } }],
  ["closed to people by a patch", "Offline", 403, online, set({ anonymous: { enabled: false } })],
])("the pill of a form %s tells what people find", async (_, pill, found, settings, ...changes) => {
  const form = await make(settings);
  if (changes.length > 0) await patch(form, ...changes);
  const page = await admin.get(formPath(form, "/share"));
  expect([pillOf(page), await pillInList(form), await foundBy(form)]).toEqual([pill, pill, found]);
});

test("a full form says so, and with changes it still does", async () => {
  const form = await make({ ...online, availability: { maxSubmissions: 1 } });
  await submit(form, { a: "One" });
  await patch(form, field({ label: "B" }));
  const page = await admin.get(formPath(form));
  expect([pillOf(page), await pillInList(form), await foundBy(form)]).toEqual(["Full", "Full", 403]);
  expect(textOf({ ...page, html: barOf(page) })).toContain("People do not see 1 change yet");
});

test("one press in the bar publishes a draft, puts its page online and leads to Share", async () => {
  const form = await draft();
  const page = await admin.get(formPath(form, "/settings"));
  expect([pillOf(page), await foundBy(form)]).toEqual(["Draft", 404]);
  expect(barOf(page)).toContain("People do not see this form yet");
  const fields = hiddenIn({ ...page, html: barOf(page) }, "Publish");
  const to = expectRedirect(await admin.post(formPath(form, "/publish"), fields), formPath(form, "/share"));
  const share = await admin.get(to);
  expectPage(share, 200, "Published. People can fill it in now.");
  expect([pillOf(share), barOf(share), await foundBy(form)]).toEqual(["Online", "", 200]);
  expect((await draftOf(form)).settings.page.enabled).toBe(true);
});

test("a form is published for programs only, and later versions leave its page as its owner has set it", async () => {
  const form = await draft();
  await admin.post(formPath(form, "/publish"), { ...(await seen(form)), forPrograms: "true" });
  expect([pillOf(await admin.get(formPath(form))), await foundBy(form)]).toEqual(["Offline", 404]);
  await patch(form, field({ label: "B" }));
  const page = await admin.get(formPath(form));
  expect(barOf(page)).toContain("1 change is not published yet");
  const to = expectRedirect(await admin.post(formPath(form, "/publish"), await seen(form)), "/share");
  expect(textOf(await admin.get(to))).toContain("Published. New Offline");
  expect([await foundBy(form), (await draftOf(form)).currentVersion]).toEqual([404, 2]);
});

test("the bar leads to Review before breaking changes, redirects and problems are published", async () => {
  const bars = async (form: Form, ...operations: object[]) => {
    await patch(form, ...operations);
    const bar = barOf(await admin.get(formPath(form)));
    return [bar.includes(`href="${formPath(form, "/publish")}"`), bar.includes("<form")];
  };
  expect(await bars(await make(online), field({ label: "B" }))).toEqual([true, true]);
  expect(await bars(await make(online), field({ required: true }))).toEqual([true, false]);
  expect(await bars(await make(online), field({ showIf: "1 == 1" }))).toEqual([true, false]);
  const redirect = set({ page: { redirectUrl: "https://a.example/" } });
  expect(await bars(await make(online), redirect)).toEqual([true, false]);
  expect(await bars(await draft(), redirect)).toEqual([true, false]);
  const refused = await draft();
  await patch(refused, set({ copy: { field: "none" } }));
  expectPage(await admin.post(formPath(refused, "/publish"), await seen(refused)), 422, "Fix these first");
});

test("settings that wait alone are published by the bar without a new version", async () => {
  const form = await make({ ...online, captcha: { enabled: true } });
  await patch(form, set({ captcha: { enabled: false } }));
  const page = await admin.get(formPath(form));
  expect(barOf(page)).toContain(`action="${formPath(form, "/publish-settings")}"`);
  await admin.post(formPath(form, "/publish-settings"), hiddenIn({ ...page, html: barOf(page) }, "Publish"));
  expect([barOf(await admin.get(formPath(form))), (await draftOf(form)).currentVersion]).toEqual(["", 1]);
});

test("who may not publish sees what waits, and no button", async () => {
  const form = await make(online);
  await patch(form, field({ label: "B" }));
  await sql`update formd.workspaces set editors_may_publish = false where id = ${team.workspace}`;
  for (const browser of [editor, viewer]) {
    const bar = barOf(await browser.get(formPath(form)));
    expect([bar.includes("1 change"), bar.includes("<form")]).toEqual([true, false]);
  }
});

test("the five tabs lead to the pages of a form; a viewer sees no settings", async () => {
  const form = await make(online);
  const links = (html: string, name: string) => {
    const [, nav = ""] = new RegExp(`<nav class="${name}"[^>]*>(.*?)</nav>`, "s").exec(html) ?? [];
    return [...nav.matchAll(/href="[^"]*?([^"/]*)"[^>]*>([^<]*)/g)].map(([, , text]) => text);
  };
  const { html } = await admin.get(formPath(form, "/review"));
  expect(links(html, "tabs")).toEqual(["Build", "Share", "Results", "Settings", "More"]);
  expect(links(html, "subtabs")).toEqual(["Submissions", "Summary", "Review", "Charts"]);
  const mails = await viewer.get(formPath(form, "/mails"));
  expect(links(mails.html, "subtabs")).toEqual([]);
  expect(mails.html).toContain(`href="${formPath(form, "/mails")}" aria-current="page"`);
  const more = await viewer.get(formPath(form, "/more"));
  expectPage(more, 200, form.id, formPath(form, "/access-keys"));
  expect(textOf(more)).not.toContain("Deletion and holds");
});

test("results say how many were sent, how many of them lately, and how many wait", async () => {
  const form = await make({ review: { required: true } });
  await submit(form, { a: "One" });
  const page = await viewer.get(formPath(form, "/submissions"));
  expect(textOf(page)).toContain("1 sent · 1 in the last 7 days · 1 to review");
});

test("an empty form is not put online: the review and sharing say to add a question first", async () => {
  const form = await draft([]);
  const path = formPath(form, "/publish");
  const review = await admin.get(path);
  expectPage(review, 200, `<a href="${formPath(form)}">Add a question first.</a>`);
  expect(review.html).not.toContain(`<form method="post" action="${path}"`);
  const refused = await admin.post(path, await seen(form));
  expectPage(refused, 422, "Add a question first.");
  const forPrograms = await admin.post(path, { ...(await seen(form)), forPrograms: "true" });
  expectPage(forPrograms, 422, "Add a question first.");
  expect((await draftOf(form)).status).toBe("draft");

  // The API publishes it, for programs.
  const published = await make({}, []);
  const share = await admin.get(formPath(published, "/share"));
  expectPage(share, 200, `<a href="${formPath(published)}">Add a question first.</a>`);
  expect(share.html).not.toContain("Put the page online");
  const to = formPath(published, "/share/online");
  expectPage(await admin.post(to, await seen(published)), 409, "Add a question first.");
  await patch(published, { op: "addField", field: question });
  expectPage(await admin.get(formPath(published, "/share")), 200, "Publish it first");
});
