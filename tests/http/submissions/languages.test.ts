/** Languages that submissions were filled in: the filter, and the labels of exports. */
import { expect, test } from "bun:test";
import { readXlsx } from "hucre/xlsx";
import { limits } from "../../../src/limits.ts";
import { outcome } from "../../expect.ts";
import { makeForm, type PublishedForm } from "../../setup.ts";
import { formsPath, type Submission, statusAndCode, submissionsFixture } from "./fixture.ts";

const { app, team, call, byKey, submit, submitted, publishAnew } = await submissionsFixture([]);

const text = { id: "a", type: "text", label: "A" };
const pathOf = ({ id }: { id: string }, query: string) => `${formsPath}/${id}/submissions${query}`;
const bytesOf = async (form: { id: string }, query: string) => {
  const headers = { "x-api-key": team.key };
  const response = await fetch(`${app.url}${pathOf(form, `/export?${query}`)}`, { headers });
  expect([query, response.status]).toEqual([query, 200]);
  return new Uint8Array(await response.arrayBuffer());
};
const fileOf = async (form: { id: string }, query: string) =>
  new TextDecoder().decode(await bytesOf(form, query));
const sheetsOf = async (form: { id: string }, query = "") =>
  (await readXlsx(await bytesOf(form, `format=xlsx&${query}`))).sheets.map(({ rows }) => rows);

const send = async (form: PublishedForm, data: object, metadata?: object): Promise<string> => {
  const reply = await submit(byKey(form), { data, ...(metadata && { metadata }) });
  expect(outcome(reply)).toBe("ok");
  return reply.body.data.id;
};
/** Ids of all pages that the cursors lead to, each page with at most three. */
async function idsOf(form: { id: string }, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ; ) {
    const page = `limit=3&total=false&${query}${cursor && `&cursor=${cursor}`}`;
    const { submissions, pagination } = (await call("GET", pathOf(form, `?${page}`))).body.data;
    ids.push(...submissions.map(({ id }: Submission) => id));
    if (pagination.next === null || pagination.hasMore === false) return ids;
    cursor = pagination.next;
  }
}

test("a filter by language, alone and with others, has its submissions in lists, the search and each export", async () => {
  const form = await makeForm(app, team, [text], { settings: { languages: ["en", "de", "pt-BR"] } });
  // An agent may send anything, and nothing.
  const sent = [
    "de",
    "DE",
    "en",
    "pt-BR",
    "pt-br",
    "x".repeat(4096),
    "",
    7,
    null,
    { de: 1 },
    ["de"],
    undefined,
  ];
  const rows: { id: string; a: string; language: unknown }[] = [];
  for (let n = 0; n < 30; n++) {
    const language = sent[(n * 7 + (n % 3)) % sent.length];
    const data = { a: n % 4 ? "apple" : "pear" };
    const metadata = n % 10 === 9 ? undefined : { language };
    rows.push({ id: await send(form, data, metadata), ...data, language: metadata?.language });
  }
  const matching = (tag: string, a = "") =>
    rows
      .filter((row) => row.a.includes(a))
      .filter(({ language }) => typeof language === "string" && language.toLowerCase() === tag.toLowerCase())
      .map(({ id }) => id);
  for (const tag of ["de", "De", "en", "PT-BR", "pt", "fr", "not a tag", "'"]) {
    const found = matching(tag);
    const asked = `language=${encodeURIComponent(tag)}`;
    const newest = found.toReversed();
    const list = (await call("GET", pathOf(form, `?${asked}`))).body.data;
    expect([tag, list.submissions.map(({ id }: Submission) => id), list.pagination.total]).toEqual([
      tag,
      newest,
      found.length,
    ]);
    const cases: [string, string[]][] = [
      ["", newest],
      ["&status=completed", newest],
      ["&provenance=owner", newest],
      ["&provenance=agent", []],
      ["&q=PEAR", matching(tag, "pear").toReversed()],
    ];
    for (const [others, wanted] of cases) {
      expect([tag, others, await idsOf(form, asked + others)]).toEqual([tag, others, wanted]);
      const lines = (await fileOf(form, `format=jsonl&${asked}${others}`)).split("\n").slice(0, -1);
      expect([tag, others, lines.map((line) => JSON.parse(line).id)]).toEqual([tag, others, wanted]);
    }
    const csv = (await fileOf(form, `format=csv&${asked}`)).split("\r\n").slice(1, -1);
    expect(csv.map((line) => line.split(",")[0])).toEqual(newest);
    const sheets = await sheetsOf(form, asked);
    expect(sheets.map((each) => each.length)).toEqual([found.length + 1, found.length + 1]);
  }
  expect(matching("de").length).toBeGreaterThan(2);
  for (const none of ["", "language="]) expect(await idsOf(form, none)).toHaveLength(rows.length);
});

