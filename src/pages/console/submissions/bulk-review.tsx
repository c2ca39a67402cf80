/** Review of several submissions at once: one decision on all that are checked. */
import { type } from "arktype";
import type { Field } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import type { Deps } from "../../../platform/deps.ts";
import { DateTime, parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import { readSubmissionPage, type SubmissionPage } from "../../../resources/submissions/read.ts";
import { lastChangeOf, reviewSubmissions } from "../../../resources/submissions/review.ts";
import type { SubmissionRow } from "../../../resources/submissions/shapes.ts";
import { Notes, Notice, Submit, useError } from "../../ui/controls.tsx";
import { Table } from "../../ui/table.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import type { Undo } from "../frame/flash.ts";
import { Controls, type FormControl, formOf, sent, Wrong } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, useMay, useRefused } from "../frame/layout.tsx";
import { CheckAll, checkColumn, ItemList, ListQuery } from "../frame/list-page.tsx";
import { reasonInput } from "./decision.tsx";
import { totalText } from "./filters.tsx";
import { fieldColumns, headColumns, headField, nameOf } from "./submissions.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.review;

/** Submissions on a page, as many as 30 KB hold, and the columns that it has room for. */
const pageSize = 40;
const maxColumns = 2;

interface Waiting extends SubmissionPage {
  form: FormView;
  fields: Field[];
  /** True: the boxes of the whole page are checked. */
  isAll: boolean;
  /** Result of a decision that could not be made on all of them. */
  outcome?: string;
}

async function readWaiting(view: PageContext): Promise<Waiting> {
  const form = await findForm(view);
  const { page } = parseQuery(view.query, ListQuery);
  const [fields, found] = await Promise.all([
    publishedFields(view.deps, form),
    readSubmissionPage(view.deps.sql, form, { review: "open" }, { page, limit: pageSize }),
  ]);
  return { form, fields, ...found, isAll: view.query.all !== undefined };
}

const pathOfBulk = (form: FormView) => `${pathOfForm(form, "review")}/several`;

/** A submission and the time of its last change, as a checkbox sends them. */
const ReviewedItem = type(/^[0-9a-f-]{36} \S{10,40}$/)
  .pipe((item) => ({ id: item.slice(0, 36), updatedAt: item.slice(37) }))
  .to({ id: Uuid, updatedAt: DateTime.pipe((at) => at.toISOString()) });

const Reviewed = ReviewedItem.array().atLeastLength(1).atMostLength(limits.submission.maxReviews);

/** Submissions that are checked, or whose decision is undone, each if nothing has changed it since. */
const reviewed: FormControl<typeof Reviewed.infer> = {
  read: (values, name) => {
    const undone = values.get("ids")?.split(" ");
    const items = undone?.map((id) => `${id} ${values.get("until")}`) ?? values.getAll(name);
    const found = Reviewed(items);
    return found instanceof type.errors ? new Wrong(words.noneChecked) : found;
  },
};

const bulkForm = () =>
  formOf({
    submissions: reviewed,
    reason: reasonInput(),
    decision: sent(type("'approve' | 'reject' | 'undo'")),
  });

/** The submissions to check. The link of the summary leads to the table. */
const Rows = ({ form, fields, items, isAll }: Waiting) => {
  const error = useError("submissions");
  const entered =
    useRefused()
      ?.values.getAll("submissions")
      .map((item) => item.slice(0, 36)) ?? [];
  const head = headField(fields);
  const check = checkColumn<SubmissionRow>({
    head: words.select,
    name: "submissions",
    valueOf: ({ id, updatedAt }) => `${id} ${updatedAt.toISOString()}`,
    labelOf: (submission) => words.selectOf(nameOf(submission, head)),
    isChecked: ({ id }) => isAll || entered.includes(id),
  });
  const others = fields.filter((field) => field !== head);
  const values = fieldColumns(others, head ? maxColumns - 1 : maxColumns);
  return (
    <div {...(error && { id: "submissions", tabIndex: -1 })}>
      <Notes id="submissions" error={error} />
      <Table columns={[check, ...headColumns(form, head), ...values]} rows={items} keyOf={({ id }) => id} />
    </div>
  );
};

const BulkForm = (waiting: Waiting) => {
  const { form, items, pagination, isAll } = waiting;
  const here = `${pathOfBulk(form)}?page=${pagination.page}`;
  return (
    <PostForm action={here} class="stacked wide">
      <p>
        <CheckAll href={here} isAll={isAll} count={items.length} words={words} />
      </p>
      <Rows {...waiting} />
      <Controls of={bulkForm()} names={["reason"]} />
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

/** Returns the post that undoes the decision. */
const undoOf = async ({ sql }: Deps, form: FormView, ids: readonly string[]): Promise<Undo> => {
  const until = await lastChangeOf(sql, { team: form.teamId, form: form.id }, ids);
  const fields = { decision: "undo", ids: ids.join(" "), until: until.toISOString() };
  return { action: pathOfBulk(form), fields };
};

const listPage = async (view: PageContext) => bulkPage(await readWaiting(view));

export const bulkReviewPages = {
  page: onGet(listPage),
  decide: onPost({ form: bulkForm, retry: listPage }, async (view) => {
    const form = await findForm(view);
    const { submissions, ...review } = view.data;
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
