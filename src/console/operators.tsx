/** Operators and their roles in the workspaces of a team. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { uuidParam } from "../http/shapes.ts";
import { addOperator, listOperators, type OperatorEntry, removeOperator } from "../operators/operators.ts";
import { roles } from "../operators/roles.ts";
import { Checkbox, Input, Notice, Select } from "../pages/controls.tsx";
import { setEditorsMayPublish } from "../teams/workspaces.ts";
import { act, show, type View } from "./handler.ts";
import { type Page, PostForm, useMay, useSession, useWorkspacesFor } from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import { NewOperatorForm, OperatorRemoval } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.operators;
const path = "/console/operators";

interface Operators {
  operators: OperatorEntry[];
  values?: URLSearchParams;
  message?: string;
}

type Workspace = ReturnType<typeof useSession>["workspaces"][number];

const Members = ({ workspace, operators }: { workspace: Workspace; operators: OperatorEntry[] }) => {
  const mayRemove = useMay("operator.removed", workspace.id);
  const mayChange = useMay("workspace.changed", workspace.id);
  return (
    <section>
      <h2 dir="auto">{workspace.name}</h2>
      <ul class="rows">
        {operators.flatMap(({ id, email, roles }) =>
          roles
            .filter(({ workspaceId }) => workspaceId === workspace.id)
            .map(({ role }) => (
              <li key={id}>
                <span dir="auto">{email}</span>
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
            )),
        )}
      </ul>
      {mayChange && (
        <PostForm action={`${path}/publishing`} class="inline">
          <input type="hidden" name="workspace" value={workspace.id} />
          <Checkbox
            name="editorsMayPublish"
            scope={workspace.id}
            label={words.editors}
            checked={workspace.editorsMayPublish}
          />
          <button type="submit" class="quiet small" aria-label={`${words.editorsSubmit}: ${workspace.name}`}>
            {words.editorsSubmit}
          </button>
        </PostForm>
      )}
    </section>
  );
};

const Add = ({ values = new URLSearchParams() }: Pick<Operators, "values">) => (
  <details class="panel" open={values.has("email")}>
    <summary>{words.add}</summary>
    <PostForm action={path} class="stacked">
      <Input name="email" type="email" label={words.email} value={values.get("email") ?? ""} required />
      <Select
        name="workspace"
        label={words.workspace}
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
      <button type="submit">{words.addSubmit}</button>
    </PostForm>
  </details>
);

const Content = ({ operators, values, message }: Operators) => (
  <>
    <h1>{text.operatorsTitle}</h1>
    {message && <Notice kind="error">{message}</Notice>}
    <p class="quiet">{words.hint}</p>
    {useSession().workspaces.map((workspace) => (
      <Members key={workspace.id} workspace={workspace} operators={operators} />
    ))}
    {useWorkspacesFor("operator.added").length > 0 && <Add {...(values && { values })} />}
  </>
);

const operatorsPage = (props: Operators): Page => ({
  title: text.operatorsTitle,
  section: "operators",
  content: <Content {...props} />,
});

export const operatorsPages = (deps: Deps) => {
  const { sql } = deps;
  const read = ({ session }: View) => listOperators(sql, session.team);
  /** An act on this page, which shows it again. */
  const pageAct = (perform: Parameters<typeof act>[1]) =>
    act(deps, perform, async (retry) =>
      operatorsPage({ operators: await read(retry), values: retry.values, message: retry.message }),
    );
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => operatorsPage({ operators: await read(view) })),
    )
    .post(
      path,
      pageAct(async ({ session, values, actor }) => {
        const given = assertShape(Object.fromEntries(values), NewOperatorForm, "bad_request");
        const { email, password } = await addOperator(sql, actor, session.team, given);
        if (password === undefined) return path;
        return secretPage({
          title: words.addedTitle,
          section: "operators",
          secret: password,
          href: path,
          children: <p>{words.addedHint(email)}</p>,
        });
      }),
    )
    .post(
      `${path}/remove`,
      pageAct(async ({ values, actor }) => {
        const { email, workspace } = assertShape(Object.fromEntries(values), OperatorRemoval, "bad_request");
        await removeOperator(sql, actor, email, workspace);
        return path;
      }),
    )
    .post(
      `${path}/publishing`,
      pageAct(async ({ session, values, actor }) => {
        const workspace = uuidParam({ workspace: values.get("workspace") ?? "" }, "workspace");
        await setEditorsMayPublish(sql, actor, session.team, workspace, values.has("editorsMayPublish"));
        return path;
      }),
    );
};
