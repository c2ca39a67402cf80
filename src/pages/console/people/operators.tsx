/** Operators and their roles in the workspaces of a team. */
import { limits } from "../../../limits.ts";
import { say } from "../../../messages.ts";
import type { Deps } from "../../../platform/deps.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { isMailOn } from "../../../platform/mail/smtp.ts";
import { Problem } from "../../../problem.ts";
import {
  endInvitation,
  type Invitation,
  inviteOperator,
  listInvitations,
} from "../../../resources/operators/invitations.ts";
import { invitationMail, mailOperator, resetMail } from "../../../resources/operators/mails.ts";
import {
  listWorkspaceOperators,
  removeOperator,
  type WorkspaceOperator,
} from "../../../resources/operators/operators.ts";
import { makeResetLink } from "../../../resources/operators/passwords.ts";
import { roles } from "../../../resources/operators/roles.ts";
import { requiredConnection } from "../../../resources/operators/sign-in-connections.ts";
import { setEditorsMayPublish, setRequiresPasskey } from "../../../resources/teams/workspaces.ts";
import { Checkbox, choicesOfNames, Input, Select, Submit } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { Time } from "../../ui/text.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import {
  type FormPost,
  idIn,
  onGet,
  onPost,
  type PostRules,
  parseValues,
  type View,
} from "../frame/handler.ts";
import {
  type ConsolePage,
  HiddenFields,
  PostForm,
  refusedPage,
  useMay,
  useSession,
  useWorkspacesFor,
  workspacesFor,
} from "../frame/layout.tsx";
import { ListPage } from "../frame/list-page.tsx";
import { NewPage } from "../frame/new-page.tsx";
import type { Done } from "../frame/notices.ts";
import { Section } from "../frame/parts.tsx";
import { secretPage } from "../frame/secret.tsx";
import type { Session } from "../frame/session.ts";
import {
  InvitationChoice,
  NewOperatorForm,
  OperatorChoice,
  OperatorRemoval,
  WorkspaceQuery,
} from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { WorkspaceChoice } from "../frame/workspace-choice.tsx";
import { peopleText } from "./words.ts";

const words = peopleText.operators;
const path = "/console/operators";

const pageSize = 50;

export const roleChoices = () => roles.map((role) => ({ value: role, label: frameText.roles[role] }));

type Workspace = Session["workspaces"][number];

interface OperatorList extends Awaited<ReturnType<typeof listWorkspaceOperators>> {
  workspace: Workspace;
  invitations: Invitation[];
}

