/** What the pages of one form have in common: the form, and the tabs. */
import type { ComponentChildren } from "preact";
import { say } from "../../../messages.ts";
import { toSql } from "../../../platform/auth/actor.ts";
import { jsonb, oneRow } from "../../../platform/database/db.ts";
import { assertShape } from "../../../platform/http/body.ts";
import { columnNames } from "../../../platform/http/resource.ts";
import { uuidParam } from "../../../platform/http/shapes.ts";
import { Problem } from "../../../problem.ts";
import { pagePathOf } from "../../../resources/forms/page-address.ts";
import { Form, FormDiffRequest, type FormRow } from "../../../resources/forms/shapes.ts";
import { Picture } from "../../ui/pictures.tsx";
import type { FormPost, View } from "../frame/handler.ts";
import { type ConsolePage, type Refused, useMay } from "../frame/layout.tsx";
import { formatWaiting, isOnline, maxWaiting, State } from "./form-state.tsx";
import { formText } from "./words.ts";

/**
 * A form in a workspace of the operator, with what waits for review. `publishedSchema`: of the current
 * version; null when there is none.
 */
export type FormView = FormRow & {
  publishedSettings: FormRow["settings"] | null;
  settingsInForce: FormRow["settings"];
  waiting: number;
  publishedSchema: FormRow["schema"] | null;
  /** Submissions that it has, of any status. */
  total: number;
};

/** Where the picture of a page is: it is large, and shown of the draft's settings alone. */
const logoPath = "{page,theme,logo}";

/** @throws {Problem} `bad_request`, `not_found`. */
export async function findForm({ deps: { sql }, params, session }: View): Promise<FormView> {
  const id = uuidParam(params as { form_id: string }, "form_id");
  const columns = columnNames(Form).map((name) => `f.${name}`);
  const [form] = await sql<FormView[]>`
    select ${sql(columns)}, f.published_settings #- ${logoPath}::text[] as published_settings,
      f.settings_in_force #- ${logoPath}::text[] as settings_in_force, (
      select count(*)::integer from (
        select from formd.submissions s
        where s.team_id = f.team_id and s.form_id = f.id and s.status = 'pending' and s.review_decision is null
        order by s.id limit ${maxWaiting}) w) as waiting, (
      select v.schema from formd.form_versions v
      where v.team_id = f.team_id and v.form_id = f.id and v.version = f.current_version) as published_schema, (
      select coalesce(sum(c.total), 0)::double precision from formd.submission_counts c
      where c.team_id = f.team_id and c.form_id = f.id) as total
    from formd.forms f
    join formd.workspace_roles r
      on r.team_id = f.team_id and r.workspace_id = f.workspace_id and r.operator_id = ${session.operator}
    where f.team_id = ${session.team} and f.id = ${id}`;
  if (!form) throw new Problem("not_found", say("form_missing"));
  return form;
}

/**
 * Applies one operation, or several, to the draft that the operator has seen.
 * @param seenUpdatedAt null: whatever has changed since
 * @returns when the draft was changed last
 * @throws {Problem} what form_patch raises; `bad_request`.
 */
export async function patchForm(
  { deps: { sql }, actor, values }: FormPost,
  { teamId, id }: Pick<FormRow, "teamId" | "id">,
  operation: object | readonly object[],
  seenUpdatedAt = values.get("updatedAt"),
): Promise<Date> {
  const { operations, expectedUpdatedAt } = assertShape(
    { operations: [operation].flat(), ...(seenUpdatedAt && { expectedUpdatedAt: seenUpdatedAt }) },
    FormDiffRequest,
    "bad_request",
  );
  const { updatedAt } = oneRow(
    await sql<{ updatedAt: Date }[]>`
    select updated_at from formd.form_patch(
      p_team => ${teamId}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_operations => ${jsonb(sql, operations)},
      p_expected_version => null, p_expected_updated_at => ${expectedUpdatedAt ?? null})`,
  );
  return updatedAt;
}

const tabs = {
  edit: "",
  settings: "/settings",
  publish: "/publish",
  share: "/share",
  submissions: "/submissions",
  answers: "/answers",
  review: "/review",
  charts: "/charts",
  mails: "/mails",
  accessKeys: "/access-keys",
} as const;
export type Tab = keyof typeof tabs;

export const pathOfForm = ({ id }: Pick<FormRow, "id">, tab: Tab = "edit"): string =>
  `/console/forms/${id}${tabs[tab]}`;

export const hrefOfSubmission = (form: FormView, id: string) => `${pathOfForm(form, "submissions")}/${id}`;

/** The hidden field by which a change of a draft that another one has changed since is refused. */
export const Seen = ({ form, refused }: { form: FormView; refused?: Refused | undefined }) => {
  // After a conflict has been shown, saving again replaces what came in between.
  const seenBefore = refused?.problem?.code === "conflict" ? null : refused?.values.get("updatedAt");
  return <input type="hidden" name="updatedAt" value={seenBefore ?? form.updatedAt.toISOString()} />;
};

/** The page of questions with one of them open. */
export const fieldHref = (form: Pick<FormRow, "id">, id: string): string =>
  `${pathOfForm(form)}?${new URLSearchParams({ edit: id })}`;

/** The page on which respondents fill the form in. */
export const pageHref = ({
  teamId,
  id,
  settingsInForce: { page },
}: Pick<FormView, "teamId" | "id" | "settingsInForce">): string =>
  page?.alias ? `/f/${page.alias}` : pagePathOf({ team: teamId, form: id });

/** Those that the operator has a use for. */
const useTabs = (form: FormView): Tab[] => {
  const maySet = useMay("form.settings_changed", form.workspaceId);
  return (Object.keys(tabs) as Tab[]).filter((name) => name !== "settings" || maySet);
};

const FormFrame = ({
  form,
  tab,
  children,
}: {
  form: FormView;
  tab: Tab | undefined;
  children: ComponentChildren;
}) => (
  <>
    <div class="heading">
      <h1 dir="auto">{form.name}</h1>
      <State form={form} />
      {isOnline(form) && (
        <a href={pageHref(form)}>
          <Picture name="external" />
          {formText.form.page}
        </a>
      )}
    </div>
    <nav class="tabs" aria-label={formText.form.tabs}>
      <ul>
        {useTabs(form).map((name) => (
          <li key={name}>
            <a href={pathOfForm(form, name)} aria-current={name === tab ? "page" : undefined}>
              {formText.form[name]}
              {name === "review" && form.waiting > 0 && (
                <>
                  {" "}
                  <span class="badge pending">{formatWaiting(form.waiting)}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {children}
  </>
);

export const formPage = (
  form: FormView,
  tab: Tab | undefined,
  title: string,
  content: ComponentChildren,
): ConsolePage => ({
  title: `${title} · ${form.name}`,
  section: "forms",
  content: (
    <FormFrame form={form} tab={tab}>
      {content}
    </FormFrame>
  ),
});
