/** The workspaces of the team in which the operator has a role: make one, rename one. */
import type { Deps } from "../../platform/deps.ts";
import { assertShape } from "../../platform/http/body.ts";
import { createWorkspace, renameWorkspace } from "../../resources/teams/workspaces.ts";
import { Input } from "../ui/controls.tsx";
import { onGet, onPost } from "./handler.ts";
import {
  mayEverywhere,
  type Page,
  PostForm,
  refusedPage,
  useMay,
  useMayEverywhere,
  useSession,
} from "./layout.tsx";
import { ListPage } from "./list-page.tsx";
import { NewPage } from "./new-page.tsx";
import type { Session } from "./session.ts";
import { NewWorkspace, RenamedWorkspace } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.workspaces;
const path = "/console/workspaces";

const Workspace = ({ id, name, role }: Session["workspaces"][number]) => (
  <li>
    <div>
      <strong dir="auto">{name}</strong>
      <small>{words.yourRole(text.roles[role])}</small>
    </div>
    <a
      href={`/console/operators?${new URLSearchParams({ workspace: id })}`}
      aria-label={words.peopleOf(name)}
    >
      {words.people}
    </a>
    {useMay("workspace.changed", id) && (
      <details class="confirm harmless">
        <summary aria-label={words.renameOf(name)}>{words.rename}</summary>
        <PostForm action={`${path}/rename`} class="inline">
          <input type="hidden" name="workspace" value={id} />
          <Input name="name" label={words.name} value={name} scope={`${id}-`} required />
          <button type="submit" class="quiet">
            {words.renameSubmit}
          </button>
        </PostForm>
      </details>
    )}
  </li>
);

const Workspaces = ({ message }: { message?: string | undefined }) => {
  const { workspaces } = useSession();
  const mayCreate = useMayEverywhere("workspace.created");
  return (
    <ListPage
      title={text.workspacesTitle}
      create={mayCreate && { href: `${path}/new`, label: words.create }}
      message={message}
      intro={
        <p class="quiet">
          {words.hint} {!mayCreate && words.adminsOnly}
        </p>
      }
      items={workspaces}
      pagination={{ page: 1, limit: workspaces.length, total: workspaces.length }}
      path={path}
      none=""
    >
      <ul class="rows">
        {workspaces.map((workspace) => (
          <Workspace key={workspace.id} {...workspace} />
        ))}
      </ul>
    </ListPage>
  );
};

const listPage = (message?: string): Page => ({
  title: text.workspacesTitle,
  section: "workspaces",
  content: <Workspaces message={message} />,
});

const newPage = (session: Session, values: URLSearchParams, message?: string): Page =>
  mayEverywhere(session, "workspace.created")
    ? {
        title: words.create,
        section: "workspaces",
        content: (
          <NewPage
            title={words.create}
            message={message}
            intro={words.createHint}
            action={`${path}/new`}
            submit={words.createSubmit}
            cancel={path}
          >
            <Input name="name" label={words.name} value={values.get("name") ?? ""} required />
          </NewPage>
        ),
      }
    : refusedPage("workspaces", words.adminsOnly);

export const workspacesPages = (deps: Deps) => ({
  list: onGet(deps, async () => listPage()),
  newWorkspace: onGet(deps, async ({ session }) => newPage(session, new URLSearchParams())),
  create: onPost(
    deps,
    async ({ session, values, actor }) => {
      const { name } = assertShape(Object.fromEntries(values), NewWorkspace, "bad_request");
      await createWorkspace(deps.sql, actor, session.team, name);
      return { to: path, text: words.created(name) };
    },
    async ({ session, values, message }) => newPage(session, values, message),
  ),
  rename: onPost(
    deps,
    async ({ session, values, actor }) => {
      const { name, workspace } = assertShape(Object.fromEntries(values), RenamedWorkspace, "bad_request");
      await renameWorkspace(deps.sql, actor, session.team, workspace, name);
      const before = session.workspaces.find(({ id }) => id === workspace);
      const fields = { workspace, name: before?.name ?? name };
      return { to: path, text: text.saved, undo: { action: `${path}/rename`, fields } };
    },
    async ({ message }) => listPage(message),
  ),
});
