// stacks: one deno
/** Drafts of invited people: saved from an invitation's page, sent from the draft's link. */
import { describe, expect, test } from "bun:test";
import { generateMasterKey } from "../../../src/platform/master-key.ts";
import { invitationOf, invite } from "../../invite.ts";
import { freshIp, makeTeam, type PublishedForm } from "../../setup.ts";
import { cv, fileService, pdf } from "../files/fixture.ts";
import { decoded, formsOf, type Page, sendPage } from "./fixture.ts";

const app = await fileService({ FORMD_SECRET_KEY: generateMasterKey() });
const team = await makeTeam(app);
const { sql } = app.database;
const { pathOf, stored, get, send, published, republish } = formsOf(app, team);

const name = { id: "name", type: "text", label: "Name", required: true };
const source = { id: "source", type: "hidden", label: "Source", prefill: true, default: "none" };
const note = { id: "note", type: "textarea", label: "Note", maxLength: 100_000 };
const fields = [name, source, note];
const invited = { access: "invited", resume: { enabled: true } };
const anonymous = { invitations: { anonymous: true } };
const used = "This invitation has been used";
const unknown = "This link leads nowhere";

type Parts = readonly [string, string | File][];
const save = (page: Page, entered: Parts = []) => {
  const [path = "", query] = page.action.replace(/[?&]send$/, "").split("?");
  const steps = path.endsWith("/steps") ? path : `${path}/steps`;
  return sendPage(
    app,
    { action: query ? `${steps}?${query}` : steps, hidden: page.hidden },
    [...entered, ["formd.save", "1"]],
    { headers: { "x-forwarded-for": freshIp() } },
  );
};
const linkIn = ({ headers }: Page) => (headers.get("location") ?? "").replace(/\/saved.*$/, "");
const headingOf = ({ text }: Page) => decoded(/<h1[^>]*>([^<]*)/.exec(text)?.[1] ?? "");
const shownBy = (page: Page) => [page.status, headingOf(page)];
const drafts = async ({ id }: { id: string }) =>
  (await sql`select from formd.page_drafts where form_id = ${id}`).length;
const invitationLink = (form: PublishedForm, token: string) => `${pathOf(form)}/i/${token}`;
const shows = ({ text }: Page, value: string) => text.includes(`value="${value}"`);

async function draftOf(form: PublishedForm, token: string, entered: Parts = [["name", "Ada"]]) {
  const link = linkIn(await save(await get(invitationLink(form, token)), entered));
  return { link, page: await get(link) };
}

