// stacks: one
/** The list of submissions: deleting several, filters, order, columns. */
import { expect, test } from "bun:test";
import { readXlsx } from "hucre/xlsx";
import { v7 as uuidv7 } from "uuid";
import { limits } from "../../../src/limits.ts";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm } from "../../../src/resources/forms/publish.ts";
import { makeAgent, makeForm, type PublishedForm } from "../../setup.ts";
import { expectRedirect, type Shown, textOf } from "./browser.ts";
import { consoleFixture, formPath } from "./fixture.ts";

const { app, sql, team, admin, editor, viewer, call, read, submit } = await consoleFixture();

const makeSubmissions = async (count: number) => {
  const form = await makeForm(app, team, [
    { id: "name", type: "text", label: "Name" },
    { id: "city", type: "text", label: "City" },
    { id: "size", type: "select", label: "Size", options: ["m", "l"] },
    ...["a", "b", "c"].map((id) => ({ id, type: "text", label: `Field ${id}` })),
  ]);
  for (let index = 0; index < count; index++)
    await submit(form, { name: `Person ${index}`, size: index % 2 ? "l" : "m", c: `c of ${index}` });
  return form;
};
const pathOf = (form: PublishedForm, rest = "") => formPath(form, `/submissions${rest}`);
const listOf = (form: PublishedForm, rest = "") => editor.get(pathOf(form, rest));
const namesOf = ({ html }: Shown) => [...html.matchAll(/<bdi>(Person \d+)<\/bdi>/g)].map(([, name]) => name);
const idsOf = ({ html }: Shown) =>
  [...html.matchAll(/type="checkbox" name="submissions" value="([^"]+)"/g)].map(([, id = ""]) => id);
const leftOf = async (form: PublishedForm) =>
  (await read(`/management/forms/${form.id}/submissions`)).submissions
    .map(({ data }: { data: { name: string } }) => data.name)
    .sort();
const deletions = async (form: PublishedForm) =>
  (await read(`/management/forms/${form.id}/audit?kind=submission.deleted`)).pagination.total;
/** The fields that the question on a page sends. */
const fieldsOf = ({ html }: Shown) => {
  const fields: Record<string, string[]> = {};
  const [, question = ""] = /<form method="post"[^>]*\/submissions\/delete(.*?)<\/form>/s.exec(html) ?? [];
  for (const [, name = "", value = ""] of question.matchAll(/name="([\w.]+)" value="([^"]*)"/g))
    fields[name] = [...(fields[name] ?? []), value];
  return fields;
};
const press = (form: PublishedForm, fields: Record<string, string | string[]>, query = "") =>
  editor.post(pathOf(form, `/delete${query}`), fields);

test("selected submissions are deleted after a question that says how many, each with an event", async () => {
  const form = await makeSubmissions(4);
  const [newest = "", , third = ""] = idsOf(await listOf(form));
  const question = await listOf(form, `/delete?submissions=${newest}&submissions=${third}&size=m`);
  expect(textOf(question)).toContain("Delete 2 submissions?");
  const fields = fieldsOf(question);
  expect([fields.submissions, await deletions(form)]).toEqual([[newest, third], 0]);
  const done = await press(form, fields, "?q=Person");
  const after = await editor.get(expectRedirect(done, `${pathOf(form)}?q=Person`));
  expect(textOf(after)).toContain("2 submissions deleted.");
  expect([await leftOf(form), await deletions(form)]).toEqual([["Person 0", "Person 2"], 2]);
  // Pressed twice: they are gone, which is what was wanted.
  const again = await editor.get(expectRedirect(await press(form, fields), /report/));
  expect(textOf(again)).toContain("0 submissions deleted.");
  expect(await deletions(form)).toBe(2);
});

test("all filtered submissions are deleted, without later ones", async () => {
  const form = await makeSubmissions(4);
  const query = "?value.size=m";
  expect((await listOf(form, query)).html).toContain(`href="${pathOf(form, "/delete")}${query}"`);
  const question = await listOf(form, `/delete${query}`);
  expect(textOf(question)).toContain("Delete 2 submissions?");
  await submit(form, { name: "Late", size: "m" });
  expectRedirect(await press(form, fieldsOf(question), query), pathOf(form));
  expect([await leftOf(form), await deletions(form)]).toEqual([["Late", "Person 1", "Person 3"], 2]);
});