test("a filter by language has at most 35 characters, belongs to its cursor, and is none of the changes", async () => {
  const form = await makeForm(app, team, [text]);
  for (const n of [0, 1]) await send(form, { a: `${n}` }, { language: "de" });
  const longest = "x".repeat(35);
  expect((await call("GET", pathOf(form, `?language=${longest}`))).body.data.submissions).toEqual([]);
  for (const path of ["?", "/export?format=csv&"]) {
    const reply = await call("GET", pathOf(form, `${path}language=${longest}x`));
    expect(statusAndCode(reply)).toEqual([400, "bad_request"]);
    expect(reply.body.error).toContain("language");
    expect(statusAndCode(await call("GET", pathOf(form, `${path}language=%00`)))).toEqual([
      400,
      "bad_request",
    ]);
  }
  const { next } = (await call("GET", pathOf(form, "?language=de&limit=1"))).body.data.pagination;
  const follow = async (query: string) => (await call("GET", pathOf(form, `?cursor=${next}${query}`))).status;
  expect([await follow("&language=de"), await follow("&language=en"), await follow("")]).toEqual([
    200, 400, 400,
  ]);
  const changes = await call("GET", pathOf(form, "?changes=true&order=oldest&language=de"));
  expect(statusAndCode(changes)).toEqual([400, "bad_request"]);
});

test("a reader of one language, oldest first, gets each submission once while others arrive", async () => {
  const form = await makeForm(app, team, [text]);
  const sent: string[] = [];
  const read: string[] = [];
  let isDone = false;
  const writing = (async () => {
    for (let n = 0; n < 40; n += 4) {
      const four = [0, 1, 2, 3].map((each) =>
        send(form, { a: `${n + each}` }, { language: each % 2 ? "de" : "en" }),
      );
      sent.push(...(await Promise.all(four)).filter((_, index) => index % 2));
    }
    isDone = true;
  })();
  for (let cursor = "", isLast = false; !isLast; ) {
    isLast = isDone && read.length >= sent.length;
    const query = `?language=de&order=oldest&limit=5${cursor && `&cursor=${cursor}`}`;
    const { submissions, pagination } = (await call("GET", pathOf(form, query))).body.data;
    read.push(...submissions.map(({ id }: Submission) => id));
    cursor = pagination.next;
  }
  await writing;
  expect([new Set(read).size, read.toSorted()]).toEqual([sent.length, sent.toSorted()]);
});

const sizes = {
  id: "size",
  type: "multi_select",
  label: "Size",
  options: [{ value: "s", label: "Small" }, "m"],
  translations: {
    de: { label: "Größe", options: { s: "Klein", m: "Mittel" } },
    "zh-Hant": { label: "尺寸" },
    // A language that the form does not have.
    fr: { label: "Taille" },
  },
};
const color = (label: string) => ({
  ...{ id: "color", type: "select", label, options: [{ value: "r", label: "Red" }] },
  translations: { de: { label: "Farbe", options: { r: "Rot" } } },
});