describe.each([
  ["named", {}],
  ["anonymous", anonymous],
] as const)("a draft of an invitation of a %s form", (mode, settings) => {
  test("leaves it open, and sending it uses it, with its hidden values; an open page is then refused", async () => {
    const form = await published(fields, invited, settings);
    const token = await invite(sql, team, form, { prefill: { source: "list" } });
    const open = await get(invitationLink(form, token));
    const { link, page } = await draftOf(form, token);
    expect([page.status, shows(page, "Ada"), (await invitationOf(sql, token)).state]).toEqual([
      200,
      true,
      "open",
    ]);
    const refused = await send(page, { name: "" });
    expect([refused.status, await drafts(form), (await invitationOf(sql, token)).state]).toEqual([
      422,
      1,
      "open",
    ]);
    const again = linkIn(await save(refused, [["name", "Grace"]]));
    expect(again).toBe(link);
    const sent = await send(await get(link), { name: "Grace", source: "forged" });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, expect.stringContaining("&invited")]);
    expect(await stored(form)).toEqual([{ name: "Grace", source: "list" }]);
    const { state, submissionId } = await invitationOf(sql, token);
    expect([state, submissionId === null, await drafts(form)]).toEqual([
      "submitted",
      mode === "anonymous",
      0,
    ]);
    for (const late of [await send(open, { name: "Eve" }), await save(open, [["name", "Eve"]])])
      expect(shownBy(late)).toEqual([410, used]);
    expect(shownBy(await get(link))).toEqual([404, unknown]);
    expect([await drafts(form), (await stored(form)).length]).toEqual([0, 1]);
  });

  test("opens, is saved and is sent no more once it was used or revoked elsewhere, and says why", async () => {
    for (const isUsed of [true, false]) {
      const form = await published(fields, invited, settings);
      const token = await invite(sql, team, form);
      const open = await get(invitationLink(form, token));
      const { link, page } = await draftOf(form, token);
      if (isUsed) expect((await send(open, { name: "Grace" })).status).toBe(303);
      else await sql`update formd.invitations set state = 'revoked' where form_id = ${form.id}`;
      const expected = isUsed ? [410, used] : [404, unknown];
      const pages = [await get(link), await save(page, [["name", "Eve"]]), await send(page, { name: "Eve" })];
      for (const each of pages) expect(shownBy(each)).toEqual(expected);
      expect((await stored(form)).map(({ name }) => name)).toEqual(isUsed ? ["Grace"] : []);
    }
  });

  test("is sent with what is too large to read before, by the draft and by the invitation", async () => {
    for (const access of ["invited", "anyone"]) {
      const form = await published(fields, { ...invited, access }, settings);
      const text = "x".repeat(40_000);
      for (const from of ["draft", "invitation"] as const) {
        const token = await invite(sql, team, form, { prefill: { source: "list" } });
        const page =
          from === "draft"
            ? await get(linkIn(await save((await draftOf(form, token)).page, [["note", text]])))
            : await get(invitationLink(form, token));
        const [first, twin] = [
          await send(page, { name: from, note: text }),
          await send(page, { name: from, note: text }),
        ];
        expect([from, first.status, twin.status]).toEqual([from, 303, 303]);
        expect(twin.headers.get("location")).toBe(first.headers.get("location") ?? "");
        expect((await invitationOf(sql, token)).state).toBe("submitted");
      }
      expect((await stored(form)).map(({ source }) => source)).toEqual(["list", "list"]);
    }
  });

  test("with a file is sent from the link, days after it was saved", async () => {
    const form = await published([name, cv], invited, settings);
    const token = await invite(sql, team, form);
    const file = new File([pdf as never], "cv.pdf", { type: "application/pdf" });
    const { link } = await draftOf(form, token, [
      ["name", "Ada"],
      ["cv", file],
    ]);
    await sql`update formd.files set expires_at = expires_at - interval '3 days', created_at = created_at - interval '3 days'
      where form_id = ${form.id}`;
    for (let i = 0; i < 3; i++) await sql`select from formd.expired_purge(5000)`;
    await app.sweep();
    const page = await get(link);
    expect(page.text).toContain("cv.pdf");
    // A second file: the page is sent as multipart.
    const sent = await send(page, [
      ["name", "Ada"],
      ["cv", file],
    ] as never);
    expect(sent.status).toBe(303);
    expect(await stored(form)).toMatchObject([{ cv: [{ name: "cv.pdf" }, { name: "cv.pdf" }] }]);
    expect((await invitationOf(sql, token)).state).toBe("submitted");
  });

  test("of ten open drafts of one invitation, sent at once, one is stored", async () => {
    const form = await published(fields, invited, settings);
    const token = await invite(sql, team, form);
    const pages: Page[] = [];
    for (let i = 0; i < 10; i++) pages.push((await draftOf(form, token)).page);
    const sent = await Promise.all(pages.map((page) => send(page, { name: "Ada" })));
    expect(sent.map(({ status }) => status).sort()).toEqual([303, ...Array(9).fill(410)]);
    expect([(await stored(form)).length, await drafts(form)]).toEqual([1, 9]);
  });

  test("a full form uses no invitation: 20 people, 5 places", async () => {
    const form = await published(fields, invited, { ...settings, availability: { maxSubmissions: 5 } });
    const tokens = await Promise.all(Array.from({ length: 20 }, () => invite(sql, team, form)));
    const pages = await Promise.all(tokens.map((token) => get(invitationLink(form, token))));
    const sent = await Promise.all(pages.map((page) => send(page, { name: "Ada" })));
    expect(sent.map(({ status }) => status).sort()).toEqual([...Array(5).fill(303), ...Array(15).fill(403)]);
    const states = await Promise.all(tokens.map(async (token) => (await invitationOf(sql, token)).state));
    expect(states.toSorted()).toEqual([...Array(15).fill("open"), ...Array(5).fill("submitted")]);
    await sql`update formd.forms set settings_in_force = settings_in_force - 'availability' where id = ${form.id}`;
    const index = sent.findIndex(({ status }) => status === 403);
    expect((await send(pages[index] as Page, { name: "Ada" })).status).toBe(303);
  });
});

