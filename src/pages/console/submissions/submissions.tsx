/** The submissions of a form: table with filters, and export. */
import { controlName } from "../../../fields/control-values.ts";
import type { Field } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { noTurn, readTurn } from "../../../platform/http/list.ts";
import { rawQueryOf } from "../../../platform/http/request-context.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { streamOf } from "../../../platform/http/stream.ts";
import { newestAgents } from "../../../resources/agents/read.ts";
import { markSeen } from "../../../resources/forms/followers.ts";
import { publishedFields, recentDays } from "../../../resources/forms/form-view.ts";
import { firstOf, totalsOf } from "../../../resources/progress/progress.ts";
import { exportSubmissions } from "../../../resources/submissions/export.ts";
import { fieldsToShow } from "../../../resources/submissions/former-options.ts";
import { maxCountedOf, readSubmissionPage, submissionRows } from "../../../resources/submissions/read.ts";
import {
  type Filters,
  SubmissionFileQuery,
  type SubmissionRow,
} from "../../../resources/submissions/shapes.ts";
import {
  Checkbox,
  type Choice,
  choicesOfNames,
  type Errors,
  Input,
  Select,
  Submit,
} from "../../ui/controls.tsx";
import { labelOf } from "../../ui/fields/props.ts";
import { language, listSeparators } from "../../ui/language.ts";
import { type Column, Table } from "../../ui/table.tsx";
import { formatCount } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, nameOfForm, pageHref, pathOfForm } from "../form/form.tsx";
import { formatWaiting, isPublic } from "../form/form-state.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { maxEnteredLength } from "../frame/entered-value.tsx";
import { filterQuery, onGet, type PageContext } from "../frame/handler.ts";
import { HiddenFields, useMay } from "../frame/layout.tsx";
import {
  areWrong,
  CheckAll,
  checkColumn,
  DayInputs,
  Empty,
  FoldedFilter,
  filtersOf,
  ItemList,
  ListFilter,
  tryFilters,
  WrongFilters,
} from "../frame/list-page.tsx";
import { provedStream } from "../frame/proved-stream.ts";
import { frameText } from "../frame/words.ts";
import {
  fieldColumns,
  fieldsWithValue,
  headColumns,
  headField,
  nameOf,
  SubmissionStatus,
} from "./columns.tsx";
import { deletePathOf, isChosenName } from "./delete-submissions.tsx";
import {
  chosenIn,
  chosenName,
  filtersIn,
  LanguageSelect,
  languageChoices,
  type Query,
  readFilters,
  SearchForm,
  SubmissionsQuery,
  totalText,
  ValueFilters,
} from "./filters.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;
/** Days of the numbers of the page in the line of results: those that the charts show first. */
const progressDays = 30;

/** Parameter that asks for files as well: of the chosen submissions, or of all that match the filters. */
const filesName = "files";
const filesOfChosen = "chosen";

/** Rows of a page, and the columns that the table has room for. */
const pageSize = 25;
const maxColumns = 4;

interface SubmissionList extends Awaited<ReturnType<typeof readTurn<SubmissionRow>>> {
  form: FormView;
  fields: Field[];
  /** The same, with the options of earlier versions that a submission of the page has. */
  shown: Field[];
  /** Agents that the list can be filtered by. */
  agents: Choice[];
  path: string;
  /** Sentences about filters that cannot be read: then the list is empty. */
  errors: Errors;
  /** Without the page. */
  query: Query;
  /** Address of this page, and what leads to it. */
  here: string;
  /** True: the boxes of the whole page are checked. */
  isAll: boolean;
}

async function readSubmissions(view: PageContext): Promise<SubmissionList> {
  const { deps } = view;
  const form = await findForm(view, firstOf(progressDays));
  const { all, ...asked } = filterQuery(view.query);
  const { cursor, back, order } = parseQuery(asked, SubmissionsQuery);
  const query = filtersOf(asked);
  const fields = await publishedFields(deps, form);
  const { found: filters, errors } = tryFilters(() => filtersIn(fields, query));
  const path = pathOfForm(form, "submissions");
  const turnOf = (filters: Filters) => {
    const rows = submissionRows(deps.sql, form.teamId, form.id, filters);
    const list = { team: form.teamId, path, filters: query, limit: pageSize };
    const turn = { order: order ? "rising" : "newest", cursor, back } as const;
    return readTurn<SubmissionRow>(deps, { ...list, rows, maxCounted: maxCountedOf(filters) }, turn);
  };
  // Before the list is read, so that none is marked that it lacks.
  if (form.fresh > 0) await markSeen(deps.sql, view.session.operator, form);
  const [found, agents] = await Promise.all([
    filters ? turnOf(filters) : noTurn,
    readAgents(deps, form, query.agentId),
  ]);
  const data = found.items.map((item) => item.data);
  const shown = await fieldsToShow(deps.sql, form, fields, data);
  const here = `${path}?${new URLSearchParams(asked)}`;
  return { form, path, fields, shown, agents, ...found, errors, query, here, isAll: all !== undefined };
}

