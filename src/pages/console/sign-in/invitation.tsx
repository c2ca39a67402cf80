/** `/console/invitation/<token>`: a role in a workspace, by a link that works once. */
import { say } from "../../../messages.ts";
import { actorOf } from "../../../platform/auth/actor.ts";
import type { Sql } from "../../../platform/database/db.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { Problem } from "../../../problem.ts";
import * as account from "../../../resources/operators/account.ts";
import type { OpenInvitation } from "../../../resources/operators/invitations.ts";
import { acceptInvitation, readInvitation } from "../../../resources/operators/invitations.ts";
import { listPasskeys, type Passkey } from "../../../resources/operators/passkeys.ts";
import { Submit } from "../../ui/controls.tsx";
import { redirect } from "../../ui/page.tsx";
import { Time } from "../../ui/text.tsx";
import { home, signInPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { newPasswordForm, SignsInBy } from "../frame/credential-inputs.tsx";
import { respond } from "../frame/handler.ts";
import { KeyTimes } from "../frame/key-end.tsx";
import { ActionButton, PostForm, type Refused } from "../frame/layout.tsx";
import { LinkLine, Section } from "../frame/parts.tsx";
import { linkToken, onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { requireProof, takeProof } from "../frame/reauthentication.tsx";
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

/** All by which the account that would accept can be entered. */
interface Entries {
  passwordSetAt: Date;
  passkeys: Passkey[];
  sessions: account.ListedSession[];
}

interface Opened extends OpenInvitation {
  session: Session | null;
  /** Undefined: no account is signed in, or another one. */
  entries: Entries | undefined;
}

/** Text for the state of the list that a person sees. Sessions, which end, may come and go. */
const seenIn = ({ passwordSetAt, passkeys }: Entries) =>
  [passwordSetAt.toISOString(), ...passkeys.map(({ id }) => id).sort()].join(" ");

/** List before a role is accepted: a thief who can enter the account would get the role as well. */
const AccountEntries = ({ passwordSetAt, passkeys, sessions }: Entries) => (
  <Section title={words.entries}>
    <ul class="rows">
      <li>
        <div>
          {words.byPassword}
          <small>
            {words.passwordSet} <Time at={passwordSetAt} />
          </small>
        </div>
      </li>
      {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
        <li key={id}>
          <div>
            <span dir="auto">{words.byPasskey(name)}</span>
            <KeyTimes created={frameText.added} times={{ createdAt, lastUsedAt }} />
          </div>
        </li>
      ))}
      {sessions.map(({ id, device, teamName, seenAt }) => (
        <li key={id}>
          <div>
            <span dir="auto">{words.bySession(device ?? teamName)}</span>
            <small>
              {frameText.keyEnd.lastUsed} <Time at={seenAt} /> · {words.sessionEnds}
            </small>
          </div>
        </li>
      ))}
    </ul>
    <p>{words.entriesHint}</p>
    <LinkLine href="/console/account/password" label={frameText.password.link} />
  </Section>
);

/** Way to accept: with the session, with one that has to begin first, or not at all. */
const Acceptance = ({ path, opened }: { path: string; opened: Opened }) => {
  const { email, required, session, entries } = opened;
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
    if (entries)
      return (
        <>
          <AccountEntries {...entries} />
          <ActionButton
            action={path}
            fields={{ ...fields, seen: seenIn(entries) }}
            label={words.accept}
            class=""
          />
        </>
      );
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

async function find(context: Context): Promise<Opened> {
  const { deps, request } = context;
  const invitation = await readInvitation(deps.sql, linkToken(context));
  const session = await findSession(deps, request);
  const isFor = session?.email === invitation.email && session.connectionId === null;
  return { ...invitation, session, entries: isFor ? await entriesOf(deps.sql, session) : undefined };
}

const entriesOf = async (sql: Sql, session: Session): Promise<Entries> => ({
  passwordSetAt: await account.readPasswordSetAt(sql, session.operator),
  passkeys: await listPasskeys(sql, session.operator),
  sessions: (await account.listSessions(sql, session)).filter(({ isCurrent }) => !isCurrent),
});

const formFor = ({ email, required, session }: Opened) =>
  session || required ? undefined : newPasswordForm({ email });

/** @throws {Problem} `conflict` if the list has changed since it was shown */
function requireSeen(entries: Entries | undefined, values: URLSearchParams): void {
  const seen = values.get("seen");
  if (entries && seen !== null && seen !== seenIn(entries))
    throw new Problem("conflict", say("entries_changed"));
}

export const invitationPages = {
  page: async (context) => invitationPage(context, await find(context)),
  accept: onPlainPost(
    { find, form: formFor, page: invitationPage },
    async ({ found: { email, required, session, entries, teamName }, values, data, ...context }) => {
      const { deps, request, set } = context;
      if (session) requireOwnForm(deps, request, session, values.get("csrf") ?? "");
      if (required) throw new Problem("conflict", say("team_without_passwords"));
      // Another account is refused by the database, whatever the password.
      const post = session && entries && { deps, request, session, values };
      const act = "operator.invitation_accepted";
      const asked = post && (await requireProof(post, takeProof(values), act, () => teamName));
      if (asked) return respond(set, asked, post.session);
      requireSeen(entries, values);
      const login = { email, ...data };
      const actor = actorOf(request, "anonymous", null);
      await acceptInvitation(deps.sql, actor, linkToken(context), session ?? login);
      return session ? redirect(set, "/console/account") : await signInAfter(context, login);
    },
  ),
} satisfies Handlers;
