/** Links that work once: an invitation, and a new password in place of a lost one. */
import { limits } from "../../../limits.ts";
import { actorOf } from "../../../platform/auth/actor.ts";
import type { Deps } from "../../../platform/deps.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import {
  acceptInvitation,
  invitationPath,
  type OpenInvitation,
  readInvitation,
} from "../../../resources/operators/invitations.ts";
import { readLogin } from "../../../resources/operators/operator-sessions.ts";
import {
  type OpenReset,
  readReset,
  resetPassword,
  resetPath,
} from "../../../resources/operators/passwords.ts";
import { Time } from "../../ui/text.tsx";
import { home, redirect, signInPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { LinkLine } from "../frame/parts.tsx";
import { NewPassword, SignsInBy } from "../frame/password-input.tsx";
import { linkToken, plainPage, problemIn } from "../frame/plain-page.tsx";
import { findSession, requireOwnForm, type Session } from "../frame/session.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { frameText } from "../frame/words.ts";
import { startSession } from "./sign-in.tsx";
import { signInText } from "./words.ts";

const words = signInText.invitation;

type Set = Context["set"];

/** Subject of a link. @throws {Problem} `not_found` for a link that is no longer, or never was, one. */
function requireLink<T>(found: T | undefined): T {
  if (!found) throw new TranslatedProblem("not_found", words.gone);
  return found;
}

const Invitation = ({ role, workspaceName, teamName, expiresAt }: OpenInvitation) => (
  <>
    <p dir="auto">{words.message(frameText.roles[role], workspaceName, teamName)}</p>
    <p class="quiet">
      {words.expires} <Time at={expiresAt} exact />
    </p>
  </>
);

/** How the person accepts: by the session, by one that has to begin first, or not at all. */
const Acceptance = ({
  path,
  invited: { email, required },
  session,
}: {
  path: string;
  invited: OpenInvitation;
  session: Session | null;
}) => {
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
  if (session && (session.email !== email || session.connectionId !== null))
    return (
      <form method="post" action="/console/sign-out">
        <p>{session.email === email ? words.needsPassword : words.other(session.email, email)}</p>
        <input type="hidden" name="csrf" value={session.csrf} />
        <button type="submit">{frameText.signOut}</button>
      </form>
    );
  if (session)
    return (
      <form method="post" action={path}>
        <input type="hidden" name="csrf" value={session.csrf} />
        <button type="submit">{words.accept}</button>
      </form>
    );
  return (
    <>
      <LinkLine href={`${signInPath}?${new URLSearchParams({ next: path })}`} label={words.signIn} />
      <h2>{words.newAccount}</h2>
      <form method="post" action={path}>
        <input type="hidden" name="email" autocomplete="username" value={email} />
        <NewPassword email={email} />
        <button type="submit">{words.submit}</button>
      </form>
    </>
  );
};

const invitationPage = (
  set: Set,
  token: string,
  invited: OpenInvitation,
  { session, message }: { session: Session | null; message?: string },
): string =>
  plainPage(
    set,
    words.title,
    <>
      <Invitation {...invited} />
      <Acceptance {...{ invited, session }} path={`${invitationPath}/${encodeURIComponent(token)}`} />
    </>,
    message,
  );

const resetPage = (set: Set, token: string, { email, required }: OpenReset, message?: string): string =>
  plainPage(
    set,
    frameText.password.chooseTitle,
    <>
      <p dir="auto">{frameText.password.chooseFor(email)}</p>
      <SignsInBy by={required} />
      <form method="post" action={`${resetPath}/${encodeURIComponent(token)}`}>
        <NewPassword email={email} />
        <button type="submit">{frameText.password.submit}</button>
      </form>
    </>,
    message,
  );

const accept = async (
  { sql }: Deps,
  request: Request,
  token: string,
  { email, required }: OpenInvitation,
  { session, password }: { session: Session | null; password: string },
) => {
  if (required) throw new TranslatedProblem("conflict", frameText.password.refused(required.name));
  const actor = actorOf(request, "anonymous", null);
  const accepted = session ? { operator: session.operator } : { email, password };
  await acceptInvitation(sql, actor, token, accepted);
};

/** Signs in with what was chosen; where that is refused, the page that does it comes next. */
const signInWith = async (
  { deps, request, set }: Pick<Context, "deps" | "request" | "set">,
  email: string,
  password: string,
  isNew = false,
) =>
  redirect(
    set,
    await startSession(deps, request, set, new URLSearchParams({ email, password }), isNew).then(
      () => home,
      () => signInPath,
    ),
  );

export const choosePasswordPages = {
  invitation: async ({ deps, request, params, set }) => {
    const token = linkToken(params);
    const invited = requireLink(await readInvitation(deps.sql, token));
    return invitationPage(set, token, invited, { session: await findSession(deps, request) });
  },
  accept: async ({ deps, request, params, set }) => {
    const token = linkToken(params);
    const values = parseForm(request, await readLogin(deps, request, limits.body.maxSmallBytes));
    const invited = requireLink(await readInvitation(deps.sql, token));
    const session = await findSession(deps, request);
    const password = values.get("password") ?? "";
    const problem = await problemIn(set, async () => {
      if (session) requireOwnForm(deps, request, session, values.get("csrf") ?? "");
      await accept(deps, request, token, invited, { session, password });
    });
    if (problem) return invitationPage(set, token, invited, { session, message: problem.message });
    return session
      ? redirect(set, "/console/account")
      : await signInWith({ deps, request, set }, invited.email, password, true);
  },
  resetPassword: async ({ deps, params, set }) => {
    const token = linkToken(params);
    return resetPage(set, token, requireLink(await readReset(deps.sql, token)));
  },
  reset: async ({ deps, request, params, set }) => {
    const token = linkToken(params);
    const values = parseForm(request, await readLogin(deps, request, limits.body.maxSmallBytes));
    const found = requireLink(await readReset(deps.sql, token));
    const password = values.get("password") ?? "";
    const problem = await problemIn(set, () =>
      resetPassword(deps.sql, actorOf(request, "anonymous", null), token, { email: found.email, password }),
    );
    if (problem) return resetPage(set, token, found, problem.message);
    return await signInWith({ deps, request, set }, found.email, password);
  },
} satisfies Handlers;
