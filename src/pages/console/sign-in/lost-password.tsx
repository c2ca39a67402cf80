/** A lost password: `/console/forgot-password` sends a link, `/console/reset/<token>` takes a new one. */
import { limits } from "../../../limits.ts";
import { actorOf } from "../../../platform/auth/actor.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { isMailOn } from "../../../platform/mail/smtp.ts";
import { requestReset } from "../../../resources/operators/mails.ts";
import { validateCredentials } from "../../../resources/operators/operators.ts";
import {
  type Entries,
  type OpenReset,
  readReset,
  resetPassword,
} from "../../../resources/operators/passwords.ts";
import { Notice, Submit } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { forgotPath, home, signInPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { newPasswordForm, SignsInBy } from "../frame/credential-inputs.tsx";
import { formOf } from "../frame/form.tsx";
import { PostForm, type Refused } from "../frame/layout.tsx";
import { LinkLine } from "../frame/parts.tsx";
import { linkToken, onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { emailInput } from "../frame/sign-in-page.tsx";
import { frameText } from "../frame/words.ts";
import { trySignIn } from "./sign-in.tsx";
import { signInText } from "./words.ts";

const words = signInText.forgotPassword;

const form = () => formOf({ email: emailInput() }, { about: { email_invalid: "email" } });

const isOnIn = ({ deps }: Context) => isMailOn(deps.config);

/** Page that sends a link. It also names who can make one, which is the only way without mail. */
const forgotPage = ({ set }: Context, isOn: boolean, refused?: Refused, sentTo?: string): string =>
  plainPage(
    set,
    frameText.signIn.forgotten,
    <>
      {sentTo && <Notice kind="info">{words.sent(sentTo, limits.operator.resetMinutes)}</Notice>}
      {isOn && (
        <>
          <p>{words.message}</p>
          <PostForm action={forgotPath} form={form()}>
            <Submit label={words.submit} />
          </PostForm>
        </>
      )}
      <p class={isOn ? "quiet" : undefined}>{words.help}</p>
      <LinkLine href={signInPath} label={frameText.signIn.title} />
    </>,
    refused,
  );

export const forgotPasswordPages = {
  page: (context) => forgotPage(context, isOnIn(context)),
  send: onPlainPost(
    // Without mail the page has no control to which an error could lead.
    {
      find: isOnIn,
      form,
      page: (context, isOn, refused) => forgotPage(context, isOn, isOn ? refused : undefined),
    },
    async ({ found, data: { email }, ...context }) => {
      await validateCredentials({ email });
      requestReset(context.deps, actorOf(context.request, "anonymous", null), email, language());
      return forgotPage(context, found, undefined, found ? email : undefined);
    },
  ),
} satisfies Handlers;

const resetPage = (
  { request, set }: Context,
  { email, required, sessions, passkeys }: OpenReset,
  refused?: Refused,
): string =>
  plainPage(
    set,
    frameText.password.chooseTitle,
    <>
      <p dir="auto">{frameText.password.chooseFor(email, sessions, passkeys)}</p>
      <SignsInBy by={required} />
      <PostForm action={pathOf(request)} form={newPasswordForm({ email })}>
        <Submit label={frameText.password.submit} />
      </PostForm>
    </>,
    refused,
  );

/** Page after the post: it says what the new password has ended, before the console opens. */
const changedPage = ({ set }: Context, { sessions, passkeys }: Entries): string =>
  plainPage(
    set,
    frameText.password.changed,
    <>
      <p role="status" dir="auto">
        {frameText.password.ended(sessions, passkeys)}
      </p>
      <p>{frameText.password.keysStay}</p>
      <LinkLine class="button" href={home} label={frameText.outside.submit} />
    </>,
  );

const findReset = (context: Context) => readReset(context.deps.sql, linkToken(context));

export const resetPasswordPages = {
  page: async (context) => resetPage(context, await findReset(context)),
  reset: onPlainPost(
    { find: findReset, form: newPasswordForm, page: resetPage },
    async ({ found, data, ...context }) => {
      const login = { email: found.email, ...data };
      const actor = actorOf(context.request, "anonymous", null);
      const ended = await resetPassword(context.deps, actor, linkToken(context), login);
      await trySignIn(context, login);
      return changedPage(context, ended);
    },
  ),
} satisfies Handlers;
