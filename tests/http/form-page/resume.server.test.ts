// stacks: one deno gate
/** Pages that are saved, and continued by a link, as a browser without a script uses them. */
import { describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { generateMasterKey, MasterKey, parseMasterKey } from "../../../src/platform/master-key.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { mailServer } from "../../mail-server.ts";
import { ask, freshIp, makeTeam, server } from "../../setup.ts";
import { cv, fileService, pdf } from "../files/fixture.ts";
import { decoded, formsOf, getPage, type Page, postForm, sendPage } from "./fixture.ts";

const mails = await mailServer();
const key = generateMasterKey();
const app = await fileService({ ...mails.settings, FORMD_SECRET_KEY: key });
const team = await makeTeam(app);
const fixture = formsOf(app, team);
const { pathOf, stored, republish, get, send } = fixture;
const { sql } = app.database;

const fields = [
  { id: "name", type: "text", label: "Name", required: true },
  { id: "more", type: "page_break", label: "Your visit" },
  { id: "day", type: "date", label: "Day", required: true },
  { id: "source", type: "hidden", label: "Source", prefill: true },
];
const resume = { enabled: true, days: 3 };
const published = (given: object[] = fields, page: object = {}, settings: object = {}) =>
  fixture.published(given, { layout: "steps", resume, ...page }, settings);
const setResume = (form: { id: string }, enabled: boolean) =>
  sql`update formd.forms set settings_in_force = jsonb_set(settings_in_force, '{page,resume,enabled}', ${enabled}::text::jsonb)
    where id = ${form.id}`;

type Parts = readonly [string, string | File][];

/** Presses "Save and continue later". */
function save(page: Page, entered: Record<string, string> | Parts = {}, ip = freshIp()): Promise<Page> {
  const [path = "", query] = page.action.replace(/[?&]send$/, "").split("?");
  const steps = path.endsWith("/steps") ? path : `${path}/steps`;
  const given = Array.isArray(entered) ? entered : Object.entries(entered as Record<string, string>);
  return sendPage(
    app,
    { action: query ? `${steps}?${query}` : steps, hidden: page.hidden },
    [...given, ["formd.save", "1"]],
    { headers: { "x-forwarded-for": ip } },
  );
}
const linkIn = ({ headers }: Page) => (headers.get("location") ?? "").replace(/\/saved.*$/, "");
const savedLink = async (...of: Parameters<typeof save>) => linkIn(await save(...of));
const titleOf = ({ status, title }: Page) => `${status} ${title.replace(" · Test", "")}`;
const hiddenOf = ({ hidden }: Page, name: string) => hidden.find(([each]) => each === name)?.[1];
const drafts = async ({ id }: { id: string }) =>
  (await sql`select from formd.page_drafts where form_id = ${id}`).length;

describe("a page that is saved", () => {
  test("has a button on each page where the setting is on, and its link opens it at its step on another device", async () => {
    const form = await published();
    const start = await get(`${pathOf(form)}?source=mail`);
    expect(start.text).toContain('name="formd.save"');
    const second = await send(start, { name: 'Ada "<&' });
    const saved = await save(second, { day: "tomorrow" });
    expect(saved.status).toBe(303);
    expect(saved.headers.get("location")).toMatch(/^\/f\/[^/]+\/r\/[\w-]{22}\/saved$/);
    const link = linkIn(saved);
    const opened = await get(link);
    expect(titleOf(opened)).toBe("200 Step 2 of 2");
    expect(opened.text).toContain('value="tomorrow"');
    expect(opened.action).toBe(`${link}/steps?source=mail`);
    expect(hiddenOf(opened, "formd.key")).not.toBe(hiddenOf(second, "formd.key"));
    for (const [name, value] of [
      ["cache-control", "no-store"],
      ["referrer-policy", "no-referrer"],
      ["x-robots-tag", "noindex"],
    ] as const)
      expect([name, opened.headers.get(name)]).toEqual([name, value]);
    expect(opened.text).not.toContain("data-draft=");
    const check = await send(opened, { day: "2026-11-20" });
    expect([titleOf(check), check.headers.get("cache-control")]).toEqual([
      "200 Check your answers",
      "no-store",
    ]);
    // From the values to check as well.
    expect(titleOf(await get(await savedLink(check)))).toBe("200 Check your answers");
    const sent = await send(check);
    expect(sent.status).toBe(303);
    expect(await stored(form)).toEqual([{ name: 'Ada "<&', day: "2026-11-20", source: "mail" }]);
    expect([await drafts(form), (await get(link)).status]).toEqual([0, 404]);
  });

  test("is offered nowhere else: without the setting, in JSON, without a link to share", async () => {
    const off = await published(fields, { resume: { enabled: false } });
    expect((await get(off)).text).not.toContain("formd.save");
    const refused = await save(await get(off), { name: "Ada" });
    expect([refused.status, refused.text.includes("cannot be saved now")]).toEqual([403, true]);
    expect(refused.text).toContain('value="Ada"');
    expect(await drafts(off)).toBe(0);
    const opened = await get(await savedLink(await get(await published())));
    expect(opened.text).not.toMatch(/og:url|rel="alternate"/);
  });

  test("shows its link as the installation's address, until when it works, and what to know", async () => {
    const form = await published(fields, { language: "de" });
    const saved = await save(await get(form));
    const page = await get(saved.headers.get("location") ?? "");
    expect(page.status).toBe(200);
    const base = /value="(http[^"]*)\/f\//.exec(page.text)?.[1];
    expect(page.text).toContain(`value="${base}${linkIn(saved)}"`);
    expect(page.text).toContain("data-copy=");
    const last = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const day = new Intl.DateTimeFormat("de", { dateStyle: "long", timeZone: "UTC" }).format(new Date(last));
    expect(decoded(page.text)).toContain(day);
    expect((await get(`${linkIn(saved).slice(0, -2)}xx/saved`)).status).toBe(404);
  });

  test("stays embedded and in its language", async () => {
    const form = await fixture.published(fields, { layout: "steps", resume }, { languages: ["en", "de"] });
    const start = await get(`${pathOf(form)}?embed&lang=de`);
    const saved = await save(start, { name: "Ada" });
    expect(saved.headers.get("location")).toEndWith("/saved?embed=&lang=de");
    const page = await get(saved.headers.get("location") ?? "");
    expect(page.text).toContain(`href="${linkIn(saved)}?embed&amp;lang=de"`);
    // In the language of the visit, not the saved one.
    const english = await get(`${linkIn(saved)}?lang=en`);
    expect([english.text.includes('lang="en"'), english.text.includes('value="Ada"')]).toEqual([true, true]);
  });

  test("of one page opens with all that was entered", async () => {
    const form = await published([fields[0], { id: "note", type: "textarea", label: "Note" }] as object[]);
    const link = await savedLink(await get(form), { name: "", note: "one\ntwo" });
    const opened = await get(link);
    expect([opened.status, /one\r?\ntwo<.textarea>/.test(opened.text)]).toEqual([200, true]);
    const failed = await send(opened, { name: "", note: "three" });
    expect([failed.status, await drafts(form)]).toEqual([422, 1]);
    expect((await send(failed, { name: "Ada", note: "three" })).status).toBe(303);
    expect(await drafts(form)).toBe(0);
  });

  test("is not changed by programs that open the link", async () => {
    const form = await published();
    const link = await savedLink(await get(form), { name: "Ada" });
    const rows = () => sql`select * from formd.page_drafts where form_id = ${form.id}`;
    const before = [...(await rows())];
    for (let i = 0; i < 50; i++)
      for (const method of ["HEAD", "GET"])
        for (const path of [link, `${link}/saved`, `${link}/steps`]) {
          const headers = { "x-forwarded-for": freshIp(), accept: "text/html" };
          const { status } = await fetch(app.url + path, { method, headers, redirect: "manual" });
          expect([200, 303]).toContain(status);
        }
    expect([...(await rows())]).toEqual(before);
    expect((await get(link)).text).toContain('value="Ada"');
    const back = await get(`${link.replace("/f/", "/f/%0D%0A")}/steps?embed&lang=de`);
    expect([back.status, back.headers.get("location")?.slice(0, 9)]).toEqual([303, "/f/%0D%0A"]);
    expect(back.headers.get("location")).toEndWith("?embed&lang=de");
  });

  test("on two devices: the second is told, keeps what it has, and then replaces it knowingly", async () => {
    const form = await published();
    const link = await savedLink(await get(form), { name: "Ada" });
    const [one, other] = [await get(link), await get(link)];
    const first = await save(one, { name: "Grace" });
    expect([first.status, linkIn(first)]).toEqual([303, link]);
    const second = await save(other, { name: "Joan" });
    expect([second.status, second.text.includes("were saved somewhere else")]).toEqual([409, true]);
    expect(second.text).toContain('value="Joan"');
    expect((await get(link)).text).toContain('value="Grace"');
    expect((await save(second, { name: "Joan" })).status).toBe(303);
    expect((await get(link)).text).toContain('value="Joan"');
    // Without the time that the page shows it is in conflict, whatever it names.
    const forged = one.hidden.map(([name, value]) => [name, name === "formd.saved" ? "x" : value]);
    expect((await save({ ...one, hidden: forged as [string, string][] })).status).toBe(409);
  });

  test("after it was sent: an open page saves a new draft, and can be sent as well", async () => {
    const form = await published([fields[0]] as object[]);
    const link = await savedLink(await get(form), { name: "Ada" });
    const [one, other] = [await get(link), await get(link)];
    expect((await send(one, { name: "Ada" })).status).toBe(303);
    const again = await savedLink(other, { name: "Grace" });
    expect([again === link, (await get(link)).status]).toEqual([false, 404]);
    expect((await send(other, { name: "Grace" })).status).toBe(303);
    expect(await stored(form)).toEqual([{ name: "Ada" }, { name: "Grace" }]);
  });

  test("when the setting is switched off: opens, is saved again and sent, and no new one is made", async () => {
    const form = await published([fields[0]] as object[]);
    const start = await get(form);
    const link = await savedLink(start, { name: "Ada" });
    await setResume(form, false);
    expect((await save(start)).status).toBe(403);
    const opened = await get(link);
    expect(opened.text).toContain('name="formd.save"');
    expect((await save(opened, { name: "Grace" })).status).toBe(303);
    expect((await send(await get(link), { name: "Grace" })).status).toBe(303);
  });

  test("of an earlier version: the page says what changed, and its values are there", async () => {
    const form = await published();
    const link = await savedLink(await send(await get(form), { name: "Ada" }), { day: "2026-11-20" });
    await republish(form, [{ op: "updateField", fieldId: "name", set: { label: "Full name" } }]);
    const opened = await get(link);
    expect([opened.status, opened.text.includes("New or changed")]).toEqual([200, true]);
    expect(opened.text).toContain('value="Ada"');
    expect((await send(await send(await send(opened, { name: "Ada" }), { day: "2026-11-20" }))).status).toBe(
      303,
    );
  });

  test("too large: nothing is saved, and the values stay", async () => {
    const form = await published([{ id: "note", type: "textarea", label: "Note", maxLength: 200_000 }]);
    const note = "x".repeat(66_000);
    const page = await save(await get(form), { note });
    expect([page.status, page.text.includes("too much to save")]).toEqual([413, true]);
    expect([page.text.includes(note), await drafts(form)]).toEqual([true, 0]);
  });

  test("at most ten new ones an hour from one client; the eleventh keeps its values", async () => {
    const form = await published();
    const [start, ip] = [await get(form), freshIp()];
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await save(start, { name: "Ada" }, ip)).status);
    expect(statuses).toEqual([...Array(10).fill(303), 429]);
    expect((await save(start, { name: "Ada" }, ip)).text).toContain('value="Ada"');
  });

  test("a closed form, an unknown and an ended link, and another form's: refused", async () => {
    const form = await published();
    const other = await published();
    const link = await savedLink(await get(form), { name: "Ada" });
    const token = link.split("/").at(-1) ?? "";
    const unknown = [
      `${pathOf(form)}/r/${"A".repeat(22)}`,
      `${pathOf(form)}/r/%ff`,
      `${pathOf(other)}/r/${token}`,
    ];
    for (const path of unknown) {
      const page = await get(path);
      expect([page.status, page.text.includes("leads nowhere")]).toEqual([404, true]);
      expect(page.headers.get("cache-control")).toBe("no-store");
    }
    await sql`update formd.page_drafts set expires_at = now() - interval '1 second' where form_id = ${form.id}`;
    expect((await get(link)).status).toBe(404);
    const late = await published();
    const kept = await savedLink(await get(late), { name: "Ada" });
    const closing = { availability: { closesAt: "2020-01-01T00:00:00Z" } };
    await sql`update formd.forms set settings_in_force = settings_in_force || ${sql.json(closing)} where id = ${late.id}`;
    expect([(await get(kept)).status, (await get(`${kept}/saved`)).status]).toEqual([403, 200]);
  });
});

