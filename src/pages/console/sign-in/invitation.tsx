/** `/console/invitation/<token>`: a role in a workspace, by a link that works once. */
import { say } from "../../../messages.ts";
import { actorOf } from "../../../platform/auth/actor.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { Problem } from "../../../problem.ts";
import type { OpenInvitation } from "../../../resources/operators/invitations.ts";
import { acceptInvitation, readInvitation } from "../../../resources/operators/invitations.ts";
import { Submit } from "../../ui/controls.tsx";
import { redirect } from "../../ui/page.tsx";
import { Time } from "../../ui/text.tsx";
import { home, signInPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { newPasswordForm, SignsInBy } from "../frame/credential-inputs.tsx";
import { ActionButton, PostForm, type Refused } from "../frame/layout.tsx";
import { LinkLine } from "../frame/parts.tsx";
import { linkToken, onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { findSession, requireOwnForm, type Session } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { signInAfter } from "./sign-in.tsx";
import { signInText } from "./words.ts";

const words = signInText.invitation;

const Invitation = ({ role, workspaceName, teamName, expiresAt }: OpenInvitation) => (
  <>
    <p dir="auto">{words.message(frameText.roles[role], workspaceName, teamName)}</p>
    <p class="quiet">
      {words.expires} <Time at={expiresAt} exact />
    </p>
  </>
);

interface Opened extends OpenInvitation {
  session: Session | null;
}

/** Way to accept: with the session, with one that has to begin first, or not at all. */
const Acceptance = ({ path, opened: { email, required, session } }: { path: string; opened: Opened }) => {
  if (required)
    return session?.connectionId === required.id ? (
      <>
        <p dir="auto">{words.inAlready(required.name)}</p>
        <LinkLine class="button" href={home} label={frameText.outside.title} />
      </>
    ) : (
      <>
        <SignsInBy by={required} />
        <p dir="auto">{words.byGroups(required.name)}</p>
      </>
    );
  if (session) {
    const fields = { csrf: session.csrf };
    if (session.email === email && session.connectionId === null)
      return <ActionButton action={path} fields={fields} label={words.accept} class="" />;
    return (
      <>
        <p>{session.email === email ? words.needsPassword : words.other(session.email, email)}</p>
        <ActionButton action="/console/sign-out" fields={fields} label={frameText.signOut} class="" />
      </>
    );
  }
  return (
    <>
      <LinkLine href={`${signInPath}?${new URLSearchParams({ next: path })}`} label={words.signIn} />
      <h2>{words.newAccount}</h2>
      <PostForm action={path} form={newPasswordForm({ email })}>
        <Submit label={words.submit} />
      </PostForm>
    </>
  );
};

const invitationPage = ({ request, set }: Context, opened: Opened, refused?: Refused): string =>
  plainPage(
    set,
    words.title,
    <>
      <Invitation {...opened} />
      <Acceptance path={pathOf(request)} opened={opened} />
    </>,
    refused,
  );

const find = async (context: Context): Promise<Opened> => ({
  ...(await readInvitation(context.deps.sql, linkToken(context))),
  session: await findSession(context.deps, context.request),
});

const formFor = ({ email, required, session }: Opened) =>
  session || required ? undefined : newPasswordForm({ email });

export const invitationPages = {
  page: async (context) => invitationPage(context, await find(context)),
  accept: onPlainPost(
    { find, form: formFor, page: invitationPage },
    async ({ found, values, data, ...context }) => {
      const { deps, request, set } = context;
      const { email, required, session } = found;
      if (session) requireOwnForm(deps, request, session, values.get("csrf") ?? "");
      if (required) throw new Problem("conflict", say("team_without_passwords"));
      const login = { email, ...data };
      const by = session ? { operator: session.operator } : login;
      await acceptInvitation(deps.sql, actorOf(request, "anonymous", null), linkToken(context), by);
      if (session) return redirect(set, "/console/account");
      return await signInAfter(context, login, { isNewAccount: true });
    },
  ),
} satisfies Handlers;
