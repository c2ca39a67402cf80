// stacks: one
/** Inviting people in the console: lists, the page that checks them, mails or links, reminders, revoking. */
import { describe, expect, test } from "bun:test";
import { mailServer } from "../../mail-server.ts";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { type Browser, expectPage, expectRedirect, textOf } from "./browser.ts";
import { consoleFixture, formPath, hiddenIn } from "./fixture.ts";

const mail = await mailServer();
const { app, sql, team, admin, editor, viewer, call } = await consoleFixture(mail.settings);
const plain = await consoleFixture();

const fields = [
  { id: "name", type: "text", label: "Full name", prefill: true },
  { id: "seats", type: "integer", label: "Seats", prefill: true },
  { id: "size", type: "select", label: "Size", prefill: true, options: [{ value: "s", label: "Small" }] },
  { id: "notes", type: "text", label: "Notes" },
];
const make = (settings: object = {}): Promise<PublishedForm> =>
  makeForm(app, team, fields, {
    settings: { page: { enabled: true }, languages: ["en", "de"], ...settings },
  });
const at = (form: PublishedForm, rest = "") => formPath(form, `/invitations${rest}`);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const check = (form: PublishedForm, list: Record<string, string>, as: Browser = editor) =>
  as.post(at(form, "/check"), list);
const listOf = (page: Awaited<ReturnType<typeof check>>) => hiddenIn(page, 'name="list"');
/** Checks a list and sends it as the page does. */
const invite = async (
  form: PublishedForm,
  people: string,
  fields: Record<string, string> = { send: "true" },
) => editor.post(at(form), { ...listOf(await check(form, { people })), ...fields });
const stored = async (form: PublishedForm): Promise<object[]> => sql<
  { label: string | null; state: string; mails: number }[]
>`
  select label, state, mails, prefill, language, bounced from formd.invitations
  where form_id = ${form.id} order by label`;
const mailsOf = (row: { mails?: number }) => row.mails;
const idOf = async (form: PublishedForm, label: string) => {
  const [row] = await sql<{ id: string }[]>`
    select id from formd.invitations where form_id = ${form.id} and label = ${label}`;
  return row?.id ?? "";
};

test("a list of addresses is checked without storing anything, with the text of the mail", async () => {
  const form = await make();
  const people = [
    "Ada <ada@example.org>",
    "",
    '"Lovelace, Eve" <eve@example.org>',
    "no address",
    "bob@example.org; eva@example.org",
    "ADA@example.org",
  ].join("\r\n");
  const page = await check(form, { people });
  expectPage(page, 200, "4 people can be invited.", "2 rows are left out:");
  expectPage(page, 200, "Row 4: “no address” is not an e-mail address.");
  expect(textOf(page)).toContain("Row 6: The address is in row 1 already.");
  expectPage(page, 200, "Invitation: Test", "Send 4 invitations", "Make links instead");
  expect(JSON.parse(listOf(page).list ?? "")).toEqual([
    { email: "ada@example.org", label: "Ada" },
    { email: "eve@example.org", label: "Lovelace, Eve" },
    { email: "bob@example.org" },
    { email: "eva@example.org" },
  ]);
  expect(await stored(form)).toEqual([]);
});

const head = "E-Mail;Name;Language;Expires;full NAME;Seats;size;Shoe\r\n";
test.each([
  ["semicolons, quotes, a byte order mark and line breaks in cells", `\ufeff${head}`, ";"],
  ["commas", head.replaceAll(";", ","), ","],
  ["tabs", head.replaceAll(";", "\t"), "\t"],
])("a file with %s becomes people with values", async (_, first, separator) => {
  const form = await make();
  const rows = [
    ["ada@example.org", '"Ada ""A"""', "de", "2026-12-31", '"Ada\nLovelace"', "2", "Small", "40"],
    ["eve@example.org", "Eve", "fr"],
    ["", "Only a name", "", "yesterday"],
    ["bob@example.org", "Bob", "", "", "", "many"],
    ["", "No address", "", "", "", "", "s"],
  ];
  const file = base64(first + rows.map((cells) => cells.join(separator)).join("\r\n"));
  const page = await check(form, { file });
  expect(JSON.parse(listOf(page).list ?? "")).toEqual([
    {
      ...{
        email: "ada@example.org",
        label: 'Ada "A"',
        language: "de",
        expiresAt: "2026-12-31T23:59:00+00:00",
      },
      values: { name: "Ada\nLovelace", seats: 2, size: "s" },
    },
    { label: "No address", values: { size: "s" } },
  ]);
  const text = textOf(page);
  for (const sentence of [
    "Row 3: The form does not have the language “fr”.",
    "Row 4: “yesterday” is not a day.",
    "Row 5: This cannot be an answer to “Seats”.",
    "may be filled in by a link: Shoe.",
    "1 person without an address",
  ])
    expect(text).toContain(sentence);
  expect(text).not.toContain("Send 2 invitations");
  expectPage(page, 200, "Make 2 links");
});