test("owners read how many drafts are open; it is published with a master key only", async () => {
  const form = await published();
  const path = `/papi/v1/management/forms/${form.id}`;
  const headers = { "x-api-key": team.key };
  const count = async () => (await ask(app, "GET", path, { headers })).body.data.drafts;
  expect(await count()).toEqual({ open: 0 });
  await save(await get(form), { name: "Ada" });
  expect(await count()).toEqual({ open: 1 });
  const publish = publishForm(sql, cliActor, team.id, form.id, true, undefined, false, false);
  expect(await publish.catch((error: Error) => JSON.stringify(error))).toContain("page.resume");
  const keyless = await server({ DATABASE_URL: app.database.url, FORMD_SECRET_KEY: "" });
  expect((await getPage(keyless, pathOf(form))).text).not.toContain("formd.save");
});

describe("the sealed values", () => {
  test("open with the master key and the token of the link together, and with nothing less", async () => {
    const form = await published();
    const link = await savedLink(await get(form), { name: "Marker-5f" });
    const token = link.split("/").at(-1) ?? "";
    const [row] = await sql<[{ sealed: Uint8Array; text: string }]>`
      select sealed, d::text as text from formd.page_drafts d where form_id = ${form.id}`;
    expect(row.text).not.toContain(token);
    const keyOf = (text: string) => new MasterKey(parseMasterKey(text));
    const open = (of: string, by: MasterKey) => by.decrypt("page-draft", of, row.sealed);
    const opened = await open(token, keyOf(key));
    expect(new TextDecoder().decode(opened)).toContain("name=Marker-5f");
    expect(await open("A".repeat(22), keyOf(key))).toBeUndefined();
    expect(await open("", keyOf(key))).toBeUndefined();
    expect(await open(token, keyOf(generateMasterKey()))).toBeUndefined();
  });

  test("open after a rotation of the master key, and not with a key that does not know the old one", async () => {
    const form = await published();
    const link = await savedLink(await get(form), { name: "Ada" });
    const next = generateMasterKey();
    const start = (keys: string) => server({ DATABASE_URL: app.database.url, FORMD_SECRET_KEY: keys });
    const rotated = await start(`${next},${key}`);
    expect((await getPage(rotated, link)).text).toContain('value="Ada"');
  });

  test("cost at most a millisecond of CPU, at the limit of their size", async () => {
    const by = new MasterKey(parseMasterKey(key));
    const content = new Uint8Array(65_000);
    for (let i = 0; i < 20; i++) await by.encrypt("page-draft", "warm", content);
    const before = process.cpuUsage();
    for (let i = 0; i < 100; i++) await by.encrypt("page-draft", String(i), content);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 100 / 1_000).toBeLessThan(1);
  });

  test("are gone after sending and after their time, with all that was entered", async () => {
    const form = await published([fields[0]] as object[], { resume: { enabled: true, days: 1 } });
    const markers = Array.from({ length: 1_000 }, (_, i) => `Marker-${i}-e1`);
    const links = await Promise.all(markers.map(async (name) => savedLink(await get(form), { name })));
    const opened = await get(links[0] ?? "");
    expect(opened.text).toContain("Marker-0-e1");
    const cleared = await send(opened, { name: "Ada" });
    expect(cleared.status).toBe(303);
    await sql`update formd.page_drafts set expires_at = now() - interval '1 second' where form_id = ${form.id}`;
    for (let i = 0; i < 6; i++) await sql`select from formd.expired_purge(5000)`;
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'formd' and table_type = 'BASE TABLE'`;
    const dump = await Promise.all(
      tables.map(({ name }) => sql.unsafe(`select t::text as row from formd.${name} t`)),
    );
    const text = JSON.stringify(dump);
    expect(markers.filter((marker) => text.includes(marker))).toEqual([]);
    expect(await drafts(form)).toBe(0);
  });
});

describe("files of a draft", () => {
  const name = { id: "name", type: "text", label: "Name", required: true };
  const fileOf = (bytes: Uint8Array) => new File([bytes as never], "cv.pdf", { type: "application/pdf" });
  const stateOf = async ({ id }: { id: string }) => {
    const rows = await sql<{ state: string; uploader: string; hours: number }[]>`
      select state, split_part(uploader, ':', 1) as uploader,
        coalesce(extract(epoch from expires_at - now()) / 3600, 0)::int as hours
      from formd.files where form_id = ${id}`;
    return rows.map(({ state, uploader, hours }) => [state, uploader, hours > 48]);
  };

  test("stay as long as it, and belong to the respondent who sends it", async () => {
    const form = await published([name, cv]);
    const link = await savedLink(await get(form), [
      ["name", "Ada"],
      ["cv", fileOf(pdf)],
    ]);
    expect(await stateOf(form)).toEqual([["uploaded", "draft", true]]);
    const opened = await get(link);
    expect(opened.text).toContain("cv.pdf");
    // Saved again from the link: still the draft's.
    expect((await save(opened, { name: "Ada" })).status).toBe(303);
    const again = await get(link);
    const cvHidden = again.hidden.filter(([each]) => each === "cv");
    expect(cvHidden).toHaveLength(1);
    // Another page that names it cannot claim it.
    const stranger = await get(form);
    const stolen = await send({ ...stranger, hidden: [...stranger.hidden, ...cvHidden] }, { name: "Eve" });
    expect(stolen.status).toBe(422);
    const link2 = await savedLink(
      { ...stranger, hidden: [...stranger.hidden, ...cvHidden] },
      { name: "Eve" },
    );
    expect((await send(await get(link2), { name: "Eve" })).status).toBe(422);
    expect((await send(again, { name: "Ada" })).status).toBe(303);
    expect(await stateOf(form)).toEqual([["claimed", "draft", false]]);
    expect(await stored(form)).toMatchObject([{ name: "Ada", cv: [{ name: "cv.pdf" }] }]);
  });
});

describe("the link by mail", () => {
  const mailed = async (link: string, email: string) => {
    const reply = await postForm(app, `${link}/send`, { email });
    return await get(reply.headers.get("location") ?? "");
  };

  test("goes to the address, which is in no table, no address and no log", async () => {
    const form = await published(fields, { language: "de", title: "Anmeldung" });
    const link = await savedLink(await get(form), { name: "Marker-77" });
    expect((await get(`${link}/saved`)).text).toContain('type="email"');
    const to = "marker-mail-3c@example.org";
    const reply = await postForm(app, `${link}/send`, { email: to });
    expect(reply.status).toBe(303);
    expect(reply.headers.get("location")).not.toContain("marker-mail");
    expect((await get(reply.headers.get("location") ?? "")).text).toContain(to);
    const { mail, source } = await mails.next(to);
    expect(mail.subject).toBe("Das Formular „Anmeldung“ weiter ausfüllen");
    expect(mail.text).toContain(link);
    expect(source).not.toContain("Marker-77");
    const rows =
      await sql`select m::text from formd.mails m union all select r::text from formd.rate_limits r`;
    expect(JSON.stringify(rows)).not.toContain("marker-mail");
    expect(app.log()).not.toContain("marker-mail");
    expect(app.log()).not.toContain(link.split("/").at(-1) ?? "");
  });

  test("no address, too many mails to it, and an unknown link: none is sent", async () => {
    const form = await published();
    const link = await savedLink(await get(form));
    const wrong = await mailed(link, "ada");
    expect(wrong.text).toContain("No mail could be sent");
    const to = "often@example.org";
    const texts: boolean[] = [];
    for (let i = 0; i < 4; i++) texts.push((await mailed(link, to)).text.includes(to));
    expect(texts).toEqual([true, true, true, false]);
    const used = await sql`
      select from formd.rate_limits where key = ${`mail:team:${team.id}`} and cardinality(times) > 0`;
    expect(used).toHaveLength(1);
    const unknown = await postForm(app, `${pathOf(form)}/r/${"A".repeat(22)}/send`, { email: to });
    expect(unknown.status).toBe(404);
  });

  test("posts pass with the origin that browsers send under no-referrer", async () => {
    const form = await published([fields[0]] as object[]);
    const opened = await get(await savedLink(await get(form), { name: "Ada" }));
    const { action, hidden } = opened;
    const headers = { origin: "null" };
    expect((await sendPage(app, { action, hidden }, { name: "Ada" }, { headers })).status).toBe(303);
  });
});
