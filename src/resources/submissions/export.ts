/** A form's submissions as a file, newest first. */
import type { Fragment } from "postgres";
import { parseField } from "../../fields/definition.ts";
import { languageAmong } from "../../fields/languages.ts";
import { languagesIn, translated } from "../../fields/translations.ts";
import type { FileValue } from "../../fields/types/file.ts";
import type { CallerQueries } from "../../platform/database/caller-queries.ts";
import type { Sql } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { isAbsent } from "../../platform/files/store.ts";
import { attachment } from "../../platform/http/attachment.ts";
import { fileOf, type ListFile } from "../../platform/http/list.ts";
import { instantJson } from "../../platform/http/resource.ts";
import { isUuid } from "../../platform/http/shapes.ts";
import { encodeText, type Parts } from "../../platform/http/stream.ts";
import { type ZipEntry, zipOf } from "../../platform/http/zip.ts";
import { Problem, requireClientProblem } from "../../problem.ts";
import { openFile } from "../files/download.ts";
import { type CsvOptions, csvOf, csvWriter } from "./csv.ts";
import type { FormerField } from "./former-options.ts";
import { chosenRows, submissionRows } from "./read.ts";
import type { ReportColumn } from "./report-view.ts";
import { type Filters, submissionJson } from "./shapes.ts";
import { linesOf, type SpreadsheetForm, type SpreadsheetOptions, spreadsheetOf } from "./spreadsheet.ts";

interface Export extends Filters, CsvOptions {
  form: string;
  format: "csv" | "jsonl" | "xlsx";
  name?: string;
  values?: SpreadsheetOptions["values"];
  choices?: SpreadsheetOptions["choices"];
  wordsLang?: SpreadsheetOptions["wordsLang"];
  /** Language of the labels in a CSV and a workbook. */
  lang?: string | undefined;
  /** True for a CSV with the columns of the workbook; false for the values by the ids of the API. */
  isForPeople?: boolean;
  /** `zip`: a ZIP that also has the files of the submissions. */
  files?: "zip";
  /** Ids of submissions to export, regardless of the filters. */
  chosen?: readonly string[];
}