test("labels of a workbook and of a CSV are in the language that is asked for, or one that covers it", async () => {
  const form = await makeForm(app, team, [sizes, color("Color")], {
    settings: { languages: ["en", "de", "zh-Hant"] },
  });
  await submitted({ size: ["s", "m"], color: "r" }, { to: form });
  await publishAnew(form, { op: "removeField", fieldId: "color" });
  const english = ["Size", "Color", "Small, m", "Red"];
  const german = ["Größe", "Farbe", "Klein, Mittel", "Rot"];
  for (const [lang, [size, hue, chosen, red]] of [
    ["", english],
    ["&lang=en", english],
    ["&lang=de", german],
    ["&lang=DE-ch-1996", german],
    ["&lang=zh-Hant-TW", ["尺寸", "Color", "Small, m", "Red"]],
    ["&lang=fr", english],
    ["&lang=", english],
    [`&lang=${"x-".repeat(1000)}`, english],
  ] as const) {
    const [[header, row] = [], facts] = await sheetsOf(form, lang);
    expect([lang, header?.slice(0, 2), row?.slice(0, 2)]).toEqual([lang, [size, hue], [chosen, red]]);
    // The words that are formd's own do not follow.
    expect([header?.[2], facts?.[0]?.[1]]).toEqual(["Id", "Reference"]);
    const [wide] = (await sheetsOf(form, `choices=columns${lang}`))[0] ?? [];
    expect(wide?.[0]).toBe(`${size}: ${chosen?.split(", ")[0]}`);
    const [titles, cells] = (await fileOf(form, `format=csv${lang}`)).split("\r\n");
    expect([lang, titles?.endsWith(`,${size} (size),${hue} (color)`)]).toEqual([lang, true]);
    expect(cells).toEndWith(`,"[""s"",""m""]",r`);
    expect(await fileOf(form, `format=jsonl${lang}`)).toBe(await fileOf(form, "format=jsonl"));
  }
  // The label of a removed option, by a former version, is in that language, too.
  await publishAnew(form, {
    op: "updateField",
    fieldId: "size",
    set: { options: ["m"], translations: null },
  });
  expect((await sheetsOf(form, "lang=de"))[0]?.[1]?.[0]).toBe("Klein, m");
});

test("a language that has become the first one is that of labels which only former versions have", async () => {
  const form = await makeForm(app, team, [text, color("Color")], { settings: { languages: ["en", "de"] } });
  await submitted({ a: "x", color: "r" }, { to: form });
  await publishAnew(
    form,
    { op: "setMeta", settings: { languages: ["de", "en"] } },
    { op: "removeField", fieldId: "color" },
  );
  expect((await sheetsOf(form))[0]?.map((row) => row.slice(0, 2))).toEqual([
    ["A", "Farbe"],
    ["x", "Rot"],
  ]);
});

test("a form without languages has the same files with lang and without, whatever its fields have", async () => {
  const form = await makeForm(app, team, [sizes, color("Color")]);
  await submitted({ size: ["s"], color: "r" }, { to: form });
  for (const query of ["format=csv", "format=jsonl", "format=xlsx&choices=columns"])
    expect(await bytesOf(form, `${query}&lang=de`)).toEqual(await bytesOf(form, query));
  expect((await sheetsOf(form, "lang=de"))[0]?.[0]?.slice(0, 2)).toEqual(["Size", "Color"]);
});

test("the search of one language looks at as many submissions as any search", async () => {
  const form = await makeForm(app, team, [text]);
  const { maxRows } = limits.submissionSearch;
  await app.database.sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data,
      metadata, created_at, updated_at, completed_at)
    select ${team.id}, ${form.id}, ('01800000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'completed', 'api_key', 'owner',
      ${team.keyId}, '{"a":"x"}', jsonb_build_object('language', case n when 1 then 'de' else 'en' end), now(), now(), now()
    from generate_series(1, ${maxRows + 5}::int) as n`;
  const first = (await call("GET", pathOf(form, "?language=de&q=x"))).body.data;
  expect([first.submissions, first.pagination.isTotalExact]).toEqual([[], false]);
  const rest = await call("GET", pathOf(form, `?language=de&q=x&cursor=${first.pagination.next}`));
  expect(rest.body.data.submissions).toHaveLength(1);
});
