/** Deletes several submissions: the ones chosen in the list, or all that match its filters. */
import { type } from "arktype";
import { limits } from "../../../limits.ts";
import { databaseTime } from "../../../platform/database/db.ts";
import { rawQueryOf } from "../../../platform/http/request-context.ts";
import { DateTime, parseQuery } from "../../../platform/http/shapes.ts";
import { deleteEach } from "../../../resources/submissions/erase.ts";
import { readSubmissionPage } from "../../../resources/submissions/read.ts";
import { Notice } from "../../ui/controls.tsx";
import { type FormView, findForm, formPage, nameOfForm, pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { type DataOf, formOf, sent } from "../frame/form.tsx";
import { type FormPost, filterQuery, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, requireMay } from "../frame/layout.tsx";
import { filtersOf } from "../frame/list-page.tsx";
import { FormActions, LinkLine } from "../frame/parts.tsx";
import { chosenIn, chosenName, readFilters } from "./filters.tsx";
import { submissionsText } from "./words.ts";

const words = submissionsText.submissions;

/** Submissions that one press deletes: each in a transaction of some milliseconds. */
const { maxDeletes } = limits.submission;

/** Time of the newest that the question is about, if newer ones were searched before. */
const OlderQuery = type({ "until?": DateTime });

/** Name of the list's button. */
export const isChosenName = "chosen";

export const deletePathOf = (form: Pick<FormView, "id">): string =>
  `${pathOfForm(form, "submissions")}/delete`;

interface Doomed {
  form: FormView;
  /** Ids of the chosen submissions. Empty: all that match the filters. */
  chosen: string[];
  query: Record<string, string>;
  left: number;
  /** True: they are the newest of more than a list counts. */
  isNewest?: boolean;
  /** Time from which older ones were not looked at, or null. */
  olderBefore?: Date | null;
  /** Time of the question, by the clock that dates submissions. Later ones stay. */
  until: Date;
}

/** Submissions that the question is about. @throws {Problem} `not_found`, `bad_request`. */
async function readDoomed(view: PageContext): Promise<Doomed> {
  const { deps } = view;
  const form = await findForm(view);
  requireMay(view.session, "submission.deleted", form.workspaceId);
  const { [chosenName]: _, [isChosenName]: isChosen, until: older, ...filters } = filterQuery(view.query);
  const query = filtersOf(filters);
  const chosen = chosenIn(new URLSearchParams(rawQueryOf(view.request)));
  // The button under the table, though no box is checked, does not mean all.
  const asked = parseQuery(older === undefined ? {} : { until: older }, OlderQuery);
  const { until: now = await databaseTime(deps.sql) } = asked;
  if (isChosen || chosen.length > 0) return { form, chosen, query, left: chosen.length, until: now };
  const read = await readFilters(deps, form, query);
  const { createdBefore } = read;
  const until = createdBefore && createdBefore < now ? createdBefore : now;
  const found = { ...read, createdBefore: until };
  const { pagination, olderBefore } = await readSubmissionPage(deps.sql, form, found, { page: 1, limit: 1 });
  const { total: left, isTotalExact = true } = pagination;
  return { form, chosen, query, left, isNewest: !isTotalExact, olderBefore, until };
}

/** @param done result of an earlier press */
const questionPage = (doomed: Doomed, done?: string) => {
  const { form, chosen, query, left, isNewest, olderBefore, until } = doomed;
  const none = olderBefore ? words.olderLeft : words.removeNone;
  const title = left > 0 ? (isNewest ? words.removeNewest : words.removeMany)(left) : none;
  const list = pathOfForm(form, "submissions");
  const asked = new URLSearchParams(query);
  const now = Math.min(left, maxDeletes);
  return formPage(
    form,
    "submissions",
    title,
    <>
      {done && <Notice kind="success">{done}</Notice>}
      <h2>{left > 0 ? `${title}?` : title}</h2>
      {left > 0 ? (
        <PostForm
          action={`${deletePathOf(form)}?${asked}`}
          fields={{ left: String(left), until: until.toISOString() }}
          class="stacked"
        >
          <p>{words.removeManyHint}</p>
          {left > now && <p>{words.removeSteps(now)}</p>}
          {chosen.map((id) => (
            <input key={id} type="hidden" name={chosenName} value={id} />
          ))}
          <FormActions class="danger" submit={words.removeMany(now)} cancel={`${list}?${asked}`} />
        </PostForm>
      ) : olderBefore ? (
        <LinkLine
          href={`${deletePathOf(form)}?${new URLSearchParams({ ...query, until: olderBefore.toISOString() })}`}
          label={words.searchOlder}
        />
      ) : (
        <LinkLine href={list} label={words.back} />
      )}
    </>,
  );
};

/** Chosen submissions, or else the newest that match the filters. */
const deleteForm = formOf({
  left: sent(type(/^[1-9]\d{0,5}$/).pipe(Number)),
  until: sent(DateTime),
  [chosenName]: { read: chosenIn },
});

/** Deletes the chosen submissions, or all that match the filters, newest first, up to {@link maxDeletes}. */
async function removeSome(view: FormPost<DataOf<typeof deleteForm>>, form: FormView, query: Doomed["query"]) {
  const { deps } = view;
  const { left, until, submissions } = view.data;
  const isChosen = submissions.length > 0;
  const filters = isChosen ? undefined : { ...(await readFilters(deps, form, query)), createdBefore: until };
  const next = { page: 1, limit: Math.min(left, maxDeletes) };
  const items = filters ? (await readSubmissionPage(deps.sql, form, filters, next)).items : [];
  const ids = isChosen ? submissions : items.map(({ id }) => id);
  const of = { teamId: form.teamId, formId: form.id };
  const { deleted, held } = await deleteEach(deps.sql, view.actor, of, ids);
  const done = words.removedMany(deleted) + (held > 0 ? ` ${words.heldMany(held)}` : "");
  return { done, isChosen, left: left - ids.length, last: items.at(-1) };
}

export const deleteSubmissionsPages = {
  question: onGet(async (view) => questionPage(await readDoomed(view))),
  remove: onPost(
    { act: "submission.several_deleted", nameOf: nameOfForm, form: deleteForm },
    async (view) => {
      const form = await findForm(view);
      requireMay(view.session, "submission.deleted", form.workspaceId);
      const query = filterQuery(view.query);
      const { done, isChosen, left, last } = await removeSome(view, form, query);
      if (last && left > 0) {
        // Continues with the last one's instant: a held submission stays, and others may have that instant.
        const until = last.createdAt;
        return questionPage({ form, chosen: [], query, left, until }, done);
      }
      const list = pathOfForm(form, "submissions");
      return { to: isChosen ? `${list}?${new URLSearchParams(query)}` : list, text: done };
    },
  ),
} satisfies Handlers;
