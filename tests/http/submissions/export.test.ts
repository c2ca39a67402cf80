import { describe, expect, test } from "bun:test";
import { readXlsx } from "hucre/xlsx";
import { referenceOf } from "../../../src/resources/submit/reference.ts";
import { asAgent, makeAgent, makeForm } from "../../setup.ts";
import {
  formsPath,
  insertSubmissions,
  type Submission,
  statusAndCode,
  submissionsFixture,
} from "./fixture.ts";

const route = `${formsPath}/{form_id}/submissions/export`;
const { app, team, publishAnew, submit, call, submitted, edited } = await submissionsFixture([]);

const pathOf = ({ id }: { id: string }, query: string) => `${formsPath}/${id}/submissions/export${query}`;
const exported = (form: { id: string }, query: string) => call("GET", pathOf(form, query));
const csvOf = async (form: { id: string }, query = "") =>
  parseCsv((await exported(form, `?format=csv${query}`)).body);

/** Parses strict RFC 4180: anything else is an error. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain = "", end] = cell.exec(text) ?? [];
    if (end === undefined)
      throw new Error(`not RFC 4180 at ${at}: ${JSON.stringify(text.slice(at, at + 80))}`);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\r\n") rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}

const meta = `id status formVersion submitterType submitterId respondentId provenance declaredAgent createdAt
  updatedAt`.split(/\s+/);
const text = (id: string, label = id) => ({ id, label, type: "text" });
const any = (id: string) => ({ id, label: id, type: "x-any" });
describe(`GET ${route}?format=csv`, () => {
  test("a header of labels and ids, then one row per submission, newest first, each line ending in CR LF", async () => {
    const form = await makeForm(app, team, [
      text("a", "First name"),
      { id: "n", label: "Age", type: "number" },
      { id: "yes", label: "Yes", type: "boolean" },
    ]);
    const agent = await makeAgent(app, team, form);
    const respondentId = crypto.randomUUID();
    const first = await submitted({ a: "Ada", n: -0.5, yes: false }, { to: form });
    await submit(asAgent(form, agent), { data: { n: 0 }, metadata: { respondentId } });
    const reply = await exported(form, "?format=csv");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(reply.headers.get("content-disposition")).toBe(
      `attachment; filename="submissions-${form.id}.csv"`,
    );
    expect(reply.headers.get("x-request-id")).toBeString();
    const [header, newest, oldest, ...more] = parseCsv(reply.body);
    expect(header).toEqual([...meta, "First name (a)", "Age (n)", "Yes (yes)"]);
    const [, ...values] = newest?.toSpliced(meta.length - 2, 2) ?? [];
    expect(values.join()).toBe(`completed,1,agent,${agent.id},${respondentId},agent,,,0,`);
    expect(oldest?.join()).toBe(
      `${first.id},completed,1,api_key,${team.keyId},,owner,,${first.createdAt},${first.updatedAt},Ada,-0.5,false`,
    );
    expect(more).toEqual([]);
  });

  // biome-ignore format: one a line would be a page
  const plain = [
    "plain", 'say "hi"', '"', '""', "a,b", ",", "line\nbreak", "line\r\nbreak", "line\rbreak", " blank around ",
    "é 日本 😀 \u202e", "x\u2028y", "'quoted'", "a=b", "1-2", "\ufeffx", "\\n", "null", "a;b;1",
  ];
  // biome-ignore format: one a line would be a page
  const formulas = [
    "=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "-", "@SUM(A1)", "|x", "%x", "＝1+1", "＋1", "－1", "＠x",
    '=HYPERLINK("http://x","y")',
  ];
  // In a locale whose separator is the semicolon or the tab, a quotation mark inside a line does not protect
  // what follows.
  const cells: [string, string][] = [
    ["x;=1", "x;'=1"],
    ["x;=1+cmd|' /C calc'!A0;", "x;'=1+cmd|' /C calc'!A0;"],
    ["a\t-1\t@b", "a\t'-1\t'@b"],
    ["\t=1", "\t'=1"],
    ["\r=1", "\r'=1"],
    ["\n=1", "\n'=1"],
    ["-;;=;＝", "'-;;'=;'＝"],
    ['=1,"\r\n=2', "'=1,\"\r\n'=2"],
  ];
  test.each([
    ...plain.map((value) => [value, value]),
    ...formulas.map((value) => [value, `'${value}`]),
    ...cells,
  ])(
    "a CSV parser reads %j as %j: an apostrophe stands where a spreadsheet could begin a formula",
    async (value, safe) => {
      const form = await makeForm(app, team, [text("a", value), any("b"), text("c")]);
      await submitted({ a: value, b: value, c: "next" }, { to: form });
      const [header, row] = await csvOf(form);
      expect(header?.at(-3)).toBe(`${safe} (a)`);
      expect(row?.slice(meta.length)).toEqual([safe, safe, "next"]);
      if (/[;\t\r\n]/.test(safe))
        expect((await exported(form, "?format=csv")).body).toContain(`"${safe.replaceAll('"', '""')}"`);
    },
  );

  test("a valid phone number is as it was sent; what looks like one in another field is not trusted", async () => {
    const form = await makeForm(app, team, [
      { id: "phone", label: "Phone", type: "phone", country: "DE" },
      text("text"),
      { id: "about", label: "About", type: "statement" },
    ]);
    const numbers = ["+49 1512 3456789", "0049 (30) 123-4567", "＋49 1512 3456789", "(030) 1234567"];
    for (const number of numbers) await submitted({ phone: number, text: number }, { to: form });
    const rows = await csvOf(form);
    expect(rows.map((row) => row.slice(meta.length))).toEqual([
      ["Phone (phone)", "text (text)"],
      ...numbers.map((number) => [number, number.replace(/^(?=[+＋])/, "'")]).reverse(),
    ]);
  });

  test("arrays and objects are JSON, numbers stay numbers, a field such as __proto__ has its column", async () => {
    const form = await makeForm(app, team, ["list", "object", "__proto__", "constructor", "none"].map(any));
    await submitted(
      '{"list":["a,b","c\\"d",null],"object":{"__proto__":{"x":[]}},"__proto__":-12,"constructor":1e-7}',
      { to: form },
    );
    expect((await csvOf(form))[1]?.slice(meta.length)).toEqual([
      '["a,b","c\\"d",null]',
      '{"__proto__":{"x":[]}}',
      "-12",
      "1e-7",
      "",
    ]);
  });

  test("values of fields of older versions keep their columns, after the current ones and under their last label", async () => {
    const form = await makeForm(app, team, [text("old", "Old"), text("kept", "Kept")]);
    await submitted({ old: "1", kept: "2" }, { to: form });
    await publishAnew(form, { op: "updateField", fieldId: "old", set: { label: "Older" } });
    await publishAnew(
      form,
      { op: "removeField", fieldId: "old" },
      { op: "addField", field: text("new", "New") },
      { op: "updateField", fieldId: "kept", set: { label: "Still kept" } },
    );
    await submitted({ new: "3", kept: "4" }, { to: form });
    const rows = await csvOf(form);
    expect(rows.map((row) => [row[2], ...row.slice(meta.length)])).toEqual([
      ["formVersion", "Still kept (kept)", "New (new)", "Older (old)"],
      ["3", "4", "3", ""],
      ["1", "2", "", "1"],
    ]);
    // The draft is not published yet.
    await call("PATCH", `${formsPath}/${form.id}`, {
      body: { operations: [{ op: "addField", field: text("draft") }] },
    });
    expect((await csvOf(form))[0]).toEqual(rows[0] ?? []);
  });

  test("the export of a form without submissions is its header; a draft's has no field columns", async () => {
    expect(await csvOf(await makeForm(app, team, [text("a", "A")]))).toEqual([[...meta, "A (a)"]]);
    const draft = await call("POST", formsPath, { body: { name: "Draft", schema: { fields: [text("a")] } } });
    expect(await csvOf(draft.body.data.form)).toEqual([meta]);
  });
});

describe(`GET ${route}?format=jsonl`, () => {
  const linesOf = async (form: { id: string }, query = ""): Promise<Submission[]> => {
    const reply = await exported(form, `?format=jsonl${query}`);
    expect(reply.headers.get("content-type")).toBe("application/jsonl; charset=utf-8");
    return String(reply.body)
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };

  test("one line per submission: the record as in the list", async () => {
    const form = await makeForm(app, team, [text("a"), any("b")]);
    for (const a of ["1", "2\n2", "\u2028"]) await submitted({ a, b: { c: ["=1", -1] } }, { to: form });
    const { submissions } = (await call("GET", `${formsPath}/${form.id}/submissions`)).body.data;
    expect(await linesOf(form)).toEqual(submissions);
    expect((await exported(await makeForm(app, team, []), "?format=jsonl")).body).toBe("");
  });

  test("the list's filters, alone and together, select what they select in the list", async () => {
    const form = await makeForm(app, team, [{ ...text("a"), required: true }]);
    const agent = await makeAgent(app, team, form);
    const respondentId = crypto.randomUUID();
    await submit(asAgent(form, agent), { data: {}, metadata: { respondentId } }, "?partial=true");
    const middle = await submitted({ a: "x" }, { to: form });
    await edited(await submitted({}, { to: form, partial: true }), ["a", "y"]);
    for (const query of [
      "&status=partial",
      "&status=completed",
      "&status=pending",
      `&agentId=${agent.id}`,
      `&respondentId=${respondentId}`,
      `&createdAfter=${middle.createdAt}`,
      `&createdBefore=${middle.createdAt}`,
      `&agentId=${agent.id}&status=completed`,
      "",
    ]) {
      const { submissions } = (await call("GET", `${formsPath}/${form.id}/submissions?${query.slice(1)}`))
        .body.data;
      expect([query, await linesOf(form, query)]).toEqual([query, submissions]);
      expect((await csvOf(form, query)).slice(1).map(([id]) => id)).toEqual(
        submissions.map(({ id }: Submission) => id),
      );
    }
  });

  test("large values and many rows are complete, over any number of parts", async () => {
    const form = await makeForm(app, team, [any("a")]);
    for (let n = 0; n < 4; n++)
      await submitted({ a: [n, Array.from({ length: 20_000 }, () => Math.random())] }, { to: form });
    await insertSubmissions(app, team, form, 1200, 10);
    const lines = await linesOf(form);
    expect(lines.length).toBe(1204);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(1204);
    expect(lines.slice(0, 4).map(({ data }) => (data.a as [number, number[]])[1].length)).toEqual([
      20_000, 20_000, 20_000, 20_000,
    ]);
  });
});

test.each([
  "",
  "?format=",
  "?format=xls",
  "?format=CSV",
  "?format=csv&status=done",
  "?format=csv&createdAfter=x",
  "?format=csv&agentId=1",
])("format is csv, jsonl or xlsx, and filters are checked: %p is 400", async (query) => {
  const form = await makeForm(app, team, [text("a")]);
  expect(statusAndCode(await exported(form, query))).toEqual([400, "bad_request"]);
});

describe(`GET ${route}?format=xlsx`, () => {
  const workbookOf = async (form: { id: string }, query = "") => {
    const response = await fetch(`${app.url}${pathOf(form, `?format=xlsx${query}`)}`, {
      headers: { "x-api-key": team.key },
    });
    expect(response.headers.get("content-type")).toContain("spreadsheetml.sheet");
    const { sheets } = await readXlsx(new Uint8Array(await response.arrayBuffer()));
    return sheets.map(({ rows }) => rows);
  };
  const answersOf = async (form: { id: string }, query?: string) => (await workbookOf(form, query))[0] ?? [];

  test("a column for each question by its label, with values of their types; formd's own are on a sheet of theirs", async () => {
    const options = [{ value: "a", label: "Apple" }, "b"];
    const form = await makeForm(app, team, [
      text("name", "Name"),
      text("other", "Name"),
      { id: "age", label: "Age", type: "integer" },
      { id: "about", label: "About you", type: "statement" },
      { id: "yes", label: "Yes?", type: "boolean" },
      { id: "day", label: "Day", type: "date" },
      { id: "at", label: "At", type: "datetime" },
      { id: "size", label: "Size", type: "select", options: [{ value: 1, label: "Small" }] },
      { id: "tags", label: "Tags", type: "multi_select", options, allowOther: true },
    ]);
    const { id, createdAt } = await submitted(
      {
        name: "=1+1\r\n_x0041_",
        other: `${"x".repeat(40_000)}`,
        age: 36,
        yes: false,
        day: "2026-05-01",
        at: "2026-05-01T12:00:00+02:00",
        size: 1,
        tags: ["a", "b", "c"],
      },
      { to: form },
    );
    const [[header, row, ...more] = [], facts] = await workbookOf(form);
    expect(header?.join()).toBe("Name (name),Name (other),Age,Yes?,Day,At (UTC),Size,Tags,Id");
    const [name, other, ...values] = row ?? [];
    expect([name, (other as string).length, more.length]).toEqual(["=1+1\r\n_x0041_", 32_767, 0]);
    const [day, at] = [new Date("2026-05-01"), new Date("2026-05-01T10:00:00Z")];
    expect(values).toEqual([36, false, day, at, "Small", "Apple, b, c", id]);
    expect((await answersOf(form, "&values=ids"))[1]?.slice(6, 8)).toEqual([1, "a, b, c"]);
    const [wide, cells] = await answersOf(form, "&choices=columns");
    expect(wide?.slice(7, 10)).toEqual(["Tags: Apple", "Tags: b", "Tags: other"]);
    expect(cells?.slice(7, 10)).toEqual([true, true, "c"]);
    expect(facts?.map((cells) => cells.slice(0, 6).concat(cells.slice(9, 10)))).toEqual([
      ["Id", "Reference", "Status", "Version", "Provenance", "Sender", "Received (UTC)"],
      [id, referenceOf(id), "Accepted", 1, expect.any(String), expect.any(String), new Date(createdAt)],
    ]);
  });

  test("moments are in the form's zone, which the header says; before 1900 they are as entered", async () => {
    const form = await makeForm(app, team, [{ id: "at", label: "At", type: "datetime" }], {
      settings: { availability: { timeZone: "Europe/Berlin" } },
    });
    const moments = ["2026-07-01T12:00:00.5+05:45", "2026-01-01T12:00:00Z", "1899-12-31T12:00:00+01:00"];
    for (const at of moments) await submitted({ at }, { to: form });
    const [header, ...rows] = await answersOf(form);
    expect(header?.[0]).toBe("At (Europe/Berlin)");
    expect(rows.map(([at]) => at)).toEqual([
      "1899-12-31T12:00:00+01:00",
      new Date("2026-01-01T13:00:00Z"),
      new Date("2026-07-01T08:15:00.5Z"),
    ]);
  });

  test("an option that a later version removed has its label, the newest one", async () => {
    const color = (...options: object[]) => [{ id: "color", label: "Color", type: "multi_select", options }];
    const [blue, red] = [
      { value: "blue", label: "Blue" },
      { value: "red", label: "Red" },
    ];
    const form = await makeForm(app, team, color({ ...blue, label: "Bleu" }, red));
    await submitted({ color: ["blue", "red"] }, { to: form });
    for (const options of [[blue, red], [{ ...red, label: "Crimson" }]])
      await publishAnew(form, { op: "updateField", fieldId: "color", set: { options } });
    expect((await answersOf(form))[1]?.[0]).toBe("Blue, Crimson");
    expect((await answersOf(form, "&choices=columns"))[0]?.slice(0, 3)).toEqual([
      "Color: Crimson",
      "Color: Blue",
      "Color: other",
    ]);
  });

  test("has every submission of many parts, and follows the filters", async () => {
    const form = await makeForm(app, team, [text("a", "A")]);
    await insertSubmissions(app, team, form, 1_201, 10);
    // Rows that have no counter are counted by their time.
    const sheets = await workbookOf(form, "&createdAfter=2020-01-01T00:00:00Z");
    expect(sheets.map((rows) => rows.length)).toEqual([1_202, 1_202]);
    expect(sheets[0]?.map((cells) => cells.at(-1))).toEqual(sheets[1]?.map(([id]) => id) ?? []);
    expect(await answersOf(form, "&status=pending")).toHaveLength(1);
  });
});

test("a CSV begins with a byte order mark on wish", async () => {
  const form = await makeForm(app, team, [text("a", "A")]);
  const bytes = async (query: string) => {
    const url = `${app.url}${pathOf(form, `?format=csv${query}`)}`;
    return new Uint8Array(await (await fetch(url, { headers: { "x-api-key": team.key } })).arrayBuffer());
  };
  expect([...(await bytes("&bom=true")).slice(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x69]);
  expect([...(await bytes("")).slice(0, 1)]).toEqual([0x69]);
});