/** The newest agents of the form's workspace by name, and the one that the list is filtered by. */
async function readAgents({ sql }: Deps, form: FormView, chosen: string | undefined): Promise<Choice[]> {
  const agents = choicesOfNames(await newestAgents(sql, form.teamId, form.workspaceId));
  const isMissing = chosen && !agents.some(({ value }) => value === chosen);
  return isMissing ? [...agents, { value: chosen, label: chosen }] : agents;
}

const columnPrefix = "column.";

/** True for a parameter of the table's look, which does not filter submissions. */
const isOfLook = (name: string): boolean => name.startsWith(columnPrefix) || name === "order";

const columnOf = ({ id }: Field): string => columnPrefix + controlName(id);

/** Returns the fields that the query chooses. Undefined: it chooses no fields. */
function chosenFields(fields: readonly Field[], query: Query): Field[] | undefined {
  const chosen = fieldsWithValue(fields).filter((field) => query[columnOf(field)]);
  return chosen.length > 0 ? chosen : undefined;
}

const ColumnsForm = (list: SubmissionList) => {
  const { path, shown: fields, query } = list;
  const { head, others } = shownFields(list);
  const kept = Object.fromEntries(Object.entries(query).filter(([name]) => !name.startsWith(columnPrefix)));
  return (
    <details>
      <summary>{words.columns}</summary>
      <form method="get" action={path} class="stacked">
        <HiddenFields fields={kept} />
        <fieldset class="filters">
          <legend class="unseen">{words.columns}</legend>
          {fieldsWithValue(fields).map((field) => (
            <Checkbox
              key={field.id}
              name={columnOf(field)}
              label={labelOf(field)}
              checked={field === head || others.includes(field)}
            />
          ))}
        </fieldset>
        <div class="actions">
          <Submit class="quiet" label={words.columnsSubmit} />
          {chosenFields(fields, query) && (
            <a href={`${path}?${new URLSearchParams(kept)}`}>{words.columnsReset}</a>
          )}
        </div>
      </form>
    </details>
  );
};

/** The first one leads to the submission. */
function shownFields({ shown: fields, query }: SubmissionList): { head: Field | undefined; others: Field[] } {
  const head = headField(fields);
  const others = fieldsWithValue(fields).filter((field) => field !== head);
  const chosen = chosenFields(fields, query)?.filter((field) => field !== head);
  return { head, others: chosen ?? others.slice(0, head ? maxColumns - 1 : maxColumns) };
}

function columnsOf(list: SubmissionList, mayChoose: boolean): Column<SubmissionRow>[] {
  const { form, isAll } = list;
  const { head, others } = shownFields(list);
  const check = checkColumn<SubmissionRow>({
    head: words.choose,
    name: chosenName,
    valueOf: ({ id }) => id,
    labelOf: (submission) => words.chooseOf(nameOf(submission, head)),
    isChecked: () => isAll,
  });
  return [
    ...(mayChoose ? [check] : []),
    ...headColumns(form, head),
    { head: frameText.state, cell: (submission) => <SubmissionStatus {...submission} /> },
    ...fieldColumns(others, others.length),
    { head: words.provenance, cell: ({ provenance }) => formText.submission.provenances[provenance] },
  ];
}

/** True for a list that is filtered. @param others filters that do not count */
const hasFilters = (query: Query, ...others: string[]): boolean =>
  Object.keys(query).some((name) => !isOfLook(name) && !["timeZone", ...others].includes(name));

