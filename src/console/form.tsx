/** What the pages of one form have in common: the form, and the tabs. */
import type { ComponentChildren } from "preact";
import { type Actor, toSql } from "../auth/actor.ts";
import { jsonb } from "../db.ts";
import type { Deps } from "../deps.ts";
import { pagePathOf } from "../form-page/address.ts";
import { Form, FormDiffRequest, type FormRow } from "../forms/shapes.ts";
import { assertShape } from "../http/body.ts";
import { columnNames } from "../http/resource.ts";
import { uuidParam } from "../http/shapes.ts";
import { Problem } from "../problem.ts";
import { formatWaiting, maxWaiting, Status } from "./forms.tsx";
import type { View } from "./handler.ts";
import type { Page } from "./layout.tsx";
import { text } from "./text.ts";

/** A form in a workspace of the operator, with what waits for review. `publishedSchema`: of the current version; null when there is none. */
export type FormView = FormRow & { waiting: number; publishedSchema: FormRow["schema"] | null };

/** @throws {Problem} `bad_request`, `not_found`. */
export async function findForm({ sql }: Deps, { params, session }: View): Promise<FormView> {
  const id = uuidParam(params as { form_id: string }, "form_id");
  const columns = columnNames(Form).map((name) => `f.${name}`);
  const [form] = await sql<FormView[]>`
    select ${sql(columns)}, (
      select count(*)::integer from (
        select from formd.submissions s
        where s.team_id = f.team_id and s.form_id = f.id and s.status = 'pending' and s.review_decision is null
        order by s.id limit ${maxWaiting}) w) as waiting, (
      select v.schema from formd.form_versions v
      where v.team_id = f.team_id and v.form_id = f.id and v.version = f.current_version) as published_schema
    from formd.forms f
    join formd.workspace_roles r
      on r.team_id = f.team_id and r.workspace_id = f.workspace_id and r.operator_id = ${session.operator}
    where f.team_id = ${session.team} and f.id = ${id}`;
  if (!form) throw new Problem("not_found", "There is no such form.");
  return form;
}

/** Applies one operation to the draft that the operator has seen. @throws {Problem} what form_patch raises; `bad_request`. */
export async function patchForm(
  { sql }: Deps,
  actor: Actor,
  { teamId, id }: Pick<FormRow, "teamId" | "id">,
  operation: object,
  seenUpdatedAt: string | null,
): Promise<void> {
  const { operations, expectedUpdatedAt } = assertShape(
    { operations: [operation], ...(seenUpdatedAt && { expectedUpdatedAt: seenUpdatedAt }) },
    FormDiffRequest,
    "bad_request",
  );
  await sql`
    select from formd.form_patch(
      p_team => ${teamId}, p_actor => ${toSql(sql, actor)}, p_form => ${id}, p_operations => ${jsonb(sql, operations)},
      p_expected_version => null, p_expected_updated_at => ${expectedUpdatedAt ?? null})`;
}

const tabs = {
  edit: "",
  publish: "/publish",
  submissions: "/submissions",
  review: "/review",
  charts: "/charts",
  accessKeys: "/access-keys",
} as const;
export type Tab = keyof typeof tabs;

export const pathOfForm = ({ id }: Pick<FormRow, "id">, tab: Tab = "edit"): string =>
  `/console/forms/${id}${tabs[tab]}`;

/** The page on which respondents fill the form in. */
const pageHref = ({ teamId, id, settings }: FormView): string =>
  settings.page?.alias ? `/f/${settings.page.alias}` : pagePathOf({ team: teamId, form: id });

/** The frame of a form's pages. */
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
      <Status {...form} />
      {form.settings.page?.enabled && form.status === "published" && (
        <a href={pageHref(form)}>{text.form.page}</a>
      )}
    </div>
    <nav class="tabs" aria-label={text.form.tabs}>
      <ul>
        {(Object.keys(tabs) as Tab[]).map((name) => (
          <li key={name}>
            <a href={pathOfForm(form, name)} aria-current={name === tab ? "page" : undefined}>
              {text.form[name]}
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

/** A page of a form. */
export const formPage = (
  form: FormView,
  tab: Tab | undefined,
  title: string,
  content: ComponentChildren,
): Page => ({
  title: `${title} · ${form.name}`,
  section: "forms",
  content: (
    <FormFrame form={form} tab={tab}>
      {content}
    </FormFrame>
  ),
});