test("a list that cannot be read is refused at its control", async () => {
  const form = await make();
  const long = `email\n${Array.from({ length: 2001 }, (_, n) => `p${n}@example.org`).join("\n")}`;
  for (const [list, sentence] of [
    [{ people: " " }, "Enter addresses, or choose a file."],
    [
      { file: Buffer.from("email,name\na@example.org,Größe", "latin1").toString("base64") },
      "not text in UTF-8",
    ],
    [{ file: base64("shoe,size\n1,2") }, "needs a column named email or name"],
    [{ file: base64(long) }, "A list may have at most 2,000 people."],
    [{ people: long.slice(6) }, "A list may have at most 2,000 people."],
    [{ file: "A".repeat(1_500_000) }, "The file may have at most 1 MB."],
  ] as const) {
    const page = await check(form, list as unknown as Record<string, string>);
    expectPage(page, 400, sentence);
  }
  expectPage(await editor.post(at(form), { list: "[{}", send: "true" }), 400, "Check it again.");
  expectPage(await editor.post(at(form), { list: '[{"email":1}]', send: "true" }), 400, "Check it again.");
});

describe("sending", () => {
  test.each([500, 501, 2000])(
    "%i people are invited by one post, and a second post mails no one",
    async (count) => {
      const form = await make();
      const people = Array.from({ length: count }, (_, n) => `P${n} <p${n}@example.org>`).join("\n");
      const list = listOf(await check(form, { people }));
      expectRedirect(await editor.post(at(form), { ...list, send: "true" }), at(form));
      expectRedirect(await editor.post(at(form), { ...list, send: "true" }), at(form));
      const [row] = await sql`
      select count(*)::int as made, (
        select count(*)::int from formd.mails m where m.form_id = ${form.id} and m.kind = 'invitation') as mails
      from formd.invitations where form_id = ${form.id}`;
      expect(row).toEqual({ made: count, mails: count });
      expectPage(
        await check(form, { people }),
        200,
        `${count.toLocaleString("en")} people have an open invitation`,
      );
    },
  );

  test("links are shown once, and are a file without formulas", async () => {
    const form = await make();
    const page = await invite(form, "=1+1 <ada@example.org>\nEve <eve@example.org>", {});
    expectPage(page, 200, "shown this once");
    expect(page.headers.get("cache-control")).toContain("no-store");
    const file = await editor.post(at(form, "/links"), hiddenIn(page, 'name="links"'));
    expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename.*invitations\.csv/);
    expect([file.headers.get("cache-control"), file.headers.get("content-type")]).toEqual([
      "no-store",
      "text/csv; charset=utf-8; header=present",
    ]);
    const [first, ada = "", eve] = file.html.split("\r\n");
    expect([first?.replace("\ufeff", ""), ada.split(",")[0], eve?.split(",")[1]]).toEqual([
      "Name,E-mail,Link",
      "'=1+1",
      "eve@example.org",
    ]);
    expect(ada).toMatch(/,http\S+\/i\/[\w-]{22}$/);
    expect((await stored(form)).map(mailsOf)).toEqual([0, 0]);
    expect((await editor.get(at(form))).html).not.toContain("/i/");
  });

  test("a value that the form does not accept is refused in words", async () => {
    const form = await make();
    const list = JSON.stringify([{ label: "Ada", values: { notes: "x" } }]);
    const page = await editor.post(at(form), { list });
    expect(page.status).toBe(400);
    expect(await stored(form)).toEqual([]);
  });
});