test("a press deletes no more than it was asked for, and asks again for the rest", async () => {
  const form = await makeSubmissions(3);
  // Later than the last one, whose time PostgreSQL may have rounded up to the next millisecond.
  const until = new Date(Date.now() + 1_000).toISOString();
  expectRedirect(await press(form, { left: "2", until }), pathOf(form));
  expect(await leftOf(form)).toEqual(["Person 0"]);
  const step = limits.submission.maxDeletes;
  const more = await press(form, { left: String(step + 3), until });
  const asked = `1 submissions? deleted\\..*Delete ${step + 2} submissions\\?`;
  expect(textOf(more)).toMatch(new RegExp(asked));
  expect(textOf(more)).toContain(`${step} at a time`);
  expectRedirect(await press(form, fieldsOf(more)), pathOf(form));
  expect(await leftOf(form)).toEqual([]);
});

test("a submission on hold stays, the others are deleted, and both are reported", async () => {
  const form = await makeSubmissions(3);
  const [, held = ""] = idsOf(await listOf(form));
  await sql`
    select from formd.hold_place(${team.id}, '(cli,,)', ${form.id}, ${held}, 'A case')`;
  const done = await press(form, fieldsOf(await listOf(form, "/delete")));
  const list = await editor.get(expectRedirect(done, pathOf(form)));
  expect(textOf(list)).toContain("2 submissions deleted. 1 on hold was kept.");
  expect(await leftOf(form)).toEqual(["Person 1"]);
});

test("an id without a submission, and too many, are refused; nothing to delete is reported; a viewer selects none", async () => {
  const form = await makeSubmissions(1);
  const [id = ""] = idsOf(await listOf(form));
  const tooMany = Array.from({ length: limits.submission.maxDeletes + 1 }, () => id);
  for (const wrong of [{ submissions: "x" }, { submissions: tooMany }, { left: "0" }, { until: "soon" }]) {
    const { status } = await press(form, { left: "1", until: new Date().toISOString(), ...wrong });
    expect([Object.keys(wrong), status]).toEqual([Object.keys(wrong), 400]);
  }
  expect((await viewer.get(pathOf(form, "/delete"))).status).toBe(403);
  expect(idsOf(await viewer.get(pathOf(form)))).toEqual([]);
  // The button under the table sends "chosen", whether boxes are checked or not.
  for (const query of ["value.size=l", "chosen=true"]) {
    const none = await listOf(form, `/delete?${query}`);
    expect([textOf(none).includes("No submission is selected."), fieldsOf(none)]).toEqual([true, {}]);
  }
  expect(await leftOf(form)).toEqual(["Person 0"]);
});

test("the filter offers agents by their names, and states as people know them", async () => {
  const form = await makeSubmissions(1);
  const agent = await makeAgent(app, team, form);
  const list = await listOf(form);
  expect(list.html).toContain(`<option value="${agent.id}">Agent</option>`);
  expect(textOf(list)).toContain("State All Waiting Accepted Rejected Incomplete");
  expect(list.html).not.toContain('name="respondentId"');
  const chosen = await listOf(form, `?agentId=${agent.id}`);
  expect([namesOf(chosen), chosen.html.includes(`value="${agent.id}" selected`)]).toEqual([[], true]);
  // A filter that is no longer offered, as in a bookmark, is shown and can be removed.
  const [agentId, respondentId] = [uuidv7(), uuidv7()];
  const kept = await listOf(form, `?agentId=${agentId}&respondentId=${respondentId}`);
  expect(kept.html).toContain(`<option value="${agentId}" selected>`);
  expect(kept.html).toMatch(new RegExp(`<input[^>]*value="${respondentId}"[^>]*name="respondentId"`));
});

test("a link checks all on the page, also of a filtered list", async () => {
  const form = await makeSubmissions(3);
  const page = await listOf(form, "?value.size=m");
  const [, href = ""] = /href="([^"]*all=true)"/.exec(page.html) ?? [];
  expect(page.html).not.toMatch(/type="checkbox" name="submissions"[^>]* checked/);
  const all = await editor.get(href.replaceAll("&amp;", "&"));
  expect([namesOf(all).length, all.html.match(/name="submissions"[^>]* checked/g)?.length]).toEqual([2, 2]);
  // The question after it knows the filter, not that all were checked.
  expect(all.html).not.toMatch(/type="hidden" name="all"/);
});

