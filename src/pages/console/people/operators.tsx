/** Operators and their roles in the workspaces of a team. */
import { type } from "arktype";
import { limits } from "../../../limits.ts";
import { say } from "../../../messages.ts";
import type { Deps } from "../../../platform/deps.ts";
import { parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { isMailOn } from "../../../platform/mail/smtp.ts";
import { Problem } from "../../../problem.ts";
import type { Invitation } from "../../../resources/operators/invitations.ts";
import { endInvitation, inviteOperator, listInvitations } from "../../../resources/operators/invitations.ts";
import { invitationMail, mailOperator, resetMail } from "../../../resources/operators/mails.ts";
import type { WorkspaceOperator } from "../../../resources/operators/operators.ts";
import { listWorkspaceOperators, removeOperator } from "../../../resources/operators/operators.ts";
import { makeResetLink } from "../../../resources/operators/passwords.ts";
import type { Role } from "../../../resources/operators/roles.ts";
import { requiredConnection } from "../../../resources/operators/sign-in-connections.ts";
import { changeWorkspace } from "../../../resources/teams/teams.ts";
import { choicesOfNames, Submit } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { Time } from "../../ui/text.tsx";
import type { Handlers } from "../frame/context.ts";
import { Controls, checkbox, type DataOf, formOf, objectOf, oneOf, sent, textInput } from "../frame/form.tsx";
import { type FormPost, filterQuery, namedBy, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, refusedPage, sectionPage, useMay, useSession, workspacesFor } from "../frame/layout.tsx";
import { type Listed, ListPage, WorkspaceChoice, WorkspaceQuery } from "../frame/list-page.tsx";
import { Confirm, FoldedForm, newItemPage, Section, secretPage } from "../frame/parts.tsx";
import type { Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { peopleText } from "./words.ts";

const words = peopleText.operators;
const path = "/console/operators";

const pageSize = 50;

/** Role of a new person, or new role of a person. */
const roleControl = (select: { hint?: string; value?: Role } = {}) =>
  oneOf(frameText.roles, { label: words.role, ...select });

const invitationForm = ({ session, query }: PageContext) =>
  formOf(
    {
      email: textInput({ type: "email", label: frameText.signIn.email, required: true }),
      workspace: objectOf(choicesOfNames(workspacesFor(session, "operator.added")), {
        label: frameText.workspace,
        value: query.workspace,
      }),
      role: roleControl({ hint: words.roleHints }),
    },
    { about: { email_invalid: "email" } },
  );

const workspace = sent(Uuid);
/** Changes a role: an invitation takes effect at once where the person has one. */
const roleForm = (role?: Role) =>
  formOf(
    { email: sent(type.string), workspace, role: roleControl(role && { value: role }) },
    { about: { last_team_admin: "role", last_workspace_admin: "role" }, scopedBy: "email" },
  );

const resetForm = formOf({ workspace, email: sent(type.string), operator: sent(Uuid) });
const endForm = formOf({ workspace, invitation: sent(Uuid) });
const removalForm = formOf({ workspace, email: sent(type.string), operator: sent(Uuid.or("undefined")) });
/** The rules of a workspace, by their addresses. */
const rules = { publishing: "editorsMayPublish", passkeys: "requiresPasskey" } as const;
const rulesForm = (of?: Workspace) =>
  formOf({
    workspace,
    editorsMayPublish: checkbox({
      label: words.rules.editorsMayPublish.label,
      checked: of?.editorsMayPublish,
    }),
    requiresPasskey: checkbox({ label: words.rules.requiresPasskey.label, checked: of?.requiresPasskey }),
  });

type Workspace = Session["workspaces"][number];

const hrefOf = (workspace: string): string => `${path}?${new URLSearchParams({ workspace })}`;

const Members = ({
  items,
  workspace,
  page,
}: {
  items: WorkspaceOperator[];
  workspace: Workspace;
  page: number;
}) => {
  const mayRemove = useMay("operator.removed", workspace.id);
  return (
    <ul class="rows">
      {items.map(({ id, email, connection, role, createdAt, isUnconfirmed }) => (
        <li key={id}>
          <div>
            <span dir="auto">{email}</span>
            {connection !== null && <small dir="auto">{connection}</small>}
            {connection !== null && mayRemove && <small>{words.byGroups}</small>}
            {isUnconfirmed && mayRemove && <small>{words.unconfirmed}</small>}
            <small>
              {frameText.added} <Time at={createdAt} />
            </small>
          </div>
          <span class="badge">{frameText.roles[role]}</span>
          {connection === null && mayRemove && (
            <FoldedForm
              label={words.role}
              accessibleLabel={words.changeRoleOf(email)}
              action={`${path}/role?page=${page}`}
              form={roleForm(role)}
              fields={{ email, workspace: workspace.id }}
              submit={words.changeRoleSubmit}
            />
          )}
          {connection === null && mayRemove && (
            <Confirm
              label={frameText.password.new}
              accessibleLabel={words.resetLinkOf(email)}
              action={`${path}/reset-link`}
              hint={words.resetLinkHint}
              confirm={words.resetLinkConfirm}
              isHarmless
              fields={{ workspace: workspace.id, email, operator: id }}
            />
          )}
          {mayRemove && (
            <Confirm
              label={frameText.remove}
              accessibleLabel={frameText.removeOf(connection === null ? email : `${email} (${connection})`)}
              action={`${path}/remove`}
              hint={connection === null ? words.removeHint : words.removeByGroups}
              confirm={words.removeConfirm}
              fields={{ workspace: workspace.id, email, ...(connection !== null && { operator: id }) }}
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
            fields={{ workspace: workspace.id, invitation: id }}
          />
        </li>
      ))}
    </ul>
  </Section>
);

const Rules = ({ of }: { of: Workspace }) =>
  Object.entries(rules).map(([act, name]) => (
    <Section key={name} title={words.rules[name].title} hint={words.rules[name].hint}>
      <PostForm action={`${path}/${act}`} fields={{ workspace: of.id }} class="inline">
        <Controls of={rulesForm(of)} names={[name]} />
        <Submit
          class="quiet small"
          aria-label={`${frameText.save}: ${words.rules[name].title}`}
          label={frameText.save}
        />
      </PostForm>
    </Section>
  ));

const Operators = ({
  workspace,
  invitations,
  ...list
}: Listed<WorkspaceOperator> & { workspace: Workspace; invitations: Invitation[] }) => (
  <ListPage
    {...list}
    title={frameText.sections.operators}
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
          <Rules of={workspace} />
        </>
      )
    }
  >
    <Members items={list.items} workspace={workspace} page={list.pagination.page} />
  </ListPage>
);

const newOperatorPage = (view: PageContext) => {
  if (workspacesFor(view.session, "operator.added").length === 0)
    return refusedPage("operators", words.adminsOnly);
  const end = { intro: words.addHint, submit: words.addSubmit, cancel: path };
  return newItemPage("operators", { title: words.add, action: path, form: invitationForm(view), ...end });
};

const listPage = async ({ deps, session }: PageContext, { page, workspace }: typeof WorkspaceQuery.infer) => {
  const own = session.workspaces.find(({ id }) => !workspace || id === workspace.toLowerCase());
  if (!own) throw new Problem("not_found", say("workspace_missing"));
  const list = await listWorkspaceOperators(deps.sql, session.team, own.id, { page, limit: pageSize });
  const invitations = await listInvitations(deps.sql, session.team, own.id);
  return sectionPage("operators", <Operators {...list} workspace={own} invitations={invitations} />);
};

/** The list after a post from it. */
const again = (post: FormPost) => {
  const asked = { ...filterQuery(post.query), workspace: post.values.get("workspace") ?? "" };
  return listPage(post, parseQuery(asked, WorkspaceQuery));
};

/**
 * Sends a link that works once, where mail is on, and shows it. @param shown.secret absent: it is only sent
 */
const linkPage = async (
  deps: Deps,
  shown: { title: string; secret?: string | undefined; href: string },
  { email, hint, mail }: { email: string; hint: string; mail: ReturnType<typeof resetMail> },
) => {
  const isSent = isMailOn(deps.config);
  const failure = isSent ? await mailOperator(deps, email, mail) : null;
  const children = (
    <>
      <p>{hint}</p>
      {isSent && <p role="status">{failure === null ? words.mailed(email) : words.notMailed(failure)}</p>}
      {failure !== null && shown.secret === undefined && <p>{words.inviteAgain}</p>}
    </>
  );
  return secretPage({ ...shown, section: "operators", children });
};

/** Invites a person, or changes the role of one. */
async function giveRole({ deps, session, data, actor }: FormPost<DataOf<ReturnType<typeof invitationForm>>>) {
  const isMailed = isMailOn(deps.config);
  const place = { team: session.team, baseUrl: deps.config.BASE_URL, isMailed };
  const { email, link } = await inviteOperator(deps.sql, actor, place, data);
  const href = hrefOf(data.workspace);
  const role = frameText.roles[data.role];
  if (link === null) return { to: href, text: words.roleChanged(email, role) };
  const { name: workspace = "" } = session.workspaces.find(({ id }) => id === data.workspace) ?? {};
  const mail = invitationMail({ workspace, role, by: session.email }, link, language());
  const hint = await invitationHint(deps, session.team, email);
  const shown = { title: words.invitedTitle, secret: isMailed ? undefined : link, href };
  return await linkPage(deps, shown, { email, hint, mail });
}

async function invitationHint({ sql, config }: Deps, team: string, email: string): Promise<string> {
  const required = await requiredConnection(sql, email, team);
  if (required) return words.invitedWithConnection(email, required.name);
  const hint = isMailOn(config) ? words.invitedByMail : words.invitedHint;
  return hint(email, limits.operator.invitationDays);
}

const workspaceName = ({ session, values }: FormPost) =>
  session.workspaces.find(({ id }) => id === values.get("workspace"))?.name ?? "";

export const operatorsPages = {
  list: onGet((view) => listPage(view, parseQuery(view.query, WorkspaceQuery))),
  newPage: onGet(newOperatorPage),
  invite: onPost(
    { act: "operator.invited", nameOf: namedBy("email"), form: invitationForm, retry: newOperatorPage },
    giveRole,
  ),
  changeRole: onPost(
    { act: "operator.role_changed", nameOf: namedBy("email"), form: () => roleForm(), retry: again },
    giveRole,
  ),
  makeResetLink: onPost(
    { act: "operator.reset_link_made", nameOf: namedBy("email"), form: resetForm, retry: again },
    async ({ deps, session, data: { operator, email, workspace }, actor }) => {
      const place = { team: session.team, baseUrl: deps.config.BASE_URL };
      const { link } = await makeResetLink(deps.sql, actor, place, operator);
      const shown = { title: words.resetTitle, secret: link, href: hrefOf(workspace) };
      const hint = words.resetHint(email, limits.operator.resetMinutes);
      return await linkPage(deps, shown, { email, hint, mail: resetMail(link, language()) });
    },
  ),
  endInvitation: onPost(
    { act: "operator.invitation_ended", form: endForm, retry: again },
    async ({ deps, session, data, actor }) => {
      await endInvitation(deps.sql, actor, session.team, data.workspace, data.invitation);
      return { to: hrefOf(data.workspace), text: words.invitationEnded };
    },
  ),
  remove: onPost(
    { act: "operator.removed", nameOf: namedBy("email"), form: removalForm, retry: again },
    async ({ deps, data, actor }) => {
      await removeOperator(deps.sql, actor, data.email, data.workspace, data.operator ?? null);
      return { to: hrefOf(data.workspace), text: words.removed(data.email) };
    },
  ),
  setPublishing: onPost(
    { act: "workspace.publishing_changed", nameOf: workspaceName, form: () => rulesForm(), retry: again },
    async ({ deps, session, data, actor }) => {
      const { workspace, editorsMayPublish } = data;
      await changeWorkspace(deps.sql, actor, session.team, workspace, { editorsMayPublish });
      return { to: hrefOf(workspace), text: frameText.saved };
    },
  ),
  setPasskeys: onPost(
    { act: "workspace.passkeys_changed", nameOf: workspaceName, form: () => rulesForm(), retry: again },
    async ({ deps, session, data, actor }) => {
      const { workspace, requiresPasskey } = data;
      await changeWorkspace(deps.sql, actor, session.team, workspace, { requiresPasskey });
      return { to: hrefOf(workspace), text: frameText.saved };
    },
  ),
} satisfies Handlers;
