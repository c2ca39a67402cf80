/** Review: the decision on one submission, the queue of those that wait for one, and several at once. */
import { type } from "arktype";
import type { Field } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import { toSql } from "../../../platform/auth/actor.ts";
import type { Deps } from "../../../platform/deps.ts";
import { DateTime, parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { publishedFields } from "../../../resources/forms/form-view.ts";
import { fieldsToShow } from "../../../resources/submissions/former-options.ts";
import { readSubmissionPage, type SubmissionPage } from "../../../resources/submissions/read.ts";
import { lastChangeOf, reviewQuery, reviewSubmissions } from "../../../resources/submissions/review.ts";
import type { SubmissionRow } from "../../../resources/submissions/shapes.ts";
import { describedBy, Notes, Notice, Submit, useError } from "../../ui/controls.tsx";
import { Table } from "../../ui/table.tsx";
import { Pages } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, hrefOfSubmission, pathOfForm } from "../form/form.tsx";
import { submissionIn } from "../form/holds.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import type { FlashRedirect, Undo } from "../frame/flash.ts";
import { Controls, type DataOf, type FormControl, formOf, sent, Wrong } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, useMay, useRefused } from "../frame/layout.tsx";
import { CheckAll, checkColumn, Empty, ItemList, ListQuery } from "../frame/list-page.tsx";
import { KeySwitch, LinkLine } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { fieldColumns, headColumns, headField, nameOf } from "./columns.tsx";
import { Decision, decisionForm, reasonInput } from "./decision.tsx";
import { totalText } from "./filters.tsx";
import { readSubmission, SubmissionValues } from "./submission.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.review;

interface Queue {
  form: FormView;
  submission: SubmissionRow | undefined;
  fields: Field[];
  pagination: SubmissionPage["pagination"];
}

/** Reads the submission at a position of the queue, newest first. */
async function readQueue(view: PageContext): Promise<Queue> {
  const form = await findForm(view);
  const { page } = parseQuery(view.query, ListQuery);
  const { items, pagination } = await readSubmissionPage(
    view.deps.sql,
    form,
    { review: "open" },
    { page, limit: 1 },
  );
  const [submission] = items;
  const fields = await publishedFields(view.deps, form, submission?.formVersion);
  return { form, submission, fields, pagination };
}

const ReviewQueue = ({ form, submission, fields, pagination }: Queue) => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const { page, total } = pagination;
  const isRequired = form.settingsInForce.review?.required === true;
  if (!submission)
    return (
      <Empty
        message={total > 0 ? words.end : isRequired ? words.none : words.notRequired}
        action={
          total > 0
            ? { href: pathOfForm(form, "review"), label: words.start }
            : !isRequired && maySet && { href: pathOfForm(form, "settings"), label: formText.form.settings }
        }
      />
    );
  return (
    <>
      <div class="heading">
        <h2>{words.waiting(totalText(pagination))}</h2>
        <a href={hrefOfSubmission(form, submission.id)}>{words.open}</a>
        {total > 1 && <a href={`${pathOfForm(form, "review")}/several`}>{words.several}</a>}
      </div>
      <Pages
        {...pagination}
        words={frameText.pages}
        hrefOf={(to) => `${pathOfForm(form, "review")}?page=${to}`}
      />
      <SubmissionValues form={form} submission={submission} fields={fields} />
      <Decision form={form} submission={submission} next={page} />
      <KeySwitch />
    </>
  );
};

/** Leads to the next submission of the queue, or to the same one. A button undoes the decision. */
function afterDecision(
  { form, submission }: Awaited<ReturnType<typeof readSubmission>>,
  { decision, next }: DataOf<ReturnType<typeof decisionForm>>,
): FlashRedirect {
  const href = hrefOfSubmission(form, submission.id);
  const back = { decision: "undo", reason: "", updatedAt: submission.updatedAt.toISOString() };
  const undo = { action: `${href}/review`, fields: { ...back, ...(next && { next }) } };
  return {
    to: next ? `${pathOfForm(form, "review")}?page=${next}` : href,
    text: words.decided[decision](1),
    undo: decision === "approve" || decision === "reject" ? undo : undefined,
  };
}

async function undecidedPage(view: FormPost) {
  const found = await readSubmission(view);
  const next = Number(view.values.get("next")) || undefined;
  const content = (
    <>
      <SubmissionValues {...found} />
      <Decision {...found} next={next} />
      <LinkLine href={pathOfForm(found.form, "review")} label={words.start} />
    </>
  );
  return formPage(found.form, "review", formText.form.review, content);
}

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
  const data = found.items.map((item) => item.data);
  const shown = await fieldsToShow(view.deps.sql, form, fields, data);
  return { form, fields: shown, ...found, isAll: view.query.all !== undefined };
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

const Choice = type("'approve' | 'reject' | 'undo'");

const bulkForm = () =>
  formOf({
    submissions: reviewed,
    reason: reasonInput(),
    decision: sent(Choice),
  });

/** The submissions to check. The link of the summary leads to the group. */
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
    isInvalid: error !== undefined,
  });
  const others = fields.filter((field) => field !== head);
  const values = fieldColumns(others, head ? maxColumns - 1 : maxColumns);
  return (
    <div
      {...(error && { id: "submissions", tabIndex: -1, role: "group" })}
      aria-describedby={describedBy("submissions", { error })}
    >
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

const Several = (waiting: Waiting) => {
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
  formPage(waiting.form, "review", words.severalTitle, <Several {...waiting} />);

/** Returns the post that undoes the decision. */
const undoOf = async ({ sql }: Deps, form: FormView, ids: readonly string[]): Promise<Undo> => {
  const until = await lastChangeOf(sql, { team: form.teamId, form: form.id }, ids);
  const fields = { decision: "undo", ids: ids.join(" "), until: until.toISOString() };
  return { action: pathOfBulk(form), fields };
};

const listPage = async (view: PageContext) => bulkPage(await readWaiting(view));

export const reviewPages = {
  queue: onGet(async (view) => {
    const queue = await readQueue(view);
    return formPage(queue.form, "review", formText.form.review, <ReviewQueue {...queue} />);
  }),
  decide: onPost(
    { act: "submission.reviewed", load: findForm, form: decisionForm, retry: undecidedPage },
    async (view) => {
      const { deps, actor, data, found: form } = view;
      const of = { team: form.teamId, actor: toSql(deps.sql, actor), form: form.id, id: submissionIn(view) };
      await reviewQuery(deps.sql, of, { ...data, expectedUpdatedAt: data.updatedAt.toISOString() });
      return afterDecision(await readSubmission(view), data);
    },
  ),
  several: onGet(listPage),
  decideSeveral: onPost(
    { act: "submission.reviewed", load: findForm, form: bulkForm, retry: listPage },
    async (view) => {
      const { found: form } = view;
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
    },
  ),
} satisfies Handlers;
