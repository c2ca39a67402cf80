/** Operators and their roles in the workspaces of a team. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { parseQuery, uuidParam } from "../http/shapes.ts";
import {
  addOperator,
  listWorkspaceOperators,
  removeOperator,
  type WorkspaceOperator,
} from "../operators/operators.ts";
import { roles } from "../operators/roles.ts";
import { Checkbox, Input, Notice, Select } from "../pages/controls.tsx";
import { Pages, Time } from "../pages/text.tsx";
import { Problem } from "../problem.ts";
import { setEditorsMayPublish } from "../teams/workspaces.ts";
import { type Act, act, show, type View } from "./handler.ts";
import {
  type Page,
  PostForm,
  refusedPage,
  useMay,
  useSession,
  useWorkspacesFor,
  workspacesFor,
} from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import type { Session } from "./session.ts";
import { NewOperatorForm, OperatorRemoval, WorkspaceQuery } from "./shapes.ts";
import { text } from "./text.ts";
import { WorkspaceChoice } from "./workspace-choice.tsx";

const words = text.operators;
const path = "/console/operators";

/** Operators on a page of the list. */
const pageSize = 50;

type Workspace = Session["workspaces"][number];

interface OperatorList extends Awaited<ReturnType<typeof listWorkspaceOperators>> {
  workspace: Workspace;
  message?: string;
}

const hrefOf = (workspace: string, page?: number): string =>
  `${path}?${new URLSearchParams({ workspace, ...(page && { page: String(page) }) })}`;

const workspaceOf = ({ values }: Pick<Act, "values">): string =>
  uuidParam({ workspace: values.get("workspace") ?? "" }, "workspace");

const Members = ({ items, workspace }: { items: WorkspaceOperator[]; workspace: Workspace }) => {
  const mayRemove = useMay("operator.removed", workspace.id);
  return (
    <ul class="rows">
      {items.map(({ id, email, role, createdAt }) => (
        <li key={id}>
          <div>
            <span dir="auto">{email}</span>
            <small>
              {words.since} <Time at={createdAt} />
            </small>
          </div>
          <span class="badge">{text.roles[role]}</span>
          {mayRemove && (
            <details class="confirm">
              <summary aria-label={words.removeOf(email)}>{words.remove}</summary>
              <PostForm action={`${path}/remove`}>
                <input type="hidden" name="workspace" value={workspace.id} />
                <button type="submit" class="danger small" name="email" value={email}>
                  {words.removeConfirm}
                </button>
              </PostForm>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
};

const Publishing = ({ workspace }: { workspace: Workspace }) => (
  <section>
    <h2>{words.publishing}</h2>
    <PostForm action={`${path}/publishing`} class="inline">
      <input type="hidden" name="workspace" value={workspace.id} />
      <Checkbox name="editorsMayPublish" label={words.editors} checked={workspace.editorsMayPublish} />
      <button type="submit" class="quiet small" aria-label={`${words.editorsSubmit}: ${workspace.name}`}>
        {words.editorsSubmit}
      </button>
    </PostForm>
  </section>
);

const Operators = ({ items, pagination, workspace, message }: OperatorList) => (
  <>
    <div class="heading">
      <h1>{text.operatorsTitle}</h1>
      {useMay("operator.added", workspace.id) && (
        <a class="button small" href={`${path}/new?workspace=${workspace.id}`}>
          {words.add}
        </a>
      )}
    </div>
    {message && <Notice kind="error">{message}</Notice>}
    <p class="quiet">{words.hint}</p>
    <WorkspaceChoice action={path} workspaces={useSession().workspaces} chosen={workspace.id} />
    {items.length === 0 ? <p class="empty">{words.none}</p> : <Members items={items} workspace={workspace} />}
    <Pages {...pagination} words={text.pages} hrefOf={(page) => hrefOf(workspace.id, page)} />
    {useMay("workspace.changed", workspace.id) && <Publishing workspace={workspace} />}
  </>
);

const NewOperator = ({ values, message }: { values: URLSearchParams; message?: string | undefined }) => (
  <>
    <h1>{words.add}</h1>
    {message && <Notice kind="error">{message}</Notice>}
    <p class="quiet">{words.addHint}</p>
    <PostForm action={path} class="stacked">
      <Input name="email" type="email" label={words.email} value={values.get("email") ?? ""} required />
      <Select
        name="workspace"
        label={text.workspace}
        value={values.get("workspace") ?? undefined}
        choices={useWorkspacesFor("operator.added").map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Select
        name="role"
        label={words.role}
        hint={words.roleHints}
        value={values.get("role") ?? undefined}
        choices={roles.map((role) => ({ value: role, label: text.roles[role] }))}
      />
      <div class="actions">
        <button type="submit">{words.addSubmit}</button>
        <a href={path}>{text.cancel}</a>
      </div>
    </PostForm>
  </>
);

const newOperatorPage = (session: Session, values: URLSearchParams, message?: string): Page =>
  workspacesFor(session, "operator.added").length > 0
    ? { title: words.add, section: "operators", content: <NewOperator values={values} message={message} /> }
    : refusedPage("operators", words.adminsOnly);

export const operatorsPages = (deps: Deps) => {
  const { sql } = deps;
  /** The operators of a workspace of the operator who asks. */
  const listPage = async (
    { session }: View,
    { page, workspace }: typeof WorkspaceQuery.infer,
    message?: string,
  ): Promise<Page> => {
    const own = session.workspaces.find(({ id }) => !workspace || id === workspace.toLowerCase());
    if (!own) throw new Problem("not_found", "There is no such workspace.");
    const list = await listWorkspaceOperators(sql, session.team, own.id, { page, limit: pageSize });
    const content = <Operators {...list} workspace={own} {...(message && { message })} />;
    return { title: text.operatorsTitle, section: "operators", content };
  };
  /** An act on the list, which shows it again. */
  const listAct = (perform: (act: Act) => Promise<string>) =>
    act(deps, perform, (retry) => listPage(retry, { page: 1, workspace: workspaceOf(retry) }, retry.message));
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, (view) => listPage(view, parseQuery(view.query, WorkspaceQuery))),
    )
    .get(
      `${path}/new`,
      show(deps, async ({ session, query }) =>
        newOperatorPage(session, new URLSearchParams({ workspace: query.workspace ?? "" })),
      ),
    )
    .post(
      path,
      act(
        deps,
        async ({ session, values, actor }) => {
          const given = assertShape(Object.fromEntries(values), NewOperatorForm, "bad_request");
          const { email, password } = await addOperator(sql, actor, session.team, given);
          const href = hrefOf(given.workspace);
          if (password === undefined) return href;
          return secretPage({
            title: words.addedTitle,
            section: "operators",
            secret: password,
            href,
            children: <p>{words.addedHint(email)}</p>,
          });
        },
        async ({ session, values, message }) => newOperatorPage(session, values, message),
      ),
    )
    .post(
      `${path}/remove`,
      listAct(async ({ values, actor }) => {
        const { email, workspace } = assertShape(Object.fromEntries(values), OperatorRemoval, "bad_request");
        await removeOperator(sql, actor, email, workspace);
        return hrefOf(workspace);
      }),
    )
    .post(
      `${path}/publishing`,
      listAct(async ({ session, values, actor }) => {
        const workspace = workspaceOf({ values });
        await setEditorsMayPublish(sql, actor, session.team, workspace, values.has("editorsMayPublish"));
        return hrefOf(workspace);
      }),
    );
};
