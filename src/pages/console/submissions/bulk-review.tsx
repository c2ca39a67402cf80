/** Review of several submissions at once: one decision on all that are checked. */
import type { Field } from "../../../fields/definition.ts";
import type { Deps } from "../../../platform/deps.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import { readSubmissionPage, type SubmissionPage } from "../../../resources/submissions/read.ts";
import { lastChangeOf, reviewSubmissions } from "../../../resources/submissions/review.ts";
import type { SubmissionRow } from "../../../resources/submissions/shapes.ts";
import { Input, Notice, Submit } from "../../ui/controls.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost, type View } from "../frame/handler.ts";
import { PostForm, useMay, useRefused } from "../frame/layout.tsx";
import { CheckAll, checkColumn, ItemList } from "../frame/list-page.tsx";
import type { Undo } from "../frame/notices.ts";
import { BulkReviewForm, ListQuery, UndoneReviews } from "../frame/shapes.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { totalText } from "./read-submissions.ts";
import { fieldColumns, headColumns, headField, nameOf } from "./submissions.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.review;

/** Submissions on a page, as many as 30 KB hold, and the columns that it has room for. */
const pageSize = 40;
const maxColumns = 2;

interface Waiting extends SubmissionPage {
  form: FormView;
  fields: Field[];
  /** Whether the boxes of the whole page are checked. */
  isAll: boolean;
  /** What became of a decision that could not be made on all of them. */
  outcome?: string;
}

async function readWaiting(view: View): Promise<Waiting> {
  const form = await findForm(view);
  const { page } = parseQuery(view.query, ListQuery);
  const [fields, found] = await Promise.all([
    publishedFields(view.deps, form),
    readSubmissionPage(view.deps.sql, form, { review: "open" }, { page, limit: pageSize }),
  ]);
  return { form, fields, ...found, isAll: view.query.all !== undefined };
}

const pathOfBulk = (form: FormView) => `${pathOfForm(form, "review")}/several`;

function columnsOf({ form, fields }: Waiting, checked: ReadonlySet<string>): Column<SubmissionRow>[] {
  const head = headField(fields);
  const check = checkColumn<SubmissionRow>({
    head: words.select,
    name: "submissions",
    valueOf: ({ id, updatedAt }) => `${id} ${updatedAt.toISOString()}`,
    labelOf: (submission) => words.selectOf(nameOf(submission, head)),
    isChecked: ({ id }) => checked.has(id),
  });
  const others = fields.filter((field) => field !== head);
  return [check, ...headColumns(form, head), ...fieldColumns(others, head ? maxColumns - 1 : maxColumns)];
}

const BulkForm = (waiting: Waiting) => {
  const { form, items, pagination, isAll } = waiting;
  const entered = useRefused()?.values;
  const chosen = entered?.getAll("submissions").map((value) => value.slice(0, value.indexOf(" ")));
  const checked = new Set(isAll ? items.map(({ id }) => id) : chosen);
  const here = `${pathOfBulk(form)}?page=${pagination.page}`;
  return (
    <PostForm action={here} class="stacked wide">
      <p>
        <CheckAll href={here} isAll={isAll} count={items.length} words={words} />
      </p>
      <Table columns={columnsOf(waiting, checked)} rows={items} keyOf={({ id }) => id} />
      <Input name="reason" label={words.reason} required={false} />
      <div class="actions">
        <Submit name="decision" value="approve" label={words.approveAll} />
        <Submit class="danger" name="decision" value="reject" label={words.rejectAll} />
      </div>
    </PostForm>
  );
};

const Content = (waiting: Waiting) => {
  const { form, items, pagination, outcome } = waiting;
  return (
    <>
      <div class="heading">
        <h2>{words.severalTitle}</h2>
        <a href={pathOfForm(form, "review")}>{words.oneByOne}</a>
      </div>
      {outcome && <Notice kind="error">{outcome}</Notice>}
      {items.length > 0 && (
        <p class="quiet">
          {words.waiting(totalText(pagination))}. {words.severalHint}
        </p>
      )}
      <ItemList items={items} pagination={pagination} path={pathOfBulk(form)} none={words.none}>
        {useMay("submission.reviewed", form.workspaceId) && <BulkForm {...waiting} />}
      </ItemList>
    </>
  );
};

const bulkPage = (waiting: Waiting) =>
  formPage(waiting.form, "review", words.severalTitle, <Content {...waiting} />);

/** What was decided, and on which. @throws {Problem} `bad_request`. */
function parseReview(values: URLSearchParams) {
  if (values.get("decision") === "undo") {
    const { ids, until } = assertShape(Object.fromEntries(values), UndoneReviews, "bad_request");
    const submissions = ids.map((id) => ({ id, updatedAt: until }));
    return { decision: "undo" as const, reason: null, submissions };
  }
  const entered = {
    decision: values.get("decision"),
    reason: values.get("reason")?.trim() ?? "",
    submissions: values.getAll("submissions"),
  };
  if (entered.submissions.length === 0) throw new TranslatedProblem("bad_request", words.noneChecked);
  const review = assertShape(entered, BulkReviewForm, "bad_request");
  return { ...review, reason: review.reason || null };
}

/** What takes the decision back. */
const undoOf = async ({ sql }: Deps, form: FormView, ids: readonly string[]): Promise<Undo> => {
  const until = await lastChangeOf(sql, { team: form.teamId, form: form.id }, ids);
  const fields = { decision: "undo", ids: ids.join(" "), until: until.toISOString() };
  return { action: pathOfBulk(form), fields };
};

const listPage = async (view: View) => bulkPage(await readWaiting(view));

export const bulkReviewPages = {
  page: onGet(listPage),
  decide: onPost({ retry: listPage }, async (view) => {
    const form = await findForm(view);
    const { submissions, ...review } = parseReview(view.values);
    const of = { team: form.teamId, form: form.id };
    const left = await reviewSubmissions(view.deps.sql, view.actor, of, submissions, review);
    if (left.length > 0) {
      const outcome = words.left(left.length, submissions.length);
      return { ...bulkPage({ ...(await readWaiting(view)), outcome }), status: 409 };
    }
    const text = words.decided[review.decision](submissions.length);
    const ids = submissions.map(({ id }) => id);
    const undo = review.decision === "undo" ? undefined : await undoOf(view.deps, form, ids);
    return { to: pathOfBulk(form), text, undo };
  }),
} satisfies Handlers;
