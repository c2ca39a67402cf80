/** The submissions of a form: table with filters, and export. */
import { Elysia } from "elysia";
import { actorOf } from "../auth/actor.ts";
import { actingAs } from "../auth/authenticate.ts";
import type { Deps } from "../deps.ts";
import { type Field, parseFields } from "../fields/definition.ts";
import type { Paged } from "../http/shapes.ts";
import { offsetOf, type paginationOf, parseQuery, toPage } from "../http/shapes.ts";
import { streamOf } from "../http/stream.ts";
import { limits } from "../limits.ts";
import { Input, Select } from "../pages/controls.tsx";
import { labelOf } from "../pages/fields/props.ts";
import { valueText } from "../pages/fields/value-text.ts";
import { Command, formatCount, Pages, Time } from "../pages/text.tsx";
import { exportSubmissions } from "../submissions/export.ts";
import { submissionRows } from "../submissions/read.ts";
import { type Filters, type SubmissionRow, submissionColumns } from "../submissions/shapes.ts";
import { type FormView, findForm, formPage, pathOfForm } from "./form.tsx";
import { filterQuery, show, stream, type View } from "./handler.ts";
import { ExportQuery, filtersOf, SubmissionsQuery } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.submissions;

/** Rows of a page, and the columns and characters of a value that the table has room for. */
const pageSize = 25;
const maxColumns = 4;
const maxCellLength = 80;

export interface SubmissionPage {
  items: SubmissionRow[];
  pagination: ReturnType<typeof paginationOf>;
}

/** A page of the submissions that the filters leave, newest first. */
export async function readPage(
  { sql }: Deps,
  form: FormView,
  filters: Filters,
  asked: { page: number; limit: number },
): Promise<SubmissionPage> {
  // Those of a status have a counter.
  const isCounted = Object.keys(filters).some((name) => name !== "status");
  const maxCounted = isCounted ? limits.page.maxCounted : undefined;
  const rows = submissionRows(sql, form.teamId, form.id, filters, maxCounted);
  const found = await sql<Paged<SubmissionRow>[]>`
    select ${sql(submissionColumns)}, total::float8
    from ${rows({ limit: asked.limit, offset: offsetOf(asked), below: null })}`;
  return toPage(found, asked, maxCounted);
}

export const totalOf = ({ total, isTotalExact = true }: SubmissionPage["pagination"]): string =>
  isTotalExact ? formatCount(total) : text.atLeast(formatCount(total));

interface SubmissionList extends SubmissionPage {
  form: FormView;
  fields: Field[];
  query: Record<string, string>;
}

/** The fields of the published version, or else of the draft. */
export async function publishedFields(
  { sql }: Deps,
  form: FormView,
  version = form.currentVersion,
): Promise<Field[]> {
  if (version === form.currentVersion) return parseFields(form.publishedSchema ?? form.schema);
  const [row] = await sql<{ schema: { fields: unknown[] } }[]>`
    select schema from formd.form_versions
    where team_id = ${form.teamId} and form_id = ${form.id} and version = ${version}`;
  return parseFields(row?.schema ?? form.schema);
}

async function readSubmissions(deps: Deps, view: View): Promise<SubmissionList> {
  const form = await findForm(deps, view);
  const query = filterQuery(view.query);
  const { page, ...asked } = parseQuery(query, SubmissionsQuery);
  const [fields, found] = await Promise.all([
    publishedFields(deps, form),
    readPage(deps, form, filtersOf(asked), { page, limit: pageSize }),
  ]);
  return { form, fields, ...found, query };
}

export const SubmissionStatus = ({
  status,
  reviewDecision,
}: Pick<SubmissionRow, "status" | "reviewDecision">) => (
  <>
    <span class={`badge ${status}`}>{words.statuses[status]}</span>
    {reviewDecision && <span class={`badge ${reviewDecision}`}>{text.review.decisions[reviewDecision]}</span>}
  </>
);

/** What people read of the value of a field. */
export const shownIn = (data: SubmissionRow["data"], field: Field): string => {
  const value = Object.hasOwn(data, field.id) ? data[field.id] : undefined;
  return value === undefined ? "" : valueText(field, value, text.fieldInput);
};

/** The value of a field in a cell of a table. */
export const Cell = ({ data, field }: { data: SubmissionRow["data"]; field: Field }) => (
  <td data-label={labelOf(field)}>
    <bdi>{shorten(shownIn(data, field).replaceAll("\n", ", ")) || words.noValue}</bdi>
  </td>
);

export const shorten = (value: string) =>
  value.length > maxCellLength ? `${value.slice(0, maxCellLength)}…` : value;

export const hrefOfSubmission = (form: FormView, id: string) => `${pathOfForm(form, "submissions")}/${id}`;

