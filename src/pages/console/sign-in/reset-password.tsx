/** `/console/reset/<token>`: a new password in place of a lost one, by a link that works once. */
import { actorOf } from "../../../platform/auth/actor.ts";
import { pathOf } from "../../../platform/http/request-context.ts";
import { type OpenReset, readReset, resetPassword } from "../../../resources/operators/passwords.ts";
import { Submit } from "../../ui/controls.tsx";
import type { Context, Handlers } from "../frame/context.ts";
import { PostForm, type Refused } from "../frame/layout.tsx";
import { newPasswordForm, SignsInBy } from "../frame/password-input.tsx";
import { linkToken, onPlainPost, plainPage } from "../frame/plain-page.tsx";
import { frameText } from "../frame/words.ts";
import { signInAfter } from "./sign-in.tsx";

const words = frameText.password;

const resetPage = ({ request, set }: Context, { email, required }: OpenReset, refused?: Refused): string =>
  plainPage(
    set,
    words.chooseTitle,
    <>
      <p dir="auto">{words.chooseFor(email)}</p>
      <SignsInBy by={required} />
      <PostForm action={pathOf(request)} form={newPasswordForm({ email })}>
        <Submit label={words.submit} />
      </PostForm>
    </>,
    refused,
  );

const find = (context: Context) => readReset(context.deps.sql, linkToken(context));

export const resetPasswordPages = {
  page: async (context) => resetPage(context, await find(context)),
  reset: onPlainPost(
    { find, form: newPasswordForm, page: resetPage },
    async ({ found, data, ...context }) => {
      const login = { email: found.email, ...data };
      const actor = actorOf(context.request, "anonymous", null);
      await resetPassword(context.deps.sql, actor, linkToken(context), login);
      return await signInAfter(context, login);
    },
  ),
} satisfies Handlers;