/** Follows the link to the page before this one, or after it. Undefined: there is none. */
async function turned({ html }: Shown, rel: "prev" | "next"): Promise<Shown | undefined> {
  const [, href] = new RegExp(`href="([^"]+)" rel="${rel}"`).exec(html) ?? [];
  return href ? await editor.get(href.replaceAll("&amp;", "&")) : undefined;
}

test("the oldest come first where asked, on each page, with a filter and in a search", async () => {
  const form = await makeSubmissions(60);
  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `Person ${from + index}`);
  for (const [query, names] of [
    ["", range(0, 60).toReversed()],
    ["order=oldest", range(0, 60)],
    ["order=oldest&state=accepted", range(0, 60)],
    ["order=oldest&value.size=l", range(0, 60).filter((_, index) => index % 2)],
    ["order=oldest&q=person+2", ["Person 2", ...range(20, 30)]],
  ] as const) {
    const pages: Shown[] = [];
    for (
      let page: Shown | undefined = await listOf(form, `?${query}`);
      page;
      page = await turned(page, "next")
    )
      pages.push(page);
    expect([query, pages.map(namesOf)]).toEqual([
      query,
      pages.map((_, index) => names.slice(index * 25, (index + 1) * 25)),
    ]);
    expect(pages.flatMap(namesOf)).toEqual([...names]);
    // Backwards from the last one, each page is full, up to the first.
    const back: (string | undefined)[][] = [];
    for (let page = pages.at(-1); page; page = await turned(page, "prev")) back.unshift(namesOf(page));
    expect([query, back.flat().slice(-names.length)]).toEqual([query, [...names]]);
    expect(back[0]).toEqual(names.slice(0, 25));
  }
  expect((await listOf(form, "?order=newest")).status).toBe(400);
});

test("a submission has the reference that the person saw on the page, and the search finds it", async () => {
  const form = await makeSubmissions(3);
  const [id = ""] = idsOf(await listOf(form));
  const reference = `${id.slice(-8, -4)}-${id.slice(-4)}`.toUpperCase();
  expect(textOf(await listOf(form, `/${id}`))).toContain(`Reference ${reference}`);
  expect(idsOf(await listOf(form, `?q=${reference}`))).toEqual([id]);
});

test("columns are chosen, and the filter, the search and the order keep them", async () => {
  const form = await makeSubmissions(1);
  expect(textOf(await listOf(form))).not.toContain("c of 0");
  const page = await listOf(form, "?column.c=true&value.size=m&order=oldest");
  expect(textOf(page)).toContain("c of 0");
  expect(page.html).not.toContain('<th role="columnheader" scope="col">City');
  expect(page.html.match(/type="hidden" name="column\.c" value="true"/g)?.length).toBeGreaterThanOrEqual(3);
  expect(page.html).toMatch(/href="[^"]*\?value.size=m&amp;order=oldest"[^>]*>Reset the columns/);
  expect((await listOf(form, "?column.unknown=true")).status).toBe(200);
});