const hrefOf = (workspace: string): string => `${path}?${new URLSearchParams({ workspace })}`;

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
      <Submit class="quiet" label={words.changeRoleSubmit} />
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
          <span class="badge">{frameText.roles[role]}</span>
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
  <Section title={words.invitations}>
    <ul class="rows">
      {items.map(({ id, email, role, expiresAt }) => (
        <li key={id}>
          <div>
            <span dir="auto">{email}</span>
            <small>
              {words.until} <Time at={expiresAt} />
            </small>
          </div>
          <span class="badge">{frameText.roles[role]}</span>
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
  </Section>
);

const Publishing = ({ workspace }: { workspace: Workspace }) => (
  <Section title={words.publishing}>
    <PostForm action={`${path}/publishing`} class="inline">
      <HiddenFields fields={{ workspace: workspace.id }} />
      <Checkbox name="editorsMayPublish" label={words.editors} checked={workspace.editorsMayPublish} />
      <Submit
        class="quiet small"
        aria-label={`${words.editorsSubmit}: ${workspace.name}`}
        label={words.editorsSubmit}
      />
    </PostForm>
  </Section>
);

const StepUp = ({ workspace }: { workspace: Workspace }) => (
  <Section title={words.stepUp} hint={words.stepUpHint}>
    <PostForm action={`${path}/passkeys`} class="inline">
      <HiddenFields fields={{ workspace: workspace.id }} />
      <Checkbox name="requiresPasskey" label={words.stepUpLabel} checked={workspace.requiresPasskey} />
      <Submit
        class="quiet small"
        aria-label={`${words.stepUpSubmit}: ${words.stepUp}`}
        label={words.stepUpSubmit}
      />
    </PostForm>
  </Section>
);

const Operators = ({ workspace, invitations, ...list }: OperatorList) => (
  <ListPage
    {...list}
    title={frameText.operatorsTitle}
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

const NewOperator = ({ workspace }: { workspace: string | undefined }) => (
  <NewPage title={words.add} intro={words.addHint} action={path} submit={words.addSubmit} cancel={path}>
    <Input name="email" type="email" label={words.email} required />
    <Select
      name="workspace"
      label={frameText.workspace}
      value={workspace}
      choices={choicesOfNames(useWorkspacesFor("operator.added"))}
    />
    <Select name="role" label={words.role} hint={words.roleHints} choices={roleChoices()} />
  </NewPage>
);

const newOperatorPage = ({ session, query }: View): ConsolePage =>
  workspacesFor(session, "operator.added").length > 0
    ? { title: words.add, section: "operators", content: <NewOperator workspace={query.workspace} /> }
    : refusedPage("operators", words.adminsOnly);

const listPage = async (
  { deps, session }: View,
  { page, workspace }: typeof WorkspaceQuery.infer,
): Promise<ConsolePage> => {
  const own = session.workspaces.find(({ id }) => !workspace || id === workspace.toLowerCase());
  if (!own) throw new Problem("not_found", say("workspace_missing"));
  const list = await listWorkspaceOperators(deps.sql, session.team, own.id, { page, limit: pageSize });
  const invitations = await listInvitations(deps.sql, session.team, own.id);
  const content = <Operators {...list} workspace={own} invitations={invitations} />;
  return { title: frameText.operatorsTitle, section: "operators", content };
};

/** A form post from the list, which is shown again. */
const postOnList = (rules: PostRules, perform: (post: FormPost) => Promise<Done | ConsolePage>) =>
  onPost(
    { retry: (retry) => listPage(retry, { page: 1, workspace: idIn(retry.values, "workspace") }), ...rules },
    perform,
  );

/** Shows a link that works once. It is sent by mail as well, where that is on. */
const linkPage = async (
  deps: Deps,
  shown: { title: string; secret: string; href: string },
  { email, hint, mail }: { email: string; hint: string; mail: ReturnType<typeof resetMail> },
) => {
  const isSent = isMailOn(deps.config);
  const failure = isSent ? await mailOperator(deps, email, mail) : null;
  const children = (
    <>
      <p>{hint}</p>
      {isSent && <p role="status">{failure === null ? words.mailed(email) : words.notMailed(failure)}</p>}
    </>
  );
  return secretPage({ ...shown, section: "operators", children });
};

export const operatorsPages = {
  list: onGet((view) => listPage(view, parseQuery(view.query, WorkspaceQuery))),
  newPage: onGet(newOperatorPage),
  invite: onPost(
    { retry: newOperatorPage, isRisky: true, passkey: "asked" },
    async ({ deps, session, values, actor }) => {
      const given = parseValues(values, NewOperatorForm);
      const place = { team: session.team, baseUrl: deps.config.BASE_URL };
      const { email, link } = await inviteOperator(deps.sql, actor, place, given);
      const href = hrefOf(given.workspace);
      const role = frameText.roles[given.role];
      if (link === null) return { to: href, text: words.roleChanged(email, role) };
      const { name: workspace = "" } = session.workspaces.find(({ id }) => id === given.workspace) ?? {};
      const mail = invitationMail({ workspace, role, by: session.email }, link, language());
      const required = await requiredConnection(deps.sql, email, session.team);
      const hint = required
        ? words.invitedWithConnection(email, required.name)
        : words.invitedHint(email, limits.operator.invitationDays);
      return await linkPage(deps, { title: words.invitedTitle, secret: link, href }, { email, hint, mail });
    },
  ),
  makeResetLink: postOnList({ isRisky: true, passkey: "asked" }, async ({ deps, session, values, actor }) => {
    const { operator, email, workspace } = parseValues(values, OperatorChoice);
    const place = { team: session.team, baseUrl: deps.config.BASE_URL };
    const { link } = await makeResetLink(deps.sql, actor, place, operator);
    const shown = { title: words.resetTitle, secret: link, href: hrefOf(workspace) };
    const hint = words.resetHint(email, limits.operator.resetMinutes);
    return await linkPage(deps, shown, { email, hint, mail: resetMail(link, language()) });
  }),
  endInvitation: postOnList({}, async ({ deps, session, values, actor }) => {
    const { invitation, workspace } = parseValues(values, InvitationChoice);
    await endInvitation(deps.sql, actor, session.team, workspace, invitation);
    return { to: hrefOf(workspace), text: words.invitationEnded };
  }),
  remove: postOnList({ isRisky: true }, async ({ deps, values, actor }) => {
    const { email, workspace, operator } = parseValues(values, OperatorRemoval);
    await removeOperator(deps.sql, actor, email, workspace, operator ?? null);
    return { to: hrefOf(workspace), text: words.removed(email) };
  }),
  setPublishing: postOnList({}, async ({ deps, session, values, actor }) => {
    const workspace = idIn(values, "workspace");
    await setEditorsMayPublish(deps.sql, actor, session.team, workspace, values.has("editorsMayPublish"));
    return { to: hrefOf(workspace), text: frameText.saved };
  }),
  setPasskeys: postOnList({ passkey: "always" }, async ({ deps, session, values, actor }) => {
    const workspace = idIn(values, "workspace");
    await setRequiresPasskey(deps.sql, actor, session.team, workspace, values.has("requiresPasskey"));
    return { to: hrefOf(workspace), text: frameText.saved };
  }),
} satisfies Handlers;
