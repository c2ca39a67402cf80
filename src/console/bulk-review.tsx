/** Review of several submissions at once: one decision on all that are checked. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import type { Field } from "../fields/definition.ts";
import { assertShape } from "../http/body.ts";
import { parseQuery } from "../http/shapes.ts";
import { Input, Notice } from "../pages/controls.tsx";
import { Pages, Time } from "../pages/text.tsx";
import { Problem } from "../problem.ts";
import { reviewSubmissions } from "../submissions/review.ts";
import type { SubmissionRow } from "../submissions/shapes.ts";
import { type FormView, findForm, formPage, pathOfForm } from "./form.tsx";
import { act, show, type View } from "./handler.ts";
import { PostForm, useMay } from "./layout.tsx";
import { BulkReviewForm, ListQuery } from "./shapes.ts";
import {
  Cell,
  hrefOfSubmission,
  publishedFields,
  readPage,
  type SubmissionPage,
  shorten,
  totalOf,
} from "./submissions.tsx";
import { text } from "./text.ts";

const words = text.review;

/** Submissions on a page, and the columns that it has room for. */
const pageSize = 100;
const maxColumns = 2;

interface Waiting extends SubmissionPage {
  form: FormView;
  fields: Field[];
  values?: URLSearchParams;
  message?: string;
}

async function readWaiting(deps: Deps, view: View): Promise<Waiting> {
  const form = await findForm(deps, view);
  const { page } = parseQuery(view.query, ListQuery);
  const [fields, found] = await Promise.all([
    publishedFields(deps, form),
    readPage(deps, form, { review: "open" }, { page, limit: pageSize }),
  ]);
  return { form, fields, ...found };
}

const pathOfBulk = (form: FormView) => `${pathOfForm(form, "review")}/several`;

const Row = ({
  form,
  columns,
  submission: { id, data, createdAt, updatedAt },
  isChecked,
}: {
  form: FormView;
  columns: Field[];
  submission: SubmissionRow;
  isChecked: boolean;
}) => (
  <tr>
    <td class="select">
      <input
        type="checkbox"
        name="submissions"
        value={`${id} ${updatedAt.toISOString()}`}
        aria-label={words.selectOf(createdAt.toISOString())}
        checked={isChecked}
      />
    </td>
    <th scope="row">
      <a href={hrefOfSubmission(form, id)}>
        <Time at={createdAt} />
      </a>
    </th>
    {columns.map((field) => (
      <Cell key={field.id} data={data} field={field} />
    ))}
  </tr>
);

const BulkForm = ({ form, fields, items, pagination, values = new URLSearchParams() }: Waiting) => {
  const columns = fields.filter(({ fieldType }) => !fieldType.displayOnly).slice(0, maxColumns);
  const checked = new Set(values.getAll("submissions").map((value) => value.slice(0, value.indexOf(" "))));
  return (
    <PostForm action={`${pathOfBulk(form)}?page=${pagination.page}`} class="stacked wide">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">{words.select}</th>
            <th scope="col">{text.submissions.received}</th>
            {columns.map(({ id, label }) => (
              <th scope="col" key={id} dir="auto">
                {shorten(label || id)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((submission) => (
            <Row
              key={submission.id}
              {...{ form, columns, submission }}
              isChecked={checked.has(submission.id)}
            />
          ))}
        </tbody>
      </table>
      <Input name="reason" label={words.reason} required={false} value={values.get("reason") ?? ""} />
      <div class="actions">
        <button type="submit" name="decision" value="approve">
          {words.approveAll}
        </button>
        <button type="submit" class="danger" name="decision" value="reject">
          {words.rejectAll}
        </button>
      </div>
    </PostForm>
  );
};

const Content = (waiting: Waiting) => {
  const { form, items, pagination, message } = waiting;
  return (
    <>
      <div class="heading">
        <h2>{words.severalTitle}</h2>
        <a href={pathOfForm(form, "review")}>{words.oneByOne}</a>
      </div>
      {message && <Notice kind="error">{message}</Notice>}
      <p class="quiet">
        {words.waiting(totalOf(pagination))}. {words.severalHint}
      </p>
      {items.length === 0 && <p class="empty">{words.none}</p>}
      {items.length > 0 && useMay("submission.reviewed", form.workspaceId) && <BulkForm {...waiting} />}
      <Pages {...pagination} words={text.pages} hrefOf={(page) => `${pathOfBulk(form)}?page=${page}`} />
    </>
  );
};

const bulkPage = (waiting: Waiting, status = 200) => ({
  ...formPage(waiting.form, "review", words.severalTitle, <Content {...waiting} />),
  status,
});

/** @throws {Problem} `bad_request`. */
function parseReview(values: URLSearchParams) {
  const entered = {
    decision: values.get("decision"),
    reason: values.get("reason")?.trim() ?? "",
    submissions: values.getAll("submissions"),
  };
  if (entered.submissions.length === 0) throw new Problem("bad_request", words.noneChecked);
  const review = assertShape(entered, BulkReviewForm, "bad_request");
  return { ...review, reason: review.reason || null };
}

export const bulkReviewPages = (deps: Deps) => {
  const path = "/console/forms/:form_id/review/several";
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => bulkPage(await readWaiting(deps, view))),
    )
    .post(
      path,
      act(
        deps,
        async (view) => {
          const form = await findForm(deps, view);
          const { submissions, ...review } = parseReview(view.values);
          const of = { team: form.teamId, form: form.id };
          const left = await reviewSubmissions(deps.sql, view.actor, of, submissions, review);
          if (left.length === 0) return pathOfBulk(form);
          const message = words.left(left.length, submissions.length);
          return bulkPage({ ...(await readWaiting(deps, view)), message }, 409);
        },
        async (retry) =>
          bulkPage(
            { ...(await readWaiting(deps, retry)), values: retry.values, message: retry.message },
            retry.problem?.status,
          ),
      ),
    );
};