const mediaTypes = {
  csv: "text/csv; charset=utf-8; header=present",
  jsonl: "application/jsonl; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/**
 * The bytes of an export, and the headers of the response. @throws {Problem} `not_found` for the form.
 * @param parse parses the parameters, once the caller is known
 */
export async function exportSubmissions<Caller extends { team: string }>(
  deps: Deps,
  queries: Pick<CallerQueries<Caller & { actor: unknown }>, "read">,
  parse: () => Export,
): Promise<{ headers: Record<string, string>; parts: Parts }> {
  const { sql } = deps;
  let asked!: Export;
  let columns: ReportColumn[] = [];
  let about!: SpreadsheetForm;
  let list!: ListFile["rows"]["rows"];
  const read = () =>
    fileOf(deps.sql, queries, ({ team }: Caller): ListFile => {
      asked = parse();
      const {
        form,
        format,
        name,
        bom,
        separator,
        values,
        choices,
        wordsLang,
        lang,
        isForPeople,
        files,
        chosen,
        ...filters
      } = asked;
      const isPlainCsv = format === "csv" && !isForPeople;
      list = chosen
        ? chosenRows(sql, team, form, chosen)
        : submissionRows(sql, team, form, filters, { isExport: true });
      const line = (json: Fragment) => sql`(${json})::text || E'\\n'`;
      const item = line(isPlainCsv ? cellsJson(sql) : submissionJson(sql));
      return {
        rows: { rows: list, item, others: formJson(sql, team, form) },
        toWriter: (found) => {
          const { fields, former, ...others } = found as { fields: ReportColumn[] } & typeof about;
          const toColumn = columnIn(languagesIn(others), lang);
          columns = fields
            .map((column) => toColumn(column))
            .filter(({ field }) => parseField(field).fieldType.nature !== "none");
          about = {
            ...others,
            former: former.map((each) => toColumn(each)),
            fields: columns.map(({ field }) => field),
          };
          return isPlainCsv ? csvWriter(columns, { bom, separator }) : { start: "" };
        },
      };
    });
  const rows = await read();
  const { format, form, name = `submissions-${form}`, files } = asked;
  const { values = "labels", choices = "cell", wordsLang = "en" } = asked;
  const options = { values, choices, wordsLang };
  const file =
    format === "xlsx"
      ? spreadsheetOf(about, rows, read, options)
      : format === "csv" && asked.isForPeople
        ? csvOf(about, rows, options, asked)
        : rows;
  if (files === undefined)
    return { headers: headersOf(mediaTypes[format], `${name}.${format}`), parts: file };
  async function* entries(): AsyncGenerator<ZipEntry, void> {
    yield { name: `submissions.${format}`, input: file };
    yield* filesOf(deps, queries, form, list);
  }
  return { headers: headersOf("application/zip", `${name}.zip`), parts: zipOf(entries()) };
}

/** Puts the texts of fields into the language that is asked for, or else the form's first one. */
function columnIn(languages: readonly string[], lang: string | undefined) {
  const language = languageAmong(languages, [lang]);
  return <Column extends FormerField>(column: Column): Column => {
    const field = language === undefined ? column.field : translated(column.field, language);
    if (field === column.field) return column;
    const title = `${field.label ?? column.id} (${column.id})`;
    return { ...column, field, ...("title" in column && { title }) };
  };
}

const headersOf = (type: string, name: string) => ({
  "content-type": type,
  "content-disposition": attachment(name),
});

/** Yields the entries of a ZIP: the files of the submissions, then a list of the missing ones. */
async function* filesOf<Caller extends { team: string }>(
  deps: Deps,
  queries: Pick<CallerQueries<Caller & { actor: unknown }>, "read">,
  form: string,
  rows: ListFile["rows"]["rows"],
): AsyncGenerator<ZipEntry, void> {
  let fileFields = new Set<unknown>();
  const parts = await fileOf(deps.sql, queries, ({ team }: Caller) => ({
    rows: {
      rows,
      item: deps.sql`
        json_build_object('submission', id,
          'values', jsonb_path_query_array(data::jsonb, '$.keyvalue() ? (exists(@.value[*].sha256))'))::text || E'\\n'`,
      others: deps.sql`(select json_agg(c.field) from formd.submission_columns(p_team => ${team}, p_form => ${form}) c)`,
    },
    toWriter: (found) => {
      const fields = (found ?? []) as ReportColumn["field"][];
      fileFields = new Set(fields.filter(({ type }) => type === "file").map(({ id }) => id));
      return { start: "" };
    },
  }));
  const missing: string[] = [];
  for await (const line of linesOf(parts)) {
    const { submission, values }: { submission: string; values: { key: string; value: unknown }[] } =
      JSON.parse(line);
    // A field of another type may hold any value, even one that looks like a file. So may a field that became
    // a file field in a later version.
    const files = values.filter(({ key }) => fileFields.has(key)).flatMap(({ value }) => value);
    for (const [index, { id, name }] of files.filter(isFile).entries()) {
      const path = `${submission}/${index + 1} ${nameInPath(name)}`;
      try {
        const { bytes } = await openFile(deps, queries, () => ({ form, submission, id }));
        yield { name: path, input: bytes };
      } catch (error) {
        // A file that was deleted meanwhile, or has lost its bytes, is only listed. An unavailable storage
        // ends the response: a ZIP without its files would look complete.
        const problem = error instanceof Problem ? error : requireClientProblem(error);
        const isGone = problem.status === 404 || isAbsent(problem.cause);
        if (problem.status === 401 || problem.status === 403 || (problem.status >= 500 && !isGone))
          throw problem;
        missing.push(`${path} (${isGone ? "gone" : problem.code})`);
      }
    }
  }
  if (missing.length > 0) {
    async function* text() {
      yield encodeText(`${missing.join("\n")}\n`);
    }
    yield { name: "missing.txt", input: text() };
  }
}

const isFile = (value: unknown): value is Pick<FileValue, "id" | "name"> => {
  const { id, name } = (value ?? {}) as Record<string, unknown>;
  return typeof id === "string" && isUuid(id) && typeof name === "string";
};

/** Characters that Windows refuses in the name of a file. The slash is replaced too: a name is not a path. */
const notInPaths = /[<>:"|?*/\\]/g;
/** Maximum length of a name. Most file systems allow 255 bytes. */
const maxNameBytes = 240;

/** The name of a file in an archive. The end is kept, since it has the extension. */
function nameInPath(name: string): string {
  const points = [...name.replace(notInPaths, "_")];
  while (Buffer.byteLength(points.join("")) > maxNameBytes) points.splice(-20, 1);
  return points.join("");
}

/** The form as {@link SpreadsheetForm} and a CSV need it. One that was never published has no fields. */
const formJson = (sql: Sql, team: string, form: string) => sql`
  (select json_build_object('fields', (
      select coalesce(json_agg(json_build_object('id', c.id, 'title', c.title, 'field', c.field) order by c.position), '[]')
      from formd.submission_columns(p_team => ${team}, p_form => ${form}) with ordinality as c (id, title, field, position)),
    'former', (
      select coalesce(json_agg(json_build_object('id', c.id, 'field', c.field) order by c.position), '[]')
      from formd.submission_former_fields(p_team => ${team}, p_form => ${form}) with ordinality as c (id, field, position)),
    'languages', formd.submission_languages(p_team => ${team}, p_form => ${form}),
    'timeZone', formd.submission_time_zone(p_team => ${team}, p_form => ${form})))`;

/** A row as a JSON array: the values of {@link csvWriter}, then the data. */
const cellsJson = (sql: Sql) =>
  sql.unsafe(`json_build_array(id, status, form_version, submitter_type, submitter_id, respondent_id, provenance, declared_agent,
    ${instantJson("created_at")}, ${instantJson("updated_at")}, data)`);