test("a list has all large submissions, in either order and in a search", async () => {
  const form = await makeSubmissions(0);
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, data, submitter_type, provenance, submitter_id, created_at, updated_at)
    select ${team.id}, ${form.id}, formd.uuid_floor(at), 1, 'pending', jsonb_build_object('name', 'Person ' || n, 'c', repeat('c', 32000)),
      'api_key', 'owner', ${team.keyId}, at, at
    from (select n, now() - (60 - n) * interval '1 second' as at from generate_series(1, 60) as n) as s`;
  await sql`select formd.submission_counts_repair(${team.id}, ${form.id})`;
  const people = Array.from({ length: 60 }, (_, index) => `Person ${index + 1}`);
  for (const [query, all] of [
    ["", people.toReversed()],
    ["order=oldest", people],
    ["q=person", people.toReversed()],
  ] as const) {
    // A page ends at 256 KiB, and goes on by its link.
    const shown: string[] = [];
    let page: Shown | undefined = await listOf(form, `?${query}`);
    for (; page; page = await turned(page, "next")) shown.push(...(namesOf(page) as string[]));
    expect([query, shown]).toEqual([query, all]);
  }
});

test("a list that has not looked at all says so, in either order, and the link goes on", async () => {
  const form = await makeSubmissions(0);
  const count = limits.page.maxSpread + 20;
  // The oldest and the newest one are an owner's, all others a person's.
  await sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, data, submitter_type, provenance, submitter_id, created_at, updated_at)
    select ${team.id}, ${form.id}, formd.uuid_floor(at), 1, 'pending', jsonb_build_object('name', 'Person ' || n), 'api_key',
      case when n in (1, ${count}) then 'owner' else 'person' end, ${team.keyId}, at, at
    from (select n, now() - (${count}::integer - n) * interval '1 second' as at from generate_series(1, ${count}::integer) as n) as s`;
  await sql`select formd.submission_counts_repair(${team.id}, ${form.id})`;
  const { pagination } = await read(
    `/management/forms/${form.id}/submissions?status=pending&provenance=owner`,
  );
  const next = expect.any(String);
  expect(pagination).toEqual({ page: 1, limit: 20, total: 1, isTotalExact: false, next });
  for (const [query, first, last] of [
    ["", `Person ${count}`, "Person 1"],
    ["&order=oldest", "Person 1", `Person ${count}`],
  ] as const) {
    const page = await listOf(form, `?state=waiting&provenance=owner${query}`);
    const says = "searched only some of the submissions";
    expect([namesOf(page), textOf(page).includes(says)]).toEqual([[first], true]);
    expect(textOf(page)).toContain("at least 1 in total");
    const rest = (await turned(page, "next")) as Shown;
    expect([namesOf(rest), textOf(rest).includes(says)]).toEqual([[last], false]);
    expect(await turned(rest, "next")).toBeUndefined();
  }
  // The newest one of an owner is gone: none was found, which does not mean that there is none.
  await sql`delete from formd.submissions where form_id = ${form.id} and data ->> 'name' = ${`Person ${count}`}`;
  const question = await editor.get(pathOf(form, "/delete?state=waiting&provenance=owner"));
  expect(textOf(question)).toContain("Older submissions were not searched.");
  // The link asks about older ones.
  const [, older = ""] = /href="[^"]+(\/delete\?[^"]+)"[^>]*>Search older ones/.exec(question.html) ?? [];
  expect(textOf(await editor.get(pathOf(form, older.replaceAll("&amp;", "&"))))).toContain(
    "Delete 1 submission?",
  );
});

test("a CSV opens right in the Excel of the reader's language; a workbook speaks that language", async () => {
  const form = await makeForm(app, team, [
    { id: "name", type: "text", label: "Name" },
    { id: "size", type: "number", label: "Size" },
    { id: "sure", type: "boolean", label: "Sure" },
    { id: "day", type: "date", label: "Day" },
    { id: "tags", type: "multi_select", label: "Tags", options: [{ value: "x", label: "An X" }, "y"] },
  ]);
  await submit(form, { name: "a;b,c", size: 1.234, sure: true, day: "2026-05-31", tags: ["x", "y"] });
  const export_ = (format: string, language: string) =>
    fetch(`${app.url}${pathOf(form, `/export?format=${format}`)}`, {
      headers: { cookie: viewer.cookie, "accept-language": language },
    });
  const csvIn = async (query: string, language: string) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(await (await export_(query, language)).bytes());
  const [titles, row] = (await csvIn("csv", "en")).split("\r\n");
  expect(titles).toStartWith("\ufeffName,Size,Sure,Day,Tags,Id,Reference,Status,");
  expect(row).toStartWith('"a;b,c",1.234,Yes,2026-05-31,"An X, y",');
  const [german, values] = (await csvIn("csv", "de")).split("\r\n");
  expect(german).toStartWith("\ufeffName;Size;Sure;Day;Tags;Id;Vorgangsnummer;Status;");
  expect(values).toStartWith('"a;b,c";1,234;Ja;2026-05-31;"An X, y";');
  // More options: the columns and values of the API, and a column for each choice.
  expect(await csvIn("csv&values=ids", "en")).toStartWith("\ufeffid,status,formVersion,");
  expect(await csvIn("csv&choices=columns", "de")).toContain("Tags: An X;Tags: y;Tags: Andere;");
  const { sheets } = await readXlsx(await (await export_("xlsx", "de")).bytes());
  expect(sheets.map(({ name, rows }) => [name, rows[0]?.at(-1)])).toEqual([
    ["Einsendungen", "Id"],
    ["Details", "Geändert (UTC)"],
  ]);
  expect(sheets[1]?.rows[1]).toContain("Angenommen");
});