const FilterForm = ({ form, path, fields, agents, query, errors }: SubmissionList) => {
  const kept = Object.fromEntries(Object.entries(query).filter(([name]) => name === "q" || isOfLook(name)));
  return (
    <FoldedFilter
      action={path}
      query={query}
      errors={errors}
      isFiltered={hasFilters(query, "q") || areWrong(errors)}
    >
      <HiddenFields fields={kept} />
      <ValueFilters fields={fields} />
      <Select name="state" label={frameText.state} none={words.any} choices={formText.submission.states} />
      <Select
        name="provenance"
        label={words.provenance}
        none={words.anyProvenance}
        choices={formText.submission.provenances}
      />
      <LanguageSelect choices={languageChoices(form, query.language)} />
      <DayInputs />
      {agents.length > 0 && <Select name="agentId" label={words.agent} none={words.any} choices={agents} />}
      {query.respondentId && (
        <Input name="respondentId" label={frameText.respondentId} maxlength={maxEnteredLength} />
      )}
    </FoldedFilter>
  );
};

/**
 * Maximum for a download with progress, whose script holds the file. The browser downloads longer files, and
 * continues when the page is left.
 */
const maxRowsWithProgress = 100_000;

const takesFiles = (fields: readonly Field[]): boolean =>
  fields.some(({ fieldType }) => fieldType.nature === "files");

const Export = ({ form, path, fields, query, pagination }: SubmissionList) => {
  const href = (file: Query) => `${path}/export?${new URLSearchParams({ ...query, ...file })}`;
  const { total, isTotalExact = true } = pagination;
  return (
    <>
      <p class="actions" id="export">
        <span class="quiet">{words.export}</span>
        <a href={href({ format: "xlsx" })}>{words.exportExcel}</a>
        <a href={href({ format: "csv" })} data-rows>
          {words.exportCsv}
        </a>
        <a href={href({ format: "jsonl" })} data-rows>
          {words.exportJson}
        </a>
        {takesFiles(fields) && <a href={href({ [filesName]: "zip" })}>{words.exportFiles}</a>}
        {isTotalExact && total <= maxRowsWithProgress && (
          <output
            data-progress={words.exportProgress(totalText(pagination))}
            data-done={words.exportDone(totalText(pagination))}
            data-failed={words.exportFailed}
          />
        )}
      </p>
      <ExportOptions path={path} query={query} languages={languageChoices(form)} />
    </>
  );
};

interface ExportOptionsProps extends Pick<SubmissionList, "path" | "query"> {
  languages: readonly Choice[];
}

/** Choices for the columns of a file for Excel. */
const ExportOptions = ({ path, query, languages }: ExportOptionsProps) => (
  <details>
    <summary>{words.exportOptions}</summary>
    <ListFilter action={`${path}/export`} submit={words.exportSubmit}>
      <HiddenFields fields={query} />
      <Select name="format" label={words.exportFormat} scope="export-" choices={words.exportFormats} />
      <Select name="choices" label={words.exportChoices} choices={words.exportChoiceColumns} />
      <Select name="values" label={words.exportValues} choices={words.exportValueTexts} />
      {languages.length > 1 && <Select name="lang" label={words.exportLanguage} choices={languages} />}
    </ListFilter>
  </details>
);

const NoneYet = ({ form }: Pick<SubmissionList, "form">) =>
  form.currentVersion === 0 ? (
    <Empty
      message={words.noneUnpublished}
      action={{ href: pathOfForm(form, "publish"), label: formText.form.publish }}
    />
  ) : (
    <Empty
      picture="inbox"
      message={words.noneYet}
      action={{ href: pathOfForm(form, "share"), label: formText.form.toShare }}
      lines={[
        "curl $BASE_URL/papi/v1/submitter/form/submissions \\",
        "  -H 'x-form-access-key: …' -H 'x-respondent-token: …' \\",
        "  -H 'content-type: application/json' -d '{\"data\":{}}'",
      ]}
    >
      {isPublic(form) && <a href={pageHref(form)}>{formText.form.fillIn}</a>}
    </Empty>
  );

/** The table, in a form that deletes chosen submissions, if the operator may, or downloads their files. */
const Rows = (list: SubmissionList) => {
  const { form, path, fields, items, query, here, isAll } = list;
  const hasFiles = takesFiles(fields);
  const mayDelete = useMay("submission.deleted", form.workspaceId);
  const table = (
    <div class="across">
      <Table columns={columnsOf(list, mayDelete || hasFiles)} rows={items} keyOf={({ id }) => id} />
    </div>
  );
  if (!mayDelete && !hasFiles) return table;
  return (
    <form method="get" action={deletePathOf(form)} class="stacked wide">
      <HiddenFields fields={query} />
      {table}
      <div class="actions">
        {mayDelete && (
          <Submit class="danger small" name={isChosenName} value="true" label={words.removeChosen} />
        )}
        {hasFiles && (
          <Submit
            class="quiet small"
            formaction={`${path}/export`}
            name={filesName}
            value={filesOfChosen}
            label={words.downloadChosen}
          />
        )}
        <CheckAll href={here} isAll={isAll} count={items.length} words={words} />
        {mayDelete && <a href={`${deletePathOf(form)}?${new URLSearchParams(query)}`}>{words.removeFound}</a>}
      </div>
    </form>
  );
};