const SubmissionTable = ({ form, fields, items }: SubmissionList) => {
  const columns = fields.filter(({ fieldType }) => !fieldType.displayOnly).slice(0, maxColumns);
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">{words.received}</th>
          <th scope="col">{words.status}</th>
          {columns.map(({ id, label }) => (
            <th scope="col" key={id} dir="auto">
              {shorten(label || id)}
            </th>
          ))}
          <th scope="col">{words.submitter}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, createdAt, status, reviewDecision, data, submitterType }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hrefOfSubmission(form, id)}>
                <Time at={createdAt} />
              </a>
            </th>
            <td data-label={words.status}>
              <SubmissionStatus status={status} reviewDecision={reviewDecision} />
            </td>
            {columns.map((field) => (
              <Cell key={field.id} data={data} field={field} />
            ))}
            <td data-label={words.submitter}>{words.submitters[submitterType]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const FilterForm = ({ form, query }: Pick<SubmissionList, "form" | "query">) => {
  const isFiltered = Object.keys(query).some((name) => name !== "page");
  const statuses = Object.entries(words.statuses).map(([value, label]) => ({ value, label }));
  return (
    <details class="panel" open={isFiltered}>
      <summary>{words.filter}</summary>
      <form method="get" action={pathOfForm(form, "submissions")} class="filters">
        <Select
          name="status"
          label={words.status}
          value={query.status}
          choices={[{ value: "", label: words.anyStatus }, ...statuses]}
        />
        <Select
          name="review"
          label={text.review.filter}
          value={query.review}
          choices={[
            { value: "", label: text.review.any },
            ...Object.entries(text.review.states).map(([value, label]) => ({ value, label })),
          ]}
        />
        <Input name="after" type="date" label={words.after} value={query.after} />
        <Input name="before" type="date" label={words.before} value={query.before} />
        <Input name="agentId" label={words.agent} value={query.agentId} />
        <Input name="respondentId" label={words.respondent} value={query.respondentId} />
        <div class="actions">
          <button type="submit" class="quiet">
            {words.filterSubmit}
          </button>
          {isFiltered && <a href={pathOfForm(form, "submissions")}>{words.filterReset}</a>}
        </div>
      </form>
    </details>
  );
};

/** The page's script holds a file of which it shows the progress: longer ones are left to the browser, which also goes on when the page is left. */
const maxRowsWithProgress = 100_000;

const Export = ({ form, query, pagination }: Pick<SubmissionList, "form" | "query" | "pagination">) => {
  const { page: _, ...filters } = query;
  const href = (format: string) =>
    `${pathOfForm(form, "submissions")}/export?${new URLSearchParams({ ...filters, format })}`;
  const { total, isTotalExact = true } = pagination;
  return (
    <p class="actions">
      <span class="quiet">{words.export}</span>
      <a href={href("csv")}>{words.exportCsv}</a>
      <a href={href("jsonl")}>{words.exportJson}</a>
      {isTotalExact && total <= maxRowsWithProgress && (
        <output
          data-progress={words.exportProgress(totalOf(pagination))}
          data-done={words.exportDone}
          data-failed={words.exportFailed}
        />
      )}
    </p>
  );
};

/** What to do before there is a submission. */
const NoneYet = ({ form }: Pick<SubmissionList, "form">) =>
  form.currentVersion === 0 ? (
    <div class="empty">
      <p>{words.noneUnpublished}</p>
      <a href={pathOfForm(form, "publish")}>{text.form.publish}</a>
    </div>
  ) : (
    <div class="empty">
      <p>{words.noneYet}</p>
      <Command
        lines={[
          "curl $BASE_URL/papi/v1/submitter/form/submissions \\",
          "  -H 'x-form-access-key: …' -H 'x-respondent-token: …' \\",
          "  -H 'content-type: application/json' -d '{\"data\":{}}'",
        ]}
      />
    </div>
  );

const Submissions = (list: SubmissionList) => {
  const { form, items, pagination, query } = list;
  const isFiltered = Object.keys(query).some((name) => name !== "page");
  if (items.length === 0 && pagination.total === 0 && !isFiltered) return <NoneYet form={form} />;
  return (
    <>
      <FilterForm form={form} query={query} />
      {items.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <>
          <div class="heading">
            <p class="quiet">{words.total(totalOf(pagination))}</p>
            <Export form={form} query={query} pagination={pagination} />
          </div>
          <SubmissionTable {...list} />
        </>
      )}
      <Pages
        {...pagination}
        words={text.pages}
        hrefOf={(page) =>
          `${pathOfForm(form, "submissions")}?${new URLSearchParams({ ...query, page: String(page) })}`
        }
      />
    </>
  );
};

export const submissionsPages = (deps: Deps) => {
  const path = "/console/forms/:form_id/submissions";
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => {
        const list = await readSubmissions(deps, view);
        return formPage(list.form, "submissions", text.form.submissions, <Submissions {...list} />);
      }),
    )
    .get(
      `${path}/export`,
      stream(deps, async (view, headers) => {
        const form = await findForm(deps, view);
        const { format, ...asked } = parseQuery(filterQuery(view.query), ExportQuery);
        const filters: Filters = filtersOf(asked);
        const operator = actingAs(
          deps.sql,
          form.teamId,
          actorOf(view.request, "operator", view.session.operator),
        );
        const { headers: ofFile, parts } = await exportSubmissions(deps, operator, () => ({
          form: form.id,
          format,
          ...filters,
        }));
        Object.assign(headers, ofFile);
        return new Response(streamOf(deps, view.request, parts));
      }),
    );
};
