// stacks: one deno
/** Data out for analysis: files of what changed, and a view with one column per field. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import naughty from "big-list-of-naughty-strings";
import fc from "fast-check";
import { parseCsv } from "hucre/csv";
import { readXlsx } from "hucre/xlsx";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { changesSince, countChanges, readableUntil } from "../../src/resources/submissions/changes.ts";
import {
  formd,
  makeForm,
  makeTeam,
  manageSubmission,
  permissive,
  service,
  settingsFor,
  submitByKey,
  temporaryFolder,
} from "../setup.ts";

const odd = `it's "odd" \\ ${"long ".repeat(20)}`;
const fields = [
  { id: "name", type: "text", label: "Name" },
  { id: "people", type: "integer", label: "People" },
  { id: "status", type: "text", label: "A name that a column has" },
  { id: "note", type: "statement", label: "Read this" },
  { id: `${odd}1`, type: "text", label: odd },
  { id: `${odd}2`, type: "boolean", label: "B" },
];

const app = await service(permissive);
const team = await makeTeam(app);
const form = await makeForm(app, team, fields);

const manage = (method: string, id: string, body?: object) =>
  manageSubmission(app, team, form, method, id, body);
const submit = async (data: object): Promise<string> =>
  (await submitByKey(app, team, form, data)).body.data.id;
const run = (...args: string[]) => formd(args, settingsFor(app.database));

test("a file has what the form has; the next one what was submitted, changed and deleted since", async () => {
  const folder = temporaryFolder();
  const exported = async (name: string, ...more: string[]) => {
    const path = join(folder, name);
    const { code, stdout } = await run("export", form.id, path, "--json", ...more);
    expect(code).toBe(0);
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    return { lines, ...JSON.parse(stdout) };
  };
  const [kept, edited, deleted] = [
    await submit({ name: "a" }),
    await submit({ name: "b" }),
    await submit({ name: "c" }),
  ];
  const first = await exported("1.jsonl");
  expect(first.lines.map(({ id }: { id: string }) => id)).toEqual([kept, edited, deleted]);
  expect(first).toMatchObject({ submissions: 3, deleted: 0 });

  // Makes the submissions older, as if the first file had been exported an hour ago.
  await app.database
    .sql`update formd.submissions set updated_at = now() - interval '2 hours' where form_id = ${form.id}`;
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const { updatedAt: expectedUpdatedAt } = (await manage("GET", edited)).body.data.submission;
  await manage("PATCH", edited, { expectedUpdatedAt, edits: [{ fieldId: "name", value: "changed" }] });
  expect((await run("audit", "list", edited)).stdout).toContain('"b" → "changed"');
  await manage("DELETE", deleted);
  const added = await submit({ name: "d" });
  const second = await exported("2.jsonl", "--since", since);
  expect(second.lines).toEqual([
    expect.objectContaining({ id: edited, data: { name: "changed" } }),
    expect.objectContaining({ id: added }),
    { id: deleted, deletedAt: expect.any(String) },
  ]);
  expect(second).toMatchObject({ submissions: 2, deleted: 1 });
  // The total of the progress: all that the form has, and the deletions since then.
  const { sql } = app.database;
  const until = await readableUntil(sql);
  for (const [from, total] of [
    [null, 3],
    [new Date(since), 4],
  ] as const) {
    let read = 0;
    for await (const part of changesSince(sql, team.id, form.id, from, until)) read += part.read;
    expect([read, await countChanges(sql, team.id, form.id, from)]).toEqual([total, total]);
  }
  expect(Date.parse(second.next)).toBeGreaterThan(Date.parse(since));
  const path = join(folder, "2.parquet");
  const parquet = await run("export", form.id, path, "--since", since, "--format", "parquet");
  expect(parquet).toMatchObject({ code: 0, stderr: "" });
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  expect(
    rows.map(({ id, status, data, deletedAt }) => [id, status, data, deletedAt instanceof Date]),
  ).toEqual([
    [edited, "completed", '{"name":"changed"}', false],
    [added, "completed", '{"name":"d"}', false],
    [deleted, null, null, true],
  ]);
  const own = {
    provenance: "owner",
    declaredAgent: null,
    reviewDecision: null,
    reviewedAt: null,
    metadata: null,
  };
  expect(rows[1]).toMatchObject(own);
  const again = await run("export", form.id, join(folder, "1.jsonl"));
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("EEXIST")]);
});

test("the printed view has a column per field, typed and named apart, and can be made twice", async () => {
  const id = await submit({ name: "Ada", people: 3, status: "mine", [`${odd}1`]: "x", [`${odd}2`]: true });
  const { code, stdout } = await run("report", "view", form.id);
  expect(code).toBe(0);
  const { sql } = app.database;
  for (let time = 0; time < 2; time++) await sql.unsafe(stdout);
  const view = `formd_reports."form_${form.id.replaceAll("-", "_")}"`;
  const [row] = await sql.unsafe(`select * from ${view} where id = '${id}'`);
  expect(row).toMatchObject({
    id,
    status: "completed",
    name: "Ada",
    people: "3",
    provenance: "owner",
    declaredAgent: null,
  });
  expect(Object.values(row ?? {}).slice(-3)).toEqual(["mine", "x", true]);
  const [{ count }] = await sql.unsafe<[{ count: number }]>(`select count(*)::int from ${view}`);
  expect(count).toBe(4);
});

test("whatever text is stored, each export is read by a program that did not write it, and has the text", async () => {
  const unit = fc.oneof(
    fc.string({ unit: "binary", maxLength: 5 }),
    fc.integer({ min: 1, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(
      ",",
      ";",
      '"',
      "\r",
      "\n",
      "\t",
      "=1+1",
      "_x0041_",
      "]]>",
      "\ufffe\uffff",
      "\u2028",
      "\ufeff",
    ),
  );
  const text = fc.array(unit, { minLength: 1, maxLength: 12 }).map((units) => units.join(""));
  const isStorable = (each: string) => each !== "" && each.isWellFormed() && !each.includes("\0");
  const texts = [...fc.sample(text, 300), ...naughty, "x".repeat(1_000_000)].filter(isStorable);
  const any = await makeForm(app, team, [{ id: "a", type: "text", label: 'A, "<b>"\r\n_x0041_\uffff' }]);
  await app.database.sql`
    insert into formd.submissions (team_id, form_id, id, form_version, status, submitter_type, provenance, submitter_id, data, created_at, updated_at, completed_at)
    select ${team.id}, ${any.id}, ('01800000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, 'completed', 'api_key', 'owner', ${team.keyId},
      jsonb_build_object('a', t), now() - interval '1 hour', now() - interval '1 hour', now()
    from unnest(${texts}::text[]) with ordinality as given (t, n)`;
  await app.database
    .sql`select formd.submission_count_add(${team.id}, ${any.id}, 'completed', ${texts.length}::int)`;
  const route = `${app.url}/papi/v1/management/forms/${any.id}/submissions/export?format=`;
  const bytesOf = async (format: string) =>
    new Uint8Array(await (await fetch(route + format, { headers: { "x-api-key": team.key } })).arrayBuffer());
  const read = async (format: string) =>
    new TextDecoder("utf-8", { fatal: true }).decode(await bytesOf(format));
  const lines = (await read("jsonl")).split("\n").filter(Boolean);
  expect(lines.map((line) => JSON.parse(line).data.a).reverse()).toEqual(texts);

  // Texts that a spreadsheet would run have apostrophes more.
  const plain = (each: unknown) => String(each).replaceAll("'", "");
  for (const [separator, more] of [",", ";"].map((each) => [
    each,
    `csv&separator=${encodeURIComponent(each)}`,
  ])) {
    const [head = [], ...rows] = parseCsv(await read(String(more)), { delimiter: String(separator) });
    expect(rows.map((row) => plain(row[head.length - 1])).reverse()).toEqual(texts.map(plain));
  }

  const { sheets } = await readXlsx(await bytesOf("xlsx"));
  const cells = sheets[0]?.rows.slice(1).map(([cell]) => String(cell));
  expect(cells?.reverse().slice(0, -1)).toEqual(texts.slice(0, -1));
  expect(cells?.at(-1)).toHaveLength(32_767);

  const path = join(temporaryFolder(), "any.parquet");
  expect((await run("export", any.id, path, "--format", "parquet")).code).toBe(0);
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
  expect(rows.map(({ data }) => JSON.parse(data).a)).toEqual(texts);
});