test("a choice that a later version removed has its label in the list and in the summary", async () => {
  const form = await makeForm(app, team, [
    { id: "size", type: "select", label: "Size", options: [{ value: "m", label: "Medium" }, "l"] },
  ]);
  await submit(form, { size: "m" });
  const operations = [{ op: "updateField", fieldId: "size", set: { options: ["l"] } }];
  await call("PATCH", `/management/forms/${form.id}`, { operations });
  await publishForm(sql, cliActor, team.id, form.id);
  await submit(form, { size: "l" });
  expect(textOf(await listOf(form))).toContain("Medium");
  expect(textOf(await editor.get(formPath(form, "/answers")))).toMatch(/ l 1 .*Medium 1 /);
});

test("bounds and days of a filter are read in the reader's language; one that cannot be read lists, deletes and exports nothing", async () => {
  const form = await makeForm(app, team, [
    { id: "name", type: "text", label: "Name" },
    { id: "size", type: "number", label: "Size" },
    { id: "count", type: "integer", label: "Count" },
    { id: "day", type: "date", label: "Day" },
    { id: "kind", type: "select", label: "Kind", options: ["a"] },
  ]);
  for (const [index, size] of [1, 2, 12.5, 2000].entries())
    await submit(form, { name: `Person ${index}`, size, count: 1000, day: `202${index}-11-12` });
  const german = { "accept-language": "de" };
  const inGerman = (rest: string) => editor.get(pathOf(form, rest), german);
  for (const [query, found] of [
    ["value.size.from=1.500", [3]],
    ["value.size.from=1.500,0", [3]],
    ["value.size.from=1,5&value.size.to=12,5", [2, 1]],
    ["value.day.from=12.11.2022", [3, 2]],
    ["value.day.to=12.+November+2020", [0]],
    ["value.count.from=1.000", [3, 2, 1, 0]],
    ["before=1.2.2020", []],
    ["q=12,5", [2]],
    ["q=2.000", [3]],
  ] as const) {
    const page = await inGerman(`?${query}`);
    expect([query, namesOf(page)]).toEqual([query, found.map((index) => `Person ${index}`)]);
  }
  for (const [wrong, name, sentence] of [
    ["value.size.from=viel", "value.size.from", "Das ist so nicht gültig: Size: Von."],
    ["value.count.from=1,000", "value.count.from", "Count: Von: Meinen Sie 1 oder 1.000?"],
    ["value.day.from=12.13.2026", "value.day.from", "Das ist so nicht gültig: Day: Von."],
    ["value.kind=b", "value.kind", "Bitte wählen: Kind."],
    ["value.gone=b", undefined, "Das ist so nicht gültig: value.gone."],
    ["after=31.2.2026", "after", "Geben Sie einen Tag"],
    ["timeZone=Mars", "timeZone", "Geben Sie eine Zeitzone"],
  ] as const) {
    const page = await inGerman(`?${wrong}`);
    expect([wrong, page.status, textOf(page)]).toEqual([wrong, 400, expect.stringContaining(sentence)]);
    expect([wrong, namesOf(page), page.html.includes("/delete"), page.html.includes("/export")]).toEqual([
      wrong,
      [],
      false,
      false,
    ]);
    if (name) expect(page.html).toMatch(new RegExp(`name="${name}"[^>]*aria-invalid="true"`));
    for (const path of [`/delete?${wrong}`, `/export?format=csv&${wrong}`])
      expect([path, (await inGerman(path)).status]).toEqual([path, 400]);
    const fields = { left: "4", until: new Date(Date.now() + 60_000).toISOString() };
    const pressed = await editor.post(pathOf(form, `/delete?${wrong}`), fields, german);
    expect([wrong, pressed.status]).toEqual([wrong, 400]);
  }
  expect((await leftOf(form)).length).toBe(4);
  const audit = await admin.get("/console/audit?after=31.2.2026");
  expect([audit.status, textOf(audit)]).toEqual([400, expect.stringContaining("Enter a day")]);
});

test("the list of forms does not deny the last submission until its day is counted", async () => {
  const form = await makeSubmissions(1);
  const shownWith = async (change: number) => {
    await sql`select formd.submission_day_add(${team.id}, ${form.id}, now(), 'completed', 'owner', ${change})`;
    const cards = (await admin.get("/console")).html.split("<li>");
    return textOf({ html: cards.find((card) => card.includes(form.id)) } as Shown);
  };
  expect(await shownWith(-9)).not.toContain("in the last 30 days");
  expect(await shownWith(10)).toMatch(/[12] in the last 30 days 1 submission · last /);
});
