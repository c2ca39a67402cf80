/** Operators and their roles in the workspaces of a team. */
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { assertShape } from "../../platform/http/body.ts";
import { parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { isMailOn } from "../../platform/mail/smtp.ts";
import { Problem } from "../../problem.ts";
import {
  endInvitation,
  type Invitation,
  inviteOperator,
  listInvitations,
} from "../../resources/operators/invitations.ts";
import { invitationMail, mailOperator, resetMail } from "../../resources/operators/mails.ts";
import {
  listWorkspaceOperators,
  removeOperator,
  type WorkspaceOperator,
} from "../../resources/operators/operators.ts";
import { makeResetLink } from "../../resources/operators/passwords.ts";
import { roles } from "../../resources/operators/roles.ts";
import { setEditorsMayPublish, setRequiresPasskey } from "../../resources/teams/workspaces.ts";
import { Checkbox, Input, Select } from "../ui/controls.tsx";
import { language } from "../ui/language.ts";
import { Time } from "../ui/text.tsx";
import { Confirm } from "./confirm.tsx";
import { type FormPost, onGet, onPost, type View } from "./handler.ts";
import {
  HiddenFields,
  type Page,
  PostForm,
  refusedPage,
  useMay,
  useSession,
  useWorkspacesFor,
  workspacesFor,
} from "./layout.tsx";
import { ListPage } from "./list-page.tsx";
import { NewPage } from "./new-page.tsx";
import type { Done } from "./notices.ts";
import type { PasskeyRule } from "./proof.tsx";
import { secretPage } from "./secret.tsx";
import type { Session } from "./session.ts";
import {
  InvitationChoice,
  NewOperatorForm,
  OperatorChoice,
  OperatorRemoval,
  WorkspaceQuery,
} from "./shapes.ts";
import { text } from "./text.ts";
import { WorkspaceChoice } from "./workspace-choice.tsx";

const words = text.operators;
const path = "/console/operators";

/** Operators on a page of the list. */
const pageSize = 50;

const roleChoices = () => roles.map((role) => ({ value: role, label: text.roles[role] }));

type Workspace = Session["workspaces"][number];

interface OperatorList extends Awaited<ReturnType<typeof listWorkspaceOperators>> {
  workspace: Workspace;
  invitations: Invitation[];
  message?: string;
}

const hrefOf = (workspace: string): string => `${path}?${new URLSearchParams({ workspace })}`;

const workspaceOf = ({ values }: Pick<FormPost, "values">): string =>
  uuidParam({ workspace: values.get("workspace") ?? "" }, "workspace");

const RoleChange = ({
  email,
  role,
  workspace,
}: Pick<WorkspaceOperator, "email" | "role"> & { workspace: Workspace }) => (
  <details class="confirm harmless">
    <summary aria-label={words.changeRoleOf(email)}>{words.changeRole}</summary>
    <PostForm action={path} class="inline">
      <HiddenFields fields={{ email, workspace: workspace.id }} />
      <Select name="role" label={words.role} scope={`${email}-`} value={role} choices={roleChoices()} />
      <button type="submit" class="quiet">
        {words.changeRoleSubmit}
      </button>
    </PostForm>
  </details>
);

const Members = ({ items, workspace }: { items: WorkspaceOperator[]; workspace: Workspace }) => {
  const mayRemove = useMay("operator.removed", workspace.id);
  return (
    <ul class="rows">
      {items.map(({ id, email, connection, role, createdAt }) => (
        <li key={id}>
          <div>
            <span dir="auto">{email}</span>
            {connection !== null && <small dir="auto">{connection}</small>}
            {connection !== null && mayRemove && <small>{words.byGroups}</small>}
            <small>
              {words.since} <Time at={createdAt} />
            </small>
          </div>
          <span class="badge">{text.roles[role]}</span>
          {connection === null && mayRemove && <RoleChange email={email} role={role} workspace={workspace} />}
          {connection === null && mayRemove && (
            <Confirm
              label={words.resetLink}
              accessibleLabel={words.resetLinkOf(email)}
              action={`${path}/reset-link`}
              hint={words.resetLinkHint}
              confirm={words.resetLinkConfirm}
              isHarmless
              name="operator"
              value={id}
              fields={{ workspace: workspace.id, email }}
            />
          )}
          {mayRemove && (
            <Confirm
              label={words.remove}
              accessibleLabel={words.removeOf(connection === null ? email : `${email} (${connection})`)}
              action={`${path}/remove`}
              {...(connection !== null && { hint: words.removeByGroups })}
              confirm={words.removeConfirm}
              name="email"
              value={email}
              fields={{ workspace: workspace.id, ...(connection !== null && { operator: id }) }}
            />
          )}
        </li>
      ))}
    </ul>
  );
};

const Invitations = ({ items, workspace }: { items: Invitation[]; workspace: Workspace }) => (
  <section>
    <h2>{words.invitations}</h2>
    <ul class="rows">
      {items.map(({ id, email, role, expiresAt }) => (
        <li key={id}>
          <div>
            <span dir="auto">{email}</span>
            <small>
              {words.until} <Time at={expiresAt} />
            </small>
          </div>
          <span class="badge">{text.roles[role]}</span>
          <Confirm
            label={words.endInvitation}
            accessibleLabel={words.endInvitationOf(email)}
            action={`${path}/end-invitation`}
            confirm={words.endInvitationConfirm}
            name="invitation"
            value={id}
            fields={{ workspace: workspace.id }}
          />
        </li>
      ))}
    </ul>
  </section>
);

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

const StepUp = ({ workspace }: { workspace: Workspace }) => (
  <section>
    <h2>{words.stepUp}</h2>
    <p class="quiet">{words.stepUpHint}</p>
    <PostForm action={`${path}/passkeys`} class="inline">
      <input type="hidden" name="workspace" value={workspace.id} />
      <Checkbox name="requiresPasskey" label={words.stepUpLabel} checked={workspace.requiresPasskey} />
      <button type="submit" class="quiet small" aria-label={`${words.stepUpSubmit}: ${words.stepUp}`}>
        {words.stepUpSubmit}
      </button>
    </PostForm>
  </section>
);

const Operators = ({ workspace, invitations, ...list }: OperatorList) => (
  <ListPage
    {...list}
    title={text.operatorsTitle}
    create={
      useMay("operator.added", workspace.id) && {
        href: `${path}/new?workspace=${workspace.id}`,
        label: words.add,
      }
    }
    intro={
      <>
        <p class="quiet">{words.hint}</p>
        <WorkspaceChoice action={path} workspaces={useSession().workspaces} chosen={workspace.id} />
      </>
    }
    path={path}
    query={{ workspace: workspace.id }}
    none={words.none}
    after={
      useMay("workspace.changed", workspace.id) && (
        <>
          {invitations.length > 0 && <Invitations items={invitations} workspace={workspace} />}
          <Publishing workspace={workspace} />
          <StepUp workspace={workspace} />
        </>
      )
    }
  >
    <Members items={list.items} workspace={workspace} />
  </ListPage>
);

const NewOperator = ({ values, message }: { values: URLSearchParams; message?: string | undefined }) => (
  <NewPage
    title={words.add}
    message={message}
    intro={words.addHint}
    action={path}
    submit={words.addSubmit}
    cancel={path}
  >
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
      choices={roleChoices()}
    />
  </NewPage>
);

const newOperatorPage = (session: Session, values: URLSearchParams, message?: string): Page =>
  workspacesFor(session, "operator.added").length > 0
    ? { title: words.add, section: "operators", content: <NewOperator values={values} message={message} /> }
    : refusedPage("operators", words.adminsOnly);

export const operatorsPages = (deps: Deps) => {
  const { sql, config } = deps;
  /** The operators of a workspace of the operator who asks. */
  const listPage = async (
    { session }: View,
    { page, workspace }: typeof WorkspaceQuery.infer,
    message?: string,
  ): Promise<Page> => {
    const own = session.workspaces.find(({ id }) => !workspace || id === workspace.toLowerCase());
    if (!own) throw new Problem("not_found", "There is no such workspace.");
    const list = await listWorkspaceOperators(sql, session.team, own.id, { page, limit: pageSize });
    const invitations = await listInvitations(sql, session.team, own.id);
    const content = (
      <Operators {...list} workspace={own} invitations={invitations} {...(message && { message })} />
    );
    return { title: text.operatorsTitle, section: "operators", content };
  };
  /** A form post from the list, which is shown again. */
  const postOnList = (
    perform: (post: FormPost) => Promise<Done | Page>,
    rules: { isRisky?: boolean; passkey?: PasskeyRule } = {},
  ) =>
    onPost(
      deps,
      perform,
      (retry) => listPage(retry, { page: 1, workspace: workspaceOf(retry) }, retry.message),
      rules,
    );
  /** Sends a link by mail, where that is on, and says whether it was sent. */
  const mailed = async (email: string, written: ReturnType<typeof resetMail>) => {
    if (!isMailOn(config)) return null;
    const reason = await mailOperator(deps, email, written);
    return <p role="status">{reason === null ? words.mailed(email) : words.notMailed(reason)}</p>;
  };
  return {
    list: onGet(deps, (view) => listPage(view, parseQuery(view.query, WorkspaceQuery))),
    newOperator: onGet(deps, async ({ session, query }) =>
      newOperatorPage(session, new URLSearchParams({ workspace: query.workspace ?? "" })),
    ),
    add: onPost(
      deps,
      async ({ session, values, actor }) => {
        const given = assertShape(Object.fromEntries(values), NewOperatorForm, "bad_request");
        const place = { team: session.team, baseUrl: config.BASE_URL };
        const { email, link } = await inviteOperator(sql, actor, place, given);
        const href = hrefOf(given.workspace);
        if (link === null) return { to: href, text: words.roleChanged(email, text.roles[given.role]) };
        const { name: workspace = "" } = session.workspaces.find(({ id }) => id === given.workspace) ?? {};
        const written = invitationMail(
          { workspace, role: text.roles[given.role], by: session.email },
          link,
          language(),
        );
        return secretPage({
          title: words.invitedTitle,
          section: "operators",
          secret: link,
          href,
          children: (
            <>
              <p>{words.invitedHint(email, limits.operator.invitationDays)}</p>
              {await mailed(email, written)}
            </>
          ),
        });
      },
      async ({ session, values, message }) => newOperatorPage(session, values, message),
      { isRisky: true, passkey: "asked" },
    ),
    makeResetLink: postOnList(
      async ({ session, values, actor }) => {
        const { operator, email, workspace } = assertShape(
          Object.fromEntries(values),
          OperatorChoice,
          "bad_request",
        );
        const place = { team: session.team, baseUrl: config.BASE_URL };
        const { link } = await makeResetLink(sql, actor, place, operator);
        return secretPage({
          title: words.resetTitle,
          section: "operators",
          secret: link,
          href: hrefOf(workspace),
          children: (
            <>
              <p>{words.resetHint(email, limits.operator.resetMinutes)}</p>
              {await mailed(email, resetMail(link, language()))}
            </>
          ),
        });
      },
      { isRisky: true, passkey: "asked" },
    ),
    endInvitation: postOnList(async ({ session, values, actor }) => {
      const { invitation, workspace } = assertShape(
        Object.fromEntries(values),
        InvitationChoice,
        "bad_request",
      );
      await endInvitation(sql, actor, session.team, workspace, invitation);
      return { to: hrefOf(workspace), text: words.invitationEnded };
    }),
    remove: postOnList(
      async ({ values, actor }) => {
        const { email, workspace, operator } = assertShape(
          Object.fromEntries(values),
          OperatorRemoval,
          "bad_request",
        );
        await removeOperator(sql, actor, email, workspace, operator ?? null);
        return { to: hrefOf(workspace), text: words.removed(email) };
      },
      { isRisky: true },
    ),
    setPublishing: postOnList(async ({ session, values, actor }) => {
      const workspace = workspaceOf({ values });
      await setEditorsMayPublish(sql, actor, session.team, workspace, values.has("editorsMayPublish"));
      return { to: hrefOf(workspace), text: text.saved };
    }),
    setPasskeys: onPost(
      deps,
      async ({ session, values, actor }) => {
        const workspace = workspaceOf({ values });
        await setRequiresPasskey(sql, actor, session.team, workspace, values.has("requiresPasskey"));
        return { to: hrefOf(workspace), text: text.saved };
      },
      (retry) => listPage(retry, { page: 1, workspace: workspaceOf(retry) }, retry.message),
      { passkey: "always" },
    ),
  };
};