describe("the list", () => {
  test("shows states in words, is searched by name or address, and filtered by state", async () => {
    const form = await make();
    await invite(form, ["Ada", "Eve", "Bob"].map((name) => `${name} <${name}@example.org>`).join("\n"));
    await sql`
      update formd.invitations set bounced = true, unsubscribed = true
      where form_id = ${form.id} and label = 'Eve'`;
    await sql`update formd.invitations set state = 'submitted' where form_id = ${form.id} and label = 'Bob'`;
    const all = await viewer.get(at(form));
    expectPage(
      all,
      200,
      "1 of 3 have sent it in",
      "2 open",
      "could not be delivered",
      "wants no more e-mail",
    );
    expect(all.html).not.toContain("Revoke the invitation");
    const found = (html: string) =>
      ["Ada", "Eve", "Bob"].filter((name) => new RegExp(`>${name}<`).test(html)).join();
    for (const [query, names] of [
      ["?q=ad", "Ada"],
      ["?q=EVE@example.org", "Eve"],
      ["?q=eve@example", ""],
      ["?state=submitted", "Bob"],
      ["?state=open&q=bob", ""],
    ] as const)
      expect([query, found((await viewer.get(at(form, query))).html)]).toEqual([query, names]);
    expectPage(await viewer.get(at(form, "?q=nobody")), 200, "No invitation matches.");
  });

  test("turns pages", async () => {
    const form = await make();
    await invite(form, Array.from({ length: 51 }, (_, n) => `P${n} <p${n}@example.org>`).join("\n"));
    const { html } = await viewer.get(at(form));
    const next = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await viewer.get(next);
    expect([html, second.html].map((each) => each.match(/<th role="rowheader"/g)?.length)).toEqual([50, 1]);
    expectPage(second, 200, "0 of 51 have sent it in");
  });

  test("says that submissions are anonymous, and that the public address is closed", async () => {
    const form = await make({ page: { enabled: true, access: "invited" }, invitations: { anonymous: true } });
    expectPage(await viewer.get(at(form)), 200, "public address is closed", "never which answers are whose");
    expectPage(await viewer.get(formPath(form, "/share")), 200, "Only invited people");
  });
});

test("everyone who has not sent is reminded after the number was confirmed, once a day", async () => {
  const form = await make();
  await invite(form, ["Ada", "Eve", "Bob"].map((name) => `${name} <${name}@example.org>`).join("\n"));
  expectPage(await editor.post(at(form, "/remind"), { days: "3" }), 200, "no one to remind");
  await sql`update formd.invitations set last_mailed_at = now() - interval '4 days' where form_id = ${form.id}`;
  await sql`update formd.invitations set state = 'submitted' where form_id = ${form.id} and label = 'Bob'`;
  const page = await editor.post(at(form, "/remind"), { days: "3" });
  expectPage(page, 200, "A reminder goes to 2 people.", "Send 2 reminders");
  expect((await stored(form)).map(mailsOf)).toEqual([1, 1, 1]);
  const confirmed = hiddenIn(page, "Send 2 reminders");
  expectRedirect(await editor.post(at(form, "/remind"), confirmed), at(form));
  expect((await stored(form)).map(mailsOf)).toEqual([2, 1, 2]);
  expectRedirect(await editor.post(at(form, "/remind"), confirmed), at(form));
  expect((await stored(form)).map(mailsOf)).toEqual([2, 1, 2]);
  expectPage(
    await editor.post(at(form, "/remind"), { days: "0" }),
    400,
    "Enter a whole number from 1 to 99.",
  );
});

test("a revoked link keeps no name, and those without a role of editor see no buttons and send nothing", async () => {
  const form = await make();
  await invite(form, "Ada <ada@example.org>");
  const invitation = await idOf(form, "Ada");
  expect((await viewer.post(at(form, "/revoke"), { invitation })).status).toBe(403);
  expect((await check(form, { people: "eve@example.org" }, viewer)).status).toBe(403);
  expectRedirect(await editor.post(at(form, "/revoke"), { invitation }), at(form));
  expect(await stored(form)).toEqual([expect.objectContaining({ label: null, state: "revoked" })]);
  expectPage(await viewer.get(at(form)), 200, "Revoked", "No name");
  const events =
    await sql`select kind from formd.audit_events where form_id = ${form.id} order by id desc limit 2`;
  expect(events.map(({ kind }) => kind)).toEqual(["invitation.revoked", "invitations.created"]);
  await admin.post(formPath(form, "/archive"), {});
  expectPage(await admin.get(at(form)), 200, "This form is archived.");
});

test("a server without mail makes links, and reminds no one", async () => {
  const form = await makeForm(plain.app, plain.team, fields, { settings: { page: { enabled: true } } });
  const page = await plain.editor.post(at(form, "/check"), { people: "Ada <ada@example.org>" });
  expectPage(page, 200, "This server sends no e-mail.", "Make 1 link");
  expect(page.html).not.toContain('name="send"');
  expectPage(await plain.editor.post(at(form), listOf(page)), 200, "/i/");
  expectPage(await plain.editor.get(at(form)), 200, "cannot remind people", "not mailed");
});

test("a form that is not published yet has no links", async () => {
  const { form } = await call("POST", "/management/forms", { name: "New", schema: { fields } });
  expectPage(await editor.get(at(form)), 200, "Publish the form first");
});
