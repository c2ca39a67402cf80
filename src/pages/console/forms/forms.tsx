/** The list of forms: `/console`. */
import { type } from "arktype";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { type FormEntry, listForms } from "../../../resources/forms/form-view.ts";
import { Sparkline } from "../../ui/chart.tsx";
import { formatCount, Time } from "../../ui/text.tsx";
import { pathOfForm } from "../form/form.tsx";
import { formatWaiting, State } from "../form/form-state.tsx";
import { Fresh } from "../form/fresh.tsx";
import { home } from "../frame/addresses.ts";
import type { Handlers } from "../frame/context.ts";
import { onGet } from "../frame/handler.ts";
import { useSession, workspacesFor } from "../frame/layout.tsx";
import { Empty, type Listed, ListPage, ListQuery } from "../frame/list-page.tsx";
import { frameText } from "../frame/words.ts";
import { newFormPath } from "./new-form.tsx";
import { formsText } from "./words.ts";

const words = formsText.formList;

const pageSize = 25;
const Flag = type("'true' | 'false'").pipe((text) => text === "true");
const FormsQuery = ListQuery.and({ archived: Flag.default("false") });

const dayMs = 86_400_000;

/** True if the days have no submission yet, and the last one is of these days: they are counted later. */
const isUncounted = ({ days, lastAt }: Pick<FormEntry, "days" | "lastAt">, now = Date.now()): boolean =>
  lastAt !== null && days.every((day) => day === 0) && now - lastAt.getTime() < days.length * dayMs;

const FormCard = ({ form, workspace }: { form: FormEntry; workspace?: string | undefined }) => {
  const { name, days, waiting, submissions, lastAt, settingsInForce } = form;
  const recent = days.reduce((sum, day) => sum + day, 0);
  return (
    <li>
      <div class="heading">
        <h2>
          <a href={pathOfForm(form)} dir="auto">
            {name}
          </a>
          <Fresh count={form.fresh} />
        </h2>
        <State form={{ ...form, total: submissions }} />
      </div>
      {workspace && <small dir="auto">{workspace}</small>}
      {submissions > 0 && !isUncounted(form) && (
        <p class="recent">
          <Sparkline label={words.recentOf(recent, days.length)} values={days} />
          <small>{words.recent(formatCount(recent), days.length)}</small>
        </p>
      )}
      <p class="quiet">
        {words.submissions(formatCount(submissions))}
        {lastAt && (
          <>
            {" · "}
            {words.last} <Time at={lastAt} zone={settingsInForce.availability?.timeZone} />
          </>
        )}
        {waiting > 0 && (
          <>
            {" · "}
            <a href={pathOfForm(form, "review")}>{words.waiting(formatWaiting(waiting))}</a>
          </>
        )}
      </p>
    </li>
  );
};

/** The forms as cards. The workspace is named if the operator has several. */
const FormCards = ({ forms }: { forms: FormEntry[] }) => {
  const { workspaces } = useSession();
  const named = workspaces.length > 1 ? workspaces : [];
  return (
    <ul class="cards">
      {forms.map((form) => (
        <FormCard
          key={form.id}
          form={form}
          workspace={named.find(({ id }) => id === form.workspaceId)?.name}
        />
      ))}
    </ul>
  );
};

const toNewForm = () => ({ href: newFormPath, label: words.create });

const noneOf = (archived: boolean, mayCreate: boolean) => {
  if (archived) return words.noneArchived;
  if (!mayCreate) return words.noneForViewer;
  const lines = [
    "curl -X POST $BASE_URL/papi/v1/management/forms -H 'x-api-key: …' \\",
    "  -H 'content-type: application/json' -d '{\"name\":\"Contact\"}'",
  ];
  return <Empty picture="forms" message={words.none} action={toNewForm()} lines={lines} />;
};

const Forms = ({ archived, ...list }: Listed<FormEntry> & { archived: boolean }) => {
  const session = useSession();
  const mayCreate = workspacesFor(session, "form.created").length > 0;
  return (
    <ListPage
      {...list}
      title={archived ? words.archivedTitle : frameText.sections.forms}
      create={!archived && mayCreate && toNewForm()}
      links={
        <a href={archived ? home : `${home}?archived=true`}>
          {archived ? words.showActive : words.archivedTitle}
        </a>
      }
      path={home}
      query={archived ? { archived: "true" } : {}}
      none={noneOf(archived, mayCreate)}
    >
      <FormCards forms={list.items} />
    </ListPage>
  );
};

export const formsPages = {
  list: onGet(async ({ deps: { sql }, session, query }) => {
    const { page, archived } = parseQuery(query, FormsQuery);
    const list = await listForms(sql, session, archived, { page, limit: pageSize });
    return {
      title: frameText.sections.forms,
      section: "forms",
      content: <Forms {...list} archived={archived} />,
    };
  }),
} satisfies Handlers;
