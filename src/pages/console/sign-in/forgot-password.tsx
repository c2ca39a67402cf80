/** `/console/forgot-password`: sends a link to a new password, where mail is on. */
import { limits } from "../../../limits.ts";
import { actorOf } from "../../../platform/auth/actor.ts";
import { parseForm } from "../../../platform/http/form-body.ts";
import { isMailOn } from "../../../platform/mail/smtp.ts";
import { requestReset } from "../../../resources/operators/mails.ts";
import { readLogin } from "../../../resources/operators/operator-sessions.ts";
import { validateCredentials } from "../../../resources/operators/operators.ts";
import { Input, Notice } from "../../ui/controls.tsx";
import { language } from "../../ui/language.ts";
import { forgotPath, signInPath } from "../frame/addresses.ts";
import type { Context, Handlers } from "../frame/context.ts";
import { LinkLine } from "../frame/parts.tsx";
import { plainPage } from "../frame/plain-page.tsx";
import { frameText } from "../frame/words.ts";
import { signInText } from "./words.ts";

const words = signInText.forgotPassword;

/** Without mail: who makes a link. */
const forgotPage = (set: Context["set"], isOn: boolean, sentTo?: string): string =>
  plainPage(
    set,
    frameText.signIn.forgotten,
    <>
      {sentTo !== undefined && (
        <Notice kind="info">{words.sent(sentTo, limits.operator.resetMinutes)}</Notice>
      )}
      {isOn && (
        <form method="post" action={forgotPath}>
          <p>{words.message}</p>
          <Input name="email" label={frameText.signIn.email} type="email" autocomplete="username" required />
          <button type="submit">{words.submit}</button>
        </form>
      )}
      <p class={isOn ? "quiet" : undefined}>{words.help}</p>
      <LinkLine href={signInPath} label={frameText.signIn.title} />
    </>,
  );

export const forgotPasswordPages = {
  page: ({ deps, set }) => forgotPage(set, isMailOn(deps.config)),
  send: async ({ deps, request, set }) => {
    const values = parseForm(request, await readLogin(deps, request, limits.body.maxSmallBytes));
    const email = (values.get("email") ?? "").trim();
    await validateCredentials({ email });
    requestReset(deps, actorOf(request, "anonymous", null), email, language());
    const isOn = isMailOn(deps.config);
    return forgotPage(set, isOn, isOn ? email : undefined);
  },
} satisfies Handlers;