const Order = ({ path, query: { order, ...others } }: SubmissionList) => {
  const turned = new URLSearchParams({ ...others, ...(!order && { order: "oldest" }) });
  return <a href={`${path}?${turned}`}>{order ? words.newestFirst : words.oldestFirst}</a>;
};

/** Numbers of all submissions, not only of those that match the filters. */
const ResultsLine = ({ form: { total, recent, waiting, progress } }: Pick<SubmissionList, "form">) => {
  const { results } = formText;
  const { opened, begun, medianSeconds } = totalsOf(progress ?? []);
  return (
    <p class="results">
      <strong>{results.sent(formatCount(total))}</strong> ·{" "}
      {results.recent(formatWaiting(recent), recentDays)}
      {waiting > 0 && ` · ${results.waiting(formatWaiting(waiting))}`}
      {opened + begun > 0 && ` · ${results.opened(formatCount(opened), formatCount(begun), progressDays)}`}
      {medianSeconds !== null && ` · ${results.time(results.about(medianSeconds))}`}
    </p>
  );
};

const Submissions = (list: SubmissionList) => {
  const { form, path, items, pagination, turns, query, errors } = list;
  if (areWrong(errors))
    return (
      <>
        <WrongFilters errors={errors} />
        <FilterForm {...list} />
      </>
    );
  if (items.length === 0 && pagination.total === 0 && !hasFilters(query)) return <NoneYet form={form} />;
  return (
    <>
      <ResultsLine form={form} />
      <SearchForm path={path} query={query} />
      <FilterForm {...list} />
      <ItemList items={items} turns={turns} path={path} query={query} none={words.none}>
        <div class="heading">
          <p class="quiet">{words.total(totalText(pagination))}</p>
          <Order {...list} />
          <Export {...list} />
        </div>
        <ColumnsForm {...list} />
        <Rows {...list} />
      </ItemList>
      {turns.next && items.length < pageSize && <p class="quiet">{words.unread}</p>}
    </>
  );
};

/** Content and format of a file, for the spreadsheet of the reader. @throws {Problem} `bad_request`. */
async function readExport(view: PageContext, form: FormView) {
  const { [chosenName]: _, [filesName]: kind, ...query } = filterQuery(view.query);
  const asked = kind === undefined ? { format: "csv", ...query } : { ...query, format: "csv" };
  return {
    ...parseQuery(asked, SubmissionFileQuery),
    ...{ isForPeople: query.values !== "ids" },
    ...{ form: form.id, bom: true, separator: listSeparators[language()], wordsLang: language() },
    name: `${form.name} ${new Date().toISOString().slice(0, 10)}`,
    ...(kind !== undefined && { files: "zip" as const }),
    ...(kind === filesOfChosen && { chosen: chosenIn(new URLSearchParams(rawQueryOf(view.request))) }),
    ...(await readFilters(view.deps, form, query)),
  };
}

/** True for an export of more submissions than one takes without a proof. */
async function isLargeExport(view: PageContext): Promise<boolean> {
  const form = await findForm(view);
  const { chosen, ...filters } = await readExport(view, form);
  if (chosen) return false;
  const page = { page: 1, limit: 1 };
  const { pagination } = await readSubmissionPage(view.deps.sql, form, filters, page);
  return !(pagination.isTotalExact ?? true) || pagination.total > limits.submission.maxUnprovedRows;
}

const fileOfExport = provedStream("submission.exported", isLargeExport, nameOfForm, async (view, headers) => {
  const asked = await readExport(view, await findForm(view));
  const { headers: ofFile, parts } = await exportSubmissions(view.deps, view.queries, () => asked);
  Object.assign(headers, ofFile);
  return new Response(streamOf(view.deps.log, view.request, parts));
});

export const submissionsPages = {
  list: onGet(async (view) => {
    const list = await readSubmissions(view);
    const page = formPage(list.form, "submissions", formText.form.submissions, <Submissions {...list} />);
    return areWrong(list.errors) ? { ...page, status: 400 } : page;
  }),
  export: fileOfExport.get,
  exportProved: fileOfExport.post,
} satisfies Handlers;