test("a draft of everybody's page is no way into a form that is for invited people meanwhile", async () => {
  const form = await published(fields, { resume: { enabled: true } });
  const page = await get(form);
  const link = linkIn(await save(page, [["name", "Ada"]]));
  const opened = await get(link);
  await sql`update formd.forms set settings_in_force = jsonb_set(settings_in_force, '{page,access}', '"invited"') where id = ${form.id}`;
  for (const each of [
    await get(link),
    await save(opened),
    await send(opened, { name: "Ada" }),
    await save(page),
  ])
    expect(shownBy(each)).toEqual([403, "This form is for invited people"]);
});

test("a save by an unknown invitation makes no draft, also where everybody may send", async () => {
  const form = await published(fields, { resume: { enabled: true } });
  const page = await get(form);
  const action = `${pathOf(form)}/i/${"A".repeat(22)}`;
  expect(shownBy(await save({ ...page, action }, [["name", "Ada"]]))).toEqual([404, unknown]);
  expect(await drafts(form)).toBe(0);
});

test("an earlier version of the form opens from a draft of an invitation", async () => {
  const form = await published(fields, { ...invited, layout: "steps" });
  const token = await invite(sql, team, form, { prefill: { source: "list" } });
  const { link } = await draftOf(form, token);
  await republish(form, [{ op: "updateField", fieldId: "name", set: { label: "Full name" } }]);
  const page = await get(link);
  expect([page.status, page.text.includes("New or changed"), shows(page, "Ada")]).toEqual([200, true, true]);
});

test("whatever is below a link, also an error, is in no cache, search engine, referrer, log or table", async () => {
  const form = await published(fields, { ...invited, embedOrigins: ["https://a.example"] });
  const token = await invite(sql, team, form);
  const { link, page } = await draftOf(form, token);
  const tokens = [token, link.split("/").at(-1) ?? ""];
  const secret = `${pathOf(form)}/r`;
  for (const [method, path, status] of [
    ["GET", link, 200],
    ["HEAD", `${link}/saved?mailed=a&mailed=%ff`, 200],
    ["PUT", link, 405],
    ["GET", `${link}/send`, 405],
    ["GET", `${link}/other`, 404],
    ["GET", `${link}x`, 404],
    ["GET", link.slice(0, -1), 404],
    ["GET", `${secret}/${token}`, 404],
    ["GET", `${pathOf(form)}/i/${tokens[1]}`, 404],
    ["GET", `/f/unknown/r/${tokens[1]}`, 404],
    ["GET", link.replace("/r/", "/%72/"), 404],
    ["GET", `/%66${link.slice(2)}`, 404],
    ["POST", `${link}/send`, 415],
    ["GET", `${secret}/a%0d%0ab/steps`, 303],
  ] as const)
    for (const accept of ["text/html", "application/json"]) {
      const headers = { accept, "x-forwarded-for": freshIp() };
      const reply = await fetch(app.url + path, { method, headers, redirect: "manual" });
      expect([method, path, reply.status, reply.headers.get("cache-control")]).toEqual([
        method,
        path,
        status,
        "no-store",
      ]);
      expect([path, reply.headers.get("referrer-policy"), reply.headers.get("x-robots-tag")]).toEqual([
        path,
        "no-referrer",
        "noindex",
      ]);
    }
  for (const base of [link, invitationLink(form, token)]) {
    const back = await get(`${base}/steps?embed&lang=de`);
    expect([back.status, back.headers.get("location")]).toEqual([303, `${base}?embed&lang=de`]);
  }
  expect((await send(page, { name: "Ada" })).status).toBe(303);
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'formd' and table_type = 'BASE TABLE'`;
  const rows = await Promise.all(
    tables.map(({ name }) => sql.unsafe(`select t::text as row from formd.${name} t`)),
  );
  const text = JSON.stringify(rows) + app.log();
  expect(tokens.filter((each) => text.includes(each))).toEqual([]);
});
